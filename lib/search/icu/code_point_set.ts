/**
 * Sets of code points: an expression (ranges, Unicode properties, union,
 * intersection, difference, complement, case closure) enters, and "is this
 * code point in it" is answered. Membership is worked out a page of 64 code
 * points at a time, when text first has one of them: building a property's
 * whole set would test 1,114,112 code points, 60 ms in which nothing else runs.
 * Making a page is charged to {@link setWork}, so that whoever matches can count it.
 *
 * @module
 */

import { fullFold } from "../casefold.ts";

const PAGE_SIZE = 64;
/** Pages are held by the 64, so that a small set is a small object. */
const SHELF_SIZE = 64;

/** Steps spent on making pages since it was last set to 0. */
export const setWork = { steps: 0 };

/** An immutable set of code points. */
export class CodePointSet {
  readonly #test: (point: number) => boolean;
  /** How many operations one test costs, for {@link setWork}. */
  readonly weight: number;
  /**
   * Sorted, disjoint ranges (first, last, first, last, ...) when the set was
   * made of ranges alone; undefined when a property had part in it.
   */
  readonly ranges: readonly number[] | undefined;
  readonly #shelves: (Uint8Array | undefined)[][] = [];
  #ascii: Uint8Array | undefined;

  private constructor(
    test: (point: number) => boolean,
    weight: number,
    ranges?: readonly number[],
  ) {
    this.#test = test;
    this.weight = weight;
    this.ranges = ranges;
  }

  /** The set of code points for which `test` holds. */
  static of(test: (point: number) => boolean): CodePointSet {
    return new CodePointSet(test, 1);
  }

  /** The set of these ranges: first, last, first, last, ... in any order. */
  static ofRanges(...ranges: number[]): CodePointSet {
    const sorted = normalise(ranges);
    return new CodePointSet((point) => isInRanges(sorted, point), 1, sorted);
  }

  static readonly empty = CodePointSet.ofRanges();
  static readonly all = CodePointSet.ofRanges(0, 0x10ffff);

  /** Whether `point` is in the set. */
  has(point: number): boolean {
    const at = point >>> 6;
    const page = this.#shelves[at >>> 6]?.[at & (SHELF_SIZE - 1)] ??
      this.#makePage(at);
    return page[point & (PAGE_SIZE - 1)] === 1;
  }

  /** Membership of U+0000 to U+007F: 1 for a member. Not to be changed. */
  get ascii(): Uint8Array {
    if (this.#ascii === undefined) {
      this.#ascii = new Uint8Array(128);
      for (let point = 0; point < 128; point++) {
        if (this.has(point)) this.#ascii[point] = 1;
      }
    }
    return this.#ascii;
  }

  /** The one member of a set known to have exactly one. */
  get single(): number | undefined {
    const { ranges } = this;
    if (ranges?.length !== 2 || ranges[0] !== ranges[1]) return undefined;
    return ranges[0];
  }

  union(other: CodePointSet): CodePointSet {
    const [a, b] = [this.#test, other.#test];
    if (this.ranges !== undefined && other.ranges !== undefined) {
      return CodePointSet.ofRanges(...this.ranges, ...other.ranges);
    }
    return this.#with(other, (point) => a(point) || b(point));
  }

  intersection(other: CodePointSet): CodePointSet {
    const [a, b] = [this.#test, other.#test];
    if (this.ranges !== undefined && other.ranges !== undefined) {
      return this.complement().union(other.complement()).complement();
    }
    return this.#with(other, (point) => a(point) && b(point));
  }

  difference(other: CodePointSet): CodePointSet {
    return this.intersection(other.complement());
  }

  complement(): CodePointSet {
    const test = this.#test;
    const { ranges } = this;
    if (ranges === undefined) {
      return new CodePointSet((point) => !test(point), this.weight);
    }
    const gaps: number[] = [];
    let next = 0;
    for (let i = 0; i < ranges.length; i += 2) {
      const first = ranges[i] ?? 0;
      if (first > next) gaps.push(next, first - 1);
      next = (ranges[i + 1] ?? 0) + 1;
    }
    if (next <= 0x10ffff) gaps.push(next, 0x10ffff);
    return CodePointSet.ofRanges(...gaps);
  }

  /** The set with every code point whose folding equals that of a member. */
  caseClosure(): CodePointSet {
    const { single } = this;
    if (single !== undefined && caseVariants(single).length === 1) return this;
    if (this.ranges?.length === 0) return this;
    const test = this.#test;
    return new CodePointSet(
      (point) => caseVariants(point).some(test),
      this.weight * 2,
    );
  }

  #with(
    other: CodePointSet,
    test: (point: number) => boolean,
  ): CodePointSet {
    return new CodePointSet(test, this.weight + other.weight);
  }

