import assert from "node:assert/strict";
import { checkArguments } from "../../lib/tools/arguments.ts";
import { type Parameters, schemaOf } from "../../lib/tools/parameters.ts";

const PARAMETERS = {
  buffer: { type: "string", required: true, description: "b" },
  around: { type: "string", description: "a" },
  mode: { type: "string", default: "substring", description: "m" },
  limit: { type: "integer", default: 50, min: 1, max: 500, description: "l" },
  peek: { type: "boolean", default: false, description: "p" },
  kinds: { type: "strings", description: "k" },
  log: {
    type: "object",
    debugOnly: true,
    description: "o",
    properties: {
      min_level: { type: "string", description: "v" },
      categories: { type: "strings", description: "c" },
    },
  },
} as const satisfies Parameters;

const ON = { debug: true };
const OFF = { debug: false };

function check(sent: Record<string, unknown>, options = ON) {
  return checkArguments(PARAMETERS, sent, options);
}

function refused(sent: Record<string, unknown>, text: string, options = ON) {
  assert.throws(() => check(sent, options), { text }, JSON.stringify(sent));
}

Deno.test("checkArguments() fills in defaults, and null counts as absent [ARG-004]", () => {
  // Guards that a client may send null for what it leaves open.
  const expected = {
    buffer: "B",
    around: undefined,
    mode: "substring",
    limit: 50,
    peek: false,
    kinds: undefined,
    log: undefined,
  };
  assert.deepEqual(check({ buffer: "B" }), expected);
  assert.deepEqual(
    check({
      buffer: "B",
      around: null,
      mode: null,
      limit: null,
      peek: null,
      kinds: null,
      log: null,
    }),
    expected,
  );
});

Deno.test("checkArguments() hands strings on exactly as sent [ARG-003]", () => {
  // Guards that no string is trimmed, decoded or taken for something else.
  for (
    const text of [
      "",
      " x ",
      "null",
      '["null"]',
      "data:text/plain;base64,aGk=",
      "\u0000\u202e",
      "50",
    ]
  ) {
    assert.equal(check({ buffer: text }).buffer, text);
  }
});

Deno.test("checkArguments() clamps integers and saturates beyond 64 bits [ARG-005 ARG-007 ARG-008]", () => {
  // Guards that a number out of range is never an error.
  const cases: [string, number][] = [
    ["50", 50],
    ["50.0", 50],
    ["1e2", 100],
    ["0", 1],
    ["-0", 1],
    ["-7", 1],
    ["501", 500],
    ["1e3", 500],
    ["9223372036854775807", 500],
    ["9223372036854775808", 500],
    ["-9223372036854775809", 1],
    ["1e30", 500],
    ["-1e30", 1],
    ["1e999", 500],
    ["-1e999", 1],
  ];
  for (const [json, expected] of cases) {
    const sent = JSON.parse(`{"buffer":"B","limit":${json}}`);
    assert.equal(check(sent).limit, expected, json);
  }
});

Deno.test("checkArguments() names an argument of the wrong type [ERR-029 ERR-030 ERR-031 ERR-032 ARG-006]", () => {
  // Guards the words by which a model mends its call.
  const cases: [string, unknown[], string][] = [
    ["buffer", [1, true, [], {}, ["null"]], "a string"],
    ["around", [0, false, ["x"]], "a string"],
    ["limit", ["50", "", 0.5, 50.25, -1e-9, true, [], {}], "an integer"],
    ["peek", ["true", 0, 1, [], {}], "a boolean"],
    ["kinds", ["join", 1, {}, [1], ["join", null]], "an array of strings"],
    ["log", ["x", 1, true, []], "an object"],
  ];
  for (const [name, values, expected] of cases) {
    for (const value of values) {
      refused(
        { buffer: "B", [name]: value },
        `invalid arguments: ${name} must be ${expected}`,
      );
    }
  }
});

