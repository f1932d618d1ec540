import assert from "node:assert/strict";
import type { BufferKind, BufferView } from "../../lib/engine/reader.ts";
import type { PersonSession } from "../../lib/operator/person_session.ts";
import {
  findBuffer,
  runSlashCommand,
  sendTyped,
  SLASH_COMMANDS,
} from "../../lib/operator/slash_commands.ts";

function buffer(name: string, kind: BufferKind): BufferView {
  return {
    id: `ID-${name}`,
    name,
    kind,
    messages: {} as BufferView["messages"],
    members: () => [],
    member: () => undefined,
  };
}

const BUFFERS = [
  buffer("Libera", "server"),
  buffer("#rete", "channel"),
  buffer("bob", "query"),
];

/** A session that writes down what it is asked to do. */
function session(options: Partial<PersonSession> = {}) {
  const acts: string[] = [];
  const act = (text: string) => {
    acts.push(text);
    return Promise.resolve(true);
  };
  const fake: PersonSession = {
    id: "ID",
    name: "Libera",
    network: "",
    transport: "irc",
    state: "connected",
    nick: "alice",
    lastError: "",
    buffers: () => BUFFERS,
    buffer: () => undefined,
    hasCapability: () => false,
    secrets: () => {
      throw new Error("not asked for");
    },
    connect: () => void act("connect"),
    disconnect: async (reason) => void await act(`disconnect ${reason}`),
    quote: (line) => act(line),
    sendMasked: (line, shown) => act(`${line} AS ${shown}`),
    sendText: (target, kind, text) => act(`${kind} ${target}: ${text}`),
    join: (channel, key) => act(`join ${channel} ${key ?? "-"}`),
    part: (channel, reason) => act(`part ${channel} ${reason ?? "-"}`),
    openQuery: (nick) => act(`query ${nick}`),
    closeBuffer: (id) => act(`close ${id}`),
    changeNick: (nick) => act(`nick ${nick}`),
    ...options,
  };
  return { fake, acts };
}

async function type(
  line: string,
  options: { buffer?: string; session?: Partial<PersonSession> } = {},
) {
  const { fake, acts } = session(options.session);
  const [, name, rest = ""] = /^\/(\w+) ?(.*)$/.exec(line) ?? [];
  const command = SLASH_COMMANDS.find((row) => row.name === name);
  assert.ok(command !== undefined);
  const into = options.buffer && findBuffer(fake, options.buffer);
  const answer = await runSlashCommand(command, {
    session: fake,
    buffer: into || undefined,
    rest,
  });
  return { answer, acts };
}

const DONE: readonly (readonly [string, readonly string[], string?])[] = [
  ["/join #a", ["join #a -"]],
  ["/join #a,#b k1", ["join #a k1", "join #b -"]],
  ["/part #a so  long", ["part #a so  long"]],
  ["/part", ["part #rete -"], "#RETE"],
  ["/part bye", ["part #rete bye"], "#rete"],
  ["/msg bob hi  there", ["privmsg bob: hi  there"]],
  ["/notice #a psst", ["notice #a: psst"]],
  ["/me waves", ["action #rete: waves"], "#rete"],
  ["/query bob", ["query bob"]],
  ["/query bob hi", ["query bob", "privmsg bob: hi"]],
  ["/nick alice2", ["nick alice2"]],
  ["/away", ["AWAY"]],
  ["/away at lunch", ["AWAY :at lunch"]],
  ["/topic #a", ["TOPIC #a"]],
  ["/topic #a new one", ["TOPIC #a :new one"]],
  ["/topic new one", ["TOPIC #rete :new one"], "#rete"],
  ["/kick #a bob be nice", ["KICK #a bob :be nice"]],
  ["/kick bob", ["KICK #rete bob"], "#rete"],
  ["/invite bob", ["INVITE bob #rete"], "#rete"],
  ["/mode +i", ["MODE alice +i"]],
  ["/mode +o bob", ["MODE #rete +o bob"], "#rete"],
  ["/mode #a +b *!*@x", ["MODE #a +b *!*@x"]],
  ["/whois bob", ["WHOIS bob"]],
  ["/quote PING :x y", ["PING :x y"]],
  ["/close", ["close ID-bob"], "bob"],
  ["/close #rete", ["close ID-#rete"]],
  ["/disconnect see you", ["disconnect see you"]],
];

