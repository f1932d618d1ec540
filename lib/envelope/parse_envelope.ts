/**
 * Reads an envelope from the text of a message: text enters, and an envelope
 * or the reason why it is none leaves. Total: no text throws, and the cost is
 * linear in its length. Fields beyond the envelope's own are left out.
 *
 * Spec: message types, "Envelope".
 *
 * @module
 */

import {
  type Envelope,
  ENVELOPE_VERSION,
  type JsonObject,
} from "./envelope.ts";

/** What is wrong with a text that is no envelope. */
export type EnvelopeFault =
  | "not-json"
  | "not-an-object"
  | "version"
  | "type"
  | "id"
  | "from"
  | "to"
  | "ts"
  | "payload"
  | "too-deep";

/** The outcome of parsing. */
export type ParsedEnvelope =
  | { readonly envelope: Envelope; readonly fault?: undefined }
  | { readonly envelope?: undefined; readonly fault: EnvelopeFault };

/** Each fault in words for a person. */
export const FAULT_TEXTS: Readonly<Record<EnvelopeFault, string>> = {
  "not-json": "not JSON",
  "not-an-object": "not a JSON object",
  "version": "v is not 1",
  "type": "type is not a non-empty string",
  "id": "id is not a ULID",
  "from": "from is not a nick",
  "to": "to is not an array of non-empty strings",
  "ts": "ts is not an integer of milliseconds",
  "payload": "payload is not a JSON object",
  "too-deep": "nested more than 32 levels deep",
};

/** Nesting beyond this would cost stack wherever the envelope is shown. */
const MAX_DEPTH = 32;

// 26 characters of Crockford's base 32; the first holds the top 3 of 128 bits.
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

const NICK = /^[^\s,:@!][^\s,@!]*$/u;

/** Whether `text` could be an envelope at all: a test of one character. */
export function looksLikeEnvelope(text: string): boolean {
  return text.charCodeAt(0) === 0x7b;
}

/** See the module doc. */
export function parseEnvelope(text: string): ParsedEnvelope {
  if (isTooDeep(text)) return { fault: "too-deep" };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { fault: "not-json" };
  }
  return isObject(value) ? readFields(value) : { fault: "not-an-object" };
}

function readFields(value: JsonObject): ParsedEnvelope {
  const { v, type, id, from, to = [], ts, payload = {} } = value;
  if (v !== ENVELOPE_VERSION) return { fault: "version" };
  if (typeof type !== "string" || type === "") return { fault: "type" };
  if (typeof id !== "string" || !ULID.test(id)) return { fault: "id" };
  if (typeof from !== "string" || !NICK.test(from)) return { fault: "from" };
  if (!isRecipients(to)) return { fault: "to" };
  if (!Number.isSafeInteger(ts)) return { fault: "ts" };
  if (!isObject(payload)) return { fault: "payload" };
  const envelope: Envelope = {
    v: ENVELOPE_VERSION,
    type,
    id,
    from,
    ...(to.length > 0 && { to }),
    ts: ts as number,
    ...(Object.keys(payload).length > 0 && { payload }),
  };
  return { envelope };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isRecipients(value: unknown): value is string[] {
  return Array.isArray(value) &&
    value.every((token) => typeof token === "string" && token !== "");
}

function isTooDeep(text: string): boolean {
  let depth = 0;
  let isInString = false;
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    if (isInString) {
      if (character === "\\") i++;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === "{" || character === "[") {
      if (++depth > MAX_DEPTH) return true;
    } else if (character === "}" || character === "]") depth--;
  }
  return false;
}
