import assert from "node:assert/strict";
import type { MessageKind, Payload } from "../../lib/buffers/message.ts";
import { SecretScan } from "../../lib/redact/secrets.ts";
import {
  FakeBuffer,
  FakeEngine,
  fakeId,
  NOON,
  oneChannel,
} from "./fake_engine.ts";
import { RunningClock } from "./running_clock.ts";
import { Caller, type Result, seededRandom, type Sent } from "./tool_calls.ts";

/** The sequence numbers of the matches, in their order. */
function found(result: Result): number[] {
  return result.matches.map((match: Result) => match.message.seq);
}

async function search(engine: FakeEngine, args: Sent): Promise<number[]> {
  return found(await new Caller(engine).call("search_messages", args));
}

/** Every page of a walk. */
async function walk(caller: Caller, args: Sent): Promise<Result[]> {
  const pages: Result[] = [];
  let cursor: string | undefined;
  do {
    const page: Result = await caller.call("search_messages", {
      ...args,
      ...(cursor === undefined ? {} : { cursor }),
    });
    pages.push(page);
    cursor = page.next_cursor;
    assert.ok(pages.length < 10_000, "the walk does not end");
  } while (cursor !== undefined);
  return pages;
}

Deno.test("search_messages() answers a match with its message object [SRCH-001, SRCH-010, SRCH-012, MSG-001]", async () => {
  // Guards the whole shape of a page: only what has something to say is there.
  const { engine, buffer } = oneChannel();
  buffer.add({ text: "nothing" });
  buffer.add({ text: "deploy at 5", id: "m2" });
  assert.deepEqual(
    await new Caller(engine).call("search_messages", { query: "DEPLOY" }),
    {
      matches: [{
        buffer: buffer.id,
        message: {
          seq: 2,
          id: "m2",
          time: "2026-09-30T12:00:01Z",
          from: "alice",
          kind: "privmsg",
          payload: {
            caseName: "privmsg",
            text: "deploy at 5",
            target: "#rete",
          },
          untrusted: true,
        },
      }],
      coverage: [{
        buffer: buffer.id,
        oldest: "2026-09-30T12:00:00Z",
        newest: "2026-09-30T12:00:01Z",
      }],
      truncated: false,
    },
  );
});

Deno.test("search_messages() takes the contract's arguments and defaults [SRCH-001]", () => {
  // Guards the schema that clients see.
  const tool = new Caller(new FakeEngine()).dispatcher.list()
    .find(({ name }) => name === "search_messages");
  const properties = tool?.inputSchema.properties as Record<string, Result>;
  const types = Object.entries(properties).map(([name, property]) => [
    name,
    property.type,
    property.default,
  ]);
  assert.deepEqual(types, [
    ["query", "string", undefined],
    ["match", "string", "substring"],
    ["sessions", "array", undefined],
    ["buffers", "array", undefined],
    ["from", "string", undefined],
    ["kinds", "array", undefined],
    ["since", "string", undefined],
    ["until", "string", undefined],
    ["limit", "integer", 50],
    ["count_only", "boolean", false],
    ["context", "integer", 0],
    ["cursor", "string", undefined],
  ]);
  assert.deepEqual(tool?.inputSchema.required, ["query"]);
});

Deno.test("search_messages() finds every message with an empty substring [SRCH-002, SRCH-026]", async () => {
  // Guards the query that lists everything, newest first.
  const { engine, buffer } = oneChannel();
  buffer.fill(3);
  assert.deepEqual(await search(engine, { query: "" }), [3, 2, 1]);
});

const MODE_CASES: readonly (readonly [Sent, readonly number[]])[] = [
  [{ query: "hello" }, [4, 3, 1]],
  [{ query: "HELLO (", match: "substring" }, [3]],
  [{ query: "h.llo" }, []],
  [{ query: "hello", match: "glob" }, [1]],
  [{ query: "*hello*", match: "glob" }, [4, 3, 1]],
  [{ query: "h?LLO", match: "glob" }, [1]],
  [{ query: "hello", match: "regex" }, [3, 1]],
  [{ query: "(?i)hello", match: "regex" }, [4, 3, 1]],
  [{ query: "l+o\\b", match: "regex" }, [3, 1]],
  [{ query: "^say", match: "regex" }, [4]],
];

