import assert from "node:assert/strict";
import type { FakeBuffer } from "./fake_engine.ts";
import {
  ObservedEngine,
  scene,
  subscribe,
} from "../updates/observed_engine.ts";
import { FakeClock } from "../fake_clock.ts";
import { Caller, type Result, seededRandom } from "./tool_calls.ts";

/** A scene whose results have little room. */
function smallScene(budgetBytes: number) {
  const engine = new ObservedEngine();
  const session = engine.start("Libera");
  const channel = session.open("channel", "#rete");
  const clock = new FakeClock();
  const caller = new Caller(engine, { clock, budgetBytes });
  return { engine, session, channel, clock, caller };
}

function texts(update: Result): string[] {
  return update.events.map((event: Result) => event.message.payload.text);
}

Deno.test("read_updates with nothing to report is empty [UPD-010 SUB-001 MSG-032]", async () => {
  // Guards the exact answer that a polling client sees most.
  const { caller } = scene();
  const empty = '{"untrusted":true,"updates":[]}';
  assert.equal(await caller.text("read_updates"), empty);
  await subscribe(caller, { mentions: true });
  assert.equal(await caller.text("read_updates"), empty);
  assert.equal(await caller.text("read_updates", { detail: "full" }), empty);
});

Deno.test("read_updates digest summarises each buffer and removes it [UPD-002 UPD-008 UPD-009 UPD-011 UPD-012 UPD-013 UPD-014 UPD-016 UPD-023 UPD-026]", async () => {
  // Guards the digest's shape, to the key.
  const { engine, session, channel, query, clock, caller } = scene();
  const idle = await subscribe(caller, { match: "never said" });
  const first = await subscribe(caller, { kinds: ["privmsg"] });
  const second = await subscribe(caller, { mentions: true });
  engine.say(session, channel, { from: "Bob", text: "mriron: hi" });
  engine.say(session, query, { from: "alice", text: "psst" });
  for (let i = 0; i < 12; i++) {
    engine.say(session, channel, { from: `n${i}`, text: "noise" });
  }
  engine.say(session, channel, { from: "BOB", text: "noise" });
  await clock.advance(20);
  const page = await caller.call("read_updates");
  assert.ok(idle !== first);
  assert.deepEqual(page, {
    untrusted: true,
    updates: [
      {
        subscription: first,
        buffers: [
          {
            buffer: channel.id,
            name: "#rete",
            new: 14,
            mentions: 1,
            from: ["Bob", ...Array.from({ length: 9 }, (_, i) => `n${i}`)],
          },
          {
            buffer: query.id,
            name: "alice",
            new: 1,
            mentions: 0,
            from: ["alice"],
          },
        ],
      },
      {
        subscription: second,
        buffers: [{
          buffer: channel.id,
          name: "#rete",
          new: 1,
          mentions: 1,
          from: ["Bob"],
        }],
      },
    ],
  });
  assert.deepEqual((await caller.call("read_updates")).updates, []);
});

Deno.test("read_updates digest names a buffer that is gone by an empty name [UPD-014]", async () => {
  // Guards that events of a closed buffer are still told.
  const { engine, session, query, clock, caller } = scene();
  await subscribe(caller, { queries: true });
  engine.say(session, query);
  await clock.advance(20);
  session.list = session.list.filter((buffer) => buffer !== query);
  const page = await caller.call("read_updates");
  assert.equal(page.updates[0].buffers[0].name, "");
});

Deno.test("read_updates full returns the events and removes them [UPD-003 UPD-004 UPD-005 UPD-017 UPD-019 UPD-020]", async () => {
  // Guards the event's shape, the limit for each subscription, and order.
  const { engine, session, channel, clock, caller } = scene();
  const id = await subscribe(caller, { buffers: [channel.id] });
  engine.flood(session, channel, 5);
  await clock.advance(20);
  const page = await caller.call("read_updates", { detail: "full", limit: 2 });
  assert.deepEqual(page.updates[0].events[0], {
    type: "message",
    buffer: channel.id,
    message: {
      seq: 1,
      time: "2026-09-30T12:00:00Z",
      from: "alice",
      kind: "privmsg",
      payload: { caseName: "privmsg", text: "0", target: "#rete" },
      untrusted: true,
    },
  });
  assert.deepEqual(Object.keys(page.updates[0]).sort(), [
    "events",
    "subscription",
    "truncated",
  ]);
  assert.equal(page.updates[0].subscription, id);
  assert.deepEqual(texts(page.updates[0]), ["0", "1"]);
  assert.equal(page.updates[0].truncated, true);
  const rest = await caller.call("read_updates", { id, detail: "full" });
  assert.deepEqual(texts(rest.updates[0]), ["2", "3", "4"]);
  assert.equal(rest.updates[0].truncated, false);
});

