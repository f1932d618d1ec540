/**
 * The length a raw line or log line is stored at. A longer one is cut between
 * characters and says how much is missing, so that one line of a stranger
 * cannot fill a ring. The kept part is held apart from the mark, because
 * whether the cut fell inside a secret is asked of the kept part alone.
 *
 * Spec: "Debug tools", "Raw and log subscriptions" (2,048 bytes).
 *
 * @module
 */

import type { SecretScan } from "./secrets.ts";

/** Bytes of UTF-8 kept of a line (spec). The mark comes on top. */
export const MAX_STORED_BYTES = 2048;

/** A line as a ring stores it. */
export interface StoredLine {
  /** The text to show: what was kept, and the mark when it was cut. */
  readonly text: string;
  /** How many UTF-16 units of `text` were kept; undefined when it is whole. */
  readonly keptUnits: number | undefined;
}

const encoder = new TextEncoder();
// Scratch for encodeInto, which stops between characters.
const scratch = new Uint8Array(MAX_STORED_BYTES);

/** The line as it is stored; `…[+N bytes]` ends it when it was cut. */
export function cutLine(line: string): StoredLine {
  // A UTF-16 unit is three bytes of UTF-8 at most: most lines end here.
  if (line.length * 3 <= MAX_STORED_BYTES) {
    return { text: line, keptUnits: undefined };
  }
  const { read } = encoder.encodeInto(line, scratch);
  if (read === line.length) return { text: line, keptUnits: undefined };
  const dropped = byteLength(line.slice(read));
  return {
    text: `${line.slice(0, read)}…[+${dropped} bytes]`,
    keptUnits: read,
  };
}

/** Whether a stored line holds a secret, or was cut inside one. */
export function holdsSecret(line: StoredLine, secrets: SecretScan): boolean {
  if (secrets.inText(line.text)) return true;
  return line.keptUnits !== undefined &&
    secrets.isCutInside(line.text.slice(0, line.keptUnits));
}

function byteLength(text: string): number {
  return encoder.encode(text).length;
}