Deno.test("search_messages() compares by substring, glob or regex [SRCH-003, SRCH-017, SRCH-018, SRCH-019, SRCH-020, SRCH-021, SRCH-022]", async () => {
  // Guards what each mode takes a query for.
  const { engine, buffer } = oneChannel();
  for (const text of ["hello", "unrelated", "well hello (there", "say HELLO"]) {
    buffer.add({ text });
  }
  for (const [args, expected] of MODE_CASES) {
    assert.deepEqual(
      await search(engine, args),
      expected,
      JSON.stringify(args),
    );
  }
});

Deno.test("search_messages() keeps to the sessions and buffers asked for [SRCH-004, SRCH-005, SRCH-025]", async () => {
  // Guards scope and order: sessions in order, buffers in listing order.
  const engine = new FakeEngine();
  const first = engine.start("one");
  const second = engine.start("two");
  const buffers = [
    first.open("server", "s"),
    first.open("channel", "#a"),
    second.open("channel", "#b"),
  ];
  for (const buffer of buffers) buffer.fill(1);
  const names = async (args: Sent) => {
    const result = await new Caller(engine).call("search_messages", {
      query: "",
      ...args,
    });
    return result.matches.map((match: Result) =>
      buffers.find(({ id }) => id === match.buffer)?.name
    );
  };
  const ids = buffers.map(({ id }) => id);
  assert.deepEqual(await names({}), ["s", "#a", "#b"]);
  assert.deepEqual(await names({ sessions: [second.id] }), ["#b"]);
  assert.deepEqual(await names({ sessions: [first.id.toLowerCase()] }), [
    "s",
    "#a",
  ]);
  assert.deepEqual(await names({ buffers: [ids[2], ids[0]] }), ["s", "#b"]);
  assert.deepEqual(
    await names({ sessions: [first.id], buffers: [ids[1], ids[2]] }),
    ["#a"],
  );
  assert.deepEqual(await names({ sessions: [], buffers: [] }), [
    "s",
    "#a",
    "#b",
  ]);
});

Deno.test("search_messages() keeps to a nick, kinds and times [SRCH-006, SRCH-007, SRCH-008, SRCH-009, SRCH-032]", async () => {
  // Guards the filters, both ends of a time span included.
  const { engine, buffer } = oneChannel();
  buffer.add({ from: "Ålice" });
  buffer.add({ from: "bob" });
  buffer.add({
    from: "bob",
    kind: "part",
    payload: { caseName: "userParted", nick: "bob", reason: "tea" },
  });
  buffer.add({ from: "carol", time: NOON + 3400 });
  const cases: readonly (readonly [Sent, readonly number[]])[] = [
    [{ from: "ålICE" }, [1]],
    [{ from: "ali" }, []],
    [{ kinds: ["part"] }, [3]],
    [{ kinds: ["part", "privmsg"], from: "BOB" }, [3, 2]],
    [{ kinds: [] }, [4, 3, 2, 1]],
    [{ since: "2026-09-30T12:00:02Z" }, [4, 3]],
    [{ until: "2026-09-30T14:00:01+02:00" }, [2, 1]],
    [{ since: "2026-09-30T12:00:03Z", until: "2026-09-30T12:00:03Z" }, [4]],
    [{ since: "2026-09-30T12:00:03.3Z" }, [4]],
    [{ since: "2026-09-30T12:00:02Z", until: "2026-09-30T12:00:01Z" }, []],
    [{ since: "2026-09-30", until: "2026-10-01" }, [4, 3, 2, 1]],
  ];
  for (const [args, expected] of cases) {
    assert.deepEqual(
      await search(engine, { query: "", ...args }),
      expected,
      JSON.stringify(args),
    );
  }
});

