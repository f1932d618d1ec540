import assert from "node:assert/strict";
import { FakeClock } from "../fake_clock.ts";
import { scene, subscribe } from "../updates/observed_engine.ts";
import { FakeEngine, fakeId } from "./fake_engine.ts";
import { Caller, type Result, type Sent } from "./tool_calls.ts";

function debugCaller(): Caller {
  return new Caller(new FakeEngine(), {
    switches: () => ({ debug: true, send: false }),
  });
}

const many = (count: number, entry = "a") =>
  Array.from({ length: count }, () => entry);

Deno.test("subscribe answers the subscription [SUB-059 SUB-065 SUB-066 SUB-073 MSG-033]", async () => {
  // Guards the result's shape, to the key.
  const { caller, clock } = scene();
  const result = await caller.call("subscribe", { mentions: true });
  const { id } = result.subscription;
  assert.match(id, /^sub_[0-9a-f]{12}$/);
  assert.deepEqual(result, {
    subscription: {
      id,
      filters: { mentions: true },
      created: "2026-09-30T12:00:00Z",
      expires_after_idle: 900,
    },
  });
  assert.equal(clock.now(), Date.parse("2026-09-30T12:00:00Z"));
});

Deno.test("subscribe normalises its filters [SUB-013 SUB-067 SUB-068 SUB-069 SUB-070 SUB-071 SUB-072]", async () => {
  // Guards what list_subscriptions shows: one spelling for one meaning.
  const caller = debugCaller();
  const result = await caller.call("subscribe", {
    sessions: [fakeId(2).toLowerCase(), fakeId(1), fakeId(2)],
    buffers: [fakeId(3).toLowerCase()],
    mentions: false,
    queries: true,
    from: ["Bob", "", "ALICE", "bob"],
    kinds: ["notice", "join", "notice"],
    match: "x",
    match_mode: "substring",
    raw: { sessions: [], commands: ["privmsg", "", "354"], direction: "in" },
    log: { min_level: "warning", categories: ["network", "app", "app"] },
  });
  assert.deepEqual(result.subscription.filters, {
    sessions: [fakeId(1), fakeId(2)],
    buffers: [fakeId(3)],
    queries: true,
    from: ["alice", "bob"],
    kinds: ["join", "notice"],
    match: "x",
    raw: { commands: ["354", "PRIVMSG"], direction: "in" },
    log: { categories: ["app", "network"] },
  });
  const glob = await caller.call("subscribe", {
    match: "*",
    match_mode: "glob",
  });
  assert.deepEqual(glob.subscription.filters, {
    match: "*",
    match_mode: "glob",
  });
});

Deno.test("subscribe without a filter is refused [SUB-038 SUB-039 ERR-044]", async () => {
  // Guards against a subscription to everything by mistake.
  const { caller } = scene();
  const empty: Sent[] = [
    {},
    { mentions: false, queries: false },
    { match: "", sessions: [], buffers: [], from: [], kinds: [] },
    { from: [""] },
    { match_mode: "glob" },
    { match_mode: "glob", match: "" },
    { mentions: null, match: null },
  ];
  for (const filters of empty) {
    assert.equal(
      await caller.fail("subscribe", filters),
      "invalid arguments: a subscription needs at least one filter",
    );
  }
});

