import assert from "node:assert/strict";
import {
  foldCase,
  fullFold,
  isAscii,
  simpleFold,
} from "../../lib/search/casefold.ts";

const CASES:
  readonly (readonly [name: string, text: string, folded: string])[] = [
    ["ASCII", "Hello [World]", "hello [world]"],
    ["rfc1459 brackets stay", "[]\\~", "[]\\~"],
    ["Latin", "ÉCOLE", "école"],
    ["final sigma", "ΟΔΟΣ ς", "οδοσ σ"],
    ["Kelvin sign", "\u212a", "k"],
    ["long s", "\u017f", "s"],
    ["sharp s stays one letter", "ß\u1e9e", "ßß"],
    ["dotted capital I stays", "\u0130", "\u0130"],
    ["dotless i stays", "\u0131", "\u0131"],
    ["titlecase digraph", "\u01c5", "\u01c6"],
    ["Greek with iota below", "\u1f88", "\u1f80"],
    ["Cherokee folds to capitals", "\uab70\u13f8", "\u13a0\u13f0"],
    ["Deseret, beyond the BMP", "\u{10400}", "\u{10428}"],
    ["lone surrogates stay", "\ud800A\udc00", "\ud800a\udc00"],
  ];

Deno.test("foldCase() folds letter by letter [SRCH-017]", () => {
  // Guards that case is ignored by folding and not by lower-casing, which
  // would find ΟΔΟΣ neither as οδοσ nor as οδος.
  for (const [name, text, folded] of CASES) {
    assert.equal(foldCase(text), folded, name);
  }
});

Deno.test("simpleFold() agrees with the runtime's own case-insensitive search", () => {
  // Guards that a search through the runtime's RegExp and one through
  // foldCase() find the same.
  let compared = 0;
  for (let point = 0; point < 0x2_0000; point++) {
    const folded = simpleFold(point);
    if (folded === point) continue;
    compared++;
    const source = `^\\u{${folded.toString(16)}}$`;
    assert.ok(
      new RegExp(source, "iu").test(String.fromCodePoint(point)),
      point.toString(16),
    );
  }
  assert.ok(compared > 1400, `${compared} letters with a folding`);
});

Deno.test("fullFold() expands what folds to several letters", () => {
  // Guards the foldings that only regular expressions use.
  const folds = (text: string) => fullFold(text.codePointAt(0) ?? 0);
  assert.equal(folds("ß"), "ss");
  assert.equal(folds("\u1e9e"), "ss");
  assert.equal(folds("ﬃ"), "ffi");
  assert.equal(folds("\u0130"), "i\u0307");
  assert.equal(folds("\u0390"), "\u03b9\u0308\u0301");
  assert.equal(folds("A"), "a");
  assert.equal(folds("\u0131"), "\u0131");
});

Deno.test("isAscii() sees the first character that is not", () => {
  // Guards the fast path: a wrong yes would fold É by lower-casing alone.
  assert.ok(isAscii(""));
  assert.ok(isAscii("\x00\x7f"));
  assert.ok(!isAscii("abc\x80"));
});
