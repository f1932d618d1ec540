import assert from "node:assert/strict";
import { MAX_RAW_LINES } from "../../lib/debug/raw_tap.ts";
import { DebugRig } from "./debug_rig.ts";
import type { Result } from "./tool_calls.ts";

const texts = (result: Result) => result.lines.map((line: Result) => line.line);
const seqs = (result: Result) => result.lines.map((line: Result) => line.seq);

Deno.test("raw_since returns the lines held, ascending [RAW-006 RAW-012 RAW-013 RAW-014 MSG-028]", async () => {
  // Guards the shape of a page and of a raw line, whole.
  const rig = new DebugRig();
  rig.raw(":irc.example.net 354 me 7 #rete alice");
  rig.put("out", "PONG :1");
  const page = await rig.caller.call("raw_since", { session: rig.session.id });
  assert.equal(typeof page.cursor, "string");
  const { cursor: _, ...rest } = page;
  assert.deepEqual(rest, {
    evicted: false,
    lines: [
      {
        dir: "in",
        line: ":irc.example.net 354 me 7 #rete alice",
        seq: 1,
        time: "2026-09-30T12:00:00Z",
        untrusted: true,
      },
      {
        dir: "out",
        line: "PONG :1",
        seq: 2,
        time: "2026-09-30T12:00:00Z",
        untrusted: true,
      },
    ],
    truncated: false,
  });
});

Deno.test("raw_since walks by its cursor [RAW-013 RAW-014 RAW-015 RAW-016]", async () => {
  // Guards that a walk sees each line once and knows when more follows.
  const rig = new DebugRig();
  const session = rig.session.id;
  rig.raw("PING 1", "PING 2", "PING 3");
  const first = await rig.caller.call("raw_since", { session, limit: 2 });
  assert.deepEqual([seqs(first), first.truncated], [[1, 2], true]);
  const { cursor } = first;
  const second = await rig.caller.call("raw_since", { session, cursor });
  assert.deepEqual([seqs(second), second.truncated], [[3], false]);
  const third = await rig.caller.call("raw_since", {
    session,
    cursor: second.cursor,
  });
  assert.deepEqual([seqs(third), third.truncated], [[], false]);
  rig.raw("PING 4");
  const fourth = await rig.caller.call("raw_since", {
    session,
    cursor: third.cursor,
  });
  assert.deepEqual(seqs(fourth), [4]);
});

Deno.test("raw_since clamps its limit [RAW-010]", async () => {
  // Guards the default of 200 and both ends.
  const rig = new DebugRig();
  const session = rig.session.id;
  for (let i = 0; i < 2001; i++) rig.raw("x");
  const counts = [];
  for (const limit of [undefined, 0, 1, 2000, 9999]) {
    const page = await rig.caller.call("raw_since", { session, limit });
    counts.push(page.lines.length);
  }
  // The budget holds fewer than 2,000 objects of some 90 bytes.
  assert.deepEqual(counts.slice(0, 3), [200, 1, 1]);
  assert.equal(counts[3], counts[4]);
  assert.ok((counts[3] ?? 0) > 500);
});

Deno.test("raw_since withholds and counts each line once across a walk [RAW-007 RAW-011 MSG-021 RED-041 RED-056]", async () => {
  // Guards the three screens on the way out and that withheld lines use up
  // the limit, so that a page moves on past them.
  const rig = new DebugRig({ secrets: ["hunter2!"] });
  const session = rig.session.id;
  rig.raw(
    "PING 1",
    ":a PRIVMSG #x :it is hunter2!",
    "OPER me pw",
    `PRIVMSG #x :${"x".repeat(2030)}hunter2!yyy`,
    "PING 5",
  );
  const pages = [];
  let cursor: string | undefined;
  for (let i = 0; i < 3; i++) {
    const page = await rig.caller.call("raw_since", {
      session,
      cursor,
      limit: 2,
    });
    pages.push([seqs(page), page.withheld, page.truncated]);
    cursor = page.cursor;
  }
  assert.deepEqual(pages, [
    [[1], 1, true],
    [[], 2, true],
    [[5], undefined, false],
  ]);
});