Deno.test("read_updates clamps its limit to 1…500 [UPD-001 UPD-017]", async () => {
  // Guards the bounds at both ends and the default of 50.
  const { engine, session, channel, clock, caller } = scene();
  await subscribe(caller, { buffers: [channel.id] });
  for (let i = 0; i < 3; i++) {
    engine.flood(session, channel, 200);
    await clock.advance(20);
  }
  const count = async (limit?: number) => {
    const args = {
      detail: "full",
      peek: true,
      ...(limit !== undefined && { limit }),
    };
    return (await caller.call("read_updates", args)).updates[0].events.length;
  };
  assert.equal(await count(), 50);
  assert.equal(await count(-3), 1);
  assert.ok(await count(10_000) <= 500);
});

Deno.test("read_updates reports counters once, and peek never takes [UPD-021 UPD-024 UPD-027 UPD-028]", async () => {
  // Guards that a count is neither lost nor told twice.
  const { engine, session, channel, query, clock, caller } = scene();
  await subscribe(caller, { kinds: ["privmsg"] });
  engine.say(session, channel, { replayed: true });
  engine.say(session, query, { replayed: true });
  engine.say(session, query);
  await clock.advance(20);
  const full = { detail: "full", peek: true };
  const before = await caller.text("read_updates", full);
  assert.equal(await caller.text("read_updates", full), before);
  assert.equal(JSON.parse(before).updates[0].backfilled, 2);
  const digest = await caller.text("read_updates", { peek: true });
  assert.equal(await caller.text("read_updates", { peek: true }), digest);
  assert.deepEqual(
    (await caller.call("read_updates")).updates[0].buffers
      .map((b: Result) => b.backfilled),
    [1, 1],
  );
  assert.deepEqual((await caller.call("read_updates")).updates, []);
});

Deno.test("read_updates tells of dropped events, which read_since still has [SUB-018 UPD-024]", async () => {
  // Guards the way back to what an inbox let go.
  const { engine, session, channel, clock, caller } = scene();
  await subscribe(caller, { buffers: [channel.id] });
  for (let i = 0; i < 3; i++) {
    engine.flood(session, channel, 200);
    await clock.advance(20);
  }
  const page = await caller.call("read_updates", { detail: "full", limit: 1 });
  assert.equal(page.updates[0].dropped, 100);
  assert.equal(page.updates[0].events[0].message.seq, 101);
  const again = await caller.call("read_updates", { detail: "full", limit: 1 });
  assert.equal(again.updates[0].dropped, undefined);
  const kept = await caller.call("read_since", { buffer: channel.id });
  assert.equal(kept.messages[0].seq, 1);
});

Deno.test("read_updates refuses another detail and an unknown id [ERR-056 ERR-017]", async () => {
  // Guards the two errors of a read.
  const { caller } = scene();
  for (const detail of ["", "Digest", "events"]) {
    for (const tool of ["read_updates", "wait_for_updates"]) {
      assert.equal(
        await caller.fail(tool, { detail }),
        "invalid arguments: detail must be digest or full",
      );
      assert.equal(
        await caller.fail(tool, { id: "sub_000000000000" }),
        "unknown subscription",
      );
    }
  }
});

Deno.test("read_updates full is bounded by the budget as a whole [UPD-018 UPD-020 UPD-031]", async () => {
  // Guards that what does not fit stays, for each subscription.
  const { engine, session, channel, clock, caller } = smallScene(1_500);
  await subscribe(caller, { buffers: [channel.id] });
  await subscribe(caller, { sessions: [session.id] });
  engine.flood(session, channel, 10);
  await clock.advance(20);
  const page = await caller.call("read_updates", { detail: "full" });
  assert.equal(page.truncated, true);
  assert.equal(page.updates.length, 1);
  assert.equal(page.updates[0].truncated, true);
  const seen = [texts(page.updates[0]), []] as string[][];
  for (let reads = 0; reads < 20; reads++) {
    const next = await caller.call("read_updates", { detail: "full" });
    if (next.updates.length === 0) break;
    for (const update of next.updates) {
      const which = update.subscription === page.updates[0].subscription
        ? 0
        : 1;
      seen[which]?.push(...texts(update));
    }
  }
  const all = Array.from({ length: 10 }, (_, i) => `${i}`);
  assert.deepEqual(seen, [all, all]);
});

