/**
 * `make bench`: measures each row and prints one line for it on standard
 * output, and nothing else there; absolute figures go to standard error. Exits
 * 0 when it could run, whatever falls short: a slow machine is no broken one.
 *
 *     bench/main.ts [NAME]...
 *
 * @module
 */

import { captureOffVsNone, captureOnVsOff } from "./capture_rows.ts";
import { gateVsBareListen, gateVsNodeSdk, waitRows } from "./gate_rows.ts";
import { heapBytesPerMessage, ingestVsIrcFramework } from "./ingest_rows.ts";
import { idleProcessor, startToFirstAnswer } from "./process_rows.ts";
import { type BenchRow, Skipped } from "./row.ts";
import { SEARCH_ROWS } from "./search_rows.ts";
import { ingestWithSubscriptions } from "./updates_rows.ts";

/** Every row, in the order in which they are printed. */
const ROWS: readonly BenchRow[] = [
  gateVsNodeSdk,
  gateVsBareListen,
  ...waitRows,
  ingestVsIrcFramework,
  heapBytesPerMessage,
  captureOnVsOff,
  captureOffVsNone,
  ingestWithSubscriptions,
  ...SEARCH_ROWS,
  startToFirstAnswer,
  idleProcessor,
];

/** Three digits that matter, and no more than a count needs. */
function format(value: number): string {
  return value >= 100 ? value.toFixed(0) : String(+value.toPrecision(3));
}

function print(stream: { writeSync(bytes: Uint8Array): number }, text: string) {
  stream.writeSync(new TextEncoder().encode(text + "\n"));
}

async function lineOf(row: BenchRow): Promise<string> {
  const note = (text: string) => print(Deno.stderr, `${row.name}: ${text}`);
  try {
    const value = await row.measure(note);
    const { op, number } = row.target;
    const isEnough = op === ">=" ? value >= number : value <= number;
    return `bench ${row.name} ${format(value)} target ${op} ${number} ${
      isEnough ? "ok" : "short"
    }`;
  } catch (error) {
    if (!(error instanceof Skipped)) note(String((error as Error).stack));
    const [reason = ""] = (error as Error).message.split("\n");
    return `bench ${row.name} skipped ${reason}`;
  }
}

if (import.meta.main) {
  const rows = Deno.args.length === 0
    ? ROWS
    : ROWS.filter(({ name }) => Deno.args.includes(name));
  for (const row of rows) print(Deno.stdout, await lineOf(row));
}
