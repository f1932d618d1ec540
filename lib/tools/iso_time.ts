/**
 * ISO-8601 times as agents write them: `2026-09-30T12:00:00Z`, with or without
 * seconds or their fraction, with an offset for the `Z`, or a date alone, which
 * is its midnight in UTC. A time without an offset is refused: whose clock it
 * is from, nobody could tell.
 *
 * @module
 */

const FORM = new RegExp(
  "^(\\d{4})-(\\d\\d)-(\\d\\d)" +
    "(?:[Tt](\\d\\d):(\\d\\d)(?::(\\d\\d)(?:[.,](\\d+))?)?" +
    "(?:[Zz]|([+-])(\\d\\d):?(\\d\\d)))?$",
);

const MINUTE_MS = 60_000;

/** Unix milliseconds, undefined when `text` is no ISO-8601 time. */
export function parseIsoTime(text: string): number | undefined {
  const parts = FORM.exec(text);
  if (parts === null) return undefined;
  const [, , month, day, hour, minute, second, fraction, sign] = parts;
  const limits = [
    [month, 1, 12],
    [day, 1, 31],
    [hour, 0, 23],
    [minute, 0, 59],
    [
      second,
      0,
      60,
    ],
  ] as const;
  for (const [digits, least, most] of limits) {
    const value = Number(digits ?? least);
    if (value < least || value > most) return undefined;
  }
  const date = Date.UTC(Number(parts[1]), Number(month) - 1, Number(day));
  // 31 April is read as 1 May: no such day.
  if (new Date(date).getUTCDate() !== Number(day)) return undefined;
  const offset = offsetMs(sign, parts[9], parts[10]);
  if (offset === undefined) return undefined;
  const seconds = Number(hour ?? 0) * 3600 + Number(minute ?? 0) * 60 +
    Number(second ?? 0);
  return withYear(date, Number(parts[1])) + seconds * 1000 +
    Math.floor(Number(`0.${fraction ?? 0}`) * 1000) - offset;
}

function offsetMs(
  sign: string | undefined,
  hours: string | undefined,
  minutes: string | undefined,
): number | undefined {
  if (sign === undefined) return 0;
  const [h, m] = [Number(hours), Number(minutes)];
  if (h > 23 || m > 59) return undefined;
  return (sign === "-" ? -1 : 1) * (h * 60 + m) * MINUTE_MS;
}

// Date.UTC() takes the years 0 to 99 for those of the twentieth century.
function withYear(date: number, year: number): number {
  return new Date(date).setUTCFullYear(year);
}
