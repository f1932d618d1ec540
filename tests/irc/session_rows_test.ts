import assert from "node:assert/strict";
import { joinedRig, makeRig, type Rig } from "./fake_link.ts";

/** One line or a few, and the rows told of because of them. */
interface Case {
  readonly name: string;
  readonly lines: string;
  readonly told: readonly string[];
}

const CASES: readonly Case[] = [
  {
    name: "a channel message",
    lines: ":alice!a@h PRIVMSG #room :two  spaces ",
    told: ['#room: privmsg alice text="two  spaces " target="#room"'],
  },
  {
    name: "a channel notice",
    lines: ":alice!a@h NOTICE #room :hi",
    told: ['#room: notice alice text="hi" target="#room"'],
  },
  {
    name: "an action, with and without the closing mark",
    lines: ":alice!a@h PRIVMSG #room :\x01ACTION waves\x01\n" +
      ":alice!a@h PRIVMSG #room :\x01ACTION nods",
    told: [
      '#room: action alice text="waves" target="#room"',
      '#room: action alice text="nods" target="#room"',
    ],
  },
  {
    name: "a private message opens a query",
    lines: ":carol!c@h PRIVMSG me :hi",
    told: ['carol: privmsg carol text="hi" target="me"'],
  },
  {
    name: "a private notice opens none",
    lines: ":carol!c@h NOTICE me :psst",
    told: ['Net: notice carol text="psst" target="me"'],
  },
  {
    name: "a private notice goes to the query that is open",
    lines: ":carol!c@h PRIVMSG me :hi\n:CAROL!c@h NOTICE me :psst",
    told: [
      'carol: privmsg carol text="hi" target="me"',
      'carol: notice CAROL text="psst" target="me"',
    ],
  },
  {
    name: "a server's notice, before and after registration",
    lines: ":irc.test NOTICE * :*** Looking up\nNOTICE AUTH :*** ident",
    told: [
      'Net: notice irc.test text="*** Looking up" target="*"',
      'Net: notice text="*** ident" target="AUTH"',
    ],
  },
  {
    name: "STATUSMSG goes to the channel and opens nothing",
    lines: ":alice!a@h NOTICE @#room :ops",
    told: ['#room: notice alice text="ops" target="#room" statusPrefix="@"'],
  },
  {
    name: "a CTCP request makes a row and opens no query",
    lines: ":carol!c@h PRIVMSG me :\x01VERSION\x01\n" +
      ":carol!c@h PRIVMSG #room :\x01PING 12 3\x01",
    told: [
      'Net: ctcp carol command="VERSION" text=""',
      '#room: ctcp carol command="PING" text="12 3"',
    ],
  },
  {
    name: "a lone CTCP mark is text",
    lines: ":alice!a@h PRIVMSG #room :\x01\x01",
    told: ['#room: privmsg alice text="\\u0001\\u0001" target="#room"'],
  },
  {
    name: "a message for a channel that has no buffer opens none",
    lines: ":alice!a@h PRIVMSG #other :hi",
    told: ['Net: privmsg alice text="hi" target="#other"'],
  },
  {
    name: "join with all that extended-join tells",
    lines: ":dave!d@host JOIN #room acc :Dave D\n:erin!e@h JOIN #room * :Erin",
    told: [
      '#room: join dave nick="dave" user="d" host="host" account="acc" realname="Dave D"',
      '#room: join erin nick="erin" user="e" host="h" realname="Erin"',
    ],
  },
  {
    name: "part with and without a reason",
    lines: ":alice!a@h PART #room :bye\n:bob!b@h PART #room",
    told: [
      '#room: part alice nick="alice" reason="bye"',
      '#room: part bob nick="bob"',
    ],
  },
  {
    name: "quit of a member",
    lines: ":alice!a@h QUIT :gone",
    told: ['#room: quit alice nick="alice" reason="gone"'],
  },
  {
    name: "quit of someone with only a query",
    lines: ":carol!c@h PRIVMSG me :hi\n:carol!c@h QUIT",
    told: [
      'carol: privmsg carol text="hi" target="me"',
      'carol: quit carol nick="carol"',
    ],
  },
  {
    name: "quit of someone we know nothing of",
    lines: ":stranger!s@h QUIT :x",
    told: [],
  },
  {
    name: "kick, with and without a reason",
    lines: ":alice!a@h KICK #room bob :why not\n:irc.test KICK #room alice",
    told: [
      '#room: kick alice victim="bob" reason="why not"',
      '#room: kick irc.test victim="alice"',
    ],
  },
  {
    name: "nick of a member",
    lines: ":bob!b@h NICK :bobby",
    told: ['#room: nick bob newNick="bobby"'],
  },
  {
    name: "topic, set and cleared",
    lines: ":alice!a@h TOPIC #room :news\n:alice!a@h TOPIC #room :",
    told: [
      '#room: topic alice topic="news"',
      '#room: topic alice topic=""',
    ],
  },
  {
    name: "channel mode and user mode",
    lines: ":alice!a@h MODE #room +ov bob me\n:me MODE me :+i",
    told: [
      '#room: mode alice modes="+ov" params=["bob","me"]',
      'Net: mode me modes="+i" params=[]',
    ],
  },
  {
    name: "an invite to a channel that is held makes two rows",
    lines: ":alice!a@h INVITE me #new\n:alice!a@h INVITE carol #room",
    told: [
      'Net: invite alice nick="me" channel="#new"',
      'Net: invite alice nick="carol" channel="#room"',
      '#room: invite alice nick="carol" channel="#room"',
    ],
  },
  {
    name: "away, account, host and real name go to the server buffer",
    lines: [
      ":alice!a@h AWAY :lunch",
      ":alice!a@h AWAY",
      ":alice!a@h ACCOUNT acc",
      ":alice!a@h ACCOUNT *",
      ":alice!a@h CHGHOST u2 h2",
      ":alice!a@h SETNAME :Alice B",
    ].join("\n"),
    told: [
      'Net: away alice away=true message="lunch"',
      "Net: away alice away=false",
      'Net: account alice account="acc"',
      'Net: account alice account=""',
      'Net: chghost alice user="u2" host="h2"',
      'Net: setname alice realname="Alice B"',
    ],
  },
  {
    name: "numerics, MOTD, ERROR and standard replies are text for people",
    lines: [
      ":irc.test 372 me :- hello",
      ":irc.test 251 me :x ",
      ":irc.test 477 me #x :no",
      "ERROR :Closing Link",
      ":irc.test FAIL JOIN CHANNEL_GONE #x :gone",
      ":alice!a@h WALLOPS :hey",
      ":irc.test XYZZY a b",
    ].join("\n"),
    told: [
      'Net: server code="372" text="- hello"',
      'Net: server code="251" text="x "',
      'Net: server code="477" text="#x no"',
      'Net: server code="ERROR" text="Closing Link"',
      'Net: server code="FAIL" text="JOIN CHANNEL_GONE #x gone"',
      'Net: server alice code="WALLOPS" text="hey"',
      'Net: server code="XYZZY" text="a b"',
    ],
  },
  {
    name: "protocol between programs makes no row",
    lines: [
      "PING :x",
      ":irc.test PONG irc.test :x",
      ":irc.test 303 me :alice",
      "CAP * LS :batch",
      "AUTHENTICATE +",
      "@+typing=active :alice!a@h TAGMSG #room",
      ":irc.test ACK",
      ":irc.test BATCH +x foo",
      ":irc.test BATCH -x",
    ].join("\n"),
    told: [],
  },
  {
    name: "what the person asked about modes, names and topic is text for them",
    lines: [
      ":irc.test 324 me #elsewhere +nt",
      ":irc.test 353 me = #elsewhere :x y",
      ":irc.test 366 me #elsewhere :End",
      ":irc.test 332 me #room :topic",
      ":irc.test 352 me #room a h irc.test alice H@ :0 Alice",
      ":irc.test 354 me 5 #room alice",
    ].join("\n"),
    told: [
      'Net: server code="324" text="#elsewhere +nt"',
      'Net: server code="353" text="= #elsewhere x y"',
      'Net: server code="366" text="#elsewhere End"',
      'Net: server code="332" text="#room topic"',
      'Net: server code="352" text="#room a h irc.test alice H@ 0 Alice"',
      'Net: server code="354" text="5 #room alice"',
    ],
  },
];

