import assert from "node:assert/strict";
import { characterByName } from "../../../lib/search/icu/character_names.ts";
import { CodePointSet } from "../../../lib/search/icu/code_point_set.ts";
import { propertySet } from "../../../lib/search/icu/properties.ts";

function members(name: string, text: string): string {
  const set = propertySet(name);
  assert.ok(set, name);
  return [...text].filter((c) => set.has(c.codePointAt(0) ?? 0)).join("");
}

Deno.test("propertySet() knows each kind of property by each of its names", () => {
  // Guards the spellings of ICU, loose in case, spaces, - and _.
  const text = "aB1 \u0301αж日½€\u2192";
  const cases: readonly (readonly [string, string])[] = [
    ["L", "aBαж日"],
    ["letter", "aBαж日"],
    ["Uppercase Letter", "B"],
    ["gc=Lu", "B"],
    ["General_Category=uppercase-letter", "B"],
    ["Greek", "α"],
    ["Grek", "α"],
    ["script = greek", "α"],
    ["scx=Cyrl", "\u0301ж"],
    ["Block=Cyrillic", "ж"],
    ["InCyrillic", "ж"],
    ["blk=Basic_Latin", "aB1 "],
    ["IsHan", "日"],
    ["WSpace", " "],
    ["space", " "],
    ["Alphabetic=No", "1 \u0301½€\u2192"],
    ["alnum", "aB1αж日"],
    ["Any", text],
    ["ASCII", "aB1 "],
    ["ccc=230", "\u0301"],
    ["ccc=Above", "\u0301"],
    ["nv=0.5", "½"],
    ["ea=W", "日"],
    ["age=1.1", "aB1 \u0301αж日½\u2192"],
    ["bc=NSM", "\u0301"],
    ["name=Euro Sign", "€"],
    ["javaLowerCase", "aαж"],
    ["word", "aB1\u0301αж日"],
  ];
  for (const [name, expected] of cases) {
    assert.equal(members(name, text), expected, name);
  }
});

Deno.test("propertySet() knows nothing else", () => {
  // Guards that a misspelt property is an invalid pattern, not an empty set.
  const names = ["Foo", "", "L&", "^L", "sc=Foo", "foo=L", "isGreek", "ALL"];
  for (const name of [...names, "InFoo", "javaFoo", "nv=x", "ccc=256"]) {
    assert.equal(propertySet(name), undefined, name);
  }
});

Deno.test("characterByName() knows listed and rule-made names", () => {
  // Guards \N{..}, exact but for case.
  const cases: readonly (readonly [string, number | undefined])[] = [
    ["SNOWMAN", 0x2603],
    ["snowman", 0x2603],
    ["SPACE", 0x20],
    ["GRINNING FACE", 0x1f600],
    ["CJK UNIFIED IDEOGRAPH-4E00", 0x4e00],
    ["TANGUT IDEOGRAPH-17000", 0x17000],
    ["HANGUL SYLLABLE GAG", 0xac01],
    ["HANGUL SYLLABLE HIH", 0xd7a3],
    ["HANGUL SYLLABLE A", 0xc544],
    ["SNOW MAN", undefined],
    ["SNOWMAN ", undefined],
    ["=1F600", undefined],
    ["CJK UNIFIED IDEOGRAPH-04E00", undefined],
    ["CJK UNIFIED IDEOGRAPH-0041", undefined],
    ["NULL", undefined],
  ];
  for (const [name, point] of cases) {
    assert.equal(characterByName(name), point, name);
  }
});

Deno.test("CodePointSet works out unions, intersections and complements", () => {
  // Guards set algebra on ranges, at their ends.
  const low = CodePointSet.ofRanges(0x61, 0x66, 0x30, 0x39);
  const high = CodePointSet.ofRanges(0x64, 0x7a);
  assert.deepEqual(low.union(high).ranges, [0x30, 0x39, 0x61, 0x7a]);
  assert.deepEqual(low.intersection(high).ranges, [0x64, 0x66]);
  assert.deepEqual(low.difference(high).ranges, [0x30, 0x39, 0x61, 0x63]);
  assert.deepEqual(CodePointSet.all.complement().ranges, []);
  assert.deepEqual(high.complement().ranges, [0, 0x63, 0x7b, 0x10ffff]);
  assert.equal(CodePointSet.ofRanges(5, 5).single, 5);
  const closed = CodePointSet.ofRanges(0x6b, 0x6b, 0xdf, 0xdf).caseClosure();
  assert.ok([0x4b, 0x6b, 0x212a, 0xdf, 0x1e9e].every((p) => closed.has(p)));
  assert.ok(![0x73, 0x4a, 0x131].some((point) => closed.has(point)));
});
