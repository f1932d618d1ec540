/**
 * What live updates cost the connection: how fast a flood becomes rows while
 * sixteen subscriptions cover its channel, against the same with none.
 *
 * @module
 */

import { denoArgs, runForJson } from "./child.ts";
import { withFeeder } from "./ingest_rows.ts";
import type { BenchRow } from "./row.ts";
import type { UpdatesFigures } from "./updates_side.ts";

const ROUNDS = 9;
const LINES = 50_000;

export const ingestWithSubscriptions: BenchRow = {
  name: "ingest_with_16_subscriptions",
  target: { op: ">=", number: 0.8 },
  measure: (note) =>
    withFeeder(async (port) => {
      const { ratio, ours, theirs } = await runForJson<UpdatesFigures>(
        Deno.execPath(),
        denoArgs("updates_side.ts", port, String(ROUNDS), String(LINES)),
      );
      note(
        `with 16 ${ours.toFixed(0)}, with none ${theirs.toFixed(0)} lines/s ` +
          `(${LINES} lines, median of ${ROUNDS} rounds)`,
      );
      return ratio;
    }),
};