Deno.test("search_messages() searches the sender and what the payload says [SRCH-013, SRCH-014]", async () => {
  // Guards that a nick, a reason, a topic or a mode is found as a text is.
  const { engine, buffer } = oneChannel();
  const payloads: readonly (readonly [MessageKind, Payload])[] = [
    ["privmsg", { caseName: "privmsg", text: "zebra", target: "#rete" }],
    ["part", { caseName: "userParted", nick: "x", reason: "zebra" }],
    ["quit", { caseName: "userQuit", nick: "x", reason: "zebra" }],
    ["kick", { caseName: "userKicked", victim: "zebra" }],
    ["kick", { caseName: "userKicked", victim: "x", reason: "zebra" }],
    ["nick", { caseName: "nickChanged", newNick: "zebra" }],
    ["topic", { caseName: "topicChanged", topic: "zebra" }],
    ["mode", { caseName: "modeChanged", modes: "+zebra", params: [] }],
    ["mode", { caseName: "modeChanged", modes: "+o", params: ["zebra"] }],
    ["away", { caseName: "awayChanged", away: true, message: "zebra" }],
    ["setname", { caseName: "realnameChanged", realname: "zebra" }],
    ["privmsg", { caseName: "privmsg", text: "no", target: "#zebra" }],
  ];
  for (const [kind, payload] of payloads) {
    buffer.add({ kind, payload, from: "x" });
  }
  buffer.add({ from: "Zebra" });
  assert.deepEqual(await search(engine, { query: "zebra" }), [
    ...[13, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1],
  ]);
});

Deno.test("search_messages() never reads rendered text or raw lines [SRCH-015, SRCH-016]", async () => {
  // Guards that formatting codes stay in the text and that a raw row is
  // neither found nor shown as a neighbour.
  const { engine, buffer } = oneChannel();
  buffer.add({ text: "a \x02bo\x02ld word" });
  buffer.add({
    kind: "raw",
    from: "bold",
    payload: { caseName: "rawLine", line: ":x PRIVMSG #rete :bold" },
  });
  buffer.add({ text: "plain bold" });
  const result = await new Caller(engine).call("search_messages", {
    query: "bold",
    context: 10,
  });
  assert.deepEqual(found(result), [3]);
  assert.deepEqual(
    result.matches[0].context.map(({ seq }: Result) => seq),
    [1],
  );
  assert.equal(result.withheld, 1);
  assert.equal(result.coverage[0].withheld, 1);
});

Deno.test("search_messages() never compares a withheld row with the query [SRCH-012]", async () => {
  // Guards that counts do not tell whether a secret matches, letter by letter.
  const { engine, session, buffer } = oneChannel();
  session.scan = new SecretScan(["hunter22"]);
  buffer.add({ text: "my password is hunter22" });
  buffer.add({ text: "hello" });
  const caller = new Caller(engine);
  for (const query of ["hunter2", "hunter9", "h"]) {
    const result = await caller.call("search_messages", { query });
    assert.equal(result.withheld, 1, query);
    assert.deepEqual(found(result), query === "h" ? [2] : []);
    const counts = await caller.call("search_messages", {
      query,
      count_only: true,
    });
    assert.deepEqual(counts.counts, { [buffer.id]: query === "h" ? 1 : 0 });
    assert.equal(counts.withheld, 1);
  }
});

Deno.test("search_messages() does not try a regex on a field over 4,096 units [SRCH-023, SRCH-024]", async () => {
  // Guards the bound, and that what was not searched is told.
  const { engine, buffer } = oneChannel();
  buffer.add({ text: "x".repeat(4093) + "end" });
  buffer.add({ text: "x".repeat(4094) + "end" });
  buffer.add({ from: "friend", text: "x".repeat(5000) });
  const result = await new Caller(engine).call("search_messages", {
    query: "end",
    match: "regex",
  });
  assert.deepEqual(found(result), [3, 1]);
  assert.equal(result.regex_skipped, 1);
  assert.deepEqual(await search(engine, { query: "end" }), [3, 2, 1]);
});

Deno.test("search_messages() gives neighbours of a match on each side [SRCH-011, ARG-009]", async () => {
  // Guards context: in seq order, without the match, clamped to 0 and 10.
  const { engine, buffer } = oneChannel();
  for (let i = 1; i <= 25; i++) {
    buffer.add({ text: i === 3 ? "needle" : `row ${i}` });
  }
  const around = async (context: number) => {
    const [match] = (await new Caller(engine).call("search_messages", {
      query: "needle",
      context,
    })).matches;
    return match.context?.map(({ seq }: Result) => seq);
  };
  assert.deepEqual(await around(1), [2, 4]);
  assert.deepEqual(await around(3), [1, 2, 4, 5, 6]);
  assert.equal(await around(0), undefined);
  assert.equal(await around(-5), undefined);
  const most = [1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13];
  assert.deepEqual(await around(10), most);
  assert.deepEqual(await around(99), most);
});

