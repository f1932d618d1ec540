import assert from "node:assert/strict";
import { JOIN_ROOM, joinedRig, makeRig, type Rig } from "./fake_link.ts";

const CAPS = ["batch", "server-time", "message-tags", "draft/chathistory"];

/** A server-time tag value, `seconds` after noon. */
const at = (seconds: number) =>
  new Date(Date.parse("2026-09-30T12:00:00Z") + seconds * 1000).toISOString();

const asks = (rig: Rig) =>
  rig.link.takeSent().filter((line) => line.startsWith("CHATHISTORY"));

const texts = (rig: Rig, name = "#room") =>
  rig.messages(name).flatMap((m) =>
    "text" in m.payload ? [m.payload.text] : []
  );

Deno.test("Session inserts a late row by its time, with a new sequence number, as history [CUR-006, RDS-005]", async () => {
  // Guards gap fill: read_since returns it, a subscription does not.
  const rig = joinedRig();
  rig.link.feed(`@time=${at(10)} :alice!a@h PRIVMSG me :newer`);
  const cursor = rig.messages("alice").at(-1)?.seq ?? 0;
  rig.link.feed(`@time=${at(5)} :alice!a@h PRIVMSG me :older`);
  const query = rig.session.buffers().at(-1);
  const late = query?.messages.since(cursor, 10) ?? [];
  assert.deepEqual(late.map((m) => [m.seq, m.history]), [[cursor + 1, true]]);
  await rig.engine.close("");
});

Deno.test("Session drops what it holds by msgid, live or replayed, and keeps equal live lines", async () => {
  // Guards both sides: no doubles from a replay, no loss of "ok" said twice.
  const rig = joinedRig({ caps: CAPS });
  rig.link.feed([
    `@msgid=m1;time=${at(1)} :alice!a@h PRIVMSG #room :one`,
    ":srv BATCH +1 chathistory #room",
    `@batch=1;msgid=m1;time=${at(1)} :alice!a@h PRIVMSG #room :one`,
    `@batch=1;msgid=m2;time=${at(2)} :alice!a@h PRIVMSG #room :two`,
    `@batch=1;time=${at(3)} :alice!a@h PRIVMSG #room :three`,
    ":srv BATCH -1",
    `@msgid=m1;time=${at(1)} :alice!a@h PRIVMSG #room :one`,
    `@time=${at(9)} :alice!a@h PRIVMSG #room :ok`,
    `@time=${at(9)} :alice!a@h PRIVMSG #room :ok`,
  ].join("\n"));
  assert.deepEqual(texts(rig), ["one", "two", "three", "ok", "ok"]);
  const [, ...rows] = rig.messages("#room");
  assert.deepEqual(rows.map((m) => m.history), [
    false,
    true,
    true,
    false,
    false,
  ]);
  await rig.engine.close("");
});

Deno.test("Session folds what a playback repeats with the same time, nick and text", async () => {
  // Guards a bouncer without msgids: attaching again must double nothing.
  const rig = joinedRig({ caps: CAPS });
  const playback = [
    ":znc BATCH +p znc.in/playback #room",
    `@batch=p;time=${at(1)} :alice!a@h PRIVMSG #room :one`,
    `@batch=p;time=${at(1)} :bob!b@h PRIVMSG #room :one`,
    `@batch=p;time=${at(2)} :alice!a@h PRIVMSG #room :\x01ACTION one\x01`,
    `@batch=p;time=${at(2)} :alice!a@h PRIVMSG #room :one`,
    ":znc BATCH -p",
  ].join("\n");
  rig.link.feed(playback);
  rig.link.feed(playback);
  assert.equal(texts(rig).length, 4);
  assert.ok(rig.messages("#room").slice(1).every((m) => m.history));
  await rig.engine.close("");
});

Deno.test("Session knows its own local rows again in a playback", async () => {
  // Guards own lines without echo-message: stored by our clock, replayed by the
  // server's, one row all the same.
  const rig = joinedRig();
  await rig.session.sendText("#room", "privmsg", "mine");
  await rig.session.sendText("#room", "privmsg", "mine");
  const playback = [
    ":znc BATCH +p znc.in/playback #room",
    `@batch=p;time=${at(1)} :me!me@h PRIVMSG #room :mine`,
    `@batch=p;time=${at(2)} :me!me@h PRIVMSG #room :mine`,
    `@batch=p;time=${at(3)} :me!me@h PRIVMSG #room :said elsewhere`,
    ":znc BATCH -p",
  ].join("\n");
  rig.link.feed(playback);
  rig.link.feed(playback);
  assert.deepEqual(texts(rig), ["mine", "mine", "said elsewhere"]);
  await rig.engine.close("");
});

