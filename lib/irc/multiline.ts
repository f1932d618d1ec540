/**
 * Splits one text over the lines of a draft/multiline batch, which a server
 * that negotiated it hands on as one message. Parts are joined without a line
 * break, so that what is put together again is the text to the letter.
 *
 * Follows IRCv3 draft/multiline.
 *
 * @module
 */

import { splitText } from "./text_lines.ts";

/** The capability. */
export const MULTILINE = "draft/multiline";

/** What a server takes in one batch. */
export interface MultilineLimits {
  /** Bytes of the joined text. */
  readonly maxBytes: number;
  /** Lines; Infinity when the server names no limit. */
  readonly maxLines: number;
}

/**
 * Reads the value of the capability, `max-bytes=4096,max-lines=24`. Undefined
 * without `max-bytes`, which the specification makes a server name.
 */
export function readMultilineLimits(
  value: string,
): MultilineLimits | undefined {
  const numbers = new Map<string, number>();
  for (const part of value.split(",")) {
    const [key = "", digits = ""] = part.split("=", 2);
    if (/^[0-9]{1,9}$/.test(digits)) numbers.set(key, Number(digits));
  }
  const maxBytes = numbers.get("max-bytes");
  if (maxBytes === undefined) return undefined;
  return { maxBytes, maxLines: numbers.get("max-lines") ?? Infinity };
}

/** Where the batch goes, and under which name. */
export interface MultilineOptions {
  /** A single word. */
  readonly target: string;
  /** Not the name of another batch that is open. */
  readonly reference: string;
  /** Bytes that a text to `target` may take in one line. */
  readonly roomBytes: number;
  readonly limits: MultilineLimits;
}

/** The lines of the batch, or by how much the text passes a limit. */
export type MultilineLines =
  | { readonly lines: readonly string[] }
  | { readonly lines?: undefined; readonly excessBytes: number };

/** The lines that send `text`, one line and not empty, as one message. */
export function multilineLines(
  text: string,
  { target, reference, roomBytes, limits }: MultilineOptions,
): MultilineLines {
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > limits.maxBytes) return { excessBytes: bytes - limits.maxBytes };
  const parts = splitText(text, roomBytes);
  if (parts.length > limits.maxLines) {
    return { excessBytes: Math.max(1, bytes - limits.maxLines * roomBytes) };
  }
  return {
    lines: [
      `BATCH +${reference} ${MULTILINE} ${target}`,
      ...parts.map((part, at) =>
        `@batch=${reference}${at === 0 ? "" : `;${MULTILINE}-concat`} ` +
        `PRIVMSG ${target} :${part}`
      ),
      `BATCH -${reference}`,
    ],
  };
}
