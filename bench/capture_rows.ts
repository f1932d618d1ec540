/**
 * What the debug capture costs: how fast lines become rows while every raw line
 * is masked and kept, against the same with capture off; and that against an
 * engine that feeds no capture.
 *
 * @module
 */

import { denoArgs, runForJson } from "./child.ts";
import type { CaptureFigures } from "./capture_side.ts";
import { withFeeder } from "./ingest_rows.ts";
import type { BenchRow, Note } from "./row.ts";

const ROUNDS = 48;
const LINES = 10_000;

/** Both ratios come from one run; the second row asks for it again. */
let figures: Promise<CaptureFigures> | undefined;

function measure(note: Note): Promise<CaptureFigures> {
  return figures ??= withFeeder(async (port) => {
    const measured = await runForJson<CaptureFigures>(
      Deno.execPath(),
      denoArgs("capture_side.ts", port, String(ROUNDS), String(LINES)),
    );
    const { none, off, on } = measured.linesPerSecond;
    note(
      `none ${none.toFixed(0)}, off ${off.toFixed(0)}, on ${on.toFixed(0)} ` +
        `lines/s (${LINES} lines, median of ${ROUNDS} rounds)`,
    );
    return measured;
  });
}

export const captureOnVsOff: BenchRow = {
  name: "capture_on_vs_off",
  target: { op: ">=", number: 0.9 },
  measure: async (note) => (await measure(note)).onVsOff,
};

export const captureOffVsNone: BenchRow = {
  name: "capture_off_vs_none",
  // What cannot be measured is inside the noise of one run.
  target: { op: ">=", number: 0.95 },
  measure: async (note) => (await measure(note)).offVsNone,
};
