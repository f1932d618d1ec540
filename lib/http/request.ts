/**
 * Reads HTTP/1.1 framing and nothing more: where a head ends, what its request
 * line and header lines say, how long its body is. It judges no token and no
 * path. Line folding, empty leading lines, a second Content-Length and every
 * control character are refused, not repaired: a gate that repairs can
 * disagree with its client about where a request ends.
 *
 * Grammar: RFC 9110 section 5, RFC 9112 sections 2 to 6. Spec: "The access
 * gate", the first table.
 *
 * @module
 */

/** The contract's limit on a head, its blank line included. */
export const MAX_HEAD_BYTES = 16_384;

/** The contract's limit on a body. */
export const MAX_BODY_BYTES = 65_536;

/** Why a head is refused whoever sent it; the names are refusal classes. */
export type HeadFault = "400" | "411" | "413" | "431";

/** One header line: the name in lower case, the value without its edges. */
export type HeaderField = readonly [name: string, value: string];

/** A head that follows the grammar. Text is Latin-1, a character a byte. */
export interface RequestHead {
  readonly method: string;
  /** The request target as sent, query included. */
  readonly target: string;
  /** The minor version of HTTP/1. */
  readonly minorVersion: number;
  /** In the order sent, repeats included. */
  readonly fields: readonly HeaderField[];
  /** What Content-Length announces; 0 without one. */
  readonly bodyBytes: number;
}

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const DELETE = 0x7f;

/**
 * Looks for the end of the head among the first `length` bytes, of which the
 * first `seen` were looked at before without finding it. Returns the head's
 * length with its blank line; `undefined` while more bytes are needed; or the
 * fault, told as soon as it is certain, since a head of bare LFs never ends.
 */
export function findHeadEnd(
  bytes: Uint8Array,
  length: number,
  seen = 0,
): number | HeadFault | undefined {
  const end = Math.min(length, MAX_HEAD_BYTES);
  // A CR that was last in the bytes seen is judged by the byte after it.
  for (let i = Math.max(0, seen - 1); i < end; i++) {
    const byte = bytes[i] as number;
    if (byte >= SPACE && byte !== DELETE) continue;
    if (byte === CR) {
      if (i + 1 < length && bytes[i + 1] !== LF) return "400";
    } else if (byte === LF) {
      if (i === 0 || bytes[i - 1] !== CR) return "400";
      if (i >= 3 && bytes[i - 2] === LF) return i + 1;
    } else if (byte !== TAB) {
      return "400";
    }
  }
  return length > MAX_HEAD_BYTES ? "431" : undefined;
}

/**
 * Parses a head of `length` bytes that {@link findHeadEnd} found. Where several
 * faults meet, 400 comes before 411, and 411 before 413.
 */
export function parseHead(
  bytes: Uint8Array,
  length: number,
): RequestHead | HeadFault {
  const text = decodeLatin1(bytes, length);
  const lineEnd = text.indexOf("\r\n");
  const line = parseRequestLine(text.slice(0, lineEnd));
  if (line === undefined) return "400";
  const fields = parseFields(text, lineEnd + 2);
  if (fields === undefined) return "400";
  const bodyBytes = bodyLength(line.method, fields);
  if (typeof bodyBytes === "string") return bodyBytes;
  return { ...line, fields, bodyBytes };
}

/** Bytes as a string of as many characters. `length` is bounded by callers. */
function decodeLatin1(bytes: Uint8Array, length: number): string {
  return String.fromCharCode.apply(
    null,
    bytes.subarray(0, length) as unknown as number[],
  );
}

// method SP request-target SP HTTP-version (RFC 9112 section 3). A target is
// visible ASCII here: which of them name something is not grammar.
const REQUEST_LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+) ([!-~]+) HTTP\/1\.(\d)$/;

function parseRequestLine(
  line: string,
): Pick<RequestHead, "method" | "target" | "minorVersion"> | undefined {
  const match = REQUEST_LINE.exec(line);
  if (match === null) return undefined;
  const [, method = "", target = "", minor = ""] = match;
  return { method, target, minorVersion: Number(minor) };
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Header lines from `start` to the blank line; undefined when one is bad. */
function parseFields(text: string, start: number): HeaderField[] | undefined {
  const fields: HeaderField[] = [];
  let at = start;
  while (true) {
    const end = text.indexOf("\r\n", at);
    if (end <= at) return fields;
    const colon = text.indexOf(":", at);
    // No colon, one in a later line, or a space before it: all are refused
    // here, a folded line too, for it begins with a space.
    if (colon < 0 || colon > end) return undefined;
    const name = text.slice(at, colon);
    if (!TOKEN.test(name)) return undefined;
    fields.push([name.toLowerCase(), trimValue(text, colon + 1, end)]);
    at = end + 2;
  }
}

/** Drops spaces and tabs, and no other white space, from a value's edges. */
function trimValue(text: string, start: number, end: number): string {
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

const ALL_DIGITS = /^[0-9]+$/;

/** The body's length by RFC 9112 section 6, without transfer codings. */
function bodyLength(
  method: string,
  fields: readonly HeaderField[],
): number | HeadFault {
  let length: string | undefined;
  let isCoded = false;
  for (const [name, value] of fields) {
    if (name === "transfer-encoding") isCoded = true;
    if (name !== "content-length") continue;
    if (length !== undefined || !ALL_DIGITS.test(value)) return "400";
    length = value;
  }
  if (isCoded) return "411";
  if (length === undefined) return method === "POST" ? "411" : 0;
  // A number of any length compares rightly: past 2^53 it is only inexact.
  const bytes = Number(length);
  return bytes > MAX_BODY_BYTES ? "413" : bytes;
}
