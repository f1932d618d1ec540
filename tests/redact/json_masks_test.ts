import assert from "node:assert/strict";
import { seededRandom } from "../tools/tool_calls.ts";
import {
  isSecretName,
  maskJson,
  MAX_PARSED_UNITS,
  UNMASKABLE_NOTE,
} from "../../lib/redact/json_masks.ts";

Deno.test("isSecretName() knows the contract's words, in any case [RED-005 RED-006 RED-007]", () => {
  // Guards the list of names, word by word, and that `member` stays visible.
  const secret = [
    "password",
    "sasl_password",
    "PASSWORD",
    "clientSecret",
    "secrets",
    "token",
    "tokenCount",
    "private",
    "isPrivate",
    "credential",
    "Credentials",
    "cookie",
    "Set-Cookie",
    "pass",
    "bypass",
    "auth",
    "author",
    "api_key",
    "CHANNEL_KEY",
    "_key",
  ];
  assert.deepEqual(secret.filter((name) => !isSecretName(name)), []);
  const plain = [
    "member",
    "key",
    "keys",
    "apikey",
    "_keys",
    "name",
    "",
    "text",
  ];
  assert.deepEqual(plain.filter(isSecretName), []);
});

Deno.test("maskJson() masks a secret-named key's value in any JSON part [RED-005 RED-006 RED-052]", () => {
  // Guards that no kind of value and no depth shows a secret.
  const rows: [string, string][] = [
    ['{"password":"hunter2"}', '{"password":"********"}'],
    ['{"a":[{"b":{"api_key":1}}]}', '{"a":[{"b":{"api_key":"********"}}]}'],
    ['{"Token":{"a":"hunter2"}}', '{"Token":"********"}'],
    ['{"token":["hunter2"]}', '{"token":"********"}'],
    ['{"token":null,"a":1}', '{"token":"********","a":1}'],
    [
      '[{"cookie":"a"},{"cookie":"b"}]',
      '[{"cookie":"********"},{"cookie":"********"}]',
    ],
    ['sent {"auth":"x"} and {"n":1}', 'sent {"auth":"********"} and {"n":1}'],
    ['{"pass\\u0077ord":"hunter2"}', '{"password":"********"}'],
    ['{"secret":"a\\"b}","n":1}', '{"secret":"********","n":1}'],
    ['{"password":"a","password":"b"}', '{"password":"********"}'],
    [
      '{"body":"{\\"password\\":\\"hunter2\\"}"}',
      '{"body":"{\\"password\\":\\"********\\"}"}',
    ],
    [
      '{ "member" : "nick", "pass" : "x" }',
      '{"member":"nick","pass":"********"}',
    ],
  ];
  for (const [line, shown] of rows) assert.equal(maskJson(line), shown);
});

Deno.test("maskJson() masks the value of a config_update entry by its key [RED-008]", () => {
  // Guards the entry that names its secret beside the value instead of above.
  assert.equal(
    maskJson(
      '{"op":"config_update","entries":[{"key":"sasl_password","value":"x"},{"key":"nick","value":"al"}]}',
    ),
    '{"op":"config_update","entries":[{"key":"sasl_password","value":"********"},{"key":"nick","value":"al"}]}',
  );
  assert.equal(
    maskJson('{"member":"server_password","value":"x"}'),
    '{"member":"server_password","value":"********"}',
  );
});

Deno.test("maskJson() masks by pattern what does not parse [RED-052]", () => {
  // Guards that a broken document, or one inside a text, hides nothing.
  const rows: [string, string][] = [
    ['{"password":"hunter2", oops}', '{"password":"********", oops}'],
    ['"token": "hunter2" was sent', '"token": "********" was sent'],
    ['{"token":12345,oops', '{"token":"********",oops'],
    ['{"token":{"a":"b"},oops', '{"token":"********",oops'],
    ["{ 'password': 'hunter2', n }", "{ 'password': '********', n }"],
    [
      'x "{\\"token\\":\\"a\\\\\\"b\\"}" y {',
      'x "{\\"token\\":\\"********\\"}" y {',
    ],
    ['{"to\\u006ben":"hunter2",oops', '{"to\\u006ben":"********",oops'],
  ];
  for (const [line, shown] of rows) assert.equal(maskJson(line), shown);
});

