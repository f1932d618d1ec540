import assert from "node:assert/strict";
import {
  LiveTail,
  MAX_FOLLOWERS,
  MAX_HELD,
} from "../../lib/operator/live_tail.ts";
import type { MessageTail } from "../../lib/operator/operator.ts";
import { SessionFilesError } from "../../lib/operator/session_files.ts";
import { joinedRig, type Rig } from "../irc/fake_link.ts";

function makeTail(rig: Rig): LiveTail {
  return new LiveTail({
    clock: rig.clock,
    pick: (named) => {
      if (named === "net") return rig.session;
      throw new SessionFilesError(`No session "${named}".`);
    },
    observe: (observer) => rig.engine.observe(observer),
  });
}

function say(rig: Rig, text: string, target = "#room"): void {
  rig.link.feed(`:alice!a@h PRIVMSG ${target} :${text}`);
}

async function follow(tail: LiveTail, request: MessageTail = {}) {
  const { exit, err, next } = await tail.tail(request);
  assert.equal(exit, 0, err);
  return () => tail.tail({ ...request, after: next ?? "" });
}

const textOf = ({ out }: { out: string }) =>
  out.split("\n").map((line) => line.replace(/^.*> /, ""));

Deno.test("tail() begins with what comes next and loses nothing between", async () => {
  // Guards who watches: every message once, in order.
  const rig = joinedRig();
  const tail = makeTail(rig);
  const { pending } = rig.clock;
  say(rig, "before");
  const ask = await follow(tail);
  say(rig, "one");
  say(rig, "two", "me");
  assert.deepEqual(textOf(await ask()), ["one", "two"]);
  const waiting = ask();
  say(rig, "three");
  assert.deepEqual(textOf(await waiting), ["three"]);
  const quiet = ask();
  await rig.clock.advance(15_000);
  assert.equal((await quiet).out, "");
  tail.close();
  assert.equal(rig.clock.pending, pending);
});

Deno.test("tail() keeps to the session and buffer it was asked for", async () => {
  // Guards who watches one channel from all the others.
  const rig = joinedRig();
  const tail = makeTail(rig);
  const ask = await follow(tail, { session: "net", buffer: "#ROOM" });
  // A buffer that is not there yet, when no session is named.
  const later = await follow(tail, { buffer: "alice" });
  say(rig, "private", "me");
  say(rig, "public");
  assert.deepEqual(textOf(await ask()), ["public"]);
  assert.deepEqual(textOf(await later()), ["private"]);
  assert.match(
    (await tail.tail({ session: "x" })).err,
    /^No session "x"/,
  );
  assert.match(
    (await tail.tail({ session: "net", buffer: "#x" })).err,
    /^No buffer "#x"/,
  );
  tail.close();
});

Deno.test("tail() holds so many lines, and says how many went", async () => {
  // Guards the service's memory from who stopped reading.
  const rig = joinedRig();
  const tail = makeTail(rig);
  const ask = await follow(tail);
  for (let n = 0; n < MAX_HELD + 3; n++) say(rig, String(n));
  const answer = await ask();
  assert.equal(textOf(answer)[0], "3");
  assert.equal(textOf(answer).length, MAX_HELD);
  assert.match(answer.err, /^\(3 messages came and went/);
  tail.close();
});

Deno.test("tail() forgets who does not come back, and bounds how many follow", async () => {
  // Guards that followers that were killed cost nothing for long.
  const rig = joinedRig();
  const tail = makeTail(rig);
  const { pending } = rig.clock;
  const asks = [];
  for (let n = 0; n < MAX_FOLLOWERS; n++) asks.push(await follow(tail));
  assert.match((await tail.tail({})).err, /follow already/);
  await rig.clock.advance(30_000);
  assert.match((await asks[0]?.())?.err ?? "", /ask anew/);
  const ask = await follow(tail);
  const gone = new AbortController();
  const waiting = tail.tail(
    { after: (await tail.tail({})).next ?? "" },
    gone.signal,
  );
  gone.abort();
  assert.equal((await waiting).out, "");
  const last = ask();
  tail.close();
  assert.equal((await last).exit, 0);
  assert.equal(rig.clock.pending, pending);
});