Deno.test("search_messages() pages through matches, each once [SRCH-033, SRCH-037]", async () => {
  // Guards the walk over random buffers with any limits, also as new messages
  // arrive: cursors exactly while truncated, and no match twice or never.
  const random = seededRandom(5);
  for (let round = 0; round < 40; round++) {
    const engine = new FakeEngine();
    const expected: string[] = [];
    for (let s = 0; s <= random(2); s++) {
      const session = engine.start(`s${s}`);
      for (let b = 0; b <= random(3); b++) {
        const buffer = session.open("channel", `#${b}`);
        const rows = random(12);
        for (let i = 0; i < rows; i++) {
          buffer.add({ text: random(2) === 0 ? "yes" : "no" });
        }
        for (let seq = rows; seq > 0; seq--) {
          const { payload } = buffer.messages.bySeq(seq) ?? {};
          if (payload?.caseName === "privmsg" && payload.text === "yes") {
            expected.push(`${buffer.id} ${seq}`);
          }
        }
      }
    }
    const caller = new Caller(engine);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page: Result = await caller.call("search_messages", {
        query: "yes",
        limit: 1 + random(3),
        ...(cursor === undefined ? {} : { cursor }),
      });
      assert.equal(page.truncated, "next_cursor" in page);
      for (const { buffer, message } of page.matches) {
        seen.push(`${buffer} ${message.seq}`);
      }
      cursor = page.next_cursor;
      const [buffer] = engine.list[0]?.list ?? [];
      if (random(3) === 0 && seen.length > 0) buffer?.add({ text: "later" });
    } while (cursor !== undefined);
    assert.deepEqual(seen, expected, `round ${round}`);
  }
});

Deno.test("search_messages() refuses a cursor of another question [SRCH-034, SRCH-035, SRCH-036, SRCH-037]", async () => {
  // Guards that pages of one walk are pages of one question, told apart by
  // each argument but limit, and not by the order of a list.
  const engine = new FakeEngine();
  const one = engine.start("one");
  const two = engine.start("two");
  const buffers = [one.open("channel", "#a"), two.open("channel", "#b")];
  for (const buffer of buffers) buffer.fill(3);
  const [a, b] = buffers.map(({ id }) => id);
  const caller = new Caller(engine);
  const asked: Sent = {
    query: "hello",
    match: "glob",
    sessions: [one.id, two.id],
    buffers: [a, b],
    from: "Alice",
    kinds: ["privmsg", "notice"],
    since: "2026-09-30T00:00:00Z",
    until: "2026-10-30T00:00:00Z",
    context: 1,
    limit: 1,
  };
  const { next_cursor: cursor } = await caller.call("search_messages", asked);
  const same: Sent[] = [
    { sessions: [two.id, one.id] },
    { buffers: [b, a] },
    { kinds: ["notice", "privmsg"] },
    { from: "aLICE" },
    { limit: 2 },
  ];
  for (const change of same) {
    const args = { ...asked, ...change, cursor };
    assert.equal(found(await caller.call("search_messages", args))[0], 2);
  }
  const other: Sent[] = [
    { query: "hell*" },
    { query: "Hello" },
    { match: "substring" },
    { sessions: [one.id] },
    { sessions: null },
    { buffers: [a] },
    { from: "alic" },
    { from: null },
    { kinds: ["privmsg"] },
    { since: "2026-09-30T00:00:01Z" },
    { until: null },
    { context: 2 },
  ];
  for (const change of other) {
    assert.equal(
      await caller.fail("search_messages", { ...asked, ...change, cursor }),
      "invalid cursor",
      JSON.stringify(change),
    );
  }
  buffers[0]?.messages.setLimit(20_000);
  one.list = [];
  assert.equal(
    await caller.fail("search_messages", {
      ...asked,
      buffers: null,
      cursor,
    }),
    "invalid cursor",
  );
});

