import assert from "node:assert/strict";
import {
  JsonSyntaxError,
  MAX_DEPTH,
  memberOf,
  parseJson,
} from "../../lib/config/json_text.ts";
import type { JsonNode } from "../../lib/config/json_text.ts";

function valueOf(node: JsonNode): unknown {
  switch (node.kind) {
    case "object":
      return Object.fromEntries(
        node.members.map(({ name, value }) => [name, valueOf(value)]),
      );
    case "array":
      return node.items.map(valueOf);
    case "null":
      return null;
    default:
      return node.value;
  }
}

const GOOD = [
  "{}",
  "[]",
  ' { "a" : [ 1 , -2.5e+3 , 0, true , false , null ] , "b":{"c":"" } } ',
  '"\\u00e9\\ud83d\\ude00 \\" \\\\ \\/ \\b\\f\\n\\r\\t é😀"',
  '{"__proto__": 1, "constructor": 2}',
  "\r\n\t7\r\n",
];

for (const text of GOOD) {
  Deno.test(`parseJson() reads ${JSON.stringify(text)} as JSON.parse does`, () => {
    // Guards that a file means here what it means everywhere else.
    assert.deepEqual(valueOf(parseJson(text)), JSON.parse(text));
  });
}

const BAD: readonly (readonly [string, number, number, string])[] = [
  ["", 1, 1, "a value"],
  ["{", 1, 2, "a name in double quotes"],
  ['{"a" 1}', 1, 6, '":" after the name'],
  ['{"a": 1,}', 1, 9, "a name in double quotes"],
  ['{\n  "a": 1\n  "b": 2\n}', 3, 3, '"," or "}" after the value'],
  ["[1 2]", 1, 4, '"," or "]" after the value'],
  ["[1,]", 1, 4, "a value"],
  ["{'a': 1}", 1, 2, "a name in double quotes"],
  ["// note\n{}", 1, 1, "a value"],
  ['{"a": 01}', 1, 8, '"," or "}" after the value'],
  ['{"a": nul}', 1, 7, "a value"],
  ['{"a": NaN}', 1, 7, "a value"],
  ['{"a": "x\ny"}', 1, 9, "the closing quote of the text"],
  ['"\\x"', 1, 3, 'an escape such as \\n, \\" or \\\\'],
  ['"\\u12"', 1, 3, "four hexadecimal digits after \\u"],
  ["{} {}", 1, 4, "the end of the file"],
  ['{"a": 1, "a": 2}', 1, 10, "each name only once in an object"],
];

for (const [text, line, column, expected] of BAD) {
  Deno.test(`parseJson() refuses ${JSON.stringify(text)}`, () => {
    // Guards that an error names the place and what belongs there.
    assert.throws(
      () => parseJson(text),
      new JsonSyntaxError(line, column, expected),
    );
  });
}

Deno.test("parseJson() refuses nesting that would exhaust the stack", () => {
  // Guards that a hostile file ends in an error and not in the process.
  const deep = "[".repeat(100_000);
  assert.throws(() => parseJson(deep), {
    expected: `nesting of at most ${MAX_DEPTH} levels`,
  });
});

Deno.test("parseJson() skips a byte order mark and knows where values stand", () => {
  // Guards that editors which write one do not break the file.
  const text = '\uFEFF{"a": [10, "x"]}';
  const member = memberOf(parseJson(text), "a");
  assert.equal(member?.value.kind, "array");
  assert.equal(
    text.slice(member?.value.start, member?.value.end),
    '[10, "x"]',
  );
});
