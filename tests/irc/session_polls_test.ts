import assert from "node:assert/strict";
import { JOIN_ROOM, joinedRig, makeRig } from "./fake_link.ts";

const JOIN = (name: string) => `:me!me@h JOIN ${name}`;

Deno.test("Session asks for modes and members on its own join, and shows no reply to it", async () => {
  // Guards that the session's own polls leave no rows, WHOX or not.
  for (const isupport of ["WHOX", "EXCEPTS"]) {
    const rig = makeRig();
    rig.link.welcome({ isupport });
    rig.link.feed(JOIN_ROOM);
    assert.deepEqual(rig.link.takeSent(), [
      "MODE #room",
      isupport === "WHOX" ? "WHO #room %tcuhnfar,771" : "WHO #room",
    ]);
    const before = rig.rows("Net").length;
    rig.link.feed([
      ":srv 324 me #room +ntk key",
      ":srv 329 me #room 123",
      isupport === "WHOX"
        ? ":srv 354 me 771 #room a host alice G@ acc :Alice"
        : ":srv 352 me #room a host srv alice G@ :0 Alice",
      ":srv 315 me #room :End",
    ].join("\n"));
    assert.equal(rig.rows("Net").length, before);
    assert.deepEqual(rig.session.buffers()[1]?.member("alice"), {
      nick: "alice",
      modes: "o",
      ...(isupport === "WHOX" ? { account: "acc" } : {}),
      away: true,
      user: "a",
      host: "host",
    });
    // The same numerics again were asked for by the person.
    rig.link.feed(
      ":srv 324 me #room +nt\n:srv 329 me #room 123\n:srv 315 me #room :End",
    );
    assert.equal(rig.rows("Net").length, before + 3);
    await rig.engine.close("");
  }
});

Deno.test("Session takes WHOX account 0 for none", async () => {
  // Guards that no one is shown logged in as "0".
  const rig = joinedRig({ isupport: "WHOX" });
  rig.link.feed(":alice!a@h ACCOUNT acc");
  rig.link.feed(":srv 354 me 771 #room a h alice H 0 :Alice");
  assert.equal(rig.session.buffers()[1]?.member("alice")?.account, undefined);
  await rig.engine.close("");
});

Deno.test("Session has one WHO on the wire, the others in order, each for 45 seconds at most", async () => {
  // Guards the queue: a reply that is lost must not stop the next.
  const rig = makeRig();
  rig.link.welcome({ isupport: "WHOX" });
  rig.link.feed(["#a", "#b", "#c", "#d"].map(JOIN).join("\n"));
  const { whox } = rig.session.inner;
  assert.deepEqual(
    rig.link.sent,
    ["MODE #a", "WHO #a %tcuhnfar,771"],
    "the modes of a channel are asked for in its turn",
  );
  const who = () => rig.link.takeSent().filter((l) => l.startsWith("WHO"));
  assert.deepEqual(who(), ["WHO #a %tcuhnfar,771"]);
  assert.equal(whox.inFlight, "#a");
  assert.equal(whox.deadline, rig.clock.now() + 45_000);
  assert.deepEqual(whox.queued, ["#b", "#c", "#d"]);
  rig.link.feed(":me!me@h PART #b\n:srv 315 me #zzz :End");
  assert.deepEqual(who(), []);
  await rig.clock.advance(44_999);
  assert.deepEqual(who(), []);
  await rig.clock.advance(1);
  assert.deepEqual(who(), ["WHO #c %tcuhnfar,771"]);
  const rows = rig.rows("Net").length;
  rig.link.feed(":srv 315 me #a :End");
  assert.equal(rig.rows("Net").length, rows, "a late end is still ours");
  rig.link.feed(":srv 403 me #c :No such channel");
  assert.deepEqual(who(), ["WHO #d %tcuhnfar,771"]);
  rig.link.drop();
  assert.equal(whox.inFlight, undefined);
  assert.deepEqual(whox.queued, []);
  assert.equal(rig.clock.pending, 0);
  await rig.engine.close("");
});

