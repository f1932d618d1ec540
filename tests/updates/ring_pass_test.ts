import assert from "node:assert/strict";
import { SecretScan } from "../../lib/redact/secrets.ts";
import { MAX_TAP_PLACES } from "../../lib/updates/limits.ts";
import { LineFollower } from "../../lib/updates/line_follower.ts";
import { RollingAllowance } from "../../lib/updates/rolling_allowance.ts";
import { Subscriptions } from "../../lib/updates/subscriptions.ts";
import { SeqRing } from "../../lib/debug/seq_ring.ts";
import type { RawLine } from "../../lib/debug/raw_tap.ts";
import { FakeClock } from "../fake_clock.ts";
import type { Result } from "../tools/tool_calls.ts";
import { LineScene } from "./line_scene.ts";

Deno.test("A poll lets the event loop go on every 200 lines, over all rings", async () => {
  // Guards the connection: a full tap of lines must not hold it.
  const scene = new LineScene({ sessions: 2 });
  const id = await scene.subscribe({ raw: { commands: ["LAST"] } });
  for (const session of scene.engine.list) {
    for (let i = 0; i < 149; i++) scene.raw("PING :x", { session });
    scene.raw("LAST", { session });
  }
  const turns: string[][] = [[]];
  scene.view.beforeRead = (ring) => {
    turns.at(-1)?.push(ring);
    if (turns.at(-1)?.length === 1) {
      scene.clock.after(0, () => turns.push([]));
    }
  };
  await scene.poll();
  const [a, b] = scene.engine.list.map(({ id }) => `tap ${id}`);
  assert.deepEqual(turns.slice(0, 2), [[a, b], [b]]);
  assert.deepEqual(await scene.drain(id), ["LAST", "LAST"]);
});

Deno.test("A poll ends at what was the newest line when it began", async () => {
  // Guards that a ring that fills faster than it is read holds no poll.
  const scene = new LineScene();
  await scene.subscribe({ raw: {} });
  let reads = 0;
  scene.view.beforeRead = () => {
    reads++;
    for (let i = 0; i < 300; i++) scene.raw("PING :more");
  };
  for (let i = 0; i < 300; i++) scene.raw("PING :x");
  await scene.poll();
  assert.equal(reads, 2);
  const entry = await scene.entry();
  assert.equal(entry?.raw + entry?.suppressed, 300);
});

Deno.test("Debug off in the middle of a poll ends it there", async () => {
  // Guards that what was read of before is dropped, and nothing of after is:
  // not in the ring that was read just then, nor in those after it.
  const scene = new LineScene({ sessions: 2 });
  await scene.subscribe({ raw: { commands: ["MARK"] }, log: {} });
  scene.raw("MARK :read");
  for (let i = 0; i < 1_000; i++) scene.raw("PING :x");
  scene.raw("MARK :not read");
  scene.log.write("fault", "app", "not read");
  scene.view.beforeRead = () => {
    scene.view.beforeRead = () => {};
    scene.clock.after(0, () => {
      scene.setDebug(false);
      scene.setDebug(true);
      scene.raw("MARK :after");
      scene.raw("MARK :after too", { session: scene.session(1) });
      scene.log.write("fault", "app", "after");
    });
  };
  await scene.poll();
  const entry = await scene.entry();
  assert.deepEqual([entry?.dropped, entry?.raw], [1, undefined]);
  await scene.poll();
  assert.deepEqual(await scene.drain(), [
    "MARK :after",
    "MARK :after too",
    "after",
  ]);
});

Deno.test("A subscription removed in the middle of a poll gets no more", async () => {
  // Guards that others are read on to the end.
  const scene = new LineScene();
  const gone = await scene.subscribe({ raw: {} });
  const stays = await scene.subscribe({ raw: { commands: ["LAST"] } });
  for (let i = 0; i < 500; i++) scene.raw(`PING :${i}`);
  scene.raw("LAST");
  scene.view.beforeRead = () => {
    void scene.caller.call("unsubscribe", { id: gone });
    scene.view.beforeRead = () => {};
  };
  await scene.poll();
  assert.deepEqual(await scene.drain(stays), ["LAST"]);
  await scene.caller.call("unsubscribe", { id: stays });
  assert.equal(scene.clock.pending, 0);
});

Deno.test("The last subscription removed in the middle of a poll ends the polls", async () => {
  // Guards that the timer is not set again for nobody.
  const scene = new LineScene();
  const id = await scene.subscribe({ raw: {} });
  for (let i = 0; i < 500; i++) scene.raw(`PING :${i}`);
  scene.view.beforeRead = () => {
    void scene.caller.call("unsubscribe", { id });
  };
  await scene.poll();
  assert.equal(scene.clock.pending, 0);
});

Deno.test("A subscription made in the middle of a poll starts at its own end", async () => {
  // Guards the starting point against a pass that is under way.
  const scene = new LineScene();
  const first = await scene.subscribe({ raw: {} });
  for (let i = 0; i < 250; i++) scene.raw(`PING :${i}`);
  let second = "";
  scene.view.beforeRead = () => {
    scene.view.beforeRead = () => {};
    scene.clock.after(0, () => {
      void scene.subscribe({ raw: {} }).then((id) => second = id);
      scene.raw("PONG :after");
    });
  };
  await scene.poll();
  await scene.entry({ id: first });
  await scene.clock.advance(60_000);
  assert.deepEqual(await scene.drain(second), ["PONG :after"]);
});