for (const { name, lines, told } of CASES) {
  Deno.test(`Session rows: ${name} [MSG-009, MSG-011, MSG-012, MSG-013]`, async () => {
    // Guards where each kind of line goes and exactly what its row holds.
    const rig = joinedRig();
    await settleOwnWho(rig);
    rig.told.length = 0;
    rig.link.feed(lines);
    assert.deepEqual(rig.told, told);
    assert.deepEqual(rig.faults, []);
    await rig.engine.close("");
  });
}

/** Ends the WHO that our JOIN sent, so that a reply is the person's own. */
async function settleOwnWho(rig: Rig): Promise<void> {
  await Promise.resolve();
  rig.link.feed(":irc.test 315 me #room :End of /WHO list.");
}

Deno.test("Session gives a row the msgid, the server's time, or the time of receipt [MSG-005, MSG-007, MSG-008]", async () => {
  // Guards what `id` and `time` mean, broken tags included.
  const rig = joinedRig();
  const now = rig.clock.now();
  rig.link.feed([
    "@time=2026-09-30T11:00:00.123Z;msgid=m1 :alice!a@h PRIVMSG me :tagged",
    ":alice!a@h PRIVMSG me :bare",
    "@time=yesterday;msgid= :alice!a@h PRIVMSG me :broken",
    "@time=2026-13-45T99:00:00Z :alice!a@h PRIVMSG me :impossible",
    "@time=+275760-09-13T00:00:00.000Z :alice!a@h PRIVMSG me :far",
    "@time :alice!a@h PRIVMSG me :empty",
  ].join("\n"));
  assert.deepEqual(
    rig.messages("alice").map((m) => [m.id, m.time]),
    [
      ["m1", Date.parse("2026-09-30T11:00:00.123Z")],
      ...Array.from({ length: 5 }, () => [undefined, now]),
    ],
  );
  await rig.engine.close("");
});

