import assert from "node:assert/strict";
import { compileIcu, STEPS_PER_SLICE } from "../../../lib/search/icu/mod.ts";
import { answer, differing, readNamedTable, readTable } from "./tables.ts";

/**
 * Rows of the table of cases that are answered otherwise than ICU does, with
 * the reason. None is: a change that brings one must name it here.
 */
const EXCEPTIONS: readonly string[] = [];

Deno.test("compileIcu() answers the table of cases as ICU does [SRCH-021, SRCH-022, ERR-012]", () => {
  // Guards what NSRegularExpression means, construct by construct.
  const rows = readNamedTable("icu-regex.tsv");
  assert.equal(rows.length, 168);
  const ids = differing(rows).map((line) => line.split(" ")[0]);
  assert.deepEqual(ids, EXCEPTIONS);
});

Deno.test("compileIcu() ends every case that ICU never ends, or can be stopped", () => {
  // Guards that no pattern of the table takes more than it is given.
  for (
    const { id, pattern, text, expected } of readNamedTable("icu-regex.tsv")
  ) {
    if (expected !== "timeout") continue;
    const started = performance.now();
    answer(pattern, text, 20);
    assert.ok(performance.now() - started < 2000, id);
  }
});

Deno.test("compileIcu() answers patterns of the documented syntax as ICU does [SRCH-021]", () => {
  // Guards each rule of ICU's syntax, its errors included.
  assert.deepEqual(differing(readTable("documented.tsv")), []);
});

Deno.test("compileIcu() answers random patterns as ICU does [SRCH-021]", () => {
  // Guards how constructs meet: quantified groups, sets of sets, modes.
  assert.deepEqual(differing(readTable("random.tsv")), []);
});

Deno.test("IcuProgram goes on where a slice ended", () => {
  // Guards that slices of any size find what one run finds.
  const cases = readTable("random.tsv")
    .filter(({ expected }) => expected.startsWith("match")).slice(0, 300);
  for (const { id, pattern, text, expected } of cases) {
    const program = compileIcu(pattern);
    assert.ok(program, id);
    let outcome = program.begin(text);
    while (outcome === "more") outcome = program.resume(2);
    assert.equal(outcome, "match", id);
    const { start, end } = program.found;
    assert.equal(`match:${start}:${end}`, expected, id);
  }
});

Deno.test("IcuProgram searches one text after another", () => {
  // Guards that nothing of a search, finished or given up, is left in the next.
  const program = compileIcu("(a+)+$");
  assert.ok(program);
  assert.equal(program.begin("a".repeat(3000) + "b"), "more");
  assert.equal(program.resume(500), "more");
  assert.deepEqual(program.find("baa"), { start: 1, end: 3 });
  assert.equal(program.find("b"), undefined);
  assert.equal(program.find(""), undefined);
  assert.deepEqual(program.find("a"), { start: 0, end: 1 });
});

/** Patterns and texts that hold a backtracking engine for hours. */
const PATHOLOGICAL: readonly (readonly [string, string])[] = [
  ["(a+)+$", "a".repeat(4000) + "b"],
  ["(a|aa)+$", "a".repeat(4000) + "b"],
  ["(.*)*x", "a".repeat(4000)],
  ["(.*)+x", "a".repeat(4000)],
  [".*.*.*.*.*x", "a".repeat(4000)],
  ["(?=(?=(a+)+$)a)a", "a".repeat(4000) + "b"],
  ["(?:a?){30}a{30}", "a".repeat(30)],
  ["(a*)*(b*)*(c*)*d", "abc".repeat(1000)],
  ["(?i)(ss|ß)+$", "ß".repeat(2000) + "x"],
  ["(\\w+\\s?)+:$", "word ".repeat(800)],
  ["(?:(a)|b|\\1)+c", "ab".repeat(2000)],
  ["(?>(a+)+)+$", "a".repeat(2000) + "b"],
  ["(?<=(?:a|aa){1,500})b$", "a".repeat(4000)],
  ["(x+x+)+y", "x".repeat(4000)],
  ["(?w)(\\b.)*!", "a b ".repeat(1000)],
  ["(\\X\\X?)+!", "e\u0301".repeat(2000)],
  ["[\\p{L}--\\p{Lu}&&\\p{Script=Han}]+!", "\u4e00\u3041\uac00".repeat(1300)],
  ["(?:){16777215}", "a"],
  ["(?:a{0,1000}){0,1000}b", "a".repeat(4000)],
  ["(a??)*?b", "a".repeat(4000)],
];

/** The longest slice, in milliseconds, of a search given 150 ms. */
function longestSlice(pattern: string, text: string): number {
  const program = compileIcu(pattern);
  assert.ok(program, pattern);
  const ended = performance.now() + 150;
  let longest = 0;
  let last = performance.now();
  let outcome = program.begin(text);
  while (outcome === "more" && last < ended) {
    outcome = program.resume(STEPS_PER_SLICE);
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }
  return longest;
}

Deno.test("IcuProgram never runs long past the steps it was given [SRCH-052]", () => {
  // Guards that a caller that looks at the clock between slices sees it: the
  // longest slice of each pathological search, in a loaded test run. A slice
  // that is long itself is so every time; one that had to wait for a busy
  // machine is not.
  for (const [pattern, text] of PATHOLOGICAL) {
    let longest = longestSlice(pattern, text);
    for (let again = 0; again < 3 && longest >= 60; again++) {
      longest = Math.min(longest, longestSlice(pattern, text));
    }
    assert.ok(longest < 60, `${pattern}: ${longest} ms`);
  }
});

Deno.test("IcuProgram ends what depends on place alone in linear time", () => {
  // Guards the memory of failures: these are exponential without it, and are
  // what people write by mistake.
  const cases: readonly (readonly [string, string])[] = [
    ["(a+)+$", "a".repeat(200) + "b"],
    ["(a|aa)+$", "a".repeat(4000) + "b"],
    ["(\\w+\\s?)+:$", "word ".repeat(60)],
    ["(x+x+)+y!", "x".repeat(200) + "y"],
    [
      "(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)b",
      "a".repeat(100),
    ],
  ];
  for (const [pattern, text] of cases) {
    assert.equal(answer(pattern, text, 600), "none", pattern);
  }
});

Deno.test("compileIcu() takes any pattern of 256 bytes without a fault [ERR-012]", () => {
  // Guards that what is not compiled is invalid and nothing worse.
  const pieces = ["(", ")", "[", "]", "{", "}", "\\", "*", "?", "a", "^", "&&"];
  let state = 3;
  for (let round = 0; round < 5000; round++) {
    let pattern = "";
    for (let i = 0; i < 20; i++) {
      state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
      pattern += pieces[(state >>> 8) % pieces.length];
    }
    answer(pattern, "a]b", 5);
  }
  answer("(".repeat(128) + ")".repeat(128), "a");
  answer("[".repeat(256), "a");
  answer("(?:".repeat(64) + ")".repeat(64), "a");
});
