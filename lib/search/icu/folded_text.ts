/**
 * Comparing text by full case folding, where one character may be equal to
 * several: what a folded literal, or what a group said, ends at in the text.
 *
 * @module
 */

import { fullFold } from "../casefold.ts";
import { pointAt } from "./utf16.ts";

/** The code points that `text` folds to. */
export function foldedPoints(text: string): Int32Array {
  const points: number[] = [];
  for (const character of text) {
    for (const folded of fullFold(character.codePointAt(0) ?? 0)) {
      points.push(folded.codePointAt(0) ?? 0);
    }
  }
  return Int32Array.from(points);
}

/**
 * Where the text from `start` on, folded, has said `wanted`; -1 when it says
 * something else, or would end inside what one character folds to.
 */
export function endOfFolded(
  text: string,
  start: number,
  limit: number,
  wanted: Int32Array,
): number {
  let at = start;
  let i = 0;
  while (i < wanted.length) {
    if (at >= limit) return -1;
    const point = pointAt(text, at, limit);
    at += point > 0xffff ? 2 : 1;
    if (point < 0x80) {
      const lower = point >= 0x41 && point <= 0x5a ? point + 32 : point;
      if (wanted[i++] !== lower) return -1;
      continue;
    }
    for (const character of fullFold(point)) {
      if (wanted[i++] !== character.codePointAt(0)) return -1;
    }
  }
  return i === wanted.length ? at : -1;
}
