import assert from "node:assert/strict";
import {
  type CursorScope,
  lifeOf,
  MAX_CURSOR_BYTES,
  mintCursor,
  readCursor,
  readSeqCursor,
  SEQ_CURSOR_SAMPLE,
} from "../../lib/tools/cursor.ts";
import { seededRandom } from "./tool_calls.ts";

const SCOPE: CursorScope = { kind: "read_since", binding: ["S", "B", "1"] };

function refused(scope: CursorScope, cursor: string): void {
  assert.throws(
    () => readCursor(scope, cursor),
    { text: "invalid cursor" },
    JSON.stringify(cursor),
  );
}

Deno.test("readCursor() gives back what was minted [CUR-001]", () => {
  // Guards that a walk goes on exactly where it stopped.
  for (const position of [[0], [2 ** 53 - 1], ["#réte", 7], []]) {
    assert.deepEqual(readCursor(SCOPE, mintCursor(SCOPE, position)), position);
  }
  assert.equal(readSeqCursor(SCOPE, mintCursor(SCOPE, [42])), 42);
});

Deno.test("readCursor() refuses another kind or binding [CUR-003 CUR-004 ERR-009 ERR-010]", () => {
  // Guards that a cursor never means a place in another buffer or tool.
  const cursor = mintCursor(SCOPE, [42]);
  refused({ ...SCOPE, kind: "read_messages" }, cursor);
  refused({ ...SCOPE, binding: ["S", "C", "1"] }, cursor);
  refused({ ...SCOPE, binding: ["T", "B", "1"] }, cursor);
  refused({ ...SCOPE, binding: ["S", "B", "2"] }, cursor);
  refused({ ...SCOPE, binding: ["S", "B"] }, cursor);
  refused({ ...SCOPE, binding: ["SB", "", "1"] }, cursor);
});

Deno.test("readCursor() refuses what was not minted [ERR-008]", () => {
  // Guards that no made-up string is read as a place.
  const cursor = mintCursor(SCOPE, [42]);
  const bad = [
    "",
    " ",
    "42",
    "AQ",
    `${cursor}=`,
    `${cursor} `,
    ` ${cursor}`,
    `${cursor}\n`,
    cursor.slice(1),
    cursor.slice(0, -1),
    cursor + cursor,
    cursor.toUpperCase(),
    btoa(atob(cursor.replaceAll("-", "+").replaceAll("_", "/"))) + "==",
    "x".repeat(MAX_CURSOR_BYTES),
    "x".repeat(MAX_CURSOR_BYTES + 1),
    "x".repeat(60_000),
    "\0",
    "é".repeat(40),
  ];
  for (const text of bad) refused(SCOPE, text);
});

Deno.test("readCursor() refuses every one-character change [ERR-008]", () => {
  // Guards that a damaged cursor is an error and not another place.
  const cursor = mintCursor(SCOPE, [123456]);
  const random = seededRandom(7);
  const alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  for (let at = 0; at < cursor.length; at++) {
    const other = alphabet[random(64)] ?? "A";
    if (other === cursor[at]) continue;
    refused(SCOPE, cursor.slice(0, at) + other + cursor.slice(at + 1));
  }
});

Deno.test("mintCursor() is at most 512 bytes of plain ASCII [CUR-002]", () => {
  // Guards that a cursor survives any client's handling of strings.
  const longest = "x".repeat(360);
  const cursor = mintCursor(SCOPE, [longest]);
  assert.ok(cursor.length <= MAX_CURSOR_BYTES);
  assert.match(cursor, /^[A-Za-z0-9_-]+$/);
  assert.throws(() => mintCursor(SCOPE, ["x".repeat(400)]), RangeError);
  const seq = mintCursor(SCOPE, [Number.MAX_SAFE_INTEGER]);
  assert.ok(seq.length <= SEQ_CURSOR_SAMPLE.length);
});

Deno.test("lifeOf() tells two holders of the same id apart", () => {
  // Guards a buffer closed and opened again: its sequence starts anew.
  const one = {};
  const two = {};
  assert.equal(lifeOf(one), lifeOf(one));
  assert.notEqual(lifeOf(one), lifeOf(two));
});
