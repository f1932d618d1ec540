import assert from "node:assert/strict";
import { foldCase } from "../../lib/search/casefold.ts";
import { globMatcher, substringMatcher } from "../../lib/search/matchers.ts";

/** A small generator with a fixed seed, so that a failure can be repeated. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1103515245 + 12345) & 0x7fffffff;
    return (state >>> 8) % below;
  };
}

function randomText(random: (below: number) => number, letters: string[]) {
  let text = "";
  for (let left = random(9); left > 0; left--) {
    text += letters[random(letters.length)];
  }
  return text;
}

function naiveGlob(glob: string[], text: string[]): boolean {
  const [first, ...rest] = glob;
  if (first === undefined) return text.length === 0;
  if (first === "*") {
    return naiveGlob(rest, text) ||
      (text.length > 0 && naiveGlob(glob, text.slice(1)));
  }
  return text.length > 0 && (first === "?" || first === text[0]) &&
    naiveGlob(rest, text.slice(1));
}

const SUBSTRING_CASES: readonly (readonly [string, string, boolean])[] = [
  ["", "", true],
  ["", "anything", true],
  ["DePloy", "we will dEpLOY at 5", true],
  ["a.c", "abc", false],
  ["(a|b)*", "x (A|B)* y", true],
  ["[x]", "[X]", true],
  ["[x]", "{x}", false],
  ["\\d", "5", false],
  ["/", "a/b", true],
  ["σας", "ΣΑΣ", true],
  ["strasse", "straße", false],
  ["k", "\u212a", true],
  ["i", "\u0130", false],
  ["\udc4d", "\ud83d\udc4d", false],
  ["longer than the text", "short", false],
];

Deno.test("substringMatcher() takes every character literally, in any case [SRCH-002, SRCH-003, SRCH-017]", () => {
  // Guards that a query is text and never a pattern.
  for (const [query, text, expected] of SUBSTRING_CASES) {
    assert.equal(
      substringMatcher(query).test(text),
      expected,
      JSON.stringify([query, text]),
    );
  }
});

Deno.test("substringMatcher() agrees with includes() on folded text", () => {
  // Guards the equality that lets one RegExp stand for folding both sides.
  const random = randomNumbers(7);
  const letters = ["a", "A", "ß", "Σ", "ς", "σ", "k", "\u212a", "é", "É", "."];
  for (let round = 0; round < 4000; round++) {
    const query = randomText(random, letters).slice(0, 3);
    const text = randomText(random, letters);
    assert.equal(
      substringMatcher(query).test(text),
      foldCase(text).includes(foldCase(query)),
      JSON.stringify([query, text]),
    );
  }
});

Deno.test("substringMatcher() and globMatcher() take queries of any length", () => {
  // Guards that a query too long to compile is compared all the same.
  const long = "Ab".repeat(3000);
  assert.ok(substringMatcher(long).test(`x${long.toLowerCase()}y`));
  assert.ok(!substringMatcher(long).test("ab".repeat(2999)));
  assert.ok(globMatcher(`*${long}?`).test(`x${long.toUpperCase()}y`));
  assert.ok(!globMatcher(`${long}?`).test(long));
  assert.ok(globMatcher("*".repeat(5000)).test(""));
});

const GLOB_CASES: readonly (readonly [string, string, boolean])[] = [
  ["hello", "hello", true],
  ["hello", "HELLO", true],
  ["hello", "hello!", false],
  ["*hello*", "well, Hello there", true],
  ["", "", true],
  ["", "x", false],
  ["*", "", true],
  ["?", "\u{1f44d}", true],
  ["??", "\u{1f44d}", false],
  ["a?c", "abc", true],
  ["a*c", "ac", true],
  ["a*a", "a", false],
  ["*?*", "", false],
  ["\\*", "\\anything", true],
  ["\\*", "*", false],
  ["[ab]", "a", false],
  ["[ab]", "[AB]", true],
  ["*.example.net", "host.EXAMPLE.net", true],
  ["a\n*", "a\nb", true],
  ["*\u2028?", "x\u2028\n", true],
];

Deno.test("globMatcher() compares the whole field [SRCH-018, SRCH-019, SRCH-020]", () => {
  // Guards the glob language: two wildcards, no escape, nothing else special.
  for (const [glob, text, expected] of GLOB_CASES) {
    assert.equal(
      globMatcher(glob).test(text),
      expected,
      JSON.stringify([glob, text]),
    );
  }
});

Deno.test("globMatcher() agrees with the definition on random globs", () => {
  // Guards that cutting at the stars and taking the leftmost place loses none.
  const random = randomNumbers(11);
  const globs = ["a", "b", "*", "*", "?", "\u{1f44d}"];
  const letters = ["a", "b", "A", "\u{1f44d}"];
  for (let round = 0; round < 8000; round++) {
    const glob = randomText(random, globs);
    const text = randomText(random, letters);
    const expected = naiveGlob([...glob], [...text.toLowerCase()]);
    assert.equal(
      globMatcher(glob).test(text),
      expected,
      JSON.stringify([glob, text]),
    );
    const padding = "*".repeat(1100);
    assert.equal(
      globMatcher(padding + glob).test(text),
      naiveGlob(["*", ...glob], [...text.toLowerCase()]),
      "long " + JSON.stringify([glob, text]),
    );
  }
});

Deno.test("globMatcher() stays quick with many stars", () => {
  // Guards that a glob cannot hold the service: one RegExp of it would take
  // minutes here.
  const started = performance.now();
  const matcher = globMatcher("*a".repeat(40) + "*b");
  assert.ok(!matcher.test("a".repeat(4000)));
  assert.ok(performance.now() - started < 200);
});