Deno.test("Session polls WHO only where the server does not tell who is away", async () => {
  // Guards traffic: with away-notify there is nothing to ask.
  for (const caps of [[], ["away-notify"]]) {
    const rig = joinedRig({ caps, isupport: "WHOX" });
    rig.link.feed(":srv 315 me #room :End");
    await rig.clock.advance(5 * 60_000);
    assert.deepEqual(
      rig.link.takeSent(),
      caps.length === 0 ? ["WHO #room %tcuhnfar,771"] : [],
    );
    await rig.engine.close("");
  }
});

Deno.test("Session joins its channels with their keys on each welcome, and what was joined since", async () => {
  // Guards the rejoin: keys kept, parted channels left alone, kicked ones tried.
  const rig = makeRig({ channels: ["#Open", "#locked"] }, {
    keys: { "#LOCKED": "s3cret" },
  });
  const joins = () => rig.link.takeSent().filter((l) => l.startsWith("JOIN"));
  rig.link.welcome();
  assert.deepEqual(joins(), ["JOIN #locked s3cret", "JOIN #Open"]);
  rig.link.feed(["#Open", "#locked", "#extra", "#gone"].map(JOIN).join("\n"));
  rig.link.feed(":op!o@h KICK #locked me\n:me!me@h PART #gone");
  rig.link.drop();
  rig.link.welcome();
  assert.deepEqual(joins(), ["JOIN #locked s3cret", "JOIN #Open,#extra"]);
  await rig.session.part("#Open");
  await rig.session.join("#typed", "k3y-typed");
  assert.deepEqual(joins(), ["JOIN #typed k3y-typed"]);
  rig.link.feed(JOIN("#typed"));
  rig.link.drop();
  rig.link.welcome();
  assert.deepEqual(joins(), [
    "JOIN #locked,#typed s3cret,k3y-typed",
    "JOIN #extra",
  ]);
  await rig.engine.close("");
});

Deno.test("Session finds a channel's key under any case mapping, also after a reconnect", async () => {
  // Guards the rejoin on a server whose mapping is not the one assumed first.
  const rig = makeRig({ channels: ["#a[b"] }, { keys: { "#A[B": "s3cret" } });
  for (let run = 0; run < 2; run++) {
    rig.link.welcome();
    assert.deepEqual(
      rig.link.takeSent().filter((l) => l.startsWith("JOIN")),
      ["JOIN #a[b s3cret"],
    );
    rig.link.feed(":srv 005 me CASEMAPPING=ascii :are supported");
    rig.link.drop();
  }
  await rig.engine.close("");
});

Deno.test("Session keeps channels apart that the server did, while a new connection has said nothing yet", async () => {
  // Guards against a merge by the assumed mapping at each reconnect.
  const rig = makeRig();
  rig.link.welcome({ isupport: "CASEMAPPING=ascii" });
  rig.link.feed(JOIN("#dev[1]") + "\n" + JOIN("#dev{1}"));
  rig.link.drop();
  rig.link.welcome();
  rig.link.setCapabilities(["batch"]);
  rig.link.feed(":srv 005 me NETWORK=x :are supported");
  assert.deepEqual(rig.names(), ["Net", "#dev[1]", "#dev{1}"]);
  await rig.engine.close("");
});

Deno.test("Session joins what the person asked for while it was away", async () => {
  // Guards that a join made before the welcome is not lost.
  const rig = makeRig();
  assert.equal(await rig.session.join("#later"), false);
  assert.equal(await rig.session.join("#one,#two,#not", "key-one"), false);
  assert.equal(await rig.session.part("#not"), false);
  rig.link.welcome();
  assert.deepEqual(rig.link.takeSent(), [
    "JOIN #one key-one",
    "JOIN #later,#two",
  ]);
  await rig.engine.close("");
});

