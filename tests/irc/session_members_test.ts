import assert from "node:assert/strict";
import { JOIN_ROOM, joinedRig, makeRig } from "./fake_link.ts";

Deno.test("Session reads NAMES glyphs in any order and shows modes by rank [MEM-004]", async () => {
  // Guards ranks on networks with other prefixes, and userhost-in-names shapes.
  const rig = makeRig();
  rig.link.welcome({
    isupport: "PREFIX=(qaohv)*!@%+",
    caps: ["multi-prefix", "userhost-in-names"],
  });
  rig.link.feed([
    ":me!me@h JOIN #room",
    ":srv 353 me = #room :@*alice!a@h +bob!b@h carol !+%dave @ !",
    ":srv 366 me #room :End",
  ].join("\n"));
  assert.deepEqual(rig.members("#room"), [
    "ahv dave",
    "carol",
    "me",
    "qo alice",
    "v bob",
  ]);
  const channel = rig.session.buffers()[1];
  assert.deepEqual(channel?.member("alice"), {
    nick: "alice",
    modes: "qo",
    away: false,
    user: "a",
    host: "h",
  });
  assert.deepEqual(channel?.member("carol"), {
    nick: "carol",
    modes: "",
    away: false,
  });
  await rig.engine.close("");
});

Deno.test("Session takes the position of a parameter and never its colon", async () => {
  // Guards against servers that put a colon before the last one, or leave it out.
  const rig = makeRig();
  rig.link.welcome();
  rig.link.feed([
    ":me!me@h JOIN :#room",
    ":srv 332 me #room topic",
    ":srv 353 me = #room alice",
    ":srv 366 me #room End",
    ":srv 324 me #room :+nt",
    ":srv 329 me #room 1234567890",
    ":alice!a@h MODE #room +o :alice",
  ].join("\n"));
  assert.deepEqual(rig.members("#room"), ["me", "o alice"]);
  const channel = rig.session.inner.channel("#room");
  assert.equal(channel?.topic, "topic");
  assert.deepEqual([...channel?.modes ?? []], [["n", ""], ["t", ""]]);
  assert.deepEqual(rig.rows("Net"), ['server code="001" text="Welcome"']);
  await rig.engine.close("");
});

Deno.test("Session takes the defaults of RFC 1459 from a server without 005", async () => {
  // Guards old servers: PREFIX (ov)@+, CHANTYPES #&, CASEMAPPING rfc1459.
  const rig = makeRig();
  rig.link.welcome();
  rig.link.feed([
    ":srv 422 me :no motd",
    ":me!me@h JOIN #room[1]",
    ":srv 353 me = #room[1] :@alice +bob",
    ":srv 366 me #room[1] :End",
    ":alice!a@h PRIVMSG #ROOM{1} :hi",
    ":me!me@h JOIN &local",
  ].join("\n"));
  assert.deepEqual(rig.names(), ["Net", "#room[1]", "&local"]);
  assert.deepEqual(rig.members("#room[1]"), ["me", "o alice", "v bob"]);
  assert.equal(rig.rows("#room[1]").length, 2);
  await rig.engine.close("");
});

Deno.test("Session labels members anew when PREFIX changes", async () => {
  // Guards ranks where 005 tells PREFIX late, empty, or twice.
  const rig = makeRig();
  rig.link.welcome({
    isupport:
      "MODES CHANLIMIT= =FOO - -MONITOR PREFIX= NETWORK=My\\x20Net CASEMAPPING STATUSMSG",
    caps: ["multi-prefix"],
  });
  rig.link.feed([
    ":me!me@h JOIN #room",
    ":srv 353 me = #room :me ~@alice &bob %carol",
    ":srv 366 me #room :End",
  ].join("\n"));
  assert.deepEqual(rig.members("#room"), ["alice", "bob", "carol", "me"]);
  assert.equal(rig.session.network, "My Net");
  rig.link.feed(":srv 005 me PREFIX=(qaohv)~&@%+ draft/X=1 :are supported");
  assert.deepEqual(rig.members("#room"), [
    "a bob",
    "h carol",
    "me",
    "qo alice",
  ]);
  rig.link.feed(":alice!a@h MODE #room -o+v alice alice");
  assert.deepEqual(rig.members("#room"), [
    "a bob",
    "h carol",
    "me",
    "qv alice",
  ]);
  assert.deepEqual(rig.faults, []);
  await rig.engine.close("");
});

Deno.test("Session keeps lower ranks that NAMES without multi-prefix does not show", async () => {
  // Guards the set of modes: one glyph is the highest rank, not the only one.
  const rig = joinedRig();
  rig.link.feed(":alice!a@h MODE #room +v alice");
  rig.link.feed(":srv 353 me = #room :@alice bob");
  assert.deepEqual(rig.members("#room"), ["bob", "me", "ov alice"]);
  await rig.engine.close("");
});

