/**
 * How far characters of one kind go on from a place in a text: those of a set,
 * or those that a dot takes. Where a run without an upper bound ends is kept,
 * since from anywhere inside it the end is the same: trying a pattern like
 * `\s+$` from each of a thousand spaces then looks at each once.
 *
 * @module
 */

import type { CodePointSet } from "./code_point_set.ts";
import { pointAt } from "./utf16.ts";

/** A set, or a dot's mode: line ends stop it, nothing does, LF does. */
export type Taker = CodePointSet | number;

/** Characters to a step: looking at one is less than an instruction. */
const CHARACTERS_PER_STEP_LOG = 2;

/** The runs of one text. */
export class Runs {
  readonly #text: string;
  #work = 0;
  #keptFor = -1;
  #keptLimit = 0;
  #keptStart = 0;
  #keptEnd = 0;
  /** Where no character may be read. */
  limit = 0;
  /** Characters in the run that was looked for last. */
  taken = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Steps spent since the last call. */
  takeWork(): number {
    const work = this.#work;
    this.#work = 0;
    return work;
  }

  /** Where the whole run from `start` ends; `pc` tells whose run it is. */
  endOfAll(taker: Taker, start: number, pc: number): number {
    const isKept = this.#keptFor === pc && this.#keptLimit === this.limit &&
      start >= this.#keptStart && start <= this.#keptEnd;
    if (!isKept) {
      this.#keptEnd = this.end(taker, start, this.limit - start);
      this.#keptFor = pc;
      this.#keptLimit = this.limit;
      this.#keptStart = start;
    }
    return this.#keptEnd;
  }

  /** Where a run of at most `most` characters ends. */
  end(taker: Taker, start: number, most: number): number {
    const end = typeof taker === "number"
      ? this.#endOfDots(taker, start, most)
      : this.#endOfSet(taker, start, most);
    this.#work += this.taken >> CHARACTERS_PER_STEP_LOG;
    return end;
  }

  #endOfSet(set: CodePointSet, start: number, most: number): number {
    const { ascii } = set;
    const text = this.#text;
    const limit = this.limit;
    let at = start;
    let taken = 0;
    for (; at < limit && taken < most; taken++) {
      const unit = text.charCodeAt(at);
      if (unit < 0x80) {
        if (ascii[unit] !== 1) break;
        at++;
      } else {
        const point = pointAt(this.#text, at, this.limit);
        if (!set.has(point)) break;
        at += point > 0xffff ? 2 : 1;
      }
    }
    this.taken = taken;
    return at;
  }

  #endOfDots(mode: number, start: number, most: number): number {
    let at = start;
    let taken = 0;
    for (; at < this.limit && taken < most; taken++) {
      const point = pointAt(this.#text, at, this.limit);
      if (!dotTakes(mode, point)) break;
      at += point > 0xffff ? 2 : 1;
      // To a dot that takes line ends, CR LF is one character.
      const isPair = point === 0xd && mode === 1 && at < this.limit &&
        this.#text.charCodeAt(at) === 0xa;
      if (isPair) at++;
    }
    this.taken = taken;
    return at;
  }
}

/** Whether a dot of this mode takes the character. */
export function dotTakes(mode: number, point: number): boolean {
  if (mode === 1) return true;
  if (mode === 2) return point !== 0xa;
  return (point > 0xd || point < 0xa) && point !== 0x85 &&
    point !== 0x2028 && point !== 0x2029;
}