Deno.test("Session splits long joins over lines that fit", async () => {
  // Guards the 512 bytes of a line with many channels configured.
  const channels = Array.from(
    { length: 60 },
    (_, i) => `#channel-${i}-${"x".repeat(i)}`,
  );
  const rig = makeRig({ channels });
  rig.link.welcome();
  const lines = rig.link.takeSent();
  assert.ok(lines.every((line) => line.length <= 510));
  assert.deepEqual(lines.flatMap((line) => line.slice(5).split(",")), channels);
  await rig.engine.close("");
});

Deno.test("Session scans for the secrets it holds now", async () => {
  // Guards redaction on the way out: passwords, and every channel key it joins by.
  const rig = makeRig({}, { keys: { "#a": "key-of-a", "#b": "abc" } });
  const { session } = rig;
  assert.equal(session.secrets().inText("the key-of-a is"), true);
  assert.equal(session.secrets().inText("abc"), false, "too short to look for");
  session.setSecrets({
    password: "user/net:pass",
    saslPassword: "hunter22",
    channelKeys: new Map(),
  });
  assert.equal(session.secrets().inText("user/net:pass"), true);
  assert.equal(session.secrets().inText("hunter22"), true);
  await session.join("#c", "typed-key");
  assert.equal(session.secrets().inText("a typed-key b"), true);
  await rig.engine.close("");
});

Deno.test("Session splits a long text between characters, a message a line", async () => {
  // Guards that nothing is cut off by the server, which puts our source first.
  const rig = joinedRig({ caps: ["echo-message"] });
  const long = "é🙂".repeat(400);
  assert.equal(
    await rig.session.sendText("#room", "action", `${long}\r\n\nlast`),
    true,
  );
  const sent = rig.link.takeSent().filter((l) => l.startsWith("PRIVMSG"));
  const bodies = sent.map((l) =>
    l.slice("PRIVMSG #room :\x01ACTION ".length, -1)
  );
  assert.equal(bodies.slice(0, -1).join(""), long);
  assert.equal(bodies.at(-1), "last");
  const source = ":me!me@my.host ";
  for (const line of sent) {
    assert.ok(new TextEncoder().encode(source + line).length <= 510);
    assert.ok(line.isWellFormed());
  }
  await rig.engine.close("");
});

Deno.test("Session lets no line break into what it sends", async () => {
  // Guards against line injection by a target, a channel or a key.
  const rig = joinedRig();
  assert.equal(await rig.session.sendText("a\r\nQUIT", "privmsg", "x"), false);
  assert.equal(await rig.session.join("#a\nQUIT"), false);
  assert.equal(await rig.session.join("#a", "k\nQUIT"), false);
  assert.equal(await rig.session.join("#a b"), false);
  assert.equal(await rig.session.part("#a :x"), false);
  await rig.session.sendText("#room", "privmsg", "a\u0000b\rQUIT");
  assert.deepEqual(rig.link.takeSent(), [
    "PRIVMSG #room :ab",
    "PRIVMSG #room :QUIT",
  ]);
  await rig.engine.close("");
});

Deno.test("Session opens and closes buffers for the person", async () => {
  // Guards the acts of /query and closing: the server buffer stays.
  const rig = joinedRig();
  const [server, room] = rig.session.buffers();
  const query = rig.session.openQuery("carol");
  assert.deepEqual(rig.names(), ["Net", "#room", "carol"]);
  assert.equal(rig.session.closeBuffer(server?.id ?? ""), false);
  assert.equal(rig.session.closeBuffer("nope"), false);
  assert.equal(rig.session.closeBuffer(query.id), true);
  assert.equal(rig.session.closeBuffer(room?.id ?? ""), true);
  assert.deepEqual(rig.names(), ["Net"]);
  assert.deepEqual(rig.link.takeSent().filter((l) => l.startsWith("PART")), [
    "PART #room",
  ]);
  rig.link.feed(":alice!a@h PRIVMSG #room :too late\n:me!me@h PART #room");
  assert.deepEqual(rig.names(), ["Net"]);
  rig.session.changeNick("me2");
  assert.deepEqual(rig.link.takeSent(), ["NICK me2"]);
  await rig.engine.close("");
});