Deno.test("raw_since reports what was dropped at capacity behind a cursor [RAW-002 RAW-016 RAW-017]", async () => {
  // Guards `evicted`: with a cursor exactly when a line after it was lost.
  const rig = new DebugRig();
  const session = rig.session.id;
  const start = await rig.caller.call("raw_since", { session });
  rig.raw("first");
  const first = await rig.caller.call("raw_since", { session });
  for (let i = 0; i < MAX_RAW_LINES; i++) rig.raw("x");
  const evicted = async (cursor?: string) => {
    const page = await rig.caller.call("raw_since", {
      session,
      cursor,
      limit: 1,
    });
    return [page.evicted, seqs(page)[0]];
  };
  assert.deepEqual(await evicted(start.cursor), [true, 2]);
  assert.deepEqual(await evicted(first.cursor), [false, 2]);
  assert.deepEqual(await evicted(), [false, 2]);
});

Deno.test("raw_since shows a clear as a gap and nothing else [RAW-003 RAW-004 RAW-005]", async () => {
  // Guards clear-gap semantics for a reader behind the clear.
  const rig = new DebugRig();
  const session = rig.session.id;
  rig.raw("PING 1", "PING 2", "PING 3");
  const { cursor } = await rig.caller.call("raw_since", { session, limit: 1 });
  rig.capture.switchTo(false);
  rig.raw("unseen");
  rig.capture.switchTo(true);
  const empty = await rig.caller.call("raw_since", { session, cursor });
  assert.deepEqual([empty.lines, empty.evicted, empty.truncated], [
    [],
    false,
    false,
  ]);
  rig.raw("PING 4");
  const after = await rig.caller.call("raw_since", { session, cursor });
  assert.deepEqual([seqs(after), texts(after)], [[4], ["PING 4"]]);
  assert.deepEqual([after.evicted, after.withheld], [false, undefined]);
});

Deno.test("raw_since steps over a line that no page could hold [MSG-024]", async () => {
  // Guards that a walk gets past such a line and names it.
  const rig = new DebugRig({ budgetBytes: 1200 });
  const session = rig.session.id;
  rig.raw("PING 1", "x".repeat(1500), "PING 3");
  const page = await rig.caller.call("raw_since", { session });
  assert.deepEqual([seqs(page), page.skipped, page.truncated], [
    [1, 3],
    [2],
    false,
  ]);
});

Deno.test("raw_since keeps to its budget", async () => {
  // Guards the 60,000 bytes with lines that grow when they are encoded.
  const rig = new DebugRig();
  const session = rig.session.id;
  for (let i = 0; i < 100; i++) rig.raw("\x01".repeat(400 + i));
  const seen: number[] = [];
  let cursor: string | undefined;
  let more = true;
  while (more) {
    const page = await rig.caller.call("raw_since", { session, cursor });
    seen.push(...seqs(page));
    ({ cursor } = page);
    more = page.truncated;
  }
  assert.deepEqual(seen, Array.from({ length: 100 }, (_, i) => i + 1));
});

Deno.test("raw_since refuses what is not its session's cursor", async () => {
  // Guards that a cursor is valid only where it was minted.
  const rig = new DebugRig();
  const other = rig.start("Other");
  const session = rig.session.id;
  const { cursor } = await rig.caller.call("raw_since", { session: other.id });
  const fails = [
    ["raw_since", { session: "nobody" }, "unknown session"],
    ["raw_since", { session, cursor }, "invalid cursor"],
    ["raw_since", { session, cursor: "x" }, "invalid cursor"],
    ["search_raw", { session: other.id, cursor }, "invalid cursor"],
    ["raw_since", {}, "invalid arguments: missing session"],
    [
      "raw_since",
      { session, limit: "9" },
      "invalid arguments: limit must be an integer",
    ],
  ] as const;
  for (const [tool, args, text] of fails) {
    assert.equal(await rig.caller.fail(tool, args), text);
  }
});

Deno.test("debug tools are served only while control.debug is on [RAW-001 ERR-004 SET-004 SET-006 SET-016 MCP-004 MCP-007]", async () => {
  // Guards the switch, read at each call: no restart, no listing needed.
  const rig = new DebugRig();
  const debug = ["raw_since", "search_raw", "engine_state", "read_log"];
  const listed = () => rig.caller.dispatcher.list().map(({ name }) => name);
  const isListed = () => debug.map((name) => listed().includes(name));
  rig.switches.debug = false;
  assert.deepEqual(isListed(), [false, false, false, false]);
  const release = listed().length;
  for (const name of debug) {
    assert.equal(
      await rig.caller.fail(name, { unknown: 1 }),
      "debug tools are disabled",
    );
  }
  rig.switches.debug = true;
  const page = await rig.caller.call("read_log");
  assert.equal(page.untrusted, true);
  assert.deepEqual(isListed(), [true, true, true, true]);
  assert.equal(listed().length, release + 4);
});
