import assert from "node:assert/strict";
import { MAX_LOG_LINES } from "../../lib/debug/log_ring.ts";
import { LOG_CATEGORIES, LOG_LEVELS } from "../../lib/log.ts";
import { UNMASKABLE_NOTE } from "../../lib/redact/json_masks.ts";
import { SecretScan } from "../../lib/redact/secrets.ts";
import { DebugRig } from "./debug_rig.ts";
import type { Result } from "./tool_calls.ts";

const texts = (result: Result) => result.lines.map((line: Result) => line.text);

Deno.test("read_log returns the lines held, ascending [RLOG-004 RLOG-005 RLOG-006 RLOG-008 MSG-028 MSG-031]", async () => {
  // Guards the shape of a page and of a log line, whole.
  const rig = new DebugRig();
  rig.log.write("info", "network", "connected");
  await rig.clock.advance(1500);
  rig.log.write("fault", "db", "broken");
  const page = await rig.caller.call("read_log");
  assert.equal(typeof page.cursor, "string");
  const { cursor: _, ...rest } = page;
  assert.deepEqual(rest, {
    evicted: false,
    lines: [
      {
        category: "network",
        level: "info",
        seq: 1,
        text: "connected",
        time: "2026-09-30T12:00:00Z",
        untrusted: true,
      },
      {
        category: "db",
        level: "fault",
        seq: 2,
        text: "broken",
        time: "2026-09-30T12:00:01Z",
        untrusted: true,
      },
    ],
    truncated: false,
    untrusted: true,
  });
});

Deno.test("read_log filters by level, category and text [RLOG-002 RLOG-003 RLOG-007 RLOG-022 RLOG-023]", async () => {
  // Guards the order of the levels, and that every filter must match.
  assert.deepEqual(LOG_LEVELS, [
    "debug",
    "info",
    "scripts",
    "notice",
    "warning",
    "error",
    "fault",
  ]);
  assert.deepEqual(LOG_CATEGORIES, [
    "app",
    "ui",
    "network",
    "db",
    "auth",
    "perf",
    "scripts",
  ]);
  const rig = new DebugRig();
  for (const level of LOG_LEVELS) rig.log.write(level, "app", `App ${level}`);
  rig.log.write("error", "perf", "slow");
  const rows: [Record<string, unknown>, string[]][] = [
    [{ min_level: "debug" }, [...LOG_LEVELS.map((l) => `App ${l}`), "slow"]],
    [{}, [...LOG_LEVELS.map((l) => `App ${l}`), "slow"]],
    [{ min_level: "warning" }, [
      "App warning",
      "App error",
      "App fault",
      "slow",
    ]],
    [{ min_level: "scripts", categories: ["app"], contains: "APP s" }, [
      "App scripts",
    ]],
    [{ categories: ["perf", "db"] }, ["slow"]],
    [{ categories: [], min_level: "fault" }, ["App fault"]],
    [{ contains: "LO" }, ["slow"]],
    [{ contains: "none" }, []],
  ];
  for (const [args, expected] of rows) {
    const page = await rig.caller.call("read_log", args);
    assert.deepEqual(texts(page), expected, JSON.stringify(args));
  }
});

Deno.test("read_log walks by its cursor and knows of more matches [RLOG-001 RLOG-005 RLOG-008 RLOG-009]", async () => {
  // Guards that `truncated` counts only lines that match.
  const rig = new DebugRig();
  for (let i = 1; i <= 4; i++) {
    rig.log.write(i % 2 === 0 ? "info" : "error", "app", `${i}`);
  }
  const args = { min_level: "error", limit: 1 };
  const first = await rig.caller.call("read_log", args);
  assert.deepEqual([texts(first), first.truncated], [["1"], true]);
  const second = await rig.caller.call("read_log", {
    ...args,
    cursor: first.cursor,
  });
  assert.deepEqual([texts(second), second.truncated], [["3"], false]);
  const third = await rig.caller.call("read_log", { cursor: second.cursor });
  assert.deepEqual([texts(third), third.truncated], [[], false]);
  const other = await rig.caller.call("read_log", { cursor: first.cursor });
  assert.deepEqual(texts(other), ["3", "4"]);
});

Deno.test("read_log clamps its limit to 2,000 and returns 200 by default [RLOG-001]", async () => {
  // Guards the default and that a larger limit is clamped.
  const rig = new DebugRig();
  for (let i = 0; i < 300; i++) rig.log.write("info", "app", "x");
  const lengths = [];
  for (const limit of [undefined, -5, 250, 1e9]) {
    const page = await rig.caller.call("read_log", { limit });
    lengths.push(page.lines.length);
  }
  assert.deepEqual(lengths, [200, 1, 250, 300]);
});

Deno.test("read_log reports what was dropped at capacity behind a cursor [RLOG-010 RLOG-011 RLOG-029]", async () => {
  // Guards `evicted`: never on a first read without a cursor.
  const rig = new DebugRig();
  const start = await rig.caller.call("read_log");
  for (let i = 0; i < MAX_LOG_LINES + 1; i++) {
    rig.log.write("info", "app", `${i}`);
  }
  const fresh = await rig.caller.call("read_log", { limit: 1 });
  assert.deepEqual([fresh.evicted, texts(fresh)], [false, ["1"]]);
  const behind = await rig.caller.call("read_log", {
    cursor: start.cursor,
    limit: 1,
  });
  assert.deepEqual([behind.evicted, texts(behind)], [true, ["1"]]);
  const page = await rig.caller.call("read_log", { limit: 1 });
  rig.log.write("info", "app", "one more");
  rig.log.write("info", "app", "and one");
  const later = await rig.caller.call("read_log", {
    cursor: page.cursor,
    limit: 1,
  });
  assert.deepEqual([later.evicted, texts(later)], [true, ["3"]]);
});

