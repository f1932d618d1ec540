import assert from "node:assert/strict";
import {
  type Envelope,
  EnvelopeMaker,
  serialiseEnvelope,
} from "../../lib/envelope/envelope.ts";
import {
  type EnvelopeSession,
  LiveEnvelopes,
  MAX_WAITING,
} from "../../lib/operator/live_envelopes.ts";
import { SecretScan } from "../../lib/redact/secrets.ts";
import { joinedRig, type Rig } from "../irc/fake_link.ts";

const maker = new EnvelopeMaker();

function makeLive(rig: Rig, secrets: readonly string[] = []): LiveEnvelopes {
  return new LiveEnvelopes({
    clock: rig.clock,
    pick: () => rig.session satisfies EnvelopeSession,
    observe: (observer) => rig.engine.observe(observer),
    secrets: () => [new SecretScan(secrets)],
  });
}

/** Alice says an envelope of this type in #room. */
function say(rig: Rig, type: string): void {
  const text = serialiseEnvelope(maker.make({ type, from: "alice" }));
  rig.link.feed(`:alice!a@h PRIVMSG #room :${text}`);
}

const HEAR = { channel: "#room", waitMs: 10_000 };

const typesOf = (heard: { envelopes: readonly { envelope: Envelope }[] }) =>
  heard.envelopes.map(({ envelope }) => envelope.type);

Deno.test("hear() begins with what comes next, and goes on from its cursor without losing or doubling", async () => {
  // Guards what is said between two requests, however they fall.
  const rig = joinedRig();
  const live = makeLive(rig);
  say(rig, "before");
  let { cursor } = await live.hear(HEAR);
  const all: string[] = [];
  for (let i = 0; i < 50; i++) {
    for (let n = 0; n < i % 4; n++) {
      say(rig, `t${i}.${n}`);
      rig.link.feed(":alice!a@h PRIVMSG #room :talk");
    }
    const heard = await live.hear({ ...HEAR, cursor, waitMs: 0 });
    assert.equal(heard.isGap, false);
    all.push(...typesOf(heard));
    cursor = heard.cursor;
  }
  const expected = Array.from(
    { length: 50 },
    (_, i) => Array.from({ length: i % 4 }, (_, n) => `t${i}.${n}`),
  ).flat();
  assert.deepEqual(all, expected);
  live.close();
});

Deno.test("hear() answers at the first envelope, at a join, at its time and when it is told to", async () => {
  // Guards that a worker acts at once, and that no request outlives its door.
  const rig = joinedRig();
  const live = makeLive(rig);
  const { cursor, presence, nick } = await live.hear(HEAR);
  assert.equal(nick, "me");
  const next = live.hear({ ...HEAR, cursor, presence });
  rig.link.feed(":alice!a@h PRIVMSG #room :talk");
  say(rig, "a");
  assert.deepEqual(typesOf(await next), ["a"]);

  const joined = live.hear({ ...HEAR, cursor: (await next).cursor, presence });
  rig.link.feed(":me!me@my.host PART #room");
  rig.link.feed(":me!me@my.host JOIN #room");
  const after = await joined;
  assert.notEqual(after.presence, presence);
  assert.notEqual(after.presence, "");

  const late = live.hear({ ...HEAR, ...after, waitMs: 99_000 });
  await rig.clock.advance(15_000);
  assert.deepEqual(typesOf(await late), []);

  const abort = new AbortController();
  const left = live.hear({ ...HEAR, ...after }, abort.signal);
  abort.abort();
  assert.deepEqual(typesOf(await left), []);

  const closed = live.hear({ ...HEAR, ...after });
  live.close();
  assert.deepEqual(typesOf(await closed), []);
});

Deno.test("hear() turns away who would wait beyond the bound", async () => {
  // Guards the door: workers that wait must leave room for the person.
  const rig = joinedRig();
  const live = makeLive(rig);
  const { cursor } = await live.hear(HEAR);
  const waiting = Array.from(
    { length: MAX_WAITING },
    () => live.hear({ ...HEAR, cursor }),
  );
  await assert.rejects(live.hear({ ...HEAR, cursor }), {
    message: "Too many follow envelopes: 24 at once are served.",
  });
  say(rig, "a");
  for (const heard of await Promise.all(waiting)) {
    assert.deepEqual(typesOf(heard), ["a"]);
  }
  live.close();
});

Deno.test("hear() tells when there was more than is held", async () => {
  // Guards that nothing is lost in silence where a buffer or a run ended.
  const rig = joinedRig();
  const first = makeLive(rig);
  const { cursor } = await first.hear(HEAR);
  for (let i = 0; i < 1_100; i++) {
    rig.link.feed(`:alice!a@h PRIVMSG #room :talk ${i}`);
  }
  say(rig, "a");
  const heard = await first.hear({ ...HEAR, cursor });
  assert.equal(heard.isGap, true);
  // A page holds so many rows; the next request goes on.
  let page = heard;
  while (page.envelopes.length === 0) {
    page = await first.hear({ ...HEAR, cursor: page.cursor });
    assert.equal(page.isGap, false);
  }
  assert.deepEqual(typesOf(page), ["a"]);
  first.close();

  // Another run of the service knows nothing of the cursor's.
  const second = makeLive(rig);
  const again = await second.hear({ ...HEAR, cursor: page.cursor });
  assert.equal(again.isGap, true);
  assert.notEqual(again.presence, page.presence);
  const buffer = rig.session.buffers().find(({ name }) => name === "#room");
  rig.session.closeBuffer(buffer?.id ?? "");
  const none = await second.hear({ ...HEAR, cursor: again.cursor });
  assert.deepEqual([none.presence, none.isGap], ["", true]);
  rig.link.feed(":me!me@my.host JOIN #room");
  say(rig, "b");
  const back = await second.hear({ ...HEAR, cursor: none.cursor });
  assert.deepEqual([typesOf(back), back.isGap], [["b"], false]);
  await assert.rejects(second.hear({ ...HEAR, cursor: "x" }), RangeError);
  second.close();
});

