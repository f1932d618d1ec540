import assert from "node:assert/strict";
import { parseIsoTime } from "../../lib/tools/iso_time.ts";

const TIMES: readonly (readonly [string, string])[] = [
  ["2026-09-30T12:00:00Z", "2026-09-30T12:00:00.000Z"],
  ["2026-09-30t12:00:00z", "2026-09-30T12:00:00.000Z"],
  ["2026-09-30T12:00Z", "2026-09-30T12:00:00.000Z"],
  ["2026-09-30T12:00:00.25Z", "2026-09-30T12:00:00.250Z"],
  ["2026-09-30T12:00:00.123456789Z", "2026-09-30T12:00:00.123Z"],
  ["2026-09-30T12:00:00+02:00", "2026-09-30T10:00:00.000Z"],
  ["2026-09-30T12:00:00-0130", "2026-09-30T13:30:00.000Z"],
  ["2024-02-29T23:59:60Z", "2024-03-01T00:00:00.000Z"],
  ["2026-09-30", "2026-09-30T00:00:00.000Z"],
  ["0050-01-01T00:00:00Z", "0050-01-01T00:00:00.000Z"],
];

const NO_TIMES = [
  ..."|yesterday|12:00|2026|2026-09|2026-9-30|2026-09-31|2025-02-29".split("|"),
  ..."2026-13-01T00:00:00Z|2026-00-01|2026-09-30T24:00:00Z".split("|"),
  ..."2026-09-30T12:60:00Z|2026-09-30T12:00:61Z|2026-09-30T12Z".split("|"),
  ..."2026-09-30T12:00:00|2026-09-30 12:00:00Z| 2026-09-30".split("|"),
  ..."2026-09-30T12:00:00+24:00|2026-09-30T12:00:00Zulu|1790000000".split("|"),
];

Deno.test("parseIsoTime() reads ISO-8601 times [SRCH-008, SRCH-009]", () => {
  // Guards the spellings that agents use.
  for (const [text, expected] of TIMES) {
    const time = parseIsoTime(text);
    assert.equal(new Date(time ?? NaN).toISOString(), expected, text);
  }
});

Deno.test("parseIsoTime() refuses anything else [ERR-037]", () => {
  // Guards that a time misread is not a search of the wrong days.
  for (const text of NO_TIMES) {
    assert.equal(parseIsoTime(text), undefined, text);
  }
});
