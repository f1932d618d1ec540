/**
 * The program's own newest log lines, of the whole process. Lines enter with
 * the secret-named fields of their JSON masked, and are stored cut.
 *
 * Spec: "Raw and log subscriptions", "Redaction" (Rete's own log lines).
 *
 * @module
 */

import type { LogCategory, LogLevel, LogLine } from "../log.ts";
import { cutLine, type StoredLine } from "../redact/cut_line.ts";
import { maskJson } from "../redact/json_masks.ts";
import { SeqRing, type SeqRingView } from "./seq_ring.ts";

/** Lines held for the process (spec). */
export const MAX_LOG_LINES = 2_000;

/** A line of the ring. `text` ends with a mark when it was cut. */
export interface KeptLogLine extends StoredLine {
  readonly seq: number;
  /** Unix milliseconds. */
  readonly time: number;
  readonly level: LogLevel;
  readonly category: LogCategory;
}

/** What readers may ask of the ring. */
export type LogRingView = SeqRingView<KeptLogLine>;

/** See the module doc. */
export class LogRing extends SeqRing<KeptLogLine> {
  constructor() {
    super(MAX_LOG_LINES);
  }

  addLine(line: LogLine): void {
    const { time, level, category } = line;
    const { text, keptUnits } = cutLine(maskJson(line.text));
    this.add((seq) => ({ seq, time, level, category, text, keptUnits }));
  }
}
