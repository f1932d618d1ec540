/**
 * The wall clock stepped while the service runs, as NTP or a resumed virtual
 * machine does: what waits goes by the monotonic clock, and what is live stays
 * live.
 *
 * @module
 */

import assert from "node:assert/strict";
import { makeRig } from "../irc/fake_link.ts";
import { scene, subscribe } from "../updates/observed_engine.ts";

const HOUR_MS = 3_600_000;
const STEPS = [-24 * HOUR_MS, -HOUR_MS, -1, 1, HOUR_MS, 24 * HOUR_MS];

for (const step of STEPS) {
  Deno.test(`a live line is live after the clock stepped by ${step} ms`, () => {
    // Guards agents against an hour without an update: on a server that sends
    // no time, rows that seem older than the newest would count as history.
    const { link, clock, messages } = makeRig();
    link.welcome();
    link.feed(":me!u@h JOIN #r\n:bob!u@h PRIVMSG #r :before");
    clock.step(step);
    link.feed(":bob!u@h PRIVMSG #r :after\n:bob!u@h PRIVMSG #r :and on");
    const said = messages("#r").slice(-3);
    assert.deepEqual(said.map(({ history }) => history), [false, false, false]);
    const times = said.map(({ time }) => time);
    assert.deepEqual(times, times.toSorted((a, b) => a - b));
  });

  Deno.test(`a subscription outlives a clock that stepped by ${step} ms`, async () => {
    // Guards against subscriptions that expire at once, or never.
    const { engine, session, channel, clock, caller } = scene();
    const id = await subscribe(caller, { buffers: [channel.id] });
    clock.step(step);
    engine.say(session, channel, { text: "after" });
    await clock.advance(20);
    const page = await caller.call("read_updates", { id });
    assert.equal(page.updates.length, 1);
    const waiting = caller.call("wait_for_updates", { id, timeout: 5 });
    await clock.advance(2_000);
    clock.step(-step);
    await clock.advance(3_000);
    assert.equal((await waiting).timed_out, true);
    await clock.advance(901_000);
    assert.deepEqual(
      (await caller.call("list_subscriptions")).subscriptions,
      [],
    );
  });
}

Deno.test("an old line of a replay stays history, whatever the clock did", () => {
  // Guards that the mending above makes no live rows of the past.
  const { link, clock, messages } = makeRig();
  link.welcome({ caps: ["batch", "server-time"] });
  link.feed(":me!u@h JOIN #r\n:bob!u@h PRIVMSG #r :live");
  clock.step(-HOUR_MS);
  link.feed(
    ":irc.test BATCH +h chathistory #r\n" +
      "@batch=h :bob!u@h PRIVMSG #r :untimed\n" +
      ":irc.test BATCH -h\n" +
      "@time=2020-01-01T00:00:00.000Z :bob!u@h PRIVMSG #r :old",
  );
  const kinds = messages("#r").slice(-2).map(({ history }) => history);
  assert.deepEqual(kinds, [true, true]);
});
