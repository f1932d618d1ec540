/**
 * The tables of patterns with what ICU 72.1 answers (C API, default options),
 * and our answer in the same words.
 *
 * @module
 */

import { compileIcu } from "../../../lib/search/icu/mod.ts";

const FIXTURES = new URL("../../../fixtures/icu/", import.meta.url);

/** One row of a table. */
export interface Row {
  /** The row's id, or its line in a table without. */
  readonly id: string;
  readonly pattern: string;
  readonly text: string;
  /** `invalid`, `none`, `match:START:END`, or `timeout`: ICU never ends. */
  readonly expected: string;
}

/** The rows of a table whose columns are pattern, text, expected. */
export function readTable(name: string): Row[] {
  return linesOf(name).map(([pattern = "", text = "", expected = ""], i) => ({
    id: `${name}:${i + 2}`,
    pattern: JSON.parse(pattern),
    text: JSON.parse(text),
    expected,
  }));
}

/** The rows of the table with ids in front. */
export function readNamedTable(name: string): Row[] {
  return linesOf(name).map((
    [id = "", pattern = "", text = "", expected = ""],
  ) => ({
    id,
    pattern: JSON.parse(pattern),
    text: JSON.parse(text),
    expected,
  }));
}

function linesOf(name: string): string[][] {
  return Deno.readTextFileSync(new URL(name, FIXTURES)).trimEnd().split("\n")
    .slice(1).map((line) => line.split("\t"));
}

/** Our answer; `stopped` when `slices` did not suffice. */
export function answer(pattern: string, text: string, slices = 1500): string {
  const program = compileIcu(pattern);
  if (program === undefined) return "invalid";
  let left = slices;
  const match = program.find(text, () => --left > 0);
  if (match === "stopped") return "stopped";
  return match === undefined ? "none" : `match:${match.start}:${match.end}`;
}

/** The rows that are answered otherwise than ICU does. */
export function differing(rows: readonly Row[]): string[] {
  return rows
    .filter(({ expected }) => expected !== "timeout")
    .map(({ id, pattern, text, expected }) => ({
      id,
      pattern,
      expected,
      answered: answer(pattern, text),
    }))
    .filter(({ expected, answered }) => expected !== answered)
    .map(({ id, pattern, expected, answered }) =>
      `${id} ${JSON.stringify(pattern)}: ICU ${expected}, we ${answered}`
    );
}