Deno.test("Session applies MODE by the classes of CHANMODES", async () => {
  // Guards arity: missing arguments, unknown letters and lists invent nothing.
  const rig = joinedRig({ isupport: "CHANMODES=beI,k,lj,imnpst" });
  const channel = rig.session.inner.channel("#room");
  const apply = (modes: string) => {
    rig.link.feed(`:alice!a@h MODE #room ${modes}`);
    return [...channel?.modes ?? []].map((pair) => pair.join("=")).sort();
  };
  assert.deepEqual(apply("+ok-v+b alice s3cret bob"), ["k=s3cret"]);
  assert.deepEqual(rig.members("#room"), ["bob", "me", "o alice"]);
  assert.deepEqual(apply("+l"), ["k=s3cret"]);
  assert.deepEqual(apply("+l 5"), ["k=s3cret", "l=5"]);
  assert.deepEqual(apply("-l"), ["k=s3cret"]);
  assert.deepEqual(apply("+Xvn bob"), ["X=", "k=s3cret", "n="]);
  assert.deepEqual(rig.members("#room"), ["me", "o alice", "v bob"]);
  assert.deepEqual(apply("+bov *!*@x me"), ["X=", "k=s3cret", "n="]);
  assert.deepEqual(rig.members("#room"), ["o alice", "o me", "v bob"]);
  assert.deepEqual(apply("-k *"), ["X=", "n="]);
  assert.deepEqual(apply("+o nobody"), ["X=", "n="]);
  rig.link.feed(":srv 324 me #room");
  assert.deepEqual(rig.members("#room"), ["o alice", "o me", "v bob"]);
  await rig.engine.close("");
});

Deno.test("Session keeps one buffer for names that the case mapping takes for the same", async () => {
  // Guards CASEMAPPING in buffers, members and modes, for all three mappings.
  for (
    const [mapping, expected] of [
      ["rfc1459", ["Net", "#Dev[1]"]],
      ["ascii", ["Net", "#Dev[1]", "#dev{1}"]],
      ["rfc1459-strict", ["Net", "#Dev[1]"]],
    ] as const
  ) {
    const rig = makeRig();
    rig.link.welcome({ isupport: `CASEMAPPING=${mapping}` });
    rig.link.feed([
      ":me!me@h JOIN #Dev[1]",
      ":srv 353 me = #Dev[1] :alice",
      ":me!me@h JOIN #dev{1}",
      ":srv 353 me = #dev{1} :alice",
      ":alice!a@h PRIVMSG #dev{1} :hi",
      ":alice!a@h MODE #DEV[1] +o ALICE",
    ].join("\n"));
    assert.deepEqual(rig.names(), expected);
    assert.deepEqual(rig.members("#Dev[1]"), ["me", "o alice"]);
    await rig.engine.close("");
  }
});

Deno.test("Session takes a case mapping that comes after it joined", async () => {
  // Guards that a late CASEMAPPING keys everything anew and loses no row or id.
  const rig = makeRig();
  rig.link.welcome();
  rig.link.feed([
    ":me!me@h JOIN #a^",
    ":srv 353 me = #a^ :me @x~",
    ":srv 366 me #a^ :End",
    ":x!x@h PRIVMSG #A~ :same under rfc1459",
  ].join("\n"));
  const before = rig.session.buffers()[1];
  rig.link.feed(":srv 005 me CASEMAPPING=ascii :are supported");
  rig.link.feed(":x!x@h PRIVMSG #A^ :one\n:x!x@h PRIVMSG #A~ :two");
  assert.equal(rig.session.buffers()[1], before);
  assert.equal(rig.session.buffer(before?.id ?? ""), before);
  assert.equal(rig.rows("#a^").length, 3);
  assert.equal(before?.member("X^"), undefined);
  assert.equal(before?.member("X~")?.modes, "o");
  rig.link.feed(":x~!x@h QUIT");
  assert.deepEqual(rig.members("#a^"), ["me"]);
  await rig.engine.close("");
});

Deno.test("Session merges two buffers that a late case mapping makes one", async () => {
  // Guards that the first buffer's id stays and no row of either is lost.
  const rig = makeRig();
  rig.link.welcome({ isupport: "CASEMAPPING=ascii" });
  rig.link.feed([
    ":x[!x@h PRIVMSG me :one",
    ":x{!x@h PRIVMSG me :two",
  ].join("\n"));
  const id = rig.session.buffers()[1]?.id;
  rig.link.feed(":srv 005 me CASEMAPPING=rfc1459 :are supported");
  assert.deepEqual(rig.names(), ["Net", "x["]);
  assert.equal(rig.session.buffers()[1]?.id, id);
  assert.equal(rig.rows("x[").length, 2);
  await rig.engine.close("");
});

