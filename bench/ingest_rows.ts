/**
 * What arrives from IRC: how fast lines become rows of a buffer, against the
 * library's own events alone, and what a row held takes.
 *
 * @module
 */

import { denoArgs, runForJson, startChild } from "./child.ts";
import { type BenchRow, pairedRatio } from "./row.ts";

const ROUNDS = 5;
const INGEST_LINES = 50_000;
const HELD_MESSAGES = 100_000;

interface Figures {
  readonly linesPerSecond: number;
  readonly heapBytesPerLine: number;
}

/** Runs `use` with a feeder of lines on a port. */
export async function withFeeder<T>(
  use: (port: string) => Promise<T>,
): Promise<T> {
  const feeder = await startChild(
    Deno.execPath(),
    denoArgs("line_feeder.ts"),
  );
  try {
    return await use(feeder.firstLine);
  } finally {
    await feeder.stop();
  }
}

function measure(side: "engine" | "framework", port: string, lines: number) {
  return runForJson<Figures>(
    Deno.execPath(),
    denoArgs("ingest_side.ts", side, port, String(lines)),
  );
}

export const ingestVsIrcFramework: BenchRow = {
  name: "ingest_vs_irc_framework",
  target: { op: ">=", number: 0.6 },
  measure: (note) =>
    withFeeder(async (port) => {
      const rate = async (side: "engine" | "framework") =>
        (await measure(side, port, INGEST_LINES)).linesPerSecond;
      const pair = await pairedRatio(
        ROUNDS,
        () => rate("engine"),
        () => rate("framework"),
      );
      note(
        `engine ${pair.ours.toFixed(0)} lines/s, irc-framework alone ${
          pair.theirs.toFixed(0)
        } lines/s (${INGEST_LINES} lines, median of ${ROUNDS} rounds)`,
      );
      return pair.ratio;
    }),
};

export const heapBytesPerMessage: BenchRow = {
  name: "heap_bytes_per_message",
  target: { op: "<=", number: 600 },
  measure: () =>
    withFeeder(async (port) =>
      (await measure("engine", port, HELD_MESSAGES)).heapBytesPerLine
    ),
};