Deno.test("Session changes nobody because of a replayed line", async () => {
  // Guards members against event playback: the past is not who is here now.
  const rig = joinedRig({ caps: CAPS });
  rig.link.feed([
    ":srv BATCH +1 chathistory #room",
    `@batch=1;time=${at(1)} :alice!a@h QUIT :x`,
    `@batch=1;time=${at(1)} :bob!b@h PART #room`,
    `@batch=1;time=${at(1)} :me!me@h KICK #room me`,
    `@batch=1;time=${at(1)} :bob!b@h NICK carl`,
    `@batch=1;time=${at(1)} :alice!a@h MODE #room -o alice`,
    `@batch=1;time=${at(1)} :zed!z@h JOIN #room`,
    `@batch=1;time=${at(1)} :me!me@h JOIN #elsewhere`,
    `@batch=1;time=${at(1)} :alice!a@h TOPIC #room :old`,
    ":srv BATCH -1",
  ].join("\n"));
  assert.deepEqual(rig.members("#room"), ["me", "o alice", "v bob"]);
  assert.deepEqual(rig.names(), ["Net", "#room"]);
  assert.equal(rig.session.inner.channel("#room")?.topic, "");
  assert.deepEqual(
    rig.messages("#room").slice(1).map((m) => [m.kind, m.history]),
    ["quit", "part", "kick", "nick", "mode", "join", "topic"].map((
      k,
    ) => [k, true]),
  );
  await rig.engine.close("");
});

Deno.test("Session takes nested batches for what the outermost replay is, and orphans for live", async () => {
  // Guards labelled history (a batch in a batch), and references to no batch.
  const rig = joinedRig({ caps: CAPS });
  rig.link.feed([
    "@label=x :srv BATCH +o labeled-response",
    "@batch=o :srv BATCH +i chathistory #room",
    `@batch=i;time=${at(1)} :alice!a@h PRIVMSG #room :old`,
    "@batch=i :srv BATCH +m draft/multiline #room",
    `@batch=m;time=${at(2)} :alice!a@h PRIVMSG #room :older`,
    "@batch=o :srv BATCH -i",
    `@batch=o;time=${at(3)} :alice!a@h PRIVMSG #room :an answer`,
    ":srv BATCH -o",
    `@batch=zz;time=${at(4)} :alice!a@h PRIVMSG #room :orphan`,
    ":srv BATCH -zz",
  ].join("\n"));
  assert.deepEqual(
    rig.messages("#room").slice(1).map((m) => m.history),
    [true, true, false, false],
  );
  await rig.engine.close("");
});

Deno.test("Session fills the gap since the newest held row after a join", async () => {
  // Guards that a reconnect leaves no hole where the server keeps history.
  const rig = makeRig({ channels: ["#room"] });
  rig.link.welcome({ caps: CAPS, isupport: "CHATHISTORY=2" });
  rig.link.feed(JOIN_ROOM);
  assert.deepEqual(asks(rig), ["CHATHISTORY LATEST #room * 2"]);
  rig.link.feed(":srv BATCH +0 chathistory #room\n:srv BATCH -0");
  assert.deepEqual(asks(rig), []);
  rig.link.feed(`@msgid=m1;time=${at(60)} :alice!a@h PRIVMSG #room :one`);
  rig.link.drop();
  rig.link.welcome({ caps: CAPS, isupport: "CHATHISTORY=2" });
  await rig.clock.advance(1000);
  rig.link.feed(`@time=${at(100)} ${JOIN_ROOM}`);
  assert.deepEqual(asks(rig), [
    "CHATHISTORY AFTER #room timestamp=2026-09-30T12:00:59.999Z 2",
  ]);
  rig.link.feed([
    ":srv BATCH +a chathistory #room",
    `@batch=a;msgid=m1;time=${at(60)} :alice!a@h PRIVMSG #room :one`,
    `@batch=a;msgid=m2;time=${at(70)} :alice!a@h PRIVMSG #room :two`,
    ":srv BATCH -a",
  ].join("\n"));
  assert.deepEqual(asks(rig), [
    "CHATHISTORY AFTER #room timestamp=2026-09-30T12:01:09.999Z 2",
  ]);
  rig.link.feed([
    ":srv BATCH +b chathistory #room",
    `@batch=b;msgid=m2;time=${at(70)} :alice!a@h PRIVMSG #room :two`,
    ":srv BATCH -b",
  ].join("\n"));
  assert.deepEqual(asks(rig), []);
  assert.deepEqual(texts(rig), ["one", "two"]);
  assert.equal(rig.session.inner.history.inFlight, undefined);
  await rig.engine.close("");
});