  #makePage(at: number): Uint8Array {
    const page = new Uint8Array(PAGE_SIZE);
    for (let i = 0; i < PAGE_SIZE; i++) {
      if (this.#test(at * PAGE_SIZE + i)) page[i] = 1;
    }
    setWork.steps += PAGE_SIZE * this.weight;
    const shelf = this.#shelves[at >>> 6] ??= new Array(SHELF_SIZE);
    shelf[at & (SHELF_SIZE - 1)] = page;
    return page;
  }
}

function normalise(ranges: readonly number[]): number[] {
  const pairs: [number, number][] = [];
  for (let i = 0; i < ranges.length; i += 2) {
    pairs.push([ranges[i] ?? 0, ranges[i + 1] ?? 0]);
  }
  pairs.sort((a, b) => a[0] - b[0]);
  const joined: number[] = [];
  for (const [first, last] of pairs) {
    const end = joined.at(-1);
    if (end !== undefined && first <= end + 1) {
      joined[joined.length - 1] = Math.max(end, last);
    } else joined.push(first, last);
  }
  return joined;
}

function isInRanges(ranges: readonly number[], point: number): boolean {
  let low = 0;
  let high = ranges.length / 2;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ranges[middle * 2 + 1] ?? 0) < point) low = middle + 1;
    else high = middle;
  }
  return low * 2 < ranges.length && (ranges[low * 2] ?? 0) <= point;
}

/**
 * Where letters with case stand, in blocks of 256 code points (the number is the
 * block's first code point divided by 256), so that finding them all tests
 * 16,000 code points and not 1,114,112.
 */
const CASED_BLOCKS = [
  ...[0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x10, 0x13, 0x1c, 0x1d, 0x1e, 0x1f],
  ...[0x20, 0x21, 0x24, 0x2c, 0x2d, 0xa6, 0xa7, 0xab, 0xfb, 0xff],
  ...[0x104, 0x105, 0x10c, 0x10d, 0x118, 0x16e, 0x1e9],
];

/** A folding is a character to which others fold, or none of them. */
const FOLDS = /\p{Changes_When_Casefolded}/u;

let variantsByPoint: Map<number, readonly number[]> | undefined;

/** The code points with the same full folding as `point`, itself included. */
export function caseVariants(point: number): readonly number[] {
  variantsByPoint ??= findVariants();
  return variantsByPoint.get(point) ?? [point];
}

function findVariants(): Map<number, readonly number[]> {
  const byFolding = new Map<string, number[]>();
  for (const block of CASED_BLOCKS) {
    for (let point = block << 8; point < (block + 1) << 8; point++) {
      const character = String.fromCodePoint(point);
      if (!FOLDS.test(character)) continue;
      const folded = fullFold(point);
      const same = byFolding.get(folded);
      if (same === undefined) byFolding.set(folded, [point]);
      else same.push(point);
    }
  }
  for (const [folded, same] of byFolding) {
    const point = folded.codePointAt(0) ?? 0;
    if (folded === String.fromCodePoint(point)) same.push(point);
  }
  const variants = new Map<number, readonly number[]>();
  for (const same of byFolding.values()) {
    if (same.length < 2) continue;
    for (const point of same) variants.set(point, same);
  }
  return variants;
}
