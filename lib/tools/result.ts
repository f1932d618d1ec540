/**
 * The JSON of a tool's answer: compact, keys sorted at every depth, undefined
 * fields left out, lone surrogates replaced, times to the whole second. Values
 * enter; text leaves. Rows that were encoded to be measured are carried as
 * {@link EncodedRows}, so that no row is encoded twice.
 *
 * Spec: "Tool results and tool errors".
 *
 * @module
 */

/** What a tool answers with, before it is text. */
export type Fields = Readonly<Record<string, unknown>>;

/** A list whose entries are JSON text already. */
export class EncodedRows {
  readonly rows: readonly string[];

  constructor(rows: readonly string[]) {
    this.rows = rows;
  }
}

/** `value` as sorted compact JSON. Takes JSON-like values and undefined. */
export function encodeJson(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.toWellFormed());
  if (typeof value !== "object" || value === null) {
    return JSON.stringify(value) ?? "null";
  }
  if (value instanceof EncodedRows) return `[${value.rows.join(",")}]`;
  if (Array.isArray(value)) {
    return `[${value.map((item) => encodeJson(item)).join(",")}]`;
  }
  return encodeObject(value as Fields);
}

function encodeObject(object: Fields): string {
  let text = "{";
  for (const key of Object.keys(object).sort()) {
    const value = object[key];
    if (value === undefined) continue;
    if (text.length > 1) text += ",";
    text += `${encodeJson(key)}:${encodeJson(value)}`;
  }
  return text + "}";
}

/** The length of `text` in UTF-8 bytes; a lone surrogate counts as three. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (isPairAt(text, i)) {
      bytes += 2;
      i++;
    } else bytes += 2;
  }
  return bytes;
}

function isPairAt(text: string, at: number): boolean {
  const high = text.charCodeAt(at);
  if (high < 0xd800 || high > 0xdbff) return false;
  const low = text.charCodeAt(at + 1);
  return low >= 0xdc00 && low <= 0xdfff;
}

// Four-digit years only: outside them ISO-8601 needs a sign that few parse.
const EARLIEST_MS = Date.parse("0000-01-01T00:00:00Z");
const LATEST_MS = Date.parse("9999-12-31T23:59:59Z");

/** A time in Unix milliseconds, cut down to its second: `2026-09-30T12:00:00Z`. */
export function isoTime(ms: number): string {
  const clamped = Math.min(LATEST_MS, Math.max(EARLIEST_MS, ms || 0));
  return new Date(Math.floor(clamped / 1000) * 1000).toISOString()
    .replace(".000Z", "Z");
}
