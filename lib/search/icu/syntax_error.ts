/**
 * What a pattern that ICU would not compile ends in, whichever part saw it.
 *
 * @module
 */

/** Why a pattern is invalid, in ICU's terms. */
export type SyntaxErrorKind =
  | "rule"
  | "escape"
  | "property"
  | "bracket"
  | "parenthesis"
  | "range"
  | "interval"
  | "group-name"
  | "backreference"
  | "lookbehind"
  | "nesting"
  | "empty"
  | "unsupported";

/** An invalid pattern. It is never shown: the contract has one sentence for all. */
export class PatternSyntaxError extends Error {
  readonly kind: SyntaxErrorKind;

  constructor(kind: SyntaxErrorKind) {
    super(`Cannot compile pattern: ${kind}`);
    this.name = "PatternSyntaxError";
    this.kind = kind;
  }
}