Deno.test("subscribe checks counts, then lengths, then meanings [ERR-039 ERR-045 ERR-046 ERR-047 ERR-048 ERR-049 ERR-050 ERR-051 ERR-052 ERR-053 SUB-074]", async () => {
  // Guards the order: a client is told the first thing that is wrong.
  const caller = debugCaller();
  const long = "a".repeat(65);
  const rows: [Sent, string][] = [
    [{ sessions: many(51, long) }, "sessions has more than 50 entries"],
    [{ buffers: many(51) }, "buffers has more than 50 entries"],
    [{ from: many(51, "") }, "from has more than 50 entries"],
    [{ raw: { sessions: many(51) } }, "raw.sessions has more than 50 entries"],
    [{ raw: { commands: many(51) } }, "commands has more than 50 entries"],
    [{ log: { categories: many(51) } }, "categories has more than 50 entries"],
    [
      { sessions: [long], from: many(51) },
      "from has more than 50 entries",
    ],
    [{ sessions: [long] }, "sessions entry is longer than 64 bytes"],
    [{ buffers: [long] }, "buffers entry is longer than 64 bytes"],
    [{ from: ["é".repeat(33)] }, "from entry is longer than 64 bytes"],
    [
      { raw: { sessions: [long] } },
      "raw.sessions entry is longer than 64 bytes",
    ],
    [
      { raw: { commands: ["a".repeat(33)] } },
      "commands entry is longer than 32 bytes",
    ],
    [
      { log: { categories: [long] } },
      "categories entry is longer than 64 bytes",
    ],
    [{ sessions: ["x"], from: [long] }, "from entry is longer than 64 bytes"],
    [{ match: "é".repeat(129) }, "match is longer than 256 bytes"],
    [
      { match: "x", match_mode: "regex" },
      "match_mode must be substring or glob",
    ],
    [{ kinds: ["privmsg", "ctcp"] }, 'unknown kind: "ctcp"'],
    [{ kinds: ["PRIVMSG"] }, 'unknown kind: "PRIVMSG"'],
    [
      { kinds: ['"\n' + "k".repeat(99)] },
      `unknown kind: "\\"\\n${"k".repeat(62)}"`,
    ],
    [{ log: { min_level: "loud" } }, 'unknown level: "loud"'],
    [{ log: { categories: ["irc"] } }, 'unknown category: "irc"'],
    [{ raw: 1 }, "raw must be an object"],
    [{ raw: { x: 1 } }, 'unknown argument "raw.x"'],
    [{ log: { categories: 1 } }, "log.categories must be an array of strings"],
  ];
  for (const [filters, detail] of rows) {
    assert.equal(
      await caller.fail("subscribe", filters),
      `invalid arguments: ${detail}`,
    );
  }
  for (
    const [filters, text] of [
      [{ sessions: ["nope"] }, "unknown session"],
      [{ raw: { sessions: ["nope"] } }, "unknown session"],
      [{ buffers: [""] }, "unknown buffer"],
      [
        { raw: { direction: "both" } },
        'invalid direction: expected "in" or "out"',
      ],
    ] as const
  ) assert.equal(await caller.fail("subscribe", filters), text);
  await caller.call("subscribe", { from: many(50) });
  await caller.call("subscribe", { match: "é".repeat(128) });
});

Deno.test("subscribe hides raw and log while debug is off [SUB-062 SUB-063 SUB-064]", async () => {
  // Guards the debug tier: not in the schema, refused before anything else.
  const { caller } = scene();
  const schema = caller.dispatcher.list().find((t) => t.name === "subscribe")
    ?.inputSchema;
  assert.ok(schema !== undefined);
  assert.deepEqual(Object.keys(schema.properties), [
    "sessions",
    "buffers",
    "mentions",
    "queries",
    "from",
    "kinds",
    "match",
    "match_mode",
  ]);
  for (const value of [{}, null, 7, "", [], { direction: "both" }]) {
    for (const name of ["raw", "log"]) {
      for (
        const rest of [
          {},
          { nonsense: 1 },
          { sessions: 7 },
          { buffers: many(51) },
          { kinds: ["ctcp"] },
        ]
      ) {
        assert.equal(
          await caller.fail("subscribe", { ...rest, [name]: value }),
          "debug tools are disabled",
        );
      }
    }
  }
});

Deno.test("subscribe has raw and log while debug is on [SET-005 SUB-060 SUB-061 ARG-013]", async () => {
  // Guards the schema of both objects: closed, and nothing in them required.
  const switches = { debug: false, send: false };
  const caller = new Caller(new FakeEngine(), { switches: () => switches });
  const properties = () =>
    caller.dispatcher.list().find((tool) => tool.name === "subscribe")
      ?.inputSchema.properties;
  assert.equal(properties()?.["raw"], undefined);
  switches.debug = true;
  const { raw, log } = JSON.parse(
    JSON.stringify({ raw: properties()?.["raw"], log: properties()?.["log"] }),
    (key, value) => key === "description" ? undefined : value,
  );
  const strings = { type: "array", items: { type: "string" } };
  assert.deepEqual(raw, {
    type: "object",
    additionalProperties: false,
    properties: {
      sessions: strings,
      commands: strings,
      direction: { type: "string" },
    },
  });
  assert.deepEqual(log, {
    type: "object",
    additionalProperties: false,
    properties: {
      min_level: { type: "string", default: "warning" },
      categories: strings,
    },
  });
  const filters = async (sent: Sent) =>
    (await caller.call("subscribe", sent)).subscription.filters;
  const all = {
    raw: { sessions: [fakeId(1)], commands: ["354"], direction: "out" },
    log: { min_level: "debug", categories: ["app"] },
  };
  assert.deepEqual(await filters(all), all);
  assert.deepEqual(await filters({ raw: {}, log: {} }), { raw: {}, log: {} });
  const none = {
    raw: { sessions: null, commands: null, direction: null },
    log: { min_level: null, categories: null },
  };
  assert.deepEqual(await filters(none), { raw: {}, log: {} });
  assert.deepEqual(await filters({ raw: null, log: {} }), { log: {} });
});

