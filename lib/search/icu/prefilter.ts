/**
 * What a pattern demands of a text before any of it is matched: a literal that
 * must be in it, the characters a match can begin with, that a match begins at
 * the start. Most fields of a search are turned down by these, through the
 * runtime's own search for a literal.
 *
 * Case-insensitive literals are searched by the runtime's simple folding. That
 * differs from the full folding of the match where a character folds to
 * several (`ß`, ligatures), so literals that such a character could be part of
 * are not used.
 *
 * @module
 */

import type { Node } from "./ast.ts";
import { fullFold } from "../casefold.ts";
import { CodePointSet } from "./code_point_set.ts";
import { LINE_END } from "./properties.ts";
import type { StartFinder } from "./program.ts";

type Literal = Extract<Node, { kind: "literal" }>;

/** Tells whether a text has the longest literal that every match contains. */
export function requirement(
  body: Node,
): ((text: string) => boolean) | undefined {
  const literal = longest(requiredLiterals(body));
  if (literal === undefined) return undefined;
  const { text } = literal;
  if (!literal.ignoreCase) return (field) => field.includes(text);
  const pattern = new RegExp(escapeLiteral(text), "iu");
  return (field) => pattern.test(field);
}

/** Finds the literal that a match begins with, if it begins with one. */
export function startFinder(body: Node): StartFinder | undefined {
  const literal = leadingLiteral(body);
  if (literal === undefined || !isSearchable(literal)) return undefined;
  const { text } = literal;
  if (!literal.ignoreCase) return (field, from) => field.indexOf(text, from);
  const pattern = new RegExp(escapeLiteral(text), "giu");
  return (field, from) => {
    pattern.lastIndex = from;
    return pattern.exec(field)?.index ?? -1;
  };
}

/** Whether a match can begin at the start of the text only. */
export function isAnchored(node: Node): boolean {
  switch (node.kind) {
    case "assertion":
      return node.what === "start" || node.what === "search-start";
    case "sequence":
      for (const item of node.items) {
        if (isAnchored(item)) return true;
        if (item.kind !== "look" && item.kind !== "assertion") return false;
      }
      return false;
    case "alternation":
      return node.branches.every(isAnchored);
    case "capture":
    case "atomic":
      return isAnchored(node.body);
    default:
      return false;
  }
}

/** What a match can begin with; undefined when that can be anything. */
export function firstCharacters(body: Node): CodePointSet | undefined {
  const { set, canBeEmpty } = firstOf(body);
  return canBeEmpty ? undefined : set;
}

interface First {
  /** undefined is any character. */
  readonly set: CodePointSet | undefined;
  readonly canBeEmpty: boolean;
}

const NOTHING: First = { set: CodePointSet.empty, canBeEmpty: true };

function firstOf(node: Node): First {
  switch (node.kind) {
    case "literal":
      return { set: literalStart(node), canBeEmpty: false };
    case "set":
      return { set: node.set, canBeEmpty: false };
    case "newline":
      return { set: LINE_END, canBeEmpty: false };
    case "dot":
    case "grapheme":
      return { set: undefined, canBeEmpty: false };
    case "assertion":
    case "look":
    // A reference to a group that a look-ahead set could begin with what the
    // group has. ICU does not think of it, and finds nothing then.
    case "backreference":
      return NOTHING;
    case "sequence":
      return firstOfSequence(node.items);
    case "alternation":
      return node.branches.map(firstOf).reduce(either);
    case "capture":
    case "atomic":
      return firstOf(node.body);
    case "repeat":
      if (node.max === 0) return NOTHING;
      return node.min === 0
        ? either(firstOf(node.body), NOTHING)
        : firstOf(node.body);
    default:
      return node satisfies never;
  }
}

function firstOfSequence(items: readonly Node[]): First {
  let first = NOTHING;
  for (const item of items) {
    const next = firstOf(item);
    first = {
      set: first.set && next.set && first.set.union(next.set),
      canBeEmpty: next.canBeEmpty,
    };
    if (!first.canBeEmpty) break;
  }
  return first;
}

function either(a: First, b: First): First {
  return {
    set: a.set && b.set && a.set.union(b.set),
    canBeEmpty: a.canBeEmpty || b.canBeEmpty,
  };
}

function literalStart({ text, ignoreCase }: Literal): CodePointSet {
  const first = text.codePointAt(0) ?? 0;
  if (!ignoreCase) return CodePointSet.ofRanges(first, first);
  return CodePointSet.of((point) => fullFold(point).codePointAt(0) === first);
}

function leadingLiteral(node: Node): Literal | undefined {
  switch (node.kind) {
    case "literal":
      return node;
    case "capture":
    case "atomic":
      return leadingLiteral(node.body);
    case "repeat":
      return node.min > 0 ? leadingLiteral(node.body) : undefined;
    case "sequence":
      return node.items.filter((item) =>
        item.kind !== "assertion" && item.kind !== "look"
      ).slice(0, 1).map(leadingLiteral)[0];
    default:
      return undefined;
  }
}

function requiredLiterals(node: Node): Literal[] {
  switch (node.kind) {
    case "literal":
      return isSearchable(node) ? [node] : [];
    case "capture":
    case "atomic":
      return requiredLiterals(node.body);
    case "repeat":
      return node.min > 0 ? requiredLiterals(node.body) : [];
    case "sequence":
      return node.items.flatMap(requiredLiterals);
    default:
      return [];
  }
}

function longest(literals: readonly Literal[]): Literal | undefined {
  return literals.reduce<Literal | undefined>(
    (best, literal) =>
      best === undefined || literal.text.length > best.text.length
        ? literal
        : best,
    undefined,
  );
}

// Pairs that one character folds to, and what is beyond ASCII.
const FOLDED_FROM_ONE = /ss|f[fil]|st|[^ -~]/;
const LONE_SURROGATE = /\p{Cs}/u;

function isSearchable({ text, ignoreCase }: Literal): boolean {
  return ignoreCase ? !FOLDED_FROM_ONE.test(text) : !LONE_SURROGATE.test(text);
}

function escapeLiteral(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
