/**
 * Where a match can begin: from a place on, the next one that a program's
 * prefilters do not rule out. Places are between code points, never inside a
 * surrogate pair.
 *
 * @module
 */

import type { Program } from "./program.ts";
import { after, isInsidePair } from "./utf16.ts";

/** The next start at or after `from`, -1 when there is none. */
export function nextStart(
  program: Program,
  text: string,
  from: number,
): number {
  const { findStart, first, minLength } = program;
  const last = text.length - minLength;
  if (from > last) return -1;
  if (program.isAnchored) return from;
  if (findStart !== undefined) {
    let at = findStart(text, from);
    while (at > 0 && isInsidePair(text, at)) at = findStart(text, at + 1);
    return at > last ? -1 : at;
  }
  if (first === undefined) return from;
  for (let at = from; at <= last; at = after(text, at)) {
    const point = text.codePointAt(at);
    if (point !== undefined && first.has(point)) return at;
  }
  return -1;
}
