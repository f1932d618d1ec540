import assert from "node:assert/strict";
import { MessageLog } from "../../lib/buffers/message_log.ts";
import { SecretScan } from "../../lib/redact/secrets.ts";
import type { Result } from "../tools/tool_calls.ts";
import { NOON } from "../tools/fake_engine.ts";
import { CountingLog, drain, scene, subscribe } from "./observed_engine.ts";

/** The digest of a buffer in a read of everything. */
async function digest(
  caller: ReturnType<typeof scene>["caller"],
  bufferId: string,
): Promise<Result | undefined> {
  const page = await caller.call("read_updates");
  return page.updates.flatMap((update: Result) => update.buffers)
    .find((entry: Result) => entry.buffer === bufferId);
}

Deno.test("With no subscription no buffer is read, and nobody observes [SUB-002]", async () => {
  // Guards that the feature costs nothing to who does not use it.
  const { engine, session, channel, clock, caller } = scene();
  const log = channel.messages = new CountingLog(100);
  engine.flood(session, channel, 50);
  await clock.advance(100);
  assert.equal(log.reads, 0);
  assert.equal(engine.observers.size, 0);
  const id = await subscribe(caller, { buffers: [channel.id] });
  assert.equal(engine.observers.size, 1);
  await caller.call("unsubscribe", { id });
  assert.equal(engine.observers.size, 0);
  assert.equal(clock.pending, 0);
});

Deno.test("A buffer that no subscription covers is never read [SUB-004]", async () => {
  // Guards the connection against busy channels nobody asked about.
  const { engine, session, channel, query, clock, caller } = scene();
  const busy = channel.messages = new CountingLog(10_000);
  await subscribe(caller, { buffers: [query.id] });
  engine.flood(session, channel, 5_000);
  engine.say(session, query, { text: "hi" });
  await clock.advance(100);
  assert.equal(busy.reads, 0);
  assert.deepEqual(await drain(caller), ["hi"]);
});

Deno.test("A raw or log subscription reads no buffer", async () => {
  // Guards that a subscription without message filters matches no message.
  const { engine, clock } = scene();
  const { Caller } = await import("../tools/tool_calls.ts");
  const caller = new Caller(engine, {
    clock,
    switches: () => ({ debug: true, send: false }),
  });
  await subscribe(caller, { raw: {} });
  assert.equal(engine.observers.size, 0);
});

Deno.test("The first message after quiet is collected at once, the next after 20 ms [SUB-049 SUB-050 SUB-051 SUB-052]", async () => {
  // Guards both sides: no wait in quiet, a bounded cost in a storm.
  const { engine, session, channel, clock, caller } = scene();
  const log = channel.messages = new CountingLog(10_000);
  await subscribe(caller, { buffers: [channel.id] });
  engine.say(session, channel, { text: "first" });
  await clock.advance(0);
  assert.deepEqual(await drain(caller), ["first"]);
  for (let i = 0; i < 19; i++) {
    engine.say(session, channel, { text: `m${i}` });
    await clock.advance(1);
  }
  assert.deepEqual(await drain(caller), []);
  assert.equal(log.reads, 1);
  await clock.advance(1);
  assert.equal((await drain(caller)).length, 19);
  assert.equal(log.reads, 2);
});

Deno.test("A batch lets the event loop go on while filters take long", async () => {
  // Guards everyone else against 16 subscriptions with the costliest globs:
  // 250 rows of them are a third of a second of matching.
  const { engine, session, channel, clock, caller } = scene();
  await subscribe(caller, { buffers: [channel.id] });
  let turns = 0;
  const after = clock.after.bind(clock);
  clock.after = (ms, run) => {
    if (ms === 0) turns++;
    return after(ms, run);
  };
  // Each look at the clock finds it a millisecond on, as if a row took one.
  const monotonic = clock.monotonic.bind(clock);
  let spent = 0;
  clock.monotonic = () => monotonic() + spent++;
  engine.flood(session, channel, 100);
  await clock.advance(20);
  assert.ok(turns >= 10, `${turns} turns`);
});

Deno.test("Each batch reads the session's nick once [SUB-052]", async () => {
  // Guards that a batch is matched against one nick.
  const { engine, session, channel, query, clock, caller } = scene();
  let reads = 0;
  Object.defineProperty(session, "nick", {
    get: () => {
      reads++;
      return "mriron";
    },
  });
  await subscribe(caller, { mentions: true });
  engine.flood(session, channel, 30);
  engine.flood(session, query, 30);
  await clock.advance(0);
  assert.equal(reads, 1);
});

Deno.test("History is counted and never delivered [SUB-040 SUB-041 SUB-042 SUB-043 SUB-044]", async () => {
  // Guards that a reconnect does not deliver last night again.
  const { engine, session, channel, query, clock, caller } = scene();
  await subscribe(caller, { kinds: ["privmsg"] });
  engine.say(session, channel, { text: "live", time: NOON + 60_000 });
  engine.say(session, channel, { text: "mid-buffer", time: NOON });
  engine.say(session, channel, { text: "older still", time: NOON - 1 });
  engine.say(session, channel, { text: "replayed", replayed: true });
  engine.say(session, channel, { kind: "notice", replayed: true });
  engine.say(session, query, { text: "played back", replayed: true });
  await clock.advance(20);
  const page = await caller.call("read_updates", { peek: true });
  assert.deepEqual(
    page.updates[0].buffers.map((b: Result) => [b.name, b.new, b.backfilled]),
    [["#rete", 1, 3], ["alice", 0, 1]],
  );
  assert.deepEqual(await drain(caller), ["live"]);
});

