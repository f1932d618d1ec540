/**
 * Whether an envelope fits one IRC line: a server cuts what passes its limit,
 * and half an envelope is none.
 *
 * @module
 */

/** Bytes of one line without its ending (RFC 1459). */
export const MAX_LINE_BYTES = 510;

const encoder = new TextEncoder();

/**
 * By how many bytes the PRIVMSG passes the limit as its recipients get it, 0
 * when it fits. `source` is the own `nick!user@host`, which the server puts in
 * front; undefined counts the line as it is sent.
 */
export function excessBytes(message: {
  readonly target: string;
  readonly text: string;
  readonly source?: string | undefined;
}): number {
  const { target, text, source } = message;
  const prefix = source === undefined ? "" : `:${source} `;
  const line = `${prefix}PRIVMSG ${target} :${text}`;
  return Math.max(0, encoder.encode(line).length - MAX_LINE_BYTES);
}
