/**
 * Masking by key name: the value of every secret-named key in any part of a
 * log line that is JSON, at any depth, becomes a mask. What only looks like
 * JSON, because it was cut or is inside a string, is masked by pattern; a line
 * in which a secret's name then still has no value to mask is not kept at all.
 *
 * Free text is left alone: a secret in it cannot be told from a word.
 *
 * Spec: "Redaction" ("ReteCloud frames", "Rete's own log lines").
 *
 * @module
 */

import { MASK } from "./masks.ts";

/** What is kept of a line whose secret could not be masked. */
export const UNMASKABLE_NOTE =
  "(a line that named a secret field was not kept)";

/**
 * Text longer than this is masked by pattern alone: the parsing of nested
 * parts that fail takes a time that grows faster than the text.
 */
export const MAX_PARSED_UNITS = 16_384;

// Nested deeper, a part is not followed: it is left to the pattern.
const MAX_DEPTH = 64;
// Places in a line at which JSON is tried.
const MAX_ATTEMPTS = 32;

const SECRET_WORDS = [
  "password",
  "secret",
  "token",
  "private",
  "credential",
  "cookie",
  "pass",
  "auth",
];

/** Whether a key of this name holds a secret (spec), in any case. */
export function isSecretName(name: string): boolean {
  const lower = name.toLowerCase();
  return lower.endsWith("_key") ||
    SECRET_WORDS.some((word) => lower.includes(word));
}

/** The log line as it may be kept; the same string when nothing is named. */
export function maskJson(line: string): string {
  if (!line.includes('"') && !line.includes("'")) return line;
  const parsed = line.length <= MAX_PARSED_UNITS ? maskParts(line) : line;
  return maskPairs(parsed) ?? UNMASKABLE_NOTE;
}

// Masks each part of `text` that parses as a JSON object or array.
function maskParts(text: string): string {
  let masked = "";
  let done = 0;
  let attempts = 0;
  for (let at = 0; at < text.length && attempts < MAX_ATTEMPTS; at++) {
    if (text[at] !== "{" && text[at] !== "[") continue;
    attempts++;
    const end = partEnd(text, at);
    if (end === undefined) continue;
    const part = text.slice(at, end);
    const changed = maskDocument(part, 0);
    if (changed === undefined) continue;
    masked += text.slice(done, at) + changed;
    done = end;
    at = end - 1;
  }
  return masked + text.slice(done);
}

// The part masked, itself when nothing in it is secret, or undefined when it
// is not JSON.
function maskDocument(part: string, depth: number): string | undefined {
  let document: unknown;
  try {
    document = JSON.parse(part);
  } catch {
    return undefined;
  }
  const state = { changed: false };
  const masked = maskValue(document, state, depth);
  return state.changed ? JSON.stringify(masked) : part;
}

function maskValue(
  value: unknown,
  state: { changed: boolean },
  depth: number,
): unknown {
  if (depth > MAX_DEPTH) {
    state.changed = true;
    return MASK;
  }
  if (typeof value === "string") return maskString(value, state, depth);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    return value.map((item) => maskValue(item, state, depth + 1));
  }
  const namesSecret = isSecretEntry(value);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (isSecretName(key) || (namesSecret && key === "value")) {
        state.changed = true;
        return [key, MASK];
      }
      return [key, maskValue(item, state, depth + 1)];
    }),
  );
}

// An entry of a `config_update`, which names the field beside its value.
function isSecretEntry(value: object): boolean {
  for (const naming of ["key", "member"]) {
    const name: unknown = Object.getOwnPropertyDescriptor(value, naming)?.value;
    if (typeof name === "string" && isSecretName(name)) return true;
  }
  return false;
}

// JSON carried in a string of JSON.
function maskString(
  value: string,
  state: { changed: boolean },
  depth: number,
): string {
  if (!/^\s*[{[]/.test(value)) return value;
  const masked = maskDocument(value.trim(), depth + 1);
  if (masked === undefined || masked === value.trim()) return value;
  state.changed = true;
  return masked;
}

// Where the part that opens at `from` closes, its strings skipped.
function partEnd(text: string, from: number): number | undefined {
  let open = 0;
  for (let at = from; at < text.length; at++) {
    switch (text[at]) {
      case '"': {
        const end = stringEnd(text, at, '"');
        if (end === undefined) return undefined;
        at = end - 1;
        break;
      }
      case "{":
      case "[":
        open++;
        break;
      case "}":
      case "]":
        if (--open === 0) return at + 1;
    }
  }
  return undefined;
}

// The place after the string whose opening quote, escaped or not, is `quote`
// and stands at `from`. In JSON inside a string, a quote of the inner document
// is written with one backslash, and one escaped there with three.
function stringEnd(
  text: string,
  from: number,
  quote: string,
): number | undefined {
  const escapes = quote.length - 1;
  const mark = quote.slice(-1);
  let run = 0;
  for (let at = from + quote.length; at < text.length; at++) {
    if (text[at] === "\\") {
      run++;
      continue;
    }
    if (text[at] === mark && run % (2 * (escapes + 1)) === escapes) {
      return at + 1;
    }
    run = 0;
  }
  return undefined;
}

// A quoted name and its colon; the quote may itself be escaped.
const NAMED = /(\\{0,7}["'])((?:[^"'\\]|\\u[0-9a-fA-F]{4}){1,256}?)\1\s*:\s*/g;
// A value that is neither quoted nor opens a part: a number or a word.
const BARE_VALUE = /[^\s,}\]"'{[\\]+/y;

// Masks the value after each secret's quoted name, in text that is not JSON.
// Undefined when a name has no value that can be told from what follows.
function maskPairs(text: string): string | undefined {
  let masked = "";
  let done = 0;
  NAMED.lastIndex = 0;
  for (
    let found = NAMED.exec(text);
    found !== null;
    found = NAMED.exec(text)
  ) {
    const [whole, quote = '"', name = ""] = found;
    if (!isSecretName(unescapeName(name))) continue;
    const start = found.index + whole.length;
    const end = valueEnd(text, start, quote);
    if (end === undefined) return undefined;
    masked += text.slice(done, start) + quote + MASK + quote;
    done = end;
    NAMED.lastIndex = end;
  }
  return masked + text.slice(done);
}

function valueEnd(
  text: string,
  start: number,
  quote: string,
): number | undefined {
  if (text.startsWith(quote, start)) return stringEnd(text, start, quote);
  if (text[start] === "{" || text[start] === "[") return partEnd(text, start);
  BARE_VALUE.lastIndex = start;
  const bare = BARE_VALUE.exec(text);
  // A word at the very end may be what is left of a longer one.
  return bare === null || BARE_VALUE.lastIndex === text.length
    ? undefined
    : BARE_VALUE.lastIndex;
}

function unescapeName(name: string): string {
  return name.replace(
    /\\u([0-9a-fA-F]{4})/g,
    (_, code) => String.fromCharCode(parseInt(code, 16)),
  );
}