for (const [line, expected, into] of DONE) {
  Deno.test(`${line}${into ? ` in ${into}` : ""} does what it says`, async () => {
    // Guards that what a person types is what the server gets.
    const { answer, acts } = await type(line, into ? { buffer: into } : {});
    assert.deepEqual(acts, expected);
    assert.equal(answer.exit, 0);
    assert.equal(answer.err, "");
  });
}

Deno.test("/oper and /smsg are sent as they are and shown masked", async () => {
  // Guards that a password typed here is shown nowhere.
  const oper = await type("/oper admin hunter2");
  assert.deepEqual(oper.acts, ["OPER admin hunter2 AS OPER admin ********"]);
  assert.deepEqual(oper.answer, {
    exit: 0,
    out: "OPER admin ********",
    err: "",
  });
  const smsg = await type("/smsg X my secret");
  assert.deepEqual(smsg.acts, ["PRIVMSG X :my secret AS PRIVMSG X :********"]);
  assert.equal(smsg.answer.out, "PRIVMSG X :********");
});

Deno.test("commands refuse what they lack, and send nothing", async () => {
  // Guards that half a command is never sent.
  for (
    const [line, exit] of [
      ["/join", 2],
      ["/msg bob", 2],
      ["/me", 2],
      ["/me waves", 1],
      ["/part", 2],
      ["/topic words", 2],
      ["/kick #a", 2],
      ["/invite bob", 2],
      ["/close", 1],
      ["/close #nowhere", 1],
      [`/quote ${"x".repeat(511)}`, 1],
      [`/smsg X ${"é".repeat(256)}`, 1],
    ] as const
  ) {
    const { answer, acts } = await type(line);
    assert.equal(answer.exit, exit, line);
    assert.notEqual(answer.err, "", line);
    assert.deepEqual(acts, [], line);
  }
});

Deno.test("commands that need the server say why nothing was sent", async () => {
  // Guards that a person is not told "sent" while disconnected.
  const state = { state: "reconnecting", lastError: "timed out" } as const;
  for (const { name, online } of SLASH_COMMANDS) {
    if (!online) continue;
    const line = `/${name} #a b c`;
    const { answer, acts } = await type(line, { session: state });
    assert.deepEqual(acts, [], line);
    assert.deepEqual(answer, {
      exit: 1,
      out: "",
      err: "Nothing was sent: Libera is reconnecting (timed out).",
    });
  }
});

Deno.test("a line that the connection did not take is a failure", async () => {
  // Guards that a full queue is not reported as done.
  const { answer } = await type("/whois bob", {
    session: { quote: () => Promise.resolve(false) },
  });
  assert.deepEqual(answer, {
    exit: 1,
    out: "",
    err: "Nothing was sent: Libera did not take the line.",
  });
});

Deno.test("/smsg refuses on a connection that cannot mask", async () => {
  // Guards that a text meant to be hidden is never sent in the open.
  const { fake, acts } = session();
  delete fake.sendMasked;
  const command = SLASH_COMMANDS.find(({ name }) => name === "smsg");
  assert.ok(command !== undefined);
  const answer = await runSlashCommand(command, {
    session: fake,
    buffer: undefined,
    rest: "X secret",
  });
  assert.equal(answer.exit, 1);
  assert.deepEqual(acts, []);
});

Deno.test("sendTyped() sends text to a channel or query, not to the server buffer", async () => {
  // Guards that text without a command reaches people, never the server.
  const { fake, acts } = session();
  const [server, channel] = BUFFERS;
  assert.equal((await sendTyped(fake, channel, "hi")).exit, 0);
  assert.equal((await sendTyped(fake, server, "hi")).exit, 1);
  assert.equal((await sendTyped(fake, undefined, "hi")).exit, 1);
  assert.deepEqual(acts, ["privmsg #rete: hi"]);
});