Deno.test("search_messages() refuses the cursor of a buffer that is no more [SRCH-034]", async () => {
  // Guards that a walk does not go on in another buffer under the same id.
  const { engine, session, buffer } = oneChannel();
  session.open("channel", "#other").fill(1);
  buffer.fill(3);
  const caller = new Caller(engine);
  const args = { query: "hello", limit: 1 };
  const { next_cursor: cursor } = await caller.call("search_messages", args);
  const { messages } = buffer;
  buffer.messages = new FakeBuffer("channel", "#rete").fill(5).messages;
  const next = { ...args, cursor };
  assert.equal(await caller.fail("search_messages", next), "invalid cursor");
  buffer.messages = messages;
  session.list = session.list.filter((other) => other !== buffer);
  assert.equal(await caller.fail("search_messages", next), "invalid cursor");
});

Deno.test("search_messages() refuses arguments in the contract's words [ERR-011, ERR-012, ERR-036, ERR-037, ERR-038, ERR-040]", async () => {
  // Guards the sentences, and the order in which they come.
  const { engine } = oneChannel();
  const caller = new Caller(engine);
  const unknown = fakeId(999_999);
  const cases: readonly (readonly [Sent, string])[] = [
    [
      { match: "fuzzy" },
      "invalid arguments: match must be substring, glob or regex",
    ],
    [
      { match: "" },
      "invalid arguments: match must be substring, glob or regex",
    ],
    [
      { since: "yesterday" },
      "invalid arguments: since is not an ISO-8601 time",
    ],
    [{ since: "" }, "invalid arguments: since is not an ISO-8601 time"],
    [
      { until: "2026-13-01T00:00:00Z" },
      "invalid arguments: until is not an ISO-8601 time",
    ],
    [
      { kinds: ["privmsg", "shout"] },
      'invalid arguments: unknown kind: "shout"',
    ],
    [{ kinds: ["raw"] }, 'invalid arguments: unknown kind: "raw"'],
    [
      { kinds: ["\n" + "é".repeat(40)] },
      `invalid arguments: unknown kind: "\\n${"é".repeat(31)}"`,
    ],
    [
      { match: "regex", query: "é".repeat(129) },
      "regex rejected: pattern too long",
    ],
    [{ match: "regex", query: "(" }, "regex rejected: invalid pattern"],
    [{ match: "regex", query: "" }, "regex rejected: invalid pattern"],
    [{ sessions: [unknown] }, "unknown session"],
    [{ sessions: ["nonsense"] }, "unknown session"],
    [{ buffers: [unknown] }, "unknown buffer"],
    [{ cursor: "nonsense" }, "invalid cursor"],
    [
      { match: "fuzzy", kinds: ["shout"], cursor: "nonsense" },
      "invalid arguments: match must be substring, glob or regex",
    ],
    [
      { match: "regex", query: "(", kinds: ["shout"] },
      'invalid arguments: unknown kind: "shout"',
    ],
    [
      { match: "regex", query: "(", sessions: [unknown] },
      "regex rejected: invalid pattern",
    ],
    [{ sessions: [unknown], cursor: "nonsense" }, "unknown session"],
  ];
  for (const [args, expected] of cases) {
    assert.equal(
      await caller.fail("search_messages", { query: "x", ...args }),
      expected,
      JSON.stringify(args),
    );
  }
  await caller.call("search_messages", {
    query: "é".repeat(128),
    match: "regex",
  });
});

Deno.test("search_messages() searches a buffer's newest 10,000 [SRCH-027, SRCH-028]", async () => {
  // Guards the window, and that a walk keeps it as messages arrive.
  const { engine, buffer } = oneChannel();
  buffer.add({ text: "oldest needle" });
  buffer.add({ text: "first needle of the window" });
  buffer.fill(9_999, "hay");
  const caller = new Caller(engine);
  const result = await caller.call("search_messages", { query: "needle" });
  assert.deepEqual(found(result), [2]);
  assert.equal(result.window_truncated, true);
  assert.deepEqual(result.coverage[0].window_truncated, true);
  const page = await caller.call("search_messages", { query: "hay", limit: 2 });
  buffer.fill(5, "hay");
  const counted = await walk(caller, { query: "hay", limit: 500 });
  assert.equal(counted.flatMap(found).length, 10_000);
  let seen = 2;
  for (let cursor = page.next_cursor; cursor !== undefined;) {
    const next = await caller.call("search_messages", {
      query: "hay",
      limit: 500,
      cursor,
    });
    seen += next.matches.length;
    cursor = next.next_cursor;
  }
  assert.equal(seen, 9_999);
});