Deno.test("subscribe names what is wrong inside raw and log [ERR-041 ERR-042 ERR-043 ERR-054 ERR-055 SUB-075 SUB-076]", async () => {
  // Guards each detail, under the name of its object.
  const caller = debugCaller();
  const invalid: [Sent, string][] = [];
  for (const name of ["raw", "log"]) {
    for (const value of [1, "x", true, [], [{}]]) {
      invalid.push([{ [name]: value }, `${name} must be an object`]);
    }
    for (const value of [1, null]) {
      invalid.push([
        { [name]: { nonsense: value } },
        `unknown argument "${name}.nonsense"`,
      ]);
    }
  }
  const long = '"' + "k".repeat(99);
  const cut = `\\"${"k".repeat(63)}`;
  invalid.push(
    [{ raw: { min_level: "debug" } }, 'unknown argument "raw.min_level"'],
    [{ raw: { sessions: "x" } }, "raw.sessions must be an array of strings"],
    [{ raw: { commands: [1] } }, "raw.commands must be an array of strings"],
    [{ raw: { direction: 1 } }, "raw.direction must be a string"],
    [{ log: { min_level: 1 } }, "log.min_level must be a string"],
    [{ log: { categories: {} } }, "log.categories must be an array of strings"],
    [{ log: { min_level: "" } }, 'unknown level: ""'],
    [{ log: { min_level: "Warning" } }, 'unknown level: "Warning"'],
    [{ log: { min_level: long } }, `unknown level: "${cut}"`],
    [{ log: { categories: ["app", ""] } }, 'unknown category: ""'],
    [{ log: { categories: ["APP"] } }, 'unknown category: "APP"'],
  );
  for (const [filters, detail] of invalid) {
    assert.equal(
      await caller.fail("subscribe", filters),
      `invalid arguments: ${detail}`,
    );
  }
  for (const id of ["", "nope", fakeId(1) + "0"]) {
    const raw = { sessions: [id] };
    assert.equal(await caller.fail("subscribe", { raw }), "unknown session");
  }
  for (const direction of ["", "IN", "both"]) {
    assert.equal(
      await caller.fail("subscribe", { raw: { direction } }),
      'invalid direction: expected "in" or "out"',
    );
  }
});

Deno.test("subscribe refuses a 17th subscription [ERR-018]", async () => {
  // Guards the limit across all clients.
  const { caller } = scene();
  const ids = [];
  for (let i = 0; i < 16; i++) {
    ids.push(await subscribe(caller, { mentions: true }));
  }
  assert.equal(
    await caller.fail("subscribe", { mentions: true }),
    "too many subscriptions: unsubscribe one first (limit 16)",
  );
  await caller.call("unsubscribe", { id: ids[3] });
  await subscribe(caller, { mentions: true });
});

Deno.test("subscribe and unsubscribe carry their annotations [ARG-015]", () => {
  // Guards what a client shows before it lets a model call them.
  const { caller } = scene();
  for (const { name, annotations } of caller.dispatcher.list()) {
    const changes = name === "subscribe" || name === "unsubscribe";
    assert.deepEqual(
      annotations,
      changes
        ? { readOnlyHint: false, destructiveHint: false, idempotentHint: false }
        : { readOnlyHint: true },
      name,
    );
  }
});

Deno.test("unsubscribe removes a subscription and its inbox [SUB-077 SUB-078 ERR-017 INV-008]", async () => {
  // Guards that nothing of it is left, and that it can be removed once.
  const { engine, session, channel, clock, caller } = scene();
  const id = await subscribe(caller, { buffers: [channel.id] });
  const kept = await subscribe(caller, { mentions: true });
  engine.say(session, channel);
  await clock.advance(20);
  assert.deepEqual(await caller.call("unsubscribe", { id }), {
    unsubscribed: id,
  });
  assert.equal(
    await caller.fail("unsubscribe", { id }),
    "unknown subscription",
  );
  assert.equal(
    await caller.fail("read_updates", { id }),
    "unknown subscription",
  );
  const list = await caller.call("list_subscriptions");
  assert.deepEqual(list.subscriptions.map((s: Result) => s.id), [kept]);
  assert.equal(channel.messages.size, 1);
});

