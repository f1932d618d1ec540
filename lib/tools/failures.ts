/**
 * Every sentence an agent reads when a tool call fails, verbatim and once. A
 * tool throws a {@link ToolFailure} made here; the dispatcher turns it into a
 * tool result marked as error. Protocol misuse and HTTP refusals have their own
 * tables and never meet this one.
 *
 * Spec: "Tool results and tool errors", "Sending".
 *
 * @module
 */

/** The names that a detail quotes are cut to this many UTF-8 bytes (spec). */
export const QUOTED_NAME_BYTES = 64;

/** A call that failed in a way the contract has words for. */
export class ToolFailure extends Error {
  readonly kind = "tool-failure";
  /** The one text item of the answer. */
  readonly text: string;

  constructor(text: string) {
    super(text);
    this.name = "ToolFailure";
    this.text = text;
  }
}

/** A call whose request went away: nobody reads an answer to it. */
export class CallCancelled extends Error {
  readonly kind = "call-cancelled";

  constructor() {
    super("The request was cancelled");
    this.name = "CallCancelled";
  }
}

/** The failures with nothing to fill in. */
export const FAILURES = {
  unknownTool: "unknown tool",
  debugDisabled: "debug tools are disabled",
  sendingDisabled: "sending is disabled",
  unknownSession: "unknown session",
  unknownBuffer: "unknown buffer",
  invalidCursor: "invalid cursor",
  patternTooLong: "regex rejected: pattern too long",
  patternInvalid: "regex rejected: invalid pattern",
  searchStopped: "search stopped: time budget exceeded",
  secretDetected: "withheld: secret detected",
  invalidDirection: 'invalid direction: expected "in" or "out"',
  unknownSubscription: "unknown subscription",
  tooManySubscriptions:
    "too many subscriptions: unsubscribe one first (limit 16)",
  tooManyWaits:
    "too many waiting calls: at most 2 wait_for_updates may run at once",
  notConnected: "session not connected",
  notSent:
    "line not sent: a script blocked it or the connection could not take it",
  tooManySendsAMinute: "too many sends: at most 30 per minute on a session",
  tooManySendsAtOnce: "too many sends: at most 5 at once",
  internal: "internal error",
} as const;

/** The details of `invalid arguments` with nothing to fill in. */
export const DETAILS = {
  nickOrMask: "give nick or mask",
  badMatch: "match must be substring, glob or regex",
  badSince: "since is not an ISO-8601 time",
  badUntil: "until is not an ISO-8601 time",
  noFilter: "a subscription needs at least one filter",
  matchTooLong: "match is longer than 256 bytes",
  badMatchMode: "match_mode must be substring or glob",
  badDetail: "detail must be digest or full",
  lineEmpty: "line is empty",
  lineBroken: "line contains a line break or NUL",
  lineTooLong: "line is longer than 510 bytes",
  tagsTooLong: "message tags are longer than 4094 bytes",
  tagsAlone: "message tags are not followed by a message",
  tagsNotNegotiated: "message tags need the message-tags capability",
} as const;

/** A failure of {@link FAILURES}. */
export function failure(which: keyof typeof FAILURES): ToolFailure {
  return new ToolFailure(FAILURES[which]);
}

/** An `invalid arguments` failure of {@link DETAILS}. */
export function badArguments(which: keyof typeof DETAILS): ToolFailure {
  return invalidArguments(DETAILS[which]);
}

/** A required argument is absent or null. */
export function missingArgument(name: string): ToolFailure {
  return invalidArguments(`missing ${name}`);
}

/** What an argument was expected to be, in the contract's words. */
export type ExpectedType =
  | "a string"
  | "an integer"
  | "a boolean"
  | "an array of strings"
  | "an object";

/** An argument of the wrong JSON type. */
export function wrongType(name: string, expected: ExpectedType): ToolFailure {
  return invalidArguments(`${name} must be ${expected}`);
}

/** An argument the tool does not take; `inside` is the object it stood in. */
export function unknownArgument(name: string, inside?: string): ToolFailure {
  const path = inside === undefined ? name : `${inside}.${name}`;
  return invalidArguments(`unknown argument ${quoted(path)}`);
}

/** A `kinds` entry that is not a message kind. */
export function unknownKind(kind: string): ToolFailure {
  return invalidArguments(`unknown kind: ${quoted(kind)}`);
}

/** A level that is not one of the log's. */
export function unknownLevel(level: string): ToolFailure {
  return invalidArguments(`unknown level: ${quoted(level)}`);
}

/** A category that is not one of the log's. */
export function unknownCategory(category: string): ToolFailure {
  return invalidArguments(`unknown category: ${quoted(category)}`);
}

/** A section name that `engine_state` does not know. */
export function unknownSection(name: string): ToolFailure {
  return new ToolFailure(`unknown section: ${quoted(name)}`);
}

/** A list filter with more entries than one may have. */
export function tooManyEntries(name: string): ToolFailure {
  return invalidArguments(`${name} has more than 50 entries`);
}

/** A list filter's entry over its cap in UTF-8 bytes. */
export function entryTooLong(name: string, bytes: 32 | 64): ToolFailure {
  return invalidArguments(`${name} entry is longer than ${bytes} bytes`);
}

function invalidArguments(detail: string): ToolFailure {
  return new ToolFailure(`invalid arguments: ${detail}`);
}

/** `name` cut to 64 UTF-8 bytes, between characters, as a JSON string. */
function quoted(name: string): string {
  const encoder = new TextEncoder();
  const bytes = new Uint8Array(QUOTED_NAME_BYTES);
  const wellFormed = name.toWellFormed();
  const { read } = encoder.encodeInto(wellFormed, bytes);
  return JSON.stringify(wellFormed.slice(0, read));
}
