/**
 * The instructions that a pattern becomes, and their operands. Types and
 * numbers only: the compiler writes them, the matcher reads them.
 *
 * An instruction is a number followed by its operands, all in one Int32Array.
 * "Push" means: remember the place given and the position in the text as a
 * choice, to return to when what follows fails.
 *
 * @module
 */

import type { Assertion } from "./ast.ts";
import type { CodePointSet } from "./code_point_set.ts";

export const OP = {
  /** The way taken so far fails. */
  fail: 0,
  /** The pattern has matched. */
  match: 1,
  /** (code point) */
  char: 2,
  /** (index of a string) compared unit by unit */
  string: 3,
  /** (index of a folded string) compared by full case folding */
  stringFold: 4,
  /** (index of a set) */
  set: 5,
  /** (mode) any character but a line end, any, any but LF */
  dot: 6,
  newline: 7,
  grapheme: 8,
  /** (number of ASSERTION) */
  assert: 9,
  /** (group) */
  open: 10,
  /** (group) */
  close: 11,
  /** (group) */
  reference: 12,
  /** (group) */
  referenceFold: 13,
  /** (target) push the target, go on */
  split: 14,
  /** (target) */
  jump: 15,
  /** (target) push the next instruction, go to the target */
  pushJump: 16,
  /** (register) note the position, to see whether a loop moved */
  noteStart: 17,
  /** (target, register) pushJump if the position moved since noteStart */
  loopIfMoved: 18,
  /** (register, min, max, end) begin counting; greedy */
  countStart: 19,
  /** (register, min, max, body) */
  countLoop: 20,
  /** (register, min, max, end) begin counting; lazy */
  lazyStart: 21,
  /** (register, min, max, body) */
  lazyLoop: 22,
  /** (cell) note the choices there are */
  cutMark: 23,
  /** (cell) forget the choices made since */
  cut: 24,
  /** (cell) begin a look-ahead */
  lookStart: 25,
  /** (cell) leave a look-around: choices, position, bounds as before */
  lookEnd: 26,
  /** (cell) begin a look-behind */
  behindStart: 27,
  /** (cell, min, max) try the next start of a look-behind */
  behindTry: 28,
  /** (cell) its match must end where it looks from */
  behindEnd: 29,
  /** (index of a set, register, min, max) as many as there are and may be */
  runSet: 30,
  /** (mode, register, min, max) the same with dots */
  runDot: 31,
  /** (register, 1 if of dots) after a run: on return, one character fewer */
  giveBack: 32,
} as const;

/** The numbers of the assertions. */
export const ASSERTION: Readonly<Record<Assertion, number>> = {
  start: 0,
  "search-start": 0,
  "line-start": 1,
  "unix-line-start": 2,
  end: 3,
  "line-end": 4,
  "unix-end": 5,
  "unix-line-end": 6,
  "very-end": 7,
  "word-boundary": 8,
  "no-word-boundary": 9,
  "uax29-boundary": 10,
  "no-uax29-boundary": 11,
};

export const DOT_MODES = ["lines", "all", "unix"] as const;

/** Numbers that a look-around keeps in its cells. */
export const LOOK_CELLS = 5;

/** Finds where a match can begin, at or after a place; -1 when nowhere. */
export type StartFinder = (text: string, from: number) => number;

/** A compiled pattern: what the matcher runs. */
export interface Program {
  readonly code: Int32Array;
  readonly strings: readonly string[];
  readonly folded: readonly Int32Array[];
  readonly sets: readonly CodePointSet[];
  readonly groups: number;
  /** Groups' places, then the loops' registers: restored on a return. */
  readonly registers: number;
  /** Kept across returns: cuts and look-arounds. */
  readonly cells: number;
  /** Choices that ICU's backtrack stack would hold for this pattern. */
  readonly maxChoices: number;
  /**
   * For each instruction at which a way that failed may be entered again, its
   * number; -1 for the others. Undefined when what happens from an instruction
   * on depends on more than the position.
   */
  readonly memory: Int32Array | undefined;
  /** How many instructions have a number. */
  readonly memories: number;
  /** No match is shorter, in UTF-16 units. */
  readonly minLength: number;
  /** A match can begin at the start of the text only. */
  readonly isAnchored: boolean;
  /** Whether a text may match at all; undefined when it cannot be told. */
  readonly mayMatch: ((text: string) => boolean) | undefined;
  readonly findStart: StartFinder | undefined;
  /** What a match begins with; undefined when that can be anything. */
  readonly first: CodePointSet | undefined;
}
