import assert from "node:assert/strict";
import { parseLine } from "../../lib/irc/parse.ts";
import { joinedRig, makeRig } from "./fake_link.ts";
import { connectTo, makeConfig, makeLink, withServer } from "./linked.ts";

Deno.test("Session joins nothing that is not one channel's name, and sends no such name [INV-001]", async () => {
  // Guards invariant 1 against a server: the name in our own JOIN or a RENAME
  // goes into WHO, MODE and the next JOIN, where a space or comma would make it
  // more than one parameter.
  const rig = joinedRig();
  const { link } = rig;
  const names = ["#a +o evil", "#d\rQUIT :x", "#e\0", "0", "*", "nick", "$$*"];
  for (const name of names) link.feed(`:me!me@h JOIN :${name}`);
  for (const name of ["#room2 key", "#p,#q", "0", "nick"]) {
    link.feed(`:irc.test RENAME #room :${name}`);
  }
  assert.deepEqual(rig.names(), ["Net", "#room"]);
  assert.deepEqual(link.takeSent(), []);
  link.drop();
  link.welcome();
  assert.deepEqual(link.takeSent(), ["JOIN #room"]);
  // Nothing is lost: it is text for people.
  assert.ok(rig.rows("Net").some((row) => row.includes("#room2 key")));
  await rig.engine.close("");
});

Deno.test("Session joins odd names that are a channel's", async () => {
  // Guards names that servers do allow: other scripts, brackets, no ASCII.
  const rig = joinedRig();
  const names = ["#caf\xe9", "##[x]", "&local", "#\u202e\x1b", "#:"];
  for (const name of names) rig.link.feed(`:me!me@h JOIN :${name}`);
  assert.deepEqual(rig.names().slice(2), names);
  await rig.engine.close("");
});

Deno.test("Session is in no channel before it is welcomed", async () => {
  // Guards the members against a JOIN before 001: the end of a connection that
  // was never welcomed would leave them there.
  const rig = makeRig();
  rig.session.connect();
  rig.link.feed([
    ":me!me@h JOIN #room",
    ":irc.test 353 me = #room :me bob",
  ].join("\n"));
  assert.deepEqual(rig.names(), ["Net"]);
  assert.equal(rig.session.inner.whox.inFlight, undefined);
  await rig.engine.close("");
});

Deno.test("Session tells once that there are too many channels", async () => {
  // Guards the log against a server that joins us to channels without end.
  const rig = joinedRig();
  for (let i = 0; i < 2_100; i++) rig.link.feed(`:me!me@h JOIN #c${i}`);
  assert.deepEqual(
    rig.faults,
    ["Net: too many channels: one not opened"],
  );
  await rig.engine.close("");
});

Deno.test("Session stops following a case mapping that goes to and fro", async () => {
  // Guards the event loop: each change goes over every name of the session.
  const rig = joinedRig({ isupport: "CASEMAPPING=ascii" });
  const mappings = () => rig.session.inner.names.casemapping;
  const toggle = (value: string) =>
    rig.link.feed(`:irc.test 005 me CASEMAPPING=${value} :are supported`);
  for (let i = 0; i < 20; i++) toggle(i % 2 === 0 ? "rfc1459" : "ascii");
  const settled = mappings();
  toggle(settled === "ascii" ? "rfc1459" : "ascii");
  assert.equal(mappings(), settled);
  // Another connection is another server, for all we know.
  rig.link.drop();
  rig.link.welcome({
    isupport: `CASEMAPPING=${settled === "ascii" ? "rfc1459" : "ascii"}`,
  });
  assert.notEqual(mappings(), settled);
  await rig.engine.close("");
});