Deno.test("send() stamps the own nick, and sends an id once however often it is asked", async () => {
  // Guards that an answer that was lost on its way doubles nothing.
  const rig = joinedRig();
  const live = makeLive(rig);
  const envelope = maker.make({ type: "a", from: "someone-else" });
  const stamped = { ...envelope, from: "me" };
  const request = { channel: "#room", envelope };
  const [one, two] = await Promise.all([
    live.send(request),
    live.send(request),
  ]);
  assert.deepEqual(one, { kind: "sent", envelope: stamped });
  assert.deepEqual(two, one);
  assert.deepEqual(await live.send(request), one);
  assert.deepEqual(rig.link.takeSent(), [
    `PRIVMSG #room :${serialiseEnvelope(stamped)}`,
  ]);
  live.close();
});

Deno.test("send() sends nothing while it cannot, and may be asked again", async () => {
  // Guards that a task is not taken for sent.
  const rig = joinedRig();
  const live = makeLive(rig);
  const envelope = maker.make({ type: "a", from: "me" });
  assert.deepEqual(await live.send({ channel: "#other", envelope }), {
    kind: "offline",
    reason: "not in #other",
  });
  rig.link.takesLines = false;
  assert.deepEqual(await live.send({ channel: "#room", envelope }), {
    kind: "offline",
    reason: "Net did not take the line",
  });
  rig.link.drop("closed");
  rig.link.lastError = "closed";
  assert.deepEqual(await live.send({ channel: "#room", envelope }), {
    kind: "offline",
    reason: "Net is reconnecting (closed)",
  });
  assert.deepEqual(rig.link.takeSent(), []);
  rig.link.takesLines = true;
  rig.link.welcome();
  rig.link.feed(":me!me@my.host JOIN #room");
  const { kind } = await live.send({ channel: "#room", envelope });
  assert.equal(kind, "sent");
  live.close();
});

Deno.test("send() says so when a line waits for its turn, and how it went when asked again", async () => {
  // Guards the door's deadline, and that waiting doubles nothing.
  const rig = joinedRig();
  const live = makeLive(rig);
  let write = (_sent: boolean) => {};
  rig.link.sendTogether = () => new Promise((resolve) => write = resolve);
  const request = {
    channel: "#room",
    envelope: maker.make({ type: "a", from: "me" }),
  };
  const first = live.send(request);
  await rig.clock.advance(15_000);
  assert.deepEqual(await first, { kind: "waiting" });
  const again = live.send(request);
  write(true);
  assert.equal((await again).kind, "sent");
  live.close();
});

Deno.test("send() masks secrets in the payload, and refuses them elsewhere", async () => {
  // Guards against a worker's output that holds what it should not.
  const rig = joinedRig();
  const live = makeLive(rig, ["hunter22", "hunter22-long"]);
  const payload = { a: ["x hunter22-long y"], b: { c: "hunter22" }, n: 1 };
  const sending = await live.send({
    channel: "#room",
    envelope: maker.make({ type: "a", from: "me", payload }),
  });
  assert.ok(sending.kind === "sent");
  assert.deepEqual(sending.envelope.payload, {
    a: ["x ******** y"],
    b: { c: "********" },
    n: 1,
  });
  assert.ok(!rig.link.takeSent().join().includes("hunter22"));
  for (
    const content of [
      { type: "hunter22" },
      { type: "a", to: ["hunter22"] },
      { type: "a", payload: { hunter22: 1 } },
    ]
  ) {
    assert.deepEqual(
      await live.send({
        channel: "#room",
        envelope: maker.make({ ...content, from: "me" }),
      }),
      { kind: "refused", reason: "it holds a secret of this home" },
    );
  }
  assert.deepEqual(rig.link.takeSent(), []);
  live.close();
});

Deno.test("send() tells by how much an envelope is too long, or cuts the text it may cut, after masking", async () => {
  // Guards that no cut shows half a secret, and that one line holds it all.
  const rig = joinedRig();
  const secret = "s3cret-".repeat(10);
  const live = makeLive(rig, [secret]);
  const make = (summary: string) =>
    maker.make({ type: "task.complete", from: "me", payload: { summary } });
  const long = await live.send({
    channel: "#room",
    envelope: make("x".repeat(600)),
  });
  assert.ok(long.kind === "refused");
  assert.match(long.reason, /^it is \d+ bytes too long for one message$/);
  assert.deepEqual(rig.link.takeSent(), []);
  const sending = await live.send({
    channel: "#room",
    envelope: make(`${"x".repeat(300)}${secret}${"y".repeat(300)}`),
    cut: "summary",
  });
  assert.ok(sending.kind === "sent");
  const summary = String(sending.envelope.payload?.["summary"]);
  assert.match(summary, /^x{300}\*{8}y*…$/);
  const [line = ""] = rig.link.takeSent();
  const bytes = new TextEncoder().encode(`:me!me@my.host ${line}`).length;
  assert.equal(bytes, 510);
  live.close();
});
