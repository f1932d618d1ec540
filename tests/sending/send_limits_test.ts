import assert from "node:assert/strict";
import {
  type LimitRefusal,
  type Reservation,
  SendLimits,
} from "../../lib/sending/send_limits.ts";
import { FakeClock } from "../fake_clock.ts";

function sendOne(limits: SendLimits): LimitRefusal | "sent" {
  const place = limits.reserve();
  if (typeof place === "string") return place;
  place.sent();
  return "sent";
}

function reserve(limits: SendLimits): Reservation {
  const place = limits.reserve();
  if (typeof place === "string") assert.fail(`refused: ${place}`);
  return place;
}

Deno.test("SendLimits lets five through at once, then one every 2 s [SEND-047 SEND-048]", async () => {
  // Guards the burst: an agent cannot flood itself off the network.
  const clock = new FakeClock();
  const limits = new SendLimits(clock);
  for (let i = 0; i < 5; i++) assert.equal(sendOne(limits), "sent");
  assert.equal(sendOne(limits), "burst");
  await clock.advance(1_999);
  assert.equal(sendOne(limits), "burst");
  await clock.advance(1);
  assert.equal(sendOne(limits), "sent");
  assert.equal(sendOne(limits), "burst");
});

Deno.test("SendLimits lets thirty through in any 60 s [SEND-045]", async () => {
  // Guards the cap over a sliding minute, not one by the clock.
  const clock = new FakeClock();
  const limits = new SendLimits(clock);
  for (let i = 0; i < 30; i++) {
    assert.equal(sendOne(limits), "sent");
    await clock.advance(1_999 + (i % 2));
  }
  // 30 lines over 59,985 ms: the burst has one more, the minute has not.
  assert.equal(sendOne(limits), "per-minute");
  await clock.advance(60_000 - 59_985);
  assert.equal(sendOne(limits), "sent");
});

Deno.test("SendLimits answers per-minute when both limits refuse [SEND-049]", async () => {
  // Guards the order of the two refusals.
  const clock = new FakeClock();
  const limits = new SendLimits(clock);
  for (let i = 0; i < 25; i++) {
    assert.equal(sendOne(limits), "sent");
    await clock.advance(2_000);
  }
  for (let i = 0; i < 5; i++) assert.equal(sendOne(limits), "sent");
  assert.equal(limits.reserve(), "per-minute");
});

Deno.test("SendLimits counts a released line for nothing [SEND-050 SEND-051]", () => {
  // Guards that a vetoed or failed line costs the agent no place.
  const limits = new SendLimits(new FakeClock());
  for (let i = 0; i < 100; i++) reserve(limits).release();
  for (let i = 0; i < 5; i++) assert.equal(sendOne(limits), "sent");
});

Deno.test("SendLimits holds for concurrent callers", () => {
  // Guards that callers whose lines wait in the queue cannot pass the limit.
  const limits = new SendLimits(new FakeClock());
  const places = Array.from({ length: 5 }, () => reserve(limits));
  assert.equal(limits.reserve(), "burst");
  places[0]?.release();
  assert.equal(sendOne(limits), "sent");
  assert.equal(limits.reserve(), "burst");
});

Deno.test("SendLimits.clear() forgets lines, and reservations made before [SEND-052]", () => {
  // Guards that a new token starts with clean counts.
  const limits = new SendLimits(new FakeClock());
  const old = reserve(limits);
  for (let i = 0; i < 4; i++) sendOne(limits);
  limits.clear();
  old.sent();
  for (let i = 0; i < 5; i++) assert.equal(sendOne(limits), "sent");
  assert.equal(limits.reserve(), "burst");
});