Deno.test("A session whose secrets cannot be read is read by a later poll", async () => {
  // Guards that no raw line leaves unscreened, and that none is lost.
  const scene = new LineScene({ sessions: 2 });
  const [locked, open] = [scene.session(0), scene.session(1)];
  await scene.subscribe({ raw: {} });
  const readable = locked.secrets;
  locked.secrets = () => {
    throw new Error("cannot be read");
  };
  scene.raw("PING :locked", { session: locked });
  scene.raw("PING :open", { session: open });
  await scene.poll();
  assert.deepEqual(await scene.drain(), ["PING :open"]);
  locked.secrets = readable;
  await scene.poll();
  assert.deepEqual(await scene.drain(), ["PING :locked"]);
});

Deno.test("A poll that fails is logged once, and the next goes on", async () => {
  // Guards that one fault does not end live updates, nor fill the log.
  const scene = new LineScene();
  await scene.subscribe({ raw: {} });
  scene.view.beforeRead = () => {
    throw new Error("broken");
  };
  scene.raw("PING :x");
  for (let i = 0; i < 3; i++) await scene.poll();
  assert.deepEqual(scene.logged.map(({ level, text }) => [level, text]), [
    ["fault", "live updates: the debug rings could not be read"],
  ]);
  scene.view.beforeRead = () => {};
  await scene.poll();
  assert.deepEqual(await scene.drain(), ["PING :x"]);
});

Deno.test("A line that cannot be judged is passed over, and none comes twice", async () => {
  // Guards that one line does not hold up a ring for ever.
  class FailingScan extends SecretScan {
    override inText(text: string): boolean {
      if (text.includes("poison")) throw new Error("broken");
      return super.inText(text);
    }
  }
  const scene = new LineScene();
  scene.session().scan = new FailingScan([]);
  await scene.subscribe({ raw: {} });
  for (const text of ["before", "poison", "after"]) scene.raw(`PING :${text}`);
  await scene.poll();
  await scene.poll();
  assert.deepEqual(await scene.drain(), ["PING :before", "PING :after"]);
});

Deno.test("A log that started anew while it was read is read from there", async () => {
  // Guards against a pass that looks for lines that are gone for ever.
  const scene = new LineScene();
  await scene.subscribe({ log: { min_level: "fault" } });
  for (let i = 0; i < 250; i++) scene.log.write("info", "app", `${i}`);
  scene.view.beforeRead = () => {
    scene.view.beforeRead = () => {};
    // More secrets than are remembered: the log's lines go.
    scene.start("Many", Array.from({ length: 4_097 }, (_, i) => `secret${i}`));
    for (let i = 0; i < 300; i++) scene.log.write("fault", "app", `new ${i}`);
  };
  await scene.poll();
  await scene.poll();
  const page = await scene.read({ detail: "full", limit: 500 });
  const entry = page.updates[0];
  assert.equal(entry.events.length + entry.suppressed, 300);
  assert.ok(entry.events.every((e: Result) => e.line.text.startsWith("new ")));
});

Deno.test("RollingAllowance gives so many in any window [RLOG-047]", () => {
  // Guards both edges of the window, for uneven and bunched takings.
  const allowance = new RollingAllowance({ limit: 3, windowMs: 100 });
  const taken = [0, 0, 50, 60, 99, 100, 101, 149, 150, 151, 200, 500, 500, 500]
    .map((now) => allowance.take(now));
  assert.deepEqual(taken, [
    true,
    true,
    true,
    false,
    false,
    true,
    true,
    false,
    true,
    false,
    true,
    true,
    true,
    true,
  ]);
});

Deno.test("LineFollower remembers places in a bounded number of taps", () => {
  // Guards the memory of one that outlives many sessions; one that runs keeps
  // its place.
  const clock = new FakeClock();
  const subscriptions = new Subscriptions(clock);
  const follower = new LineFollower(subscriptions.add({ raw: {} }));
  const tap = new SeqRing<RawLine>(10);
  const add = () => tap.add((seq) => line(seq));
  add();
  const isRunning = (id: string) => id === "runs";
  const kept = follower.placeIn(tap, "runs", isRunning);
  const lost = follower.placeIn(tap, "ended 0", isRunning);
  for (let i = 0; i < MAX_TAP_PLACES; i++) {
    follower.placeIn(tap, `ended ${i}`, isRunning);
  }
  assert.equal(follower.placeIn(tap, "runs", isRunning), kept);
  assert.deepEqual(kept, { tap, through: 1 });
  assert.notEqual(follower.placeIn(tap, "ended 0", isRunning), lost);
  subscriptions.clear();
});

function line(seq: number): RawLine {
  return { seq, time: 0, dir: "in", text: "PING", keptUnits: undefined };
}
