import assert from "node:assert/strict";
import {
  AccessLog,
  formatAccessRow,
  MAX_ROWS,
} from "../../lib/control/access_log.ts";

const TIME = Date.parse("2026-09-30T12:00:00.900Z");

function newLog(maskLine = (line: string) => line): AccessLog {
  return new AccessLog({ now: () => TIME, maskLine });
}

function textOf(args: unknown, maskLine?: (line: string) => string): string {
  const log = newLog(maskLine);
  log.recordCall({
    tool: "t",
    arguments: args,
    outcome: { kind: "ok", bytes: 2 },
  });
  return log.rows()[0]?.text ?? "";
}

Deno.test("AccessLog writes a row for each outcome [ALOG-005 ALOG-006 ALOG-007 ALOG-008 ALOG-018]", () => {
  // Guards the words a person reads about each call.
  const log = newLog();
  const record = (outcome: Parameters<AccessLog["recordCall"]>[0]["outcome"]) =>
    log.recordCall({ tool: "find_user", arguments: { nick: "a" }, outcome });
  record({ kind: "ok", bytes: 1234 });
  record({ kind: "stopped", bytes: 99 });
  record({ kind: "waiting" });
  record({ kind: "error", text: "unknown session" });
  log.recordRefusal({ class: "bad or missing token", status: 403, more: 0 });
  log.recordRefusal({ class: "Host", status: 403, more: 7 });
  assert.deepEqual(log.rows().map(formatAccessRow), [
    '2026-09-30T12:00:00Z find_user nick="a" ok (1234 bytes)',
    '2026-09-30T12:00:00Z find_user nick="a" stopped by its time budget (99 bytes)',
    '2026-09-30T12:00:00Z find_user nick="a" waiting',
    '2026-09-30T12:00:00Z find_user nick="a" unknown session',
    "2026-09-30T12:00:00Z refused (bad or missing token, 403)",
    "2026-09-30T12:00:00Z refused (Host, 403) (+7 more)",
  ]);
});

Deno.test("AccessLog cuts a string argument at 200 bytes, the mark included [ALOG-021]", () => {
  // Guards the bound, in bytes and between characters.
  assert.equal(
    textOf({ q: "a".repeat(200) }),
    `t q="${"a".repeat(200)}" ok (2 bytes)`,
  );
  assert.equal(
    textOf({ q: "a".repeat(201) }),
    `t q="${"a".repeat(197)}…" ok (2 bytes)`,
  );
  assert.equal(
    textOf({ q: "é".repeat(101) }),
    `t q="${"é".repeat(98)}…" ok (2 bytes)`,
  );
});

Deno.test("AccessLog cuts an array or object argument as a whole [ALOG-023]", () => {
  // Guards that nesting does not pass the bound.
  const text = textOf({ a: Array.from({ length: 100 }, () => "abc") });
  const shown = text.slice("t a=".length, -" ok (2 bytes)".length);
  assert.equal(new TextEncoder().encode(shown).length, 200);
  assert.ok(shown.startsWith('["abc","abc",') && shown.endsWith("…"));
});

Deno.test("AccessLog lists sixteen arguments and counts the rest [ALOG-024]", () => {
  // Guards the width of a row against a call with a thousand arguments.
  const many = Object.fromEntries(
    Array.from({ length: 20 }, (_, i) => [`a${i}`, i]),
  );
  const text = textOf(many);
  assert.ok(text.includes("a15=15 (+4 more) ok"));
  assert.ok(!text.includes("a16"));
});

Deno.test("AccessLog masks a top-level line, after a line break too [ALOG-012 ALOG-013 ALOG-014 ALOG-015]", () => {
  // Guards that a password sent as a line is in no row.
  const mask = (line: string) =>
    line.startsWith("PASS") ? "PASS :********" : line;
  assert.equal(
    textOf({ line: "PASS hunter22\nPASS hunter33" }, mask),
    't line="PASS :********\\nPASS :********" ok (2 bytes)',
  );
  assert.equal(
    textOf({ other: "PASS x", nested: { line: "PASS y" } }, mask),
    't other="PASS x" nested={"line":"PASS y"} ok (2 bytes)',
  );
});

Deno.test("AccessLog keeps a line whole to 4,606 bytes [ALOG-022]", () => {
  // Guards that what was sent can be read back in full.
  const line = "@" + "x".repeat(4094) + " " + "y".repeat(510);
  assert.ok(textOf({ line }).includes(`line="${line}"`));
  assert.ok(textOf({ line: line + "z" }).includes("…"));
});

Deno.test("AccessLog escapes what does not show, in names too", () => {
  // Guards that no argument looks like a second row.
  const log = newLog();
  log.recordCall({
    tool: "x\u202ey",
    arguments: { "a\nb": "\u001b[2J" },
    outcome: {
      kind: "error",
      text: 'invalid arguments: unknown argument "\u200b"',
    },
  });
  assert.equal(
    log.rows()[0]?.text,
    '"x\\u{202E}y" "a\\nb"="\\u{1B}[2J" invalid arguments: unknown argument "\\u{200B}"',
  );
});

Deno.test("AccessLog keeps the newest 2,000 rows [ALOG-028]", () => {
  // Guards memory against a flood of calls.
  const log = newLog();
  for (let i = 0; i <= MAX_ROWS; i++) {
    log.recordCall({
      tool: `t${i}`,
      arguments: undefined,
      outcome: { kind: "waiting" },
    });
  }
  assert.equal(log.rows().length, MAX_ROWS);
  assert.equal(log.rows()[0]?.text, "t1 waiting");
});

Deno.test("AccessLog.waitBeyond() waits for a row that was not seen", async () => {
  // Guards `reterm control log --follow`.
  const log = newLog();
  const controller = new AbortController();
  const refuse = () =>
    log.recordRefusal({ class: "Origin", status: 403, more: 0 });
  const first = log.waitBeyond(0, controller.signal);
  refuse();
  await first;
  await log.waitBeyond(0, controller.signal);
  assert.equal(log.newest, 1);
  const second = log.waitBeyond(1, controller.signal);
  controller.abort();
  await second;
  await log.waitBeyond(9, controller.signal);
  assert.deepEqual(log.rows().map(({ number }) => number), [1]);
});

Deno.test("AccessLog quotes a name that is no plain word", () => {
  // Guards that a tool or argument cannot be named like an outcome.
  const log = newLog();
  log.recordCall({
    tool: "list_sessions ok (12 bytes)",
    arguments: { 'a="1" b': 2 },
    outcome: { kind: "error", text: "unknown tool" },
  });
  assert.equal(
    log.rows()[0]?.text,
    '"list_sessions ok (12 bytes)" "a=\\"1\\" b"=2 unknown tool',
  );
});
