/**
 * What is true of a place in a text: whether a line or a word begins or ends
 * there, and where a grapheme cluster does. The default `\b` looks from one
 * character to the one before, past combining marks; `(?w)\b` and `\X` follow
 * UAX 29 as the runtime's Intl.Segmenter has it, a text being segmented once,
 * when it is first asked.
 *
 * Follows the ICU User Guide, "Regular Expression Metacharacters".
 *
 * @module
 */

import { ASSERTION } from "./program.ts";
import { COMBINING, LINE_END, WORD } from "./properties.ts";

/** Steps that segmenting is charged for, by the UTF-16 unit. */
const STEPS_PER_UNIT = 20;

const words = new Intl.Segmenter("en", { granularity: "word" });
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The places of one text. */
export class Boundaries {
  readonly #text: string;
  #words: Uint8Array | undefined;
  #graphemes: Uint8Array | undefined;
  #work = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Steps spent since the last call. */
  takeWork(): number {
    const work = this.#work;
    this.#work = 0;
    return work;
  }

  /** Whether the assertion of this number is true at `at`, a UTF-16 place. */
  holds(assertion: number, at: number): boolean {
    const text = this.#text;
    switch (assertion) {
      case ASSERTION.start:
        return at === 0;
      case ASSERTION["line-start"]:
        return at === 0 || (at < text.length && this.#endsLine(at - 1));
      case ASSERTION["unix-line-start"]:
        return at === 0 || text.charCodeAt(at - 1) === 0xa;
      case ASSERTION.end:
        return this.#isEnd(at);
      case ASSERTION["line-end"]:
        return at >= text.length || this.#isBeforeLineEnd(at);
      case ASSERTION["unix-end"]:
        return at >= text.length ||
          (at === text.length - 1 && text.charCodeAt(at) === 0xa);
      case ASSERTION["unix-line-end"]:
        return at >= text.length || text.charCodeAt(at) === 0xa;
      case ASSERTION["very-end"]:
        return at >= text.length;
      case ASSERTION["word-boundary"]:
        return this.#isWordBoundary(at);
      case ASSERTION["no-word-boundary"]:
        return !this.#isWordBoundary(at);
      case ASSERTION["uax29-boundary"]:
        return this.#isUax29Boundary(at);
      default:
        return !this.#isUax29Boundary(at);
    }
  }

  /** Where the grapheme cluster that `at` is in ends. */
  graphemeEnd(at: number): number {
    this.#graphemes ??= this.#segment(graphemes);
    let end = at + 1;
    while (this.#graphemes[end] === 0) end++;
    return Math.min(end, this.#text.length);
  }

  #endsLine(at: number): boolean {
    return LINE_END.has(this.#text.charCodeAt(at));
  }

  // Not between CR and LF, which end a line together.
  #isBeforeLineEnd(at: number): boolean {
    if (!this.#endsLine(at)) return false;
    return !(this.#text.charCodeAt(at) === 0xa && at > 0 &&
      this.#text.charCodeAt(at - 1) === 0xd);
  }

  #isEnd(at: number): boolean {
    const left = this.#text.length - at;
    if (left <= 0) return true;
    if (left === 1) return this.#isBeforeLineEnd(at);
    return left === 2 && this.#text.charCodeAt(at) === 0xd &&
      this.#text.charCodeAt(at + 1) === 0xa;
  }

  #isWordBoundary(at: number): boolean {
    const point = this.#text.codePointAt(at);
    if (point !== undefined && COMBINING.has(point)) return false;
    const isWord = point !== undefined && WORD.has(point);
    return isWord !== this.#isWordBefore(at);
  }

  #isWordBefore(at: number): boolean {
    for (let i = at; i > 0;) {
      i--;
      const unit = this.#text.charCodeAt(i);
      const isTrail = unit >= 0xdc00 && unit <= 0xdfff && i > 0;
      const pair = isTrail ? this.#text.codePointAt(i - 1) ?? 0 : 0;
      const point = pair > 0xffff ? pair : unit;
      if (pair > 0xffff) i--;
      this.#work++;
      if (!COMBINING.has(point)) return WORD.has(point);
    }
    return false;
  }

  // ICU counts the end of the text as a boundary, an empty text's too.
  #isUax29Boundary(at: number): boolean {
    if (at >= this.#text.length) return true;
    this.#words ??= this.#segment(words);
    return this.#words[at] === 1;
  }

  #segment(segmenter: Intl.Segmenter): Uint8Array {
    const places = new Uint8Array(this.#text.length + 1);
    places[this.#text.length] = 1;
    for (const { index } of segmenter.segment(this.#text)) places[index] = 1;
    this.#work += this.#text.length * STEPS_PER_UNIT;
    return places;
  }
}