Deno.test("A subscription is removed after 900 idle seconds [SUB-008 SUB-009 SUB-010 SUB-011 SUB-012 UPD-035]", async () => {
  // Guards against subscriptions that nobody remembers.
  const { clock, caller } = scene();
  const ids = async () =>
    (await caller.call("list_subscriptions")).subscriptions
      .map((s: Result) => s.id);
  const first = await subscribe(caller, { mentions: true });
  const second = await subscribe(caller, { queries: true });
  await clock.advance(800_000);
  await caller.call("read_updates", { id: first, peek: true });
  await clock.advance(100_000);
  assert.deepEqual(await ids(), [first, second]);
  await clock.advance(1);
  assert.deepEqual(await ids(), [first]);
  assert.equal(
    await caller.fail("read_updates", { id: second }),
    "unknown subscription",
  );
  await clock.advance(700_000);
  await caller.call("read_updates");
  await clock.advance(900_000);
  assert.deepEqual(await ids(), [first]);
  // Swept by the clock alone: the sweep comes within the next minute.
  await clock.advance(60_000);
  assert.equal(clock.pending, 0);
  assert.deepEqual(await ids(), []);
});

Deno.test("list_subscriptions tells how each fares [SUB-006 SUB-079 SUB-080 SUB-081 SUB-082 SUB-083]", async () => {
  // Guards the entry's shape and what each field counts.
  const { engine, session, channel, clock, caller } = scene();
  const id = await subscribe(caller, { buffers: [channel.id] });
  await subscribe(caller, { mentions: true });
  for (let i = 0; i < 3; i++) {
    engine.flood(session, channel, 200);
    await clock.advance(20);
  }
  const entry = async () =>
    (await caller.call("list_subscriptions")).subscriptions[0];
  assert.deepEqual(await entry(), {
    id,
    filters: { buffers: [channel.id] },
    created: "2026-09-30T12:00:00Z",
    pending: 500,
    dropped: 100,
    state: "active",
  });
  await clock.advance(2_000);
  await caller.call("read_updates", { id, peek: true });
  assert.equal((await entry()).dropped, 100);
  assert.equal((await entry()).last_read, "2026-09-30T12:00:02Z");
  await caller.call("read_updates", { id });
  assert.equal((await entry()).dropped, 0);
  assert.equal((await entry()).pending, 0);
  assert.equal(
    await caller.fail("list_subscriptions", { id }),
    'invalid arguments: unknown argument "id"',
  );
});

Deno.test("list_subscriptions tests states in the contract's order [SUB-086 SUB-087 SUB-088 SUB-089 SUB-090 SUB-091 SUB-092]", async () => {
  // Guards what an agent is told of sessions and buffers that are away.
  const { engine, session, channel, caller } = scene();
  await subscribe(caller, { mentions: true });
  await subscribe(caller, { sessions: [session.id] });
  await subscribe(caller, { buffers: [channel.id] });
  await subscribe(caller, { sessions: [session.id], buffers: [fakeId(0xabc)] });
  const states = async () =>
    (await caller.call("list_subscriptions")).subscriptions
      .map((s: Result) => s.state);
  const up = ["active", "active", "active", "buffer_gone"];
  assert.deepEqual(await states(), up);
  session.state = "connecting";
  assert.deepEqual(await states(), up);
  session.state = "reconnecting";
  assert.deepEqual(await states(), up);
  session.state = "disconnected";
  const down = "session_disconnected";
  assert.deepEqual(await states(), ["active", down, down, down]);
  engine.list = [];
  assert.deepEqual(await states(), ["active", down, down, down]);
});

Deno.test("list_subscriptions is cut by the budget and says so [SUB-085]", async () => {
  // Guards the one case in which entries are left out.
  const caller = new Caller(new FakeEngine(), {
    clock: new FakeClock(),
    budgetBytes: 700,
  });
  for (let i = 0; i < 3; i++) {
    await subscribe(caller, { match: "m".repeat(200) });
  }
  const result = await caller.call("list_subscriptions");
  assert.equal(result.truncated, true);
  assert.equal(result.subscriptions.length, 2);
});
