import assert from "node:assert/strict";
import { scene, subscribe } from "../updates/observed_engine.ts";
import type { Result } from "./tool_calls.ts";

Deno.test("wait_for_updates answers as soon as an event comes [WAIT-001 WAIT-002 INV-009]", async () => {
  // Guards the wake-up: no time passes between the event and the answer.
  const { engine, session, channel, clock, caller } = scene();
  await subscribe(caller, { mentions: true });
  const waiting = caller.call("wait_for_updates", { detail: "full" });
  await clock.advance(3_000);
  engine.say(session, channel, { text: "not this" });
  await clock.advance(3_000);
  engine.say(session, channel, { text: "mriron!" });
  await clock.advance(0);
  const page = await waiting;
  assert.equal(page.timed_out, undefined);
  assert.equal(page.updates[0].events[0].message.payload.text, "mriron!");
  assert.deepEqual((await caller.call("read_updates")).updates, []);
});

Deno.test("wait_for_updates answers at once when an event is pending [WAIT-003]", async () => {
  // Guards that nothing is waited for that is there already.
  const { engine, session, channel, clock, caller } = scene();
  await subscribe(caller, { buffers: [channel.id] });
  engine.say(session, channel);
  await clock.advance(20);
  const page = await caller.call("wait_for_updates");
  assert.equal(page.updates[0].buffers[0].new, 1);
});

Deno.test("wait_for_updates times out with nothing read [WAIT-004 WAIT-005 WAIT-007 WAIT-008]", async () => {
  // Guards the exact answer, the clamps, and counters left for the next read.
  const { engine, session, channel, clock, caller } = scene();
  await subscribe(caller, { buffers: [channel.id] });
  for (const [timeout, seconds] of [[-5, 1], [7, 7], [999, 20]] as const) {
    const waiting = caller.text("wait_for_updates", { timeout });
    let isDone = false;
    waiting.then(() => isDone = true);
    engine.say(session, channel, { replayed: true });
    await clock.advance(seconds * 1000 - 1);
    assert.equal(isDone, false);
    await clock.advance(1);
    assert.equal(
      await waiting,
      '{"timed_out":true,"untrusted":true,"updates":[]}',
    );
  }
  const page = await caller.call("read_updates");
  assert.equal(page.updates[0].buffers[0].backfilled, 3);
});

Deno.test("wait_for_updates without an id waits for later subscriptions too [WAIT-006]", async () => {
  // Guards an agent that waits first and subscribes from another client.
  const { engine, session, channel, clock, caller } = scene();
  const waiting = caller.call("wait_for_updates");
  await clock.advance(1_000);
  await subscribe(caller, { buffers: [channel.id] });
  engine.say(session, channel);
  await clock.advance(0);
  assert.equal((await waiting).updates.length, 1);
});

Deno.test("wait_for_updates refuses a third waiting call [ERR-019 WAIT-009 WAIT-010]", async () => {
  // Guards the connections: waits hold two of them at most.
  const { engine, session, channel, clock, caller } = scene();
  const id = await subscribe(caller, { buffers: [channel.id] });
  const two = [
    caller.call("wait_for_updates"),
    caller.call("wait_for_updates", { id }),
  ];
  await clock.advance(0);
  assert.equal(
    await caller.fail("wait_for_updates", { id }),
    "too many waiting calls: at most 2 wait_for_updates may run at once",
  );
  assert.equal((await caller.call("list_sessions")).sessions.length, 1);
  engine.say(session, channel);
  await clock.advance(0);
  const pages = await Promise.all(two);
  // Both woke for one event: whichever read second found it taken.
  assert.deepEqual(pages.map((page: Result) => page.timed_out), [
    undefined,
    undefined,
  ]);
  assert.deepEqual(
    pages.map((page: Result) => page.updates.length).sort(),
    [0, 1],
  );
  await caller.answer("wait_for_updates", {}, AbortSignal.abort());
  const again = caller.call("wait_for_updates", { timeout: 1 });
  await clock.advance(1_000);
  assert.equal((await again).timed_out, true);
});

Deno.test("wait_for_updates gives its place back when cancelled [WAIT-011 GATE-061]", async () => {
  // Guards that clients that went away hold no place.
  const { clock, caller } = scene();
  await subscribe(caller, { mentions: true });
  const before = clock.pending;
  for (let i = 0; i < 5; i++) {
    const controller = new AbortController();
    const waiting = caller.answer("wait_for_updates", {}, controller.signal);
    await clock.advance(10);
    controller.abort();
    assert.equal((await waiting).isError, true);
  }
  assert.equal(clock.pending, before);
});

Deno.test("wait_for_updates ends when its subscription is removed [WAIT-012]", async () => {
  // Guards that nobody waits for what cannot come.
  const { clock, caller } = scene();
  const id = await subscribe(caller, { mentions: true });
  const waiting = caller.fail("wait_for_updates", { id });
  await clock.advance(10);
  await caller.call("unsubscribe", { id });
  assert.equal(await waiting, "unknown subscription");
});

Deno.test("wait_for_updates is told as waiting and as ended", async () => {
  // Guards the two rows of the access log, and the one of a refused wait.
  const { engine } = scene();
  const { Caller } = await import("./tool_calls.ts");
  const { FakeClock } = await import("../fake_clock.ts");
  const clock = new FakeClock();
  const told: string[] = [];
  const caller = new Caller(engine, {
    clock,
    onToolCall: ({ outcome }) => told.push(outcome.kind),
  });
  const waits = [1, 2].map(() =>
    caller.call("wait_for_updates", { timeout: 1 })
  );
  await clock.advance(0);
  await caller.fail("wait_for_updates");
  assert.deepEqual(told, ["waiting", "waiting", "error"]);
  await clock.advance(1_000);
  await Promise.all(waits);
  assert.deepEqual(told.slice(3), ["ok", "ok"]);
});
