/**
 * What a pattern says, as a tree: made by the parser, read by the compiler.
 * Types only.
 *
 * @module
 */

import type { CodePointSet } from "./code_point_set.ts";

/** Which characters `.` stops at: line ends, none, or LF alone. */
export type DotMode = "lines" | "all" | "unix";

/** A condition on the place between two characters. */
export type Assertion =
  | "start" // ^ and \A
  | "line-start" // (?m)^
  | "unix-line-start" // (?md)^
  | "end" // $ and \Z: before a final line end too
  | "line-end" // (?m)$
  | "unix-end" // (?d)$
  | "unix-line-end" // (?md)$
  | "very-end" // \z
  | "search-start" // \G
  | "word-boundary" // \b
  | "no-word-boundary" // \B
  | "uax29-boundary" // (?w)\b
  | "no-uax29-boundary"; // (?w)\B

/** How a repetition gives way: last, first, or not at all. */
export type Greed = "greedy" | "lazy" | "possessive";

/** `max` of a repetition without an upper bound. */
export const UNBOUNDED = -1;

export interface Repeat {
  readonly kind: "repeat";
  readonly body: Node;
  readonly min: number;
  readonly max: number;
  readonly greed: Greed;
  /** Written with braces: such loops count, and end differently when empty. */
  readonly isInterval: boolean;
}

export interface Look {
  readonly kind: "look";
  readonly behind: boolean;
  readonly negative: boolean;
  readonly body: Node;
}

export type Node =
  /** Characters in a row; folded already when `ignoreCase`. */
  | {
    readonly kind: "literal";
    readonly text: string;
    readonly ignoreCase: boolean;
  }
  | { readonly kind: "set"; readonly set: CodePointSet }
  | { readonly kind: "dot"; readonly mode: DotMode }
  | { readonly kind: "newline" }
  | { readonly kind: "grapheme" }
  | { readonly kind: "assertion"; readonly what: Assertion }
  | { readonly kind: "sequence"; readonly items: readonly Node[] }
  | { readonly kind: "alternation"; readonly branches: readonly Node[] }
  | { readonly kind: "capture"; readonly group: number; readonly body: Node }
  | { readonly kind: "atomic"; readonly body: Node }
  | {
    readonly kind: "backreference";
    readonly group: number;
    readonly ignoreCase: boolean;
  }
  | Look
  | Repeat;

/** A parsed pattern. */
export interface Pattern {
  readonly body: Node;
  /** How many capturing groups it has. */
  readonly groups: number;
}