Deno.test("Session leaves `from` empty where a line has no sender [MSG-010]", async () => {
  // Guards that nothing is made up for a numeric.
  const rig = joinedRig();
  rig.link.feed(":irc.test 372 me :- hello");
  assert.equal(rig.messages("Net").at(-1)?.from, "");
  assert.equal(rig.session.recordAudit("AI access sent: X")?.from, "");
  assert.equal(rig.rows("Net").at(-1), 'audit text="AI access sent: X"');
  await rig.engine.close("");
});

Deno.test("Session notes the account of a message, and that it has none", async () => {
  // Guards the `account` field and what list_members shows after it.
  const rig = joinedRig();
  rig.link.feed("@account=acc :alice!a@h PRIVMSG #room :hi");
  assert.equal(
    rig.rows("#room").at(-1),
    'privmsg alice text="hi" target="#room" account="acc"',
  );
  const buffer = rig.session.buffers()[1];
  assert.equal(buffer?.member("ALICE")?.account, "acc");
  rig.link.feed(":alice!a@h ACCOUNT *");
  assert.equal(buffer?.member("alice")?.account, undefined);
  await rig.engine.close("");
});

Deno.test("Session removes a redacted row and nothing else", async () => {
  // Guards draft/message-redaction in channels and queries, unknown ids too.
  const rig = joinedRig();
  rig.link.feed([
    "@msgid=a :alice!a@h PRIVMSG #room :one",
    "@msgid=b :alice!a@h PRIVMSG #room :two",
    "@msgid=c :carol!c@h PRIVMSG me :three",
    ":alice!a@h REDACT #room a :oops",
    ":alice!a@h REDACT #room nope",
    ":alice!a@h REDACT #nowhere a",
    ":carol!c@h REDACT me c",
  ].join("\n"));
  assert.deepEqual(rig.rows("#room").slice(1), [
    'privmsg alice text="two" target="#room"',
  ]);
  assert.deepEqual(rig.rows("carol"), []);
  await rig.engine.close("");
});

Deno.test("Session marks what echo-message brings back, and stores nothing twice", async () => {
  // Guards own lines: with the capability the echo is the row, with its msgid.
  const rig = joinedRig({ caps: ["echo-message", "labeled-response"] });
  await rig.session.sendText("#room", "privmsg", "hello");
  assert.deepEqual(rig.rows("#room").slice(1), []);
  rig.link.feed(
    "@msgid=e1 :me!me@h PRIVMSG #room :hello\n" +
      "@msgid=e2 :me!me@h PRIVMSG carol :psst",
  );
  assert.deepEqual(rig.rows("#room").slice(1), [
    'privmsg me text="hello" target="#room" isEcho=true',
  ]);
  assert.deepEqual(rig.rows("carol"), [
    'privmsg me text="psst" target="carol" isEcho=true',
  ]);
  await rig.engine.close("");
});

