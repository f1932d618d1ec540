import assert from "node:assert/strict";
import {
  badArguments,
  DETAILS,
  entryTooLong,
  failure,
  FAILURES,
  missingArgument,
  tooManyEntries,
  unknownArgument,
  unknownCategory,
  unknownKind,
  unknownLevel,
  unknownSection,
  wrongType,
} from "../../lib/tools/failures.ts";

/** The contract's table of errors, row by row, where nothing is filled in. */
const CONTRACT = [
  "unknown tool",
  "debug tools are disabled",
  "sending is disabled",
  "unknown session",
  "unknown buffer",
  "invalid cursor",
  "regex rejected: pattern too long",
  "regex rejected: invalid pattern",
  "search stopped: time budget exceeded",
  "withheld: secret detected",
  'invalid direction: expected "in" or "out"',
  "unknown subscription",
  "too many subscriptions: unsubscribe one first (limit 16)",
  "too many waiting calls: at most 2 wait_for_updates may run at once",
  "session not connected",
  "line not sent: a script blocked it or the connection could not take it",
  "too many sends: at most 30 per minute on a session",
  "too many sends: at most 5 at once",
  "internal error",
];

/** Its details of `invalid arguments`. */
const CONTRACT_DETAILS = [
  "give nick or mask",
  "match must be substring, glob or regex",
  "since is not an ISO-8601 time",
  "until is not an ISO-8601 time",
  "a subscription needs at least one filter",
  "match is longer than 256 bytes",
  "match_mode must be substring or glob",
  "detail must be digest or full",
  "line is empty",
  "line contains a line break or NUL",
  "line is longer than 510 bytes",
  "message tags are longer than 4094 bytes",
  "message tags are not followed by a message",
  "message tags need the message-tags capability",
];

Deno.test("the failure table is the contract's, word for word [ERR-027]", () => {
  // Guards that no failure reads otherwise than what was published.
  assert.deepEqual(Object.values(FAILURES), CONTRACT);
  assert.deepEqual(Object.values(DETAILS), CONTRACT_DETAILS);
  assert.equal(failure("unknownTool").text, "unknown tool");
  assert.equal(
    badArguments("lineEmpty").text,
    "invalid arguments: line is empty",
  );
});

Deno.test("failures with a name in them read as the contract has it [ERR-027 ERR-034]", () => {
  // Guards the sentences that are filled in.
  const cases: [{ text: string }, string][] = [
    [missingArgument("nick"), "invalid arguments: missing nick"],
    [
      wrongType("log.categories", "an array of strings"),
      "invalid arguments: log.categories must be an array of strings",
    ],
    [wrongType("raw", "an object"), "invalid arguments: raw must be an object"],
    [
      unknownArgument("x", "raw"),
      'invalid arguments: unknown argument "raw.x"',
    ],
    [unknownKind('a"b'), 'invalid arguments: unknown kind: "a\\"b"'],
    [unknownLevel("loud"), 'invalid arguments: unknown level: "loud"'],
    [unknownCategory(""), 'invalid arguments: unknown category: ""'],
    [unknownSection("\n"), 'unknown section: "\\n"'],
    [
      unknownSection("é".repeat(33)),
      `unknown section: "${"é".repeat(32)}"`,
    ],
    [
      tooManyEntries("raw.sessions"),
      "invalid arguments: raw.sessions has more than 50 entries",
    ],
    [
      entryTooLong("commands", 32),
      "invalid arguments: commands entry is longer than 32 bytes",
    ],
  ];
  for (const [made, text] of cases) assert.equal(made.text, text);
});
