import assert from "node:assert/strict";
import { Outbox } from "../../lib/agent/outbox.ts";
import { EnvelopeMaker } from "../../lib/envelope/envelope.ts";
import type { Sending } from "../../lib/operator/agent_door.ts";

const maker = new EnvelopeMaker();
const make = (type: string) => maker.make({ type, from: "me" });

/** An outbox over outcomes that a test gives, one a try. */
function makeRig(outcomes: (Sending["kind"] | "nobody")[]) {
  const tries: string[] = [];
  const waits: number[] = [];
  const logged: string[] = [];
  const outbox = new Outbox({
    send: (envelope) => {
      tries.push(envelope.type);
      const kind = outcomes.shift() ?? "sent";
      switch (kind) {
        case "sent":
          return Promise.resolve({ kind, envelope });
        case "waiting":
          return Promise.resolve({ kind });
        case "offline":
        case "refused":
          return Promise.resolve({ kind, reason: "why" });
        case "nobody":
          return Promise.resolve(undefined);
        default:
          return kind satisfies never;
      }
    },
    wait: (ms) => {
      waits.push(ms);
      return Promise.resolve();
    },
    log: (text) => logged.push(text),
  });
  return { outbox, tries, waits, logged };
}

Deno.test("Outbox says each in order, again and again until it is taken or refused", async () => {
  // Guards that an answer outlives a service that is away for a moment.
  const { outbox, tries, waits, logged } = makeRig([
    "nobody",
    "offline",
    "waiting",
    "offline",
    "offline",
    "sent",
    "refused",
  ]);
  const refused = make("b");
  const sent = await Promise.all(
    [make("a"), refused, make("c")].map((envelope) => outbox.put(envelope)),
  );
  assert.deepEqual(sent, [true, false, true]);
  assert.equal(tries.join(""), "aaaaaabc");
  assert.deepEqual(waits, [250, 500, 1_000, 2_000, 2_000]);
  assert.deepEqual(logged, [`not sent: b ${refused.id}: why`]);
});

Deno.test("Outbox makes its users wait for room, and settles all at its end", async () => {
  // Guards memory while nothing can be sent, and that nobody waits for ever.
  let release = () => {};
  const held = new Promise<void>((resolve) => release = resolve);
  const outbox = new Outbox({
    send: () => held.then(() => ({ kind: "offline", reason: "" } as const)),
    wait: () => Promise.resolve(),
    log: () => {},
  });
  const puts = Array.from({ length: 64 }, () => outbox.put(make("x")));
  let hasRoom = false;
  const room = outbox.room().then(() => hasRoom = true);
  await Promise.resolve();
  assert.equal(hasRoom, false);
  assert.equal(await outbox.close(1), 64);
  await room;
  assert.ok((await Promise.all(puts)).every((sent) => !sent));
  assert.equal(await outbox.put(make("y")), false);
  release();
});

Deno.test("Outbox sends what is put whenever the one before it settles", async () => {
  // Guards a goodbye that is said just as the last answer has gone.
  for (let turns = 0; turns < 8; turns++) {
    const { outbox, tries } = makeRig([]);
    await outbox.put(make("a"));
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    const last = outbox.put(make("b"));
    assert.equal(await outbox.close(1_000), 0, `after ${turns} turns`);
    assert.equal(await last, true);
    assert.deepEqual(tries, ["a", "b"]);
  }
});