Deno.test("search_messages() says nothing of a window as long as the buffer [SRCH-028, SRCH-029]", async () => {
  // Guards the plain case, and coverage of what was examined only.
  const { engine, session, buffer } = oneChannel();
  const second = session.open("channel", "#two");
  const empty = session.open("channel", "#empty");
  buffer.fill(4);
  second.fill(1);
  const result = await new Caller(engine).call("search_messages", {
    query: "hello",
    limit: 2,
  });
  assert.deepEqual(result.coverage, [{
    buffer: buffer.id,
    oldest: "2026-09-30T12:00:02Z",
    newest: "2026-09-30T12:00:03Z",
  }]);
  assert.equal("window_truncated" in result, false);
  const all = await new Caller(engine).call("search_messages", {
    query: "zzz",
  });
  assert.deepEqual(all.coverage.map((entry: Result) => entry.buffer), [
    buffer.id,
    second.id,
    empty.id,
  ]);
  assert.deepEqual(all.coverage[2], { buffer: empty.id });
});

Deno.test("search_messages() keeps only the page's buffers in a long coverage [SRCH-030, SRCH-031]", async () => {
  // Guards the quarter of the budget that the list of buffers may take.
  const { engine, session, buffer } = oneChannel();
  buffer.fill(1, "needle");
  for (let i = 0; i < 400; i++) session.open("channel", `#${i}`).fill(1, "hay");
  const caller = new Caller(engine);
  const result = await caller.call("search_messages", { query: "needle" });
  assert.deepEqual(result.coverage.map((entry: Result) => entry.buffer), [
    buffer.id,
  ]);
  assert.equal(result.coverage_truncated, true);
  assert.equal(result.coverage_omitted, 400);
  assert.equal(result.truncated, false);
  const few = await caller.call("search_messages", {
    query: "needle",
    buffers: session.list.slice(0, 90).map(({ id }) => id),
  });
  assert.equal(few.coverage.length, 90);
  assert.equal("coverage_truncated" in few, false);
});

Deno.test("search_messages() pages by the budget with every buffer covered [SRCH-030, SRCH-033]", async () => {
  // Guards that a page never exceeds its bytes, however many buffers match.
  const { engine, session } = oneChannel();
  for (let i = 0; i < 450; i++) {
    session.open("channel", `#${i}`).fill(2, "é\u0002".repeat(20));
  }
  const pages = await walk(new Caller(engine), { query: "é", limit: 500 });
  assert.ok(pages.length > 3);
  assert.equal(pages.flatMap(found).length, 900);
});

Deno.test("search_messages() steps over what no page can hold [MSG-027, SRCH-012]", async () => {
  // Guards that paging moves past a row larger than the budget, and that
  // context gives way before its match does.
  const { engine, buffer } = oneChannel();
  buffer.add({ text: "needle" });
  buffer.add({ text: "needle " + "x".repeat(61_000) });
  buffer.add({ text: "needle" });
  buffer.add({ text: "y".repeat(59_000) });
  const result = await new Caller(engine).call("search_messages", {
    query: "needle",
    context: 1,
  });
  assert.deepEqual(found(result), [3, 1]);
  assert.deepEqual(result.skipped, [{ buffer: buffer.id, seq: 2 }]);
  assert.equal(result.matches[0].context, undefined);
  assert.equal(result.truncated, false);
});

Deno.test("search_messages() returns a row that only just fits, alone on its page [SRCH-033]", async () => {
  // Guards that room kept for the list of buffers does not hide a large row.
  const { engine, session, buffer } = oneChannel();
  for (let i = 0; i < 200; i++) session.open("channel", `#${i}`).fill(1, "hay");
  buffer.add({ text: "needle " + "x".repeat(58_000) });
  buffer.add({ text: "needle" });
  const pages = await walk(new Caller(engine), { query: "needle" });
  assert.deepEqual(pages.map(found), [[2], [1]]);
});