Deno.test("maskJson() keeps a note for a secret it cannot pair [RED-053]", () => {
  // Guards that a secret cut in half is not kept.
  const lines = [
    '{"password":"hunt',
    '{"a":1,"token":',
    '{"token": hunt',
    '{"secret":{"a":"hunt',
    'frame "{\\"cookie\\":\\"hunt',
    '"password":',
  ];
  for (const line of lines) assert.equal(maskJson(line), UNMASKABLE_NOTE, line);
  assert.doesNotMatch(UNMASKABLE_NOTE, /\n/);
});

Deno.test("maskJson() leaves everything else as it is", () => {
  // Guards the log's readability: text, and JSON that names no secret.
  const lines = [
    "",
    "AI access token regenerated",
    'unknown argument "token"',
    "password: not shown",
    "it's 5 o'clock",
    '{"nick":"alice","n":[1,2.50,{}]}',
    '{ "spaced" :  1 }',
    "{{{[[[",
    '"quoted"',
  ];
  for (const line of lines) assert.equal(maskJson(line), line);
});

Deno.test("maskJson() is bounded in time and depth", () => {
  // Guards the event loop against a line made to be slow, and the stack
  // against a deep one.
  const started = performance.now();
  const open = "{".repeat(MAX_PARSED_UNITS - 2) + '"x';
  assert.equal(maskJson(open), open);
  const deep = "[".repeat(5000) + '{"token":"hunter2"}' + "]".repeat(5000);
  assert.doesNotMatch(maskJson(deep), /hunter2/);
  const long = '{"n":"' + "x".repeat(MAX_PARSED_UNITS) + '","token":"hunter2"}';
  assert.doesNotMatch(maskJson(long), /hunter2/);
  const quotes = '\\"'.repeat(20_000);
  assert.equal(maskJson(quotes), quotes);
  // Far above what it takes, far below what anything quadratic would.
  assert.ok(performance.now() - started < 2000);
});

Deno.test("maskJson() hides a secret-named value wherever it stands, whole or cut, seeded", () => {
  // Guards shapes that nobody thought of: documents inside strings of other
  // documents, broken ones, and ones that end anywhere.
  const shown: string[] = [];
  for (let seed = 1; seed <= 4000; seed++) {
    const random = seededRandom(seed);
    const line = jsonLine(random);
    const masked = maskJson(line);
    // Four characters of its start would be a secret cut in half.
    if (masked.includes("hunt")) shown.push(`${seed}: ${line} -> ${masked}`);
  }
  assert.deepEqual(shown.slice(0, 3), []);
});

type Random = (below: number) => number;

function pick<T>(random: Random, list: readonly T[]): T {
  return list[random(list.length)] as T;
}

function jsonLine(random: Random): string {
  let document = JSON.stringify(jsonValue(random, random(4)));
  for (let depth = random(3); depth > 0; depth--) {
    document = JSON.stringify({ body: document, n: 1 });
  }
  const line = pick(random, ["", "got ", 'said "hi" ', "{ ", "it's [", "a: "]) +
    document + pick(random, ["", " done", "}", '"', " {}"]);
  return random(2) === 0 ? line : line.slice(0, random(line.length + 1));
}

function jsonValue(random: Random, depth: number): unknown {
  const name = pick(random, ["password", "API_KEY", "authToken", "cookie"]);
  const secret = pick<unknown>(random, [
    "hunter2",
    'hunter"2"',
    "hunter\\2\\",
    ["hunter2"],
    { v: "hunter2" },
    "hunter,2}",
  ]);
  let value: unknown = { a: 1, [name]: secret, z: [null, "x"] };
  for (let i = 0; i < depth; i++) {
    value = pick(random, [{ "b\n": value }, [true, value], {
      c: value,
      d: "e",
    }]);
  }
  return value;
}