Deno.test("Session empties the members when the connection drops, and keeps rows [BUF-005]", async () => {
  // Guards against ghosts: membership ends with the socket, buffers do not.
  const rig = joinedRig();
  rig.link.feed(":alice!a@h PRIVMSG #room :hi");
  const id = rig.session.buffers()[1]?.id;
  rig.link.drop();
  assert.deepEqual(rig.members("#room"), []);
  assert.equal(rig.session.inner.users.size, 0);
  rig.link.welcome();
  rig.link.feed([
    ":srv 477 me #room :need to be registered",
    ":srv 353 me = #room :alice",
    ":srv 366 me #room :End",
    ":srv 332 me #other :topic",
    ":srv 353 me = #other :alice",
    ":srv 366 me #other :End",
    ":alice!a@h JOIN #other",
    ":alice!a@h JOIN #room",
    ":alice!a@h MODE #other +o alice",
  ].join("\n"));
  assert.deepEqual(rig.names(), ["Net", "#room"]);
  assert.deepEqual(rig.members("#room"), []);
  assert.equal(rig.session.buffers()[1]?.id, id);
  assert.equal(rig.rows("#room").length, 2);
  assert.deepEqual(
    rig.session.buffers().map((b) => b.kind),
    ["server", "channel"],
  );
  await rig.engine.close("");
});

Deno.test("Session keeps a buffer we were kicked from or left, without members", async () => {
  // Guards that own KICK and PART lose no rows and leave no ghosts.
  for (
    const line of [":alice!a@h KICK #room me :out", ":me!me@h PART #room :bye"]
  ) {
    const rig = joinedRig();
    rig.link.feed(line);
    rig.link.feed(":srv 353 me = #room :alice\n:srv 366 me #room :End");
    assert.deepEqual(rig.members("#room"), []);
    assert.deepEqual(rig.names(), ["Net", "#room"]);
    assert.equal(rig.rows("#room").length, 2);
    rig.link.feed(JOIN_ROOM);
    assert.deepEqual(rig.members("#room"), ["me", "o alice", "v bob"]);
    assert.equal(rig.rows("#room").length, 3);
    await rig.engine.close("");
  }
});

Deno.test("Session follows a nick in members and in the query", async () => {
  // Guards that one person stays one conversation, in place and with its id.
  const rig = joinedRig();
  rig.link.feed(":bob!b@h PRIVMSG me :one");
  const query = rig.session.buffers()[2];
  rig.link.feed(":bob!b@h NICK bobby\n:bobby!b@h PRIVMSG me :two");
  assert.deepEqual(rig.names(), ["Net", "#room", "bobby"]);
  assert.equal(rig.session.buffers()[2], query);
  assert.deepEqual(rig.members("#room"), ["me", "o alice", "v bobby"]);
  assert.deepEqual(rig.rows("bobby").map((r) => r.split(" ")[0]), [
    "privmsg",
    "nick",
    "privmsg",
  ]);
  await rig.engine.close("");
});

Deno.test("Session never mixes two queries when a nick runs into an open one", async () => {
  // Guards that what one person said is not shown as said by another.
  const rig = joinedRig();
  rig.link.feed([
    ":bob!b@h PRIVMSG me :from bob",
    ":bobby!x@h PRIVMSG me :from bobby",
    ":bob!b@h NICK bobby",
    ":bobby!b@h PRIVMSG me :from the new bobby",
  ].join("\n"));
  assert.deepEqual(rig.names(), ["Net", "#room", "bob", "bobby"]);
  assert.equal(rig.rows("bob").length, 2);
  assert.equal(rig.rows("bobby").length, 2);
  await rig.engine.close("");
});

Deno.test("Session gives each buffer an id of its own after renames [BUF-001]", async () => {
  // Guards that a new query under an old nick does not take the renamed one's id.
  const rig = joinedRig();
  rig.link.feed([
    ":bob!b@h PRIVMSG me :one",
    ":bob!b@h NICK bobby",
    ":bob!z@h PRIVMSG me :another bob",
  ].join("\n"));
  const ids = rig.session.buffers().map((b) => b.id);
  assert.equal(new Set([...ids, rig.session.rawBufferId]).size, ids.length + 1);
  await rig.engine.close("");
});