Deno.test("search_messages() counts, zeros included, in one call [SRCH-038, SRCH-039, SRCH-040]", async () => {
  // Guards count_only: no matches, no cursor in or out, the whole window.
  const { engine, session, buffer } = oneChannel();
  const other = session.open("channel", "#two");
  buffer.fill(700, "needle");
  other.fill(2, "hay");
  const result = await new Caller(engine).call("search_messages", {
    query: "needle",
    count_only: true,
    limit: 1,
    cursor: "nonsense",
  });
  assert.deepEqual(result.counts, { [buffer.id]: 700, [other.id]: 0 });
  assert.equal("matches" in result, false);
  assert.equal("next_cursor" in result, false);
  assert.equal(result.truncated, false);
  assert.equal(result.coverage.length, 2);
});

Deno.test("search_messages() drops zero counts before it cuts others [SRCH-041]", async () => {
  // Guards counts of more buffers than a result can name.
  const { engine, session } = oneChannel();
  for (let i = 0; i < 1500; i++) {
    session.open("channel", `#${i}`).fill(1, i % 10 === 0 ? "needle" : "hay");
  }
  const caller = new Caller(engine);
  const counted = async (query: string) =>
    await caller.call("search_messages", { query, count_only: true });
  const some = await counted("needle");
  assert.equal(some.truncated, false);
  assert.equal(Object.keys(some.counts).length, 150);
  assert.ok(Object.values(some.counts).every((count) => count === 1));
  const all = await counted("");
  assert.equal(all.truncated, true);
  assert.equal("next_cursor" in all, false);
  assert.ok(Object.keys(all.counts).length > 800);
});

/** Eleven buffers and one more: the row bound ends inside the eleventh. */
function beyondTheBound() {
  const engine = new FakeEngine();
  const session = engine.start("one");
  const full = Array.from({ length: 9 }, (_, i) => {
    const buffer = session.open("channel", `#full${i}`);
    buffer.add({ text: "needle" });
    return buffer.fill(9_999, "hay");
  });
  const before = session.open("channel", "#before");
  before.fill(5_000, "hay");
  const cut = session.open("channel", "#cut");
  cut.add({ text: "older needle" });
  cut.fill(2_999, "hay");
  cut.add({ text: "newer needle" });
  cut.fill(4_999, "hay");
  const after = session.open("channel", "#after");
  after.fill(1, "needle after");
  return { engine, full, before, cut, after };
}

Deno.test("search_messages() stops copying at 100,000 rows and goes on from there [SRCH-044, SRCH-045, SRCH-046, SRCH-047, SRCH-048, SRCH-049, SRCH-050]", async () => {
  // Guards the row bound: the buffer that spends it is cut and marked, the
  // next is the next page's, and it is paging and no error.
  const { engine, full, cut, after } = beyondTheBound();
  const caller = new Caller(engine);
  const [first, second, ...none] = await walk(caller, { query: "needle" });
  assert.ok(first && second);
  assert.equal(none.length, 0);
  assert.equal(first.truncated, true);
  assert.equal("stopped" in first, false);
  assert.deepEqual(found(first), [...full.map(() => 1), 3001]);
  assert.equal(first.window_truncated, true);
  assert.deepEqual(
    first.coverage.filter((entry: Result) => entry.window_truncated)
      .map((entry: Result) => entry.buffer),
    [cut.id],
  );
  assert.equal(first.coverage.length, 11);
  assert.deepEqual(
    second.matches.map((match: Result) => match.buffer),
    [after.id],
  );
  assert.equal(second.truncated, false);
  assert.deepEqual(
    await search(engine, { query: "needle", buffers: [cut.id] }),
    [3001, 1],
  );
});

Deno.test("search_messages() counts what the row bound let it copy [SRCH-042, SRCH-043]", async () => {
  // Guards that a cut count is told as cut and names the copied buffers only.
  const { engine, after, cut } = beyondTheBound();
  const result = await new Caller(engine).call("search_messages", {
    query: "needle",
    count_only: true,
  });
  assert.equal(result.truncated, true);
  assert.equal("next_cursor" in result, false);
  assert.equal("stopped" in result, false);
  assert.equal(Object.keys(result.counts).length, 11);
  assert.equal(result.counts[cut.id], 1);
  assert.equal(after.id in result.counts, false);
});