Deno.test("Session makes a local row for what it sends without echo-message", async () => {
  // Guards that the person's own half of a conversation is kept.
  const rig = joinedRig();
  assert.equal(await rig.session.sendText("#room", "privmsg", "hello"), true);
  assert.equal(await rig.session.sendText("#room", "action", "waves"), true);
  assert.equal(await rig.session.sendText("carol", "notice", "note"), true);
  assert.equal(await rig.session.quote("PRIVMSG carol,#room :both"), true);
  assert.equal(await rig.session.quote("WHOIS carol"), true);
  assert.deepEqual(rig.rows("#room").slice(1), [
    'privmsg me text="hello" target="#room"',
    'action me text="waves" target="#room"',
    'privmsg me text="both" target="#room"',
  ]);
  assert.deepEqual(rig.rows("carol"), [
    'privmsg me text="both" target="carol"',
  ]);
  assert.equal(rig.rows("Net").at(-1), 'notice me text="note" target="carol"');
  assert.deepEqual(rig.link.takeSent().filter((l) => /^(PRIV|NOT)/.test(l)), [
    "PRIVMSG #room :hello",
    "PRIVMSG #room :\x01ACTION waves\x01",
    "NOTICE carol :note",
    "PRIVMSG carol,#room :both",
  ]);
  await rig.engine.close("");
});

Deno.test("Session masks a login to a service in every row it could make", async () => {
  // Guards the credential in the local row, the echo and the replay alike.
  const login = "PRIVMSG NickServ :IDENTIFY acct hunter22";
  const local = joinedRig();
  await local.session.quote(login);
  const echoed = joinedRig({ caps: ["echo-message", "batch"] });
  echoed.link.feed([
    `:me!me@h ${login}`,
    ":srv BATCH +p znc.in/playback NickServ",
    `@batch=p;time=2026-09-30T11:00:00.000Z :me!me@h ${login}`,
    ":srv BATCH -p",
  ].join("\n"));
  for (const { rows, engine } of [local, echoed]) {
    assert.ok(rows("NickServ").length > 0);
    for (const row of rows("NickServ")) {
      assert.ok(row.includes('text="IDENTIFY ********"'), row);
    }
    await engine.close("");
  }
});

Deno.test("Session makes no row for what was not written", async () => {
  // Guards that a buffer never shows a line that no one received.
  const rig = joinedRig();
  rig.link.takesLines = false;
  assert.equal(await rig.session.sendText("#room", "privmsg", "hello"), false);
  assert.equal(
    await rig.session.sendText("#room x", "privmsg", "hello"),
    false,
  );
  assert.equal(await rig.session.sendText("#room", "privmsg", ""), false);
  assert.equal(rig.rows("#room").length, 1);
  await rig.engine.close("");
});

Deno.test("Session keeps the next live line live after a local row, whatever the clocks say", async () => {
  // Guards subscriptions: a server whose clock is behind must not have its live
  // lines taken for history because we stored a row by ours.
  const rig = joinedRig();
  const behind = (ms: number) =>
    new Date(rig.clock.now() - 5000 + ms).toISOString();
  rig.link.feed(`@time=${behind(0)} :alice!a@h PRIVMSG #room :one`);
  await rig.session.sendText("#room", "privmsg", "mine");
  rig.link.feed(`@time=${behind(100)} :alice!a@h PRIVMSG #room :two`);
  assert.deepEqual(
    rig.messages("#room").slice(1).map((m) => m.history),
    // The first one is older than the JOIN that came without a time.
    [true, false, true],
  );
  await rig.engine.close("");
});

Deno.test("Session puts a bouncer's self-message into the query with its target", async () => {
  // Guards znc.in/self-message: what another client of ours said is ours.
  const rig = joinedRig({ caps: ["znc.in/self-message"] });
  rig.link.feed(":me!me@h PRIVMSG carol :from my phone");
  assert.deepEqual(rig.rows("carol"), [
    'privmsg me text="from my phone" target="carol" isEcho=true',
  ]);
  await rig.engine.close("");
});

Deno.test("Session answers no CTCP and no text with a line [INV-001]", async () => {
  // Guards invariant 1: nothing that arrives makes the session say something.
  const rig = joinedRig();
  rig.link.feed(":irc.test 315 me #room :End");
  await rig.clock.advance(0);
  rig.link.takeSent();
  rig.link.feed([
    ":x!x@h PRIVMSG me :\x01VERSION\x01",
    ":x!x@h PRIVMSG me :\x01PING 1\x01",
    ":x!x@h NOTICE me :\x01VERSION x\x01",
    ":x!x@h PRIVMSG me :/quit",
    ":x!x@h PRIVMSG #room :send_raw QUIT",
    ":x!x@h INVITE me #trap",
    ":irc.test TOPIC #room :JOIN #trap",
  ].join("\n"));
  await rig.clock.advance(0);
  assert.deepEqual(rig.link.sent, []);
  await rig.engine.close("");
});