Deno.test("Session reads a status prefix before a channel whose type is a glyph too", async () => {
  // Guards `+` as prefix and channel type at once: no query may open for a text
  // that went to a channel.
  const rig = joinedRig({
    isupport: "PREFIX=(ov)@+ STATUSMSG=@+ CHANTYPES=#+",
  });
  rig.link.feed(":me!me@h JOIN +plus");
  rig.link.feed(":alice!a@h PRIVMSG @+plus :to operators");
  rig.link.feed(":alice!a@h PRIVMSG +plus :to all");
  rig.link.feed(":alice!a@h PRIVMSG @+#room :to both ranks");
  assert.deepEqual(rig.names(), ["Net", "#room", "+plus"]);
  assert.deepEqual(rig.rows("+plus").slice(1), [
    'privmsg alice text="to operators" target="+plus" statusPrefix="@"',
    'privmsg alice text="to all" target="+plus"',
  ]);
  assert.deepEqual(rig.rows("#room").slice(1), [
    'privmsg alice text="to both ranks" target="#room" statusPrefix="@+"',
  ]);
  await rig.engine.close("");
});

Deno.test("Session records what it sent as it records what it receives", async () => {
  // Guards the local rows of a status message and of CTCP: no query opens for
  // either, and a CTCP request is one in both directions.
  const rig = joinedRig();
  await rig.session.quote("PRIVMSG @#room :ops");
  await rig.session.quote("PRIVMSG bob :\x01VERSION\x01");
  await rig.session.quote("NOTICE bob :\x01PING 1 2\x01");
  assert.deepEqual(rig.names(), ["Net", "#room"]);
  assert.deepEqual(rig.rows("#room").slice(1), [
    'privmsg me text="ops" target="#room" statusPrefix="@"',
  ]);
  assert.deepEqual(rig.rows("Net").slice(-2), [
    'ctcp me command="VERSION" text=""',
    'ctcp me command="PING" text="1 2"',
  ]);
  await rig.engine.close("");
});

Deno.test("Session takes `*` in an account tag for no account", async () => {
  // Guards that no one is shown logged in as "*".
  const rig = joinedRig();
  rig.link.feed("@account=acc :alice!a@h PRIVMSG #room :in");
  rig.link.feed("@account=* :alice!a@h PRIVMSG #room :out");
  assert.deepEqual(rig.rows("#room").slice(1), [
    'privmsg alice text="in" target="#room" account="acc"',
    'privmsg alice text="out" target="#room"',
  ]);
  assert.equal(rig.session.buffers()[1]?.member("alice")?.account, undefined);
  await rig.engine.close("");
});

Deno.test("parseLine() takes tags without values in linear time", () => {
  // Guards against a line of thousands of bare tags, each of which had the rest
  // of the line searched for a "=".
  const line = (count: number) => `@${"a;".repeat(count)} PRIVMSG #r :x`;
  const cost = (text: string) => {
    const start = performance.now();
    for (let i = 0; i < 4; i++) parseLine(text);
    return performance.now() - start;
  };
  const least = (count: number) =>
    Math.min(...Array.from({ length: 5 }, () => cost(line(count))));
  least(1_000);
  // Sixteen times the tags: 16 times the work, or 256 times when quadratic.
  assert.ok(least(64_000) < 80 * least(4_000));
  assert.deepEqual({ ...parseLine("@a;b=1=2;;=x;c=;d X")?.tags }, {
    a: "",
    b: "1=2",
    c: "",
    d: "",
  });
});

Deno.test("createLink() takes no nick from a replay, whatever its batch is called", async () => {
  // Guards the own nick: a session that takes a line for the past while its
  // connection takes it for the present no longer knows its own lines.
  await withServer(async (server) => {
    const linked = makeLink(makeConfig(server.port));
    const peer = await connectTo(server, linked);
    for (
      const type of [
        "chathistory",
        "draft/chathistory",
        "znc.in/playback",
        "soju.im/playback",
      ]
    ) {
      await peer.send(
        `BATCH +r ${type} #room`,
        "@batch=r BATCH +n netjoin",
        "@batch=r :me!u@h NICK old1",
        "@batch=n :me!u@h NICK old2",
        "BATCH -n",
        "BATCH -r",
      );
    }
    await peer.barrier();
    assert.equal(linked.link.nick, "me");
    await linked.link.disconnect("");
  });
});
