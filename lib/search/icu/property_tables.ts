/**
 * The properties that are looked up in tables, since the runtime's regular
 * expressions do not know them: by property and value as they stand in `\p{..}`.
 * Age takes a version and means that and older ones; numeric value and combining
 * class take numbers.
 *
 * @module
 */

import { CodePointSet } from "./code_point_set.ts";
import { PACKED_PROPERTIES } from "./property_data.ts";
import { unpack } from "./unpack.ts";

/** Values of a property: their names, and packed code points. */
type Values = readonly { readonly names: string[]; readonly points: string }[];

let tables: Map<string, Values> | undefined;

/** The set, undefined when there is no such property or value. */
export function tabledProperty(
  property: string,
  value: string,
): CodePointSet | undefined {
  tables ??= readTables();
  const name = loosely(property);
  const values = tables.get(name);
  if (values === undefined) return undefined;
  if (name === "age") return ageSet(values, value);
  if (name === "nv" || name === "numericvalue") {
    return numberSet(values, value);
  }
  const wanted = loosely(value);
  const found = values.find(({ names }) => names.includes(wanted));
  if (found !== undefined) return setOf([found.points]);
  // A combining class that no character has is an empty one.
  const isClass = ["ccc", "lccc", "tccc"].some((short) =>
    tables?.get(short) === values
  );
  const number = numberOf(value);
  if (!isClass || !(number >= 0 && number <= 255)) return undefined;
  return values.find(({ names }) => names.includes(String(number)))
    ? setOf(pointsOf(values, String(number)))
    : CodePointSet.empty;
}

function ageSet(values: Values, value: string): CodePointSet {
  const [major = 0, minor = 0] = value.trim().split(".").map(Number);
  const newest = major * 100 + minor;
  return setOf(
    values.filter(({ names: [version = ""] }) => {
      const [a = 0, b = 0] = version.split(".").map(Number);
      // Age 0.0 is that of code points not assigned yet.
      return version !== "0.0" && a * 100 + b <= newest;
    }).map(({ points }) => points),
  );
}

function numberSet(values: Values, value: string): CodePointSet | undefined {
  const number = numberOf(value);
  if (Number.isNaN(number)) return undefined;
  const found = values.filter(({ names: [text] }) =>
    Math.abs(Number(text) - number) <= Math.abs(number) * 1e-9
  );
  return setOf(found.map(({ points }) => points));
}

function numberOf(text: string): number {
  const trimmed = text.trim();
  return trimmed === "" ? NaN : Number(trimmed);
}

function pointsOf(values: Values, name: string): string[] {
  return values.filter(({ names }) => names.includes(name))
    .map(({ points }) => points);
}

function setOf(packed: readonly string[]): CodePointSet {
  const ranges: number[] = [];
  for (const points of packed) {
    let next = 0;
    for (const run of points.split(" ")) {
      if (run === "") continue;
      const [distance = "0", more = "0"] = run.split("+");
      const first = next + parseInt(distance, 36);
      const last = first + parseInt(more, 36);
      ranges.push(first, last);
      next = last + 1;
    }
  }
  return CodePointSet.ofRanges(...ranges);
}

function readTables(): Map<string, Values> {
  const all = new Map<string, Values>();
  let values: { names: string[]; points: string }[] = [];
  for (const line of unpack(PACKED_PROPERTIES).split("\n")) {
    if (line.startsWith("@")) {
      values = [];
      for (const name of line.slice(1).split("/")) {
        all.set(loosely(name), values);
      }
    } else if (line !== "") {
      const [names = "", points = ""] = line.split(":");
      values.push({ names: names.split("/").map(loosely), points });
    }
  }
  return all;
}

function loosely(name: string): string {
  return name.replace(/[-_\t-\r ]/g, "").toLowerCase();
}
