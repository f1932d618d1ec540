/**
 * Whether an envelope fits one IRC line: a server cuts what passes its limit,
 * and half an envelope is none. Where an envelope carries a text of any length,
 * that text can be cut so that the whole fits.
 *
 * @module
 */

import { type Envelope, serialiseEnvelope } from "./envelope.ts";

/** Bytes of one line without its ending (RFC 1459). */
export const MAX_LINE_BYTES = 510;

/** What stands at the end of a text that was cut. */
const CUT_MARK = "…";

const encoder = new TextEncoder();

/** Where a text is to go. */
export interface LineTarget {
  readonly target: string;
  /**
   * Bytes of `:nick!user@host `, which the server puts in front; 0, when
   * absent, counts the line as it is sent.
   */
  readonly sourceBytes?: number;
}

/** The bytes that a text to `target` may take; none left is 0 or less. */
export function roomBytes({ target, sourceBytes = 0 }: LineTarget): number {
  const head = `PRIVMSG ${target} :`;
  return MAX_LINE_BYTES - sourceBytes - encoder.encode(head).length;
}

/**
 * By how many bytes the PRIVMSG passes the limit as its recipients get it, 0
 * when it fits.
 */
export function excessBytes(
  { text, ...to }: LineTarget & { readonly text: string },
): number {
  return Math.max(0, encoder.encode(text).length - roomBytes(to));
}

/**
 * The envelope with the text `field` of its payload cut, at its end and between
 * characters, as far as its serialised form needs to take at most `maxBytes`.
 * Undefined when it does not fit without that text either.
 */
export function cutToFit(
  envelope: Envelope,
  { field, maxBytes }: { readonly field: string; readonly maxBytes: number },
): Envelope | undefined {
  if (sizeOf(envelope) <= maxBytes) return envelope;
  const text = envelope.payload?.[field];
  if (typeof text !== "string") return undefined;
  const withText = (cut: string): Envelope => ({
    ...envelope,
    payload: { ...envelope.payload, [field]: cut },
  });
  let room = maxBytes - sizeOf(withText(CUT_MARK));
  if (room < 0) return undefined;
  let end = 0;
  for (const character of text) {
    // In JSON a quote or a line break takes more than its own bytes.
    room -= encoder.encode(JSON.stringify(character)).length - 2;
    if (room < 0) break;
    end += character.length;
  }
  return withText(text.slice(0, end) + CUT_MARK);
}

function sizeOf(envelope: Envelope): number {
  return encoder.encode(serialiseEnvelope(envelope)).length;
}