Deno.test("Session asks for one history at a time, and goes on after a failure or a silence", async () => {
  // Guards that a server which refuses or ignores CHATHISTORY blocks nothing.
  const rig = makeRig();
  rig.link.welcome({ caps: CAPS });
  rig.link.feed(
    ":me!me@h JOIN #a\n:me!me@h JOIN #b\n:me!me@h JOIN #c\n:me!me@h JOIN #d",
  );
  assert.deepEqual(asks(rig), ["CHATHISTORY LATEST #a * 100"]);
  rig.link.feed(":me!me@h PART #b");
  rig.link.feed("FAIL CHATHISTORY MESSAGE_ERROR #a :no");
  assert.deepEqual(asks(rig), ["CHATHISTORY LATEST #c * 100"]);
  await rig.clock.advance(30_000);
  assert.deepEqual(asks(rig), ["CHATHISTORY LATEST #d * 100"]);
  assert.equal(rig.rows("Net").filter((r) => r.includes("FAIL")).length, 0);
  rig.link.drop();
  assert.equal(rig.clock.pending, 0);
  rig.link.welcome({ caps: CAPS });
  rig.link.feed("FAIL CHATHISTORY MESSAGE_ERROR #a :no");
  assert.equal(rig.rows("Net").filter((r) => r.includes("FAIL")).length, 1);
  await rig.engine.close("");
});

Deno.test("Session stops filling a gap that never ends", async () => {
  // Guards against a server that always has one more page, or no progress.
  const rig = joinedRig({ caps: CAPS, isupport: "CHATHISTORY=1" });
  rig.link.feed(`:srv BATCH +0 chathistory #room\n:srv BATCH -0`);
  rig.link.feed(`@msgid=m0;time=${at(0)} :alice!a@h PRIVMSG #room :zero`);
  rig.link.drop();
  rig.link.welcome({ caps: CAPS, isupport: "CHATHISTORY=1" });
  rig.link.feed(JOIN_ROOM);
  let asked = 0;
  for (let page = 1; asks(rig).length > 0; page++) {
    asked++;
    assert.ok(asked < 1000);
    rig.link.feed([
      `:srv BATCH +p${page} chathistory #room`,
      `@batch=p${page};msgid=x${page};time=${
        at(page)
      } :alice!a@h PRIVMSG #room :${page}`,
      `:srv BATCH -p${page}`,
    ].join("\n"));
  }
  assert.equal(asked, 40);
  await rig.engine.close("");
});

Deno.test("Session asks a bouncer to play what is newer than the newest row", async () => {
  // Guards znc.in/playback: all at first, then only what was missed.
  const caps = ["batch", "server-time", "znc.in/playback"];
  const rig = makeRig();
  rig.link.welcome({ caps });
  assert.deepEqual(rig.link.takeSent(), ["PRIVMSG *playback :play * 0"]);
  rig.link.feed(`@time=${at(1.5)} :alice!a@h PRIVMSG me :hi`);
  rig.link.drop();
  rig.link.welcome({ caps });
  const seconds = Date.parse("2026-09-30T12:00:00Z") / 1000 + 1.5;
  assert.deepEqual(rig.link.takeSent(), [
    `PRIVMSG *playback :play * ${seconds}`,
  ]);
  rig.link.feed(":me!me@h PRIVMSG *playback :play * 0");
  assert.deepEqual(rig.names(), ["Net", "alice"]);
  await rig.engine.close("");
});

Deno.test("Session puts our own replayed lines of an old nick into the right query", async () => {
  // Guards history of a conversation held under another nick.
  const rig = joinedRig({ caps: CAPS });
  rig.link.feed([
    ":srv BATCH +1 chathistory carol",
    `@batch=1;time=${at(1)} :oldme!me@h PRIVMSG carol :hi carol`,
    `@batch=1;time=${at(2)} :carol!c@h PRIVMSG oldme :hi`,
    ":srv BATCH -1",
  ].join("\n"));
  assert.deepEqual(rig.names(), ["Net", "#room", "carol"]);
  assert.deepEqual(texts(rig, "carol"), ["hi carol", "hi"]);
  await rig.engine.close("");
});