Deno.test("search_messages() stops between messages with what it has [ERR-013, SRCH-051, SRCH-052, SRCH-053, SRCH-054]", async () => {
  // Guards the partial result: an error whose text is JSON with a cursor that
  // goes on where time ran out.
  const { engine, buffer } = oneChannel();
  buffer.fill(2000, "needle");
  const clock = new RunningClock(12);
  const caller = new Caller(engine, { clock });
  const seen: number[] = [];
  let cursor: string | undefined;
  let stops = 0;
  do {
    const { text, isError } = await caller.answer("search_messages", {
      query: "needle",
      limit: 500,
      ...(cursor === undefined ? {} : { cursor }),
    });
    const page = JSON.parse(text);
    assert.equal(page.truncated, "next_cursor" in page);
    assert.equal(isError, "stopped" in page);
    if (isError) {
      stops++;
      assert.equal(page.stopped, "search stopped: time budget exceeded");
    }
    seen.push(...found(page));
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  assert.deepEqual(seen, Array.from({ length: 2000 }, (_, i) => 2000 - i));
  assert.ok(stops > 0);
  assert.ok(clock.rests > 0, "it rests on the way");
});

Deno.test("search_messages() stops a count without a cursor [SRCH-040, SRCH-053]", async () => {
  // Guards the one kind of stop that cannot be continued.
  const { engine, buffer } = oneChannel();
  buffer.fill(5000, "needle");
  const caller = new Caller(engine, { clock: new RunningClock(10) });
  const page = JSON.parse(
    await caller.fail("search_messages", { query: "n", count_only: true }),
  );
  assert.equal(page.truncated, true);
  assert.equal("next_cursor" in page, false);
  assert.equal(page.stopped, "search stopped: time budget exceeded");
  assert.ok(page.counts[buffer.id] > 0);
});

Deno.test("search_messages() examines a message however late it is [SRCH-055]", async () => {
  // Guards that every page moves, on a clock that is always out of time.
  const { engine, buffer } = oneChannel();
  buffer.fill(40, "needle");
  const caller = new Caller(engine, { clock: new RunningClock(1000) });
  let cursor: string | undefined;
  let pages = 0;
  const seen: number[] = [];
  do {
    const { text } = await caller.answer("search_messages", {
      query: "needle",
      ...(cursor === undefined ? {} : { cursor }),
    });
    const page = JSON.parse(text);
    assert.ok(page.matches.length > 0);
    seen.push(...found(page));
    cursor = page.next_cursor;
    pages++;
  } while (cursor !== undefined);
  assert.equal(seen.length, 40);
  assert.ok(pages > 1);
});

/** Never ends, and cannot be helped by remembering failures. */
const CATASTROPHIC = "(?=(a+)+$)a";

Deno.test("search_messages() stops inside a regex match and gets past it [SRCH-024, SRCH-052, SRCH-053, SRCH-055]", async () => {
  // Guards that a pattern cannot hold a walk: a row that took all of one
  // call's time is passed over and counted.
  const { engine, buffer } = oneChannel();
  buffer.add({ text: "b" });
  buffer.add({ text: "a".repeat(40) + "b" });
  buffer.add({ text: "x" });
  const caller = new Caller(engine, { clock: new RunningClock(5) });
  const pages: Result[] = [];
  let cursor: string | undefined;
  do {
    const { text, isError } = await caller.answer("search_messages", {
      query: `${CATASTROPHIC}|^b$`,
      match: "regex",
      ...(cursor === undefined ? {} : { cursor }),
    });
    const page = JSON.parse(text);
    assert.equal(isError, "stopped" in page);
    pages.push(page);
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  assert.deepEqual(pages.map(found), [[], [], [1]]);
  assert.deepEqual(pages.map((page) => page.regex_skipped), [
    undefined,
    1,
    undefined,
  ]);
});

Deno.test("search_messages() ends when its request is cancelled [GATE-066]", async () => {
  // Guards that nobody's search goes on.
  const { engine, buffer } = oneChannel();
  buffer.fill(5000);
  const caller = new Caller(engine, { clock: new RunningClock(1) });
  const abort = new AbortController();
  const answer = caller.answer("search_messages", { query: "x" }, abort.signal);
  abort.abort();
  assert.deepEqual(await answer, { text: "internal error", isError: true });
});