Deno.test("read_log withholds lines with any session's secret [RLOG-012 RED-049 RED-051 RED-072]", async () => {
  // Guards the scan, its count between cursors, and the cut inside a secret.
  const rig = new DebugRig({ secrets: ["alpha-secret"] });
  const other = rig.start("Other", ["beta-secret"]);
  rig.log.write("info", "app", "fine");
  rig.log.write("info", "app", "the beta-secret is out");
  rig.log.write("info", "app", `${"x".repeat(2042)}alpha-secret`);
  rig.log.write("info", "app", `${"x".repeat(2045)}alpha-secret`);
  rig.capture.sessionStopped(other);
  rig.engine.list = [rig.session];
  const page = await rig.caller.call("read_log", { contains: "fine" });
  assert.deepEqual([texts(page), page.withheld], [["fine"], 2]);
  const after = await rig.caller.call("read_log", { cursor: page.cursor });
  assert.equal("withheld" in after, false);
  const all = await rig.caller.call("read_log");
  assert.deepEqual(texts(all), ["fine", `${"x".repeat(2045)}alp…[+9 bytes]`]);
});

Deno.test("read_log stalls where it cannot scan, and moves no cursor [RLOG-013 RLOG-014 RLOG-015]", async () => {
  // Guards that no line is returned unscanned, and that none is missed.
  const rig = new DebugRig();
  rig.log.write("info", "app", "one");
  const first = await rig.caller.call("read_log");
  rig.log.write("info", "app", "two");
  rig.engine.list = [];
  const stalled = await rig.caller.call("read_log", { cursor: first.cursor });
  assert.deepEqual(stalled, {
    cursor: first.cursor,
    evicted: false,
    lines: [],
    stalled: true,
    truncated: false,
    untrusted: true,
  });
  const fresh = await rig.caller.call("read_log");
  assert.deepEqual([fresh.lines, fresh.stalled], [[], true]);
  const broken = rig.engine.start("Broken");
  rig.engine.list = [rig.session, broken];
  broken.secrets = () => {
    throw new Error("secrets file refused");
  };
  const still = await rig.caller.call("read_log", { cursor: first.cursor });
  assert.deepEqual([still.lines, still.stalled], [[], true]);
  broken.secrets = () => new SecretScan([]);
  const again = await rig.caller.call("read_log", { cursor: stalled.cursor });
  assert.deepEqual(texts(again), ["two"]);
  assert.equal("stalled" in again, false);
  const all = await rig.caller.call("read_log", { cursor: fresh.cursor });
  assert.deepEqual(texts(all), ["one", "two"]);
});

Deno.test("read_log steps over a line that no page could hold [MSG-024]", async () => {
  // Guards that a walk gets past such a line and names it.
  const rig = new DebugRig({ budgetBytes: 1200 });
  for (const text of ["one", "x".repeat(1500), "three"]) {
    rig.log.write("info", "app", text);
  }
  const page = await rig.caller.call("read_log");
  assert.deepEqual([texts(page), page.skipped], [["one", "three"], [2]]);
});

Deno.test("read_log refuses unknown levels, categories and cursors [ERR-054 ERR-055]", async () => {
  // Guards the failures' words, with the name cut to 64 bytes and escaped.
  const rig = new DebugRig();
  const raw = await rig.caller.call("raw_since", { session: rig.session.id });
  const long = "é".repeat(40);
  const rows: [Record<string, unknown>, string][] = [
    [{ min_level: "loud" }, 'invalid arguments: unknown level: "loud"'],
    [{ min_level: "INFO" }, 'invalid arguments: unknown level: "INFO"'],
    [
      { min_level: long },
      `invalid arguments: unknown level: "${"é".repeat(32)}"`,
    ],
    [
      { categories: ["app", 'a"b'] },
      'invalid arguments: unknown category: "a\\"b"',
    ],
    [{ categories: [""] }, 'invalid arguments: unknown category: ""'],
    [{ cursor: raw.cursor }, "invalid cursor"],
    [{ session: "x" }, 'invalid arguments: unknown argument "session"'],
  ];
  for (const [args, text] of rows) {
    assert.equal(await rig.caller.fail("read_log", args), text);
  }
});

Deno.test("read_log cannot recognise a secret that nobody holds in free text [RED-053]", async () => {
  // Guards the limit as the contract lists it: a field is masked or the line
  // replaced, words are shown as they were logged.
  const rig = new DebugRig({ secrets: ["alpha-secret"] });
  for (
    const text of [
      "sign-in failed: bad token hunter2",
      'answer {"token":"hunter2"}',
      'answer {"token":"hunt',
    ]
  ) rig.log.write("warning", "auth", text);
  assert.deepEqual(texts(await rig.caller.call("read_log")), [
    "sign-in failed: bad token hunter2",
    'answer {"token":"********"}',
    UNMASKABLE_NOTE,
  ]);
});
