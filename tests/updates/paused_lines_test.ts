import assert from "node:assert/strict";
import { LineScene } from "./line_scene.ts";

/** A scene with one raw and one log event in one inbox, and its id. */
async function collected(): Promise<{ scene: LineScene; id: string }> {
  const scene = new LineScene();
  scene.session().open("channel", "#rete");
  const id = await scene.subscribe({ kinds: ["privmsg"], raw: {}, log: {} });
  scene.raw("PING :before");
  scene.log.write("fault", "app", "before");
  await scene.poll();
  const [entry] = await scene.list();
  assert.deepEqual([entry?.pending, entry?.dropped], [2, 0]);
  return { scene, id };
}

/** Says something in the first channel. */
function say(scene: LineScene, text: string): void {
  const session = scene.session();
  const [channel] = session.list;
  if (channel !== undefined) scene.engine.say(session, channel, { text });
}

Deno.test("While debug is off a raw or log subscription is active, paused and collects nothing [RLOG-032]", async () => {
  // Guards that it stays, says why it is silent, and goes on when debug does.
  const scene = new LineScene();
  await scene.subscribe({ raw: {} });
  await scene.subscribe({ log: { min_level: "debug" } });
  await scene.subscribe({ mentions: true });
  const shown = async () =>
    (await scene.list()).map(({ state, paused }) => [state, paused]);
  const running = ["active", undefined];
  const paused = ["active", "debug off"];
  assert.deepEqual(await shown(), [running, running, running]);
  scene.setDebug(false);
  assert.deepEqual(await shown(), [paused, paused, running]);
  scene.view.looks.length = 0;
  scene.raw("PING :x");
  scene.log.write("fault", "app", "x");
  await scene.clock.advance(5_000);
  assert.deepEqual(scene.view.looks, []);
  assert.deepEqual((await scene.read()).updates, []);
  scene.setDebug(true);
  assert.deepEqual(await shown(), [running, running, running]);
  scene.raw("PING :y");
  scene.log.write("fault", "app", "y");
  await scene.poll();
  assert.deepEqual(await scene.drain(), ["PING :y", "y"]);

  const idle = new LineScene({ sessions: 0 });
  await idle.subscribe({ raw: {}, log: {} });
  idle.setDebug(false);
  idle.view.looks.length = 0;
  await idle.poll();
  assert.deepEqual(idle.view.looks, []);
  assert.equal(await idle.entry(), undefined);
});

Deno.test("Nothing of while debug was off is delivered, nor what no poll had read [RLOG-033 RLOG-037]", async () => {
  // Guards the clear: what is gone is told as neither evicted nor withheld.
  const scene = new LineScene();
  await scene.subscribe({ raw: {}, log: {} });
  for (const seconds of [0, 0.5, 3]) {
    scene.raw("PING :not polled yet");
    scene.log.write("fault", "app", "not polled yet");
    scene.setDebug(false);
    scene.raw("PING :while off");
    scene.log.write("fault", "app", "while off");
    await scene.clock.advance(seconds * 1000);
    scene.setDebug(true);
    scene.raw("PING :after");
    scene.log.write("fault", "app", "after");
    await scene.poll();
    const entry = await scene.entry({ peek: true });
    assert.deepEqual(
      [entry?.dropped, entry?.evicted, entry?.withheld, entry?.stalled],
      [undefined, undefined, undefined, undefined],
    );
    assert.deepEqual(await scene.drain(), ["PING :after", "after"]);
  }
});

Deno.test("Debug off takes raw and log events from inboxes by the next poll [RLOG-034 RLOG-036 SUB-084]", async () => {
  // Guards that nobody has to read for them to be gone, and the count.
  const { scene, id } = await collected();
  say(scene, "hello");
  await scene.clock.advance(20);
  scene.setDebug(false);
  await scene.poll();
  // Back on, so that no read could drop them now.
  scene.setDebug(true);
  const [entry] = await scene.list();
  assert.deepEqual([entry?.pending, entry?.dropped], [1, 2]);
  const read = await scene.entry({ id });
  assert.equal(read?.dropped, 2);
  assert.equal((await scene.list())[0]?.dropped, 0);
});

