/**
 * Cursors: opaque strings that say where a walk goes on. A position enters with
 * the tool it belongs to and what it is bound to (session, buffer, query); a
 * string leaves, and only that string, for the same tool and binding, comes
 * back as the position.
 *
 * A cursor is base64url of a version byte, the position as JSON, and a keyed
 * digest over both and over the binding, so that a cursor altered, made up or
 * taken elsewhere is refused rather than read as some other place. The key is
 * new in each process: so are the sequence numbers that cursors point at.
 *
 * Spec: "Cursors".
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { failure } from "./failures.ts";

/** The longest cursor, in bytes (spec). */
export const MAX_CURSOR_BYTES = 512;

/** Each tool's cursors are a kind of their own. */
export type CursorKind =
  | "list_buffers"
  | "list_members"
  | "read_messages"
  | "read_since"
  | "search_messages"
  | "find_user"
  | "raw_since"
  | "search_raw"
  | "read_log";

/** What a cursor is valid for. */
export interface CursorScope {
  readonly kind: CursorKind;
  /** Session and buffer ids, digests of queries: compared exactly. */
  readonly binding: readonly string[];
}

/** A position: a few numbers and short strings, meant for its tool alone. */
export type Position = readonly (string | number)[];

/** The longest cursor that is one sequence number, for a result's envelope. */
export const SEQ_CURSOR_SAMPLE = "x".repeat(48);

const VERSION = 1;
// 128 bits: nobody meets it by trying, and a cursor stays short.
const TAG_BYTES = 16;
const CURSOR_SHAPE = /^[A-Za-z0-9_-]+$/;

const key = randomBytes(32);

/** A cursor for `position`. Throws RangeError when it would be too long. */
export function mintCursor(scope: CursorScope, position: Position): string {
  const body = Buffer.concat([
    Buffer.from([VERSION]),
    Buffer.from(JSON.stringify(position)),
  ]);
  const cursor = Buffer.concat([body, tagOf(scope, body)]).toString(
    "base64url",
  );
  if (cursor.length > MAX_CURSOR_BYTES) {
    throw new RangeError(
      `Cannot mint a ${scope.kind} cursor: ${cursor.length} bytes`,
    );
  }
  return cursor;
}

/** The position of a cursor of `scope`. Throws `invalid cursor`. */
export function readCursor(scope: CursorScope, cursor: string): Position {
  if (cursor.length > MAX_CURSOR_BYTES || !CURSOR_SHAPE.test(cursor)) {
    throw failure("invalidCursor");
  }
  const bytes = Buffer.from(cursor, "base64url");
  const body = bytes.subarray(0, -TAG_BYTES);
  // The last character may carry bits that decoding drops: one spelling only.
  if (
    bytes.length <= TAG_BYTES || bytes.toString("base64url") !== cursor ||
    !timingSafeEqual(bytes.subarray(-TAG_BYTES), tagOf(scope, body))
  ) {
    throw failure("invalidCursor");
  }
  return JSON.parse(body.subarray(1).toString()) as Position;
}

/** Like {@link readCursor} for a cursor that is one sequence number. */
export function readSeqCursor(scope: CursorScope, cursor: string): number {
  return Number(readCursor(scope, cursor)[0]);
}

function tagOf(scope: CursorScope, body: Uint8Array): Uint8Array {
  return createHmac("sha256", key)
    .update(JSON.stringify([scope.kind, ...scope.binding]))
    .update("\0")
    .update(body)
    .digest()
    .subarray(0, TAG_BYTES);
}

// A buffer closed and opened again keeps its id and starts its sequence anew:
// a cursor from before would name rows that are not the ones it meant.
const lives = new WeakMap<object, number>();
let lastLife = 0;

/** Tells two lives of what bears the same id apart, by the object that holds it. */
export function lifeOf(holder: object): string {
  let life = lives.get(holder);
  if (life === undefined) {
    life = ++lastLife;
    lives.set(holder, life);
  }
  return String(life);
}
