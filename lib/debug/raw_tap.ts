/**
 * One session's raw lines, both directions, as the debug tools return them.
 * Lines enter masked at the source and are stored cut; a line leaves only past
 * {@link isWithheld}, the screen that every reader of the tap asks.
 *
 * Spec: "Debug tools", "Redaction" (on the way out, the raw-line tripwire).
 *
 * @module
 */

import { cutLine, holdsSecret, type StoredLine } from "../redact/cut_line.ts";
import type { SecretScan } from "../redact/secrets.ts";
import { hasCredentialShape } from "../redact/tripwire.ts";
import { SeqRing, type SeqRingView } from "./seq_ring.ts";

/** Lines held for a session (spec). */
export const MAX_RAW_LINES = 5_000;

export type RawDirection = "in" | "out";

/** A line of the tap. `text` ends with a mark when it was cut. */
export interface RawLine extends StoredLine {
  readonly seq: number;
  /** When it was received or written, Unix milliseconds. */
  readonly time: number;
  readonly dir: RawDirection;
}

/** What readers may ask of a tap. */
export type RawTapView = SeqRingView<RawLine>;

/** See the module doc. One for as long as its session runs. */
export class RawTap extends SeqRing<RawLine> {
  constructor() {
    super(MAX_RAW_LINES);
  }

  /** Stores a line that was masked at the source. */
  addLine(dir: RawDirection, line: string, time: number): void {
    const { text, keptUnits } = cutLine(line);
    this.add((seq) => ({ seq, time, dir, text, keptUnits }));
  }
}

/** Whether a line must not leave; `secrets` are its session's. */
export function isWithheld(line: RawLine, secrets: SecretScan): boolean {
  return holdsSecret(line, secrets) || hasCredentialShape(line.text);
}