Deno.test("Debug off takes raw and log events by any read before the poll [RLOG-035 RLOG-036 RLOG-038 RLOG-040 SUB-084]", async () => {
  // Guards each of the three calls, and the messages beside the lines.
  for (
    const [name, args] of [
      ["read_updates", {}],
      ["read_updates", { detail: "full" }],
      ["read_updates", { peek: true }],
      ["wait_for_updates", {}],
      ["wait_for_updates", { detail: "full" }],
      ["list_subscriptions", {}],
    ] as const
  ) {
    const { scene, id } = await collected();
    say(scene, "hello");
    await scene.clock.advance(20);
    scene.setDebug(false);
    const page = await scene.caller.call(name, args);
    if (name === "list_subscriptions") {
      assert.deepEqual(
        [page.subscriptions[0].pending, page.subscriptions[0].dropped],
        [1, 2],
      );
    } else {
      const [entry] = page.updates;
      assert.deepEqual([entry.raw, entry.log], [undefined, undefined]);
      assert.equal(entry.dropped, 2);
      if ("detail" in args) {
        assert.deepEqual(
          entry.events.map(({ type }: { type: string }) => type),
          ["message"],
        );
      } else assert.equal(entry.buffers[0].new, 1);
    }
    scene.setDebug(true);
    await scene.poll();
    const left = name === "list_subscriptions" || "peek" in args;
    assert.deepEqual(await scene.drain(id), left ? ["hello"] : []);
  }
});

Deno.test("Debug off and on between two reads still takes what was there [RLOG-036 RLOG-037]", async () => {
  // Guards the case that looking at the switch alone misses.
  for (const detail of ["digest", "full"]) {
    const { scene } = await collected();
    scene.setDebug(false);
    scene.setDebug(true);
    const entry = await scene.entry({ detail });
    assert.equal(entry?.dropped, 2);
    assert.deepEqual([entry?.raw, entry?.log], [undefined, undefined]);
    assert.deepEqual(entry?.events ?? [], []);
    assert.equal(await scene.entry(), undefined);
  }
  const { scene } = await collected();
  scene.setDebug(false);
  scene.setDebug(true);
  await scene.subscribe({ raw: {} });
  scene.raw("PING :after");
  await scene.poll();
  const [first, second] = await scene.list();
  assert.deepEqual([first?.pending, first?.dropped], [1, 2]);
  assert.deepEqual([second?.pending, second?.dropped], [1, 0]);
});

Deno.test("While debug is off no raw or log event ends a wait [RLOG-038 RLOG-039]", async () => {
  // Guards a waiting agent against an answer it may not have.
  const { scene, id } = await collected();
  scene.setDebug(false);
  let waiting = scene.caller.text("wait_for_updates", { id, timeout: 5 });
  scene.raw("PING :while off");
  scene.log.write("fault", "app", "while off");
  await scene.clock.advance(5_000);
  const timedOut = '{"timed_out":true,"untrusted":true,"updates":[]}';
  assert.equal(await waiting, timedOut);

  scene.setDebug(true);
  await scene.entry();
  waiting = scene.caller.text("wait_for_updates", { id, detail: "full" });
  await scene.clock.advance(0);
  scene.raw("PING :collected by no poll");
  scene.setDebug(false);
  await scene.clock.advance(2_000);
  say(scene, "hello");
  await scene.clock.advance(20);
  const { updates: [entry] } = JSON.parse(await waiting);
  assert.deepEqual(
    entry.events.map(({ type }: { type: string }) => type),
    ["message"],
  );
});

Deno.test("A raw or log event ends a wait while debug is on", async () => {
  // Guards that an agent can wait for a numeric or an error.
  const scene = new LineScene();
  const id = await scene.subscribe({ raw: { commands: ["433"] } });
  const waiting = scene.caller.call("wait_for_updates", { id, detail: "full" });
  scene.raw("PING :x");
  await scene.clock.advance(1_500);
  scene.raw(":irc.example.net 433 * me :Nickname is already in use");
  await scene.clock.advance(500);
  const { updates: [entry] } = await waiting;
  assert.equal(entry.events.length, 1);
  assert.equal(entry.events[0].line.seq, 2);
});

Deno.test("A wait that an event ended shows no line of before debug went off", async () => {
  // Guards the instant between the event and the read that answers it.
  const scene = new LineScene();
  const id = await scene.subscribe({ raw: {} });
  const waiting = scene.caller.call("wait_for_updates", { id, detail: "full" });
  scene.raw("PING :x");
  // After the poll stored the line, before the call that waits can go on.
  scene.view.beforeRead = () => queueMicrotask(() => scene.setDebug(false));
  await scene.poll();
  const { updates: [entry] } = await waiting;
  assert.deepEqual(entry, {
    subscription: id,
    events: [],
    truncated: false,
    dropped: 1,
  });
});
