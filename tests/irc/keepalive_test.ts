import assert from "node:assert/strict";
import { Keepalive } from "../../lib/irc/keepalive.ts";
import { DEFAULT_LIMITS } from "../../lib/irc/limits.ts";
import { FakeClock } from "../fake_clock.ts";

function keepalive() {
  const clock = new FakeClock();
  const seen = { pings: 0, lost: 0 };
  const alive = new Keepalive({
    clock,
    limits: DEFAULT_LIMITS,
    ping: () => seen.pings++,
    lost: () => seen.lost++,
  });
  alive.start();
  return { clock, seen, alive };
}

Deno.test("Keepalive pings after 60 s idle and gives up 30 s later", async () => {
  // Guards that a half-open connection is noticed within a fixed time.
  const { clock, seen } = keepalive();
  await clock.advance(59_999);
  assert.deepEqual(seen, { pings: 0, lost: 0 });
  await clock.advance(1);
  assert.deepEqual(seen, { pings: 1, lost: 0 });
  await clock.advance(29_999);
  assert.equal(seen.lost, 0);
  await clock.advance(1);
  assert.deepEqual(seen, { pings: 1, lost: 1 });
  assert.equal(clock.pending, 0);
});

Deno.test("Keepalive counts from the last line, and any answer will do", async () => {
  // Guards that a busy or a slow server is neither pinged nor given up.
  const { clock, seen, alive } = keepalive();
  await clock.advance(50_000);
  alive.heard();
  await clock.advance(59_999);
  assert.equal(seen.pings, 0);
  await clock.advance(1);
  assert.equal(seen.pings, 1);
  await clock.advance(10_000);
  alive.heard();
  await clock.advance(20_000);
  assert.deepEqual(seen, { pings: 1, lost: 0 });
  await clock.advance(40_000);
  assert.equal(seen.pings, 2);
  alive.stop();
  assert.equal(clock.pending, 0);
});
