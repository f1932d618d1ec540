/**
 * The `time` tag (IRCv3 server-time). What is no time of the years 1970 to 9999
 * in UTC counts as absent, and the row gets the time it was received at.
 *
 * @module
 */

const FORM = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/;

/** Milliseconds since the Unix epoch, undefined for anything else. */
export function parseServerTime(tag: string | undefined): number | undefined {
  if (tag === undefined || !FORM.test(tag)) return undefined;
  const time = Date.parse(tag);
  return time >= 0 ? time : undefined;
}