Deno.test("Session keeps the id and rows of a renamed channel", async () => {
  // Guards draft/channel-rename, also onto a buffer that we left earlier.
  const rig = joinedRig();
  rig.link.feed(":me!me@h JOIN #b\n:x!x@h PRIVMSG #b :old\n:me!me@h PART #b");
  const room = rig.session.buffers()[1];
  rig.link.feed(":srv RENAME #room #b :new home\n:alice!a@h PRIVMSG #B :hi");
  assert.deepEqual(rig.names(), ["Net", "#b"]);
  assert.equal(rig.session.buffers()[1], room);
  assert.deepEqual(rig.members("#b"), ["me", "o alice", "v bob"]);
  const rows = rig.rows("#b");
  assert.equal(rows.length, 6);
  assert.ok(
    rows.includes('server srv code="RENAME" text="#room is now #b: new home"'),
  );
  rig.link.drop();
  rig.link.welcome();
  assert.deepEqual(rig.link.takeSent().filter((l) => l.startsWith("JOIN")), [
    "JOIN #b",
  ]);
  await rig.engine.close("");
});

Deno.test("Session updates users in every channel and fakes no coming or going", async () => {
  // Guards account, away, host and nick of members that several channels share.
  const rig = joinedRig();
  rig.link.feed([
    ":me!me@h JOIN #two",
    ":srv 353 me = #two :me alice",
    ":srv 366 me #two :End",
    ":alice!a@h CHGHOST u h2",
    ":alice!u@h2 ACCOUNT acc",
    ":alice!u@h2 AWAY :gone",
  ].join("\n"));
  for (const name of ["#room", "#two"]) {
    const buffer = rig.session.buffers().find((b) => b.name === name);
    assert.deepEqual(buffer?.member("alice"), {
      nick: "alice",
      modes: name === "#room" ? "o" : "",
      account: "acc",
      away: true,
      user: "u",
      host: "h2",
    });
    assert.ok(!rig.rows(name).some((r) => /^(part|join) alice/.test(r)));
  }
  await rig.engine.close("");
});

Deno.test("Session goes where it is forwarded and opens nothing else", async () => {
  // Guards 470: the channel we asked for is not the one we are in.
  const rig = makeRig({ channels: ["#a"] });
  rig.link.welcome();
  rig.link.feed(":srv 470 me #a #b :Forwarding\n:me!me@h JOIN #b");
  assert.deepEqual(rig.names(), ["Net", "#b"]);
  assert.equal(
    rig.rows("Net").at(-1),
    'server code="470" text="#a #b Forwarding"',
  );
  await rig.engine.close("");
});

Deno.test("Session has no members in a buffer that is no channel [MEM-006]", async () => {
  // Guards list_members on server and query buffers.
  const rig = joinedRig();
  rig.link.feed(":alice!a@h PRIVMSG me :hi");
  for (const buffer of rig.session.buffers()) {
    if (buffer.kind === "channel") continue;
    assert.deepEqual(buffer.members(), []);
    assert.equal(buffer.member("alice"), undefined);
  }
  await rig.engine.close("");
});

Deno.test("Session takes a netsplit as live rows, one a quit and shared buffer, and asks WHO for no one", async () => {
  // Guards the worst hour of a network: 5,000 quits and joins over three channels.
  const users = 5000;
  const rig = makeRig({}, { bufferLimit: 20_000 });
  rig.link.welcome({ caps: ["batch", "multi-prefix"] });
  const nicks = Array.from({ length: users }, (_, i) => `u${i}`);
  for (const name of ["#a", "#b", "#c"]) {
    rig.link.feed(`:me!me@h JOIN ${name}`);
    for (let i = 0; i < users; i += 50) {
      rig.link.feed(
        `:srv 353 me = ${name} :${nicks.slice(i, i + 50).join(" ")}`,
      );
    }
    rig.link.feed(`:srv 366 me ${name} :End\n:srv 315 me ${name} :End`);
  }
  await rig.clock.advance(0);
  rig.link.takeSent();
  rig.link.feed(":srv BATCH +n netsplit hub.x leaf.y");
  for (const nick of nicks) {
    rig.link.feed(`@batch=n :${nick}!u@h QUIT :hub.x leaf.y`);
  }
  rig.link.feed(":srv BATCH -n");
  assert.deepEqual(rig.members("#a"), ["me"]);
  rig.link.feed(":srv BATCH +j netjoin hub.x leaf.y");
  for (const nick of nicks) {
    for (const name of ["#a", "#b", "#c"]) {
      rig.link.feed(`@batch=j :${nick}!u@h JOIN ${name}`);
    }
  }
  rig.link.feed(":srv BATCH -j\n:srv MODE #a +ooo u0 u1 u2");
  for (const name of ["#a", "#b", "#c"]) {
    const rows = rig.messages(name).filter((m) => m.kind !== "mode");
    assert.equal(rows.filter((m) => m.kind === "quit").length, users);
    assert.equal(rows.filter((m) => m.kind === "join").length, users + 1);
    assert.ok(rows.every((m) => !m.history));
  }
  assert.equal(rig.session.buffers()[1]?.members().length, users + 1);
  await rig.clock.advance(0);
  assert.deepEqual(rig.link.sent, []);
  await rig.engine.close("");
});