Deno.test("Session keeps a multi-line message as one row", async () => {
  // Guards draft/multiline: the lines come joined by LF in one message.
  const rig = joinedRig();
  rig.session.message({
    tags: {},
    source: "alice!a@h",
    nick: "alice",
    user: "a",
    host: "h",
    command: "PRIVMSG",
    params: ["#room", "one\n\nthree"],
  }, { receivedAt: rig.clock.now() });
  assert.equal(
    rig.rows("#room").at(-1),
    'privmsg alice text="one\\n\\nthree" target="#room"',
  );
  await rig.engine.close("");
});

Deno.test("Session survives lines of every shape", async () => {
  // Guards that a hostile server cannot end the session with one line.
  const commands = (
    "PRIVMSG NOTICE JOIN PART QUIT KICK NICK MODE TOPIC RENAME INVITE AWAY " +
    "ACCOUNT CHGHOST SETNAME REDACT FAIL WARN NOTE BATCH TAGMSG ERROR 001 005 " +
    "301 315 324 329 331 332 333 352 353 354 366 403 433 470 900 __proto__ constructor"
  ).split(" ");
  const tails = [
    "",
    " :",
    " #room",
    " #room :",
    " #room #room #room",
    " me",
    " :a b",
    " @#room x",
    " +#- :x",
    " , ,",
    " me #room +ovlkb :",
    " " + "a ".repeat(40),
    " me = #room :@ ! @! a!@ !a@b +%@~x!y@z@w",
  ];
  const sources = ["", ":me!me@h ", ":alice!a@h ", ":irc.test ", ":! ", ":@ "];
  const rig = joinedRig();
  for (const command of commands) {
    for (const source of sources) {
      for (const tail of tails) {
        rig.link.feed(`${source}${command}${tail}`);
        rig.link.nick = "me";
      }
    }
  }
  assert.deepEqual(rig.faults, []);
  await rig.engine.close("");
});

Deno.test("Session bounds the queries that strangers open", async () => {
  // Guards memory against a flood of private messages from random nicks.
  const rig = joinedRig();
  rig.session.openQuery("friend");
  for (let i = 0; i < 1500; i++) rig.link.feed(`:n${i}!x@h PRIVMSG me :spam`);
  const queries = rig.session.buffers().filter((b) => b.kind === "query");
  assert.equal(queries.length, 1000);
  assert.equal(queries[0]?.name, "friend");
  assert.equal(queries.at(-1)?.name, "n1499");
  await rig.engine.close("");
});

Deno.test("Session shows its states, network and nick [SES-005, SES-008, SES-010, SES-011]", async () => {
  // Guards what list_sessions has to say of a session, before and after 005.
  const rig = makeRig();
  const { session, link } = rig;
  assert.equal(session.id, "6F1C3B1E-2F0B-4C53-9D0F-2F6B7A1C9E10");
  assert.equal(session.transport, "irc");
  assert.deepEqual([session.state, session.network, session.nick], [
    "disconnected",
    "",
    "me",
  ]);
  session.connect();
  assert.equal(session.state, "connecting");
  link.welcome({ nick: "me_", isupport: "NETWORK=My\\x20Net" });
  assert.deepEqual([session.state, session.network, session.nick], [
    "connected",
    "My Net",
    "me_",
  ]);
  link.drop();
  assert.equal(session.state, "reconnecting");
  assert.equal(session.id, "6F1C3B1E-2F0B-4C53-9D0F-2F6B7A1C9E10");
  await rig.engine.close("");
});

Deno.test("Session shows a sensitive text as a mask in its row and in the row of its echo", async () => {
  // Guards /smsg: the one echo that comes back is masked like the line was.
  const shown = "PRIVMSG #room :********";
  const local = joinedRig();
  assert.equal(
    await local.session.sendMasked("PRIVMSG #room :s3cret", shown),
    true,
  );
  const echoed = joinedRig({ caps: ["echo-message"] });
  const line = "PRIVMSG #room :s3cret";
  const sending = echoed.session.sendMasked(line, shown);
  echoed.session.wire("out", line);
  await sending;
  echoed.link.feed(`:me!me@h ${line}`);
  for (const { messages, engine } of [local, echoed]) {
    const { payload } = messages("#room").at(-1) ?? {};
    assert.equal(payload?.caseName === "privmsg" && payload.text, "********");
    await engine.close("");
  }
});
