/**
 * How long a match of a tree can be, in UTF-16 units: the least decides which
 * loops must watch that they move, the most how far a look-behind looks.
 *
 * @module
 */

import { type Node, UNBOUNDED } from "./ast.ts";
import { PatternSyntaxError } from "./syntax_error.ts";

/** A look-behind whose longest match is this long or longer is refused. */
const MAX_LOOK_BEHIND = 0x1000000;

/** The length of the shortest match, or less. */
export function minLength(node: Node): number {
  switch (node.kind) {
    case "literal":
      // One character may fold to three, so a folded text counts as one.
      return node.ignoreCase ? 1 : node.text.length;
    case "set":
    case "dot":
    case "newline":
    case "grapheme":
      return 1;
    case "assertion":
    case "backreference":
    case "look":
      return 0;
    case "sequence":
      return sum(node.items.map(minLength));
    case "alternation":
      return Math.min(...node.branches.map(minLength));
    case "capture":
    case "atomic":
      return minLength(node.body);
    case "repeat":
      return minLength(node.body) * node.min;
    default:
      return node satisfies never;
  }
}

/** The length of the longest match, Infinity when there is no bound. */
export function maxLength(node: Node): number {
  switch (node.kind) {
    case "literal":
      return node.text.length;
    case "set":
    case "dot":
    case "newline":
      return 2;
    case "grapheme":
    case "backreference":
      return Infinity;
    case "assertion":
      return 0;
    case "look":
      // ICU counts what a look-ahead inside a look-behind would take.
      return node.behind ? 0 : maxLength(node.body);
    case "sequence":
      return sum(node.items.map(maxLength));
    case "alternation":
      return Math.max(...node.branches.map(maxLength));
    case "capture":
    case "atomic":
      return maxLength(node.body);
    case "repeat":
      if (node.max === 0) return 0;
      // ICU takes the jump of a lazy ? for a loop without bound.
      if (node.greed === "lazy" && !node.isInterval) return Infinity;
      return node.max === UNBOUNDED
        ? Infinity
        : maxLength(node.body) * node.max;
    default:
      return node satisfies never;
  }
}

/** The longest match of a look-behind's body; throws when it has no bound. */
export function lookBehindLength(body: Node): number {
  const length = maxLength(body);
  if (length >= MAX_LOOK_BEHIND) throw new PatternSyntaxError("lookbehind");
  return length;
}

function sum(lengths: readonly number[]): number {
  return lengths.reduce((total, length) => total + length, 0);
}