Deno.test("checkArguments() names a required argument that is absent or null [ERR-028]", () => {
  // Guards that null is no way round a required argument.
  refused({}, "invalid arguments: missing buffer");
  refused({ buffer: null }, "invalid arguments: missing buffer");
});

Deno.test("checkArguments() refuses an unknown argument whatever its value [ERR-033]", () => {
  // Guards that a misspelt argument is never ignored.
  for (const value of [1, null, "x", {}, []]) {
    refused(
      { buffer: "B", Limit: value },
      'invalid arguments: unknown argument "Limit"',
    );
  }
  for (const name of ["__proto__", "constructor", "toString"]) {
    const sent = JSON.parse(`{"buffer":"B","${name}":1}`);
    refused(sent, `invalid arguments: unknown argument "${name}"`);
  }
});

Deno.test("checkArguments() cuts an unknown name to 64 bytes and escapes it [ERR-034]", () => {
  // Guards that a name cannot grow or break the error text.
  const cases: [string, string][] = [
    ["x".repeat(64), "x".repeat(64)],
    ["x".repeat(65), "x".repeat(64)],
    ["x".repeat(63) + "é", "x".repeat(63)],
    ["é".repeat(40), "é".repeat(32)],
    ["x".repeat(61) + "😀", "x".repeat(61)],
    ['a"b\\c\nd', 'a\\"b\\\\c\\nd'],
    ["a\ud800", "a\ufffd"],
    ["", ""],
  ];
  for (const [name, shown] of cases) {
    refused(
      { buffer: "B", [name]: 1 },
      `invalid arguments: unknown argument "${shown}"`,
    );
  }
});

Deno.test("checkArguments() checks in a fixed order", () => {
  // Guards that one wrong call always gets one answer: what debug hides, what
  // is unknown as sent, then the table's order.
  refused({ nope: 1, log: null }, "debug tools are disabled", OFF);
  refused({ z: 1, a: 1 }, 'invalid arguments: unknown argument "z"');
  refused({ limit: "x" }, "invalid arguments: missing buffer");
  refused(
    { peek: 1, buffer: "B", limit: "x" },
    "invalid arguments: limit must be an integer",
  );
});

Deno.test("checkArguments() checks inside an object under its name", () => {
  // Guards the closed objects that live updates take.
  refused(
    { buffer: "B", log: { nope: null } },
    'invalid arguments: unknown argument "log.nope"',
  );
  refused(
    { buffer: "B", log: { categories: "app" } },
    "invalid arguments: log.categories must be an array of strings",
  );
  assert.deepEqual(check({ buffer: "B", log: { min_level: null } }).log, {
    min_level: undefined,
    categories: undefined,
  });
});

Deno.test("schemaOf() is closed, with defaults and no maximums [ARG-010 ARG-012 ARG-017]", () => {
  // Guards what a client may build its calls from.
  const string = (description: string) => ({ type: "string", description });
  const strings = (description: string) => ({
    type: "array",
    items: { type: "string" },
    description,
  });
  const common = {
    buffer: string("b"),
    around: string("a"),
    mode: { ...string("m"), default: "substring" },
    limit: { type: "integer", description: "l", default: 50 },
    peek: { type: "boolean", description: "p", default: false },
    kinds: strings("k"),
  };
  assert.deepEqual(schemaOf(PARAMETERS, OFF), {
    type: "object",
    properties: common,
    required: ["buffer"],
    additionalProperties: false,
  });
  assert.deepEqual(schemaOf(PARAMETERS, ON).properties.log, {
    type: "object",
    properties: { min_level: string("v"), categories: strings("c") },
    additionalProperties: false,
    description: "o",
  });
});

Deno.test("schemaOf() of no parameters has empty properties", () => {
  // Guards clients that refuse a schema without properties.
  assert.deepEqual(schemaOf({}, OFF), {
    type: "object",
    properties: {},
    additionalProperties: false,
  });
});