Deno.test("read_updates digest is cut to the oldest events, the rest stay [UPD-029 UPD-030]", async () => {
  // Guards that a cut digest loses nothing.
  const { engine, session, clock, caller } = smallScene(1_000);
  await subscribe(caller, { sessions: [session.id] });
  const buffers: FakeBuffer[] = [];
  for (let i = 0; i < 30; i++) {
    const buffer = session.open("query", `stranger${i}`);
    buffers.push(buffer);
    engine.say(session, buffer);
  }
  await clock.advance(20);
  const peeked = await caller.call("read_updates", { peek: true });
  assert.equal(peeked.updates[0].truncated, true);
  const names: string[] = [];
  for (let reads = 0; reads < 40; reads++) {
    const page = await caller.call("read_updates");
    if (page.updates.length === 0) break;
    names.push(...page.updates[0].buffers.map((b: Result) => b.name));
  }
  assert.deepEqual(names, buffers.map((buffer) => buffer.name));
});

Deno.test("read_updates steps over an event no page could hold [UPD-032 UPD-033 UPD-034 MSG-026]", async () => {
  // Guards that one giant line does not block an inbox for ever.
  const { engine, session, channel, clock, caller } = smallScene(1_500);
  await subscribe(caller, { buffers: [channel.id] });
  engine.say(session, channel, { text: "before" });
  engine.say(session, channel, { text: "x".repeat(2_000) });
  engine.say(session, channel, { text: "after" });
  await clock.advance(20);
  const args = { detail: "full" };
  for (let i = 0; i < 2; i++) {
    const peeked = await caller.call("read_updates", { ...args, peek: true });
    assert.equal(peeked.updates[0].skipped, 1);
    assert.equal(peeked.updates[0].truncated, true);
    assert.deepEqual(texts(peeked.updates[0]), ["before", "after"]);
  }
  const page = await caller.call("read_updates", args);
  assert.equal(page.updates[0].skipped, 1);
  assert.equal(page.updates[0].truncated, false);
  assert.deepEqual(texts(page.updates[0]), ["before", "after"]);
  assert.deepEqual((await caller.call("read_updates")).updates, []);
});

Deno.test("Live updates deliver or count every matching live message exactly once", async () => {
  // Guards the whole of it: for random interleavings of live lines, history,
  // floods, reads and peeks nothing is lost in silence and nothing comes twice.
  for (let seed = 1; seed <= 60; seed++) {
    const random = seededRandom(seed);
    const { engine, session, channel, clock, caller } = smallScene(
      2_000 + random(20_000),
    );
    await subscribe(caller, { buffers: [channel.id], match: "yes" });
    const delivered: number[] = [];
    let matching = 0;
    let history = 0;
    const counted = { backfilled: 0, dropped: 0, skipped: 0, evicted: false };
    const say = (count: number) => {
      for (let i = 0; i < count; i++) {
        const kind = random(10);
        const isGiant = random(200) === 0;
        const text = kind < 5 ? "yes" : "no";
        const replayed = kind === 9;
        if (replayed) history++;
        else if (text === "yes") matching++;
        engine.say(session, channel, {
          text: isGiant ? text.padEnd(30_000, ".") : text,
          replayed,
        });
      }
    };
    const read = async (peek: boolean) => {
      const detail = random(2) === 0 && !peek ? "digest" : "full";
      const args = { detail, peek, limit: 1 + random(400) };
      const page = await caller.call("read_updates", args);
      if (peek) return;
      for (const update of page.updates) {
        counted.dropped += update.dropped ?? 0;
        counted.skipped += update.skipped ?? 0;
        counted.backfilled += update.backfilled ?? 0;
        counted.evicted ||= update.evicted === true;
        for (const event of update.events ?? []) {
          delivered.push(event.message.seq);
        }
        for (const entry of update.buffers ?? []) {
          for (let i = 0; i < entry.new; i++) delivered.push(-1);
          counted.backfilled += entry.backfilled ?? 0;
          counted.evicted ||= entry.evicted === true;
        }
      }
    };
    for (let step = 0; step < 60; step++) {
      const act = random(6);
      if (act < 3) say(random(act === 0 && seed % 3 === 0 ? 300 : 40));
      else if (act < 4) await clock.advance(random(60));
      else await read(act === 5);
    }
    await clock.advance(100);
    for (let reads = 0; reads < 600; reads++) await read(false);
    const known = delivered.filter((seq) => seq > 0);
    assert.equal(new Set(known).size, known.length, `seed ${seed}: twice`);
    assert.deepEqual(known, [...known].sort((a, b) => a - b), `seed ${seed}`);
    const accounted = delivered.length + counted.dropped + counted.skipped;
    if (counted.evicted) assert.ok(accounted <= matching, `seed ${seed}`);
    else {
      assert.equal(accounted, matching, `seed ${seed}`);
      assert.equal(counted.backfilled, history, `seed ${seed}`);
    }
  }
});