Deno.test("Lines replayed by server-time alone are delivered as live [SUB-045]", async () => {
  // Guards the contract's line between live and history: a batch, not a time.
  const { engine, session, channel, clock, caller } = scene();
  await subscribe(caller, { buffers: [channel.id] });
  engine.say(session, channel, { text: "old", time: NOON - 86_400_000 });
  await clock.advance(20);
  assert.deepEqual(await drain(caller), ["old"]);
});

Deno.test("What a buffer holds already is neither delivered nor counted [SUB-046 SUB-047]", async () => {
  // Guards the starting point, for rows whose batch has not run yet too.
  const { engine, session, channel, clock, caller } = scene();
  channel.fill(10);
  await subscribe(caller, { match: "early bird" });
  engine.say(session, channel, { text: "wakes the batch" });
  await clock.advance(0);
  engine.say(session, channel, { text: "in between" });
  await subscribe(caller, { buffers: [channel.id] });
  engine.say(session, channel, { text: "after" });
  await clock.advance(20);
  const page = await caller.call("read_updates", { detail: "full" });
  assert.equal(page.updates.length, 1);
  assert.deepEqual(
    page.updates[0].events.map((e: Result) => e.message.payload.text),
    ["after"],
  );
});

Deno.test("More than 256 changes at once are given up as evicted [SUB-053 SUB-056]", async () => {
  // Guards that a flood is told as a gap, whole, and others still come.
  const { engine, session, channel, query, clock, caller } = scene();
  await subscribe(caller, { kinds: ["privmsg"] });
  engine.say(session, query, { text: "before" });
  engine.flood(session, channel, 300);
  engine.say(session, query, { text: "after" });
  await clock.advance(20);
  const page = await caller.call("read_updates", { peek: true });
  assert.deepEqual(
    page.updates[0].buffers.map((b: Result) => [b.name, b.new, b.evicted]),
    [["alice", 2, undefined], ["#rete", 0, true]],
  );
  assert.equal(page.updates[0].buffers[1].backfilled, undefined);
  assert.deepEqual(await drain(caller), ["before", "after"]);
});

Deno.test("Rows dropped at capacity before they were read are evicted [SUB-054]", async () => {
  // Guards that a gap at the buffer's end is told.
  const { engine, session, channel, clock, caller } = scene();
  channel.messages = new MessageLog(10);
  await subscribe(caller, { buffers: [channel.id] });
  engine.flood(session, channel, 30);
  await clock.advance(0);
  const entry = await digest(caller, channel.id);
  assert.equal(entry?.evicted, true);
  assert.equal(entry?.new, 10);
});

Deno.test("A buffer whose sequence restarted is evicted [SUB-055]", async () => {
  // Guards that rows of a closed query are not taken for the new one's.
  const { engine, session, channel, clock, caller } = scene();
  await subscribe(caller, { buffers: [channel.id] });
  engine.flood(session, channel, 3);
  channel.messages = new MessageLog(10);
  engine.say(session, channel, { text: "anew" });
  await clock.advance(0);
  const entry = await digest(caller, channel.id);
  assert.equal(entry?.evicted, true);
  assert.equal(entry?.new, 0);
  engine.say(session, channel, { text: "next" });
  await clock.advance(20);
  assert.deepEqual(await drain(caller), ["next"]);
});

Deno.test("A row with a secret is withheld before its text is compared [SUB-057 SUB-058]", async () => {
  // Guards that a filter cannot tell a part of a secret by the count.
  const { engine, session, channel, clock, caller } = scene();
  session.scan = new SecretScan(["hunter22"]);
  await subscribe(caller, { match: "hunt" });
  await subscribe(caller, { match: "nothing like it" });
  await subscribe(caller, { from: ["bob"] });
  engine.say(session, channel, { text: "it is hunter22!" });
  engine.say(session, channel, {
    kind: "raw",
    payload: { caseName: "rawLine", line: "PING" },
  });
  await clock.advance(20);
  const page = await caller.call("read_updates");
  assert.deepEqual(
    page.updates.map((u: Result) => [
      u.buffers[0].new,
      u.buffers[0].withheld,
    ]),
    [[0, 2], [0, 2], [0, 1]],
  );
  assert.ok(!JSON.stringify(page).includes("hunter22"));
});

Deno.test("A failing batch is logged and the next one is collected", async () => {
  // Guards that one bad row does not end live updates.
  const { engine, session, channel, query, clock, caller } = scene();
  await subscribe(caller, { kinds: ["privmsg"] });
  channel.messages.since = () => {
    throw new Error("broken");
  };
  engine.say(session, channel, { text: "lost" });
  await clock.advance(20);
  engine.say(session, query, { text: "found" });
  await clock.advance(20);
  assert.deepEqual(await drain(caller), ["found"]);
  assert.deepEqual(caller.logged.map((line) => line.text), [
    "live updates: a batch of messages could not be read",
  ]);
});
