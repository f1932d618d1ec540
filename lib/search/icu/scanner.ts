/**
 * The characters of a pattern as ICU's grammar sees them: escapes that stand
 * for one character are replaced and marked as quoted, `\Q..\E` is unwrapped,
 * and white space and comments are left out under `(?x)`. Everything else,
 * the backslash of a class or an anchor included, is for the parser.
 *
 * Follows ICU's documented pattern syntax; details that the documents leave open
 * were settled by asking ICU 72.
 *
 * @module
 */

import type { Modes } from "./modes.ts";
import { PatternSyntaxError } from "./syntax_error.ts";

export const END = -1;
const BACKSLASH = 0x5c;
const HASH = 0x23;
const CAPITAL_E = 0x45;
const CAPITAL_Q = 0x51;
const ZERO = 0x30;

/** Pattern_White_Space, which `(?x)` skips. */
const PATTERN_SPACE = /^[\t-\r \x85\u200e\u200f\u2028\u2029]$/;
/** Where a `#` comment ends. */
const COMMENT_END = /^[\n\r\x85\u2028]$/;
/** Escapes read here and not by the parser. */
const CHARACTER_ESCAPES = "acefnrtuUx";
const NAMED_ESCAPES: Readonly<Record<string, number>> = {
  a: 7,
  e: 0x1b,
  f: 0xc,
  n: 0xa,
  r: 0xd,
  t: 9,
};

/** See the module doc. */
export class Scanner {
  readonly #pattern: string;
  #at = 0;
  #inQuote = false;
  #afterBackslash = false;
  /** The current character, {@link END} after the last. */
  point = END;
  /** Whether it is certainly a literal: it was escaped or in `\Q..\E`. */
  quoted = false;
  /** The modes in force, changed by the parser. */
  modes: Modes;
  /** Whether `#` starts a comment under `(?x)`. */
  hashComments = true;

  constructor(pattern: string, modes: Modes) {
    this.#pattern = pattern;
    this.modes = modes;
  }

  /** Whether the current character is this one and not quoted. */
  is(character: string): boolean {
    return !this.quoted && this.point === character.charCodeAt(0);
  }

  /** The current character as text, "" when it is quoted or the end. */
  get letter(): string {
    return this.quoted || this.point === END
      ? ""
      : String.fromCodePoint(this.point);
  }

  /** The character that follows in the pattern as written. */
  peek(): number {
    return this.#pattern.codePointAt(this.#at) ?? END;
  }

  /** Steps over the character that {@link peek} shows. */
  skip(): number {
    const point = this.peek();
    if (point !== END) this.#at += point > 0xffff ? 2 : 1;
    return point;
  }

  /** Remembers the place; the result returns to it. */
  mark(): () => void {
    const [at, point, quoted] = [this.#at, this.point, this.quoted];
    const [inQuote, afterBackslash] = [this.#inQuote, this.#afterBackslash];
    return () => {
      [this.#at, this.point, this.quoted] = [at, point, quoted];
      [this.#inQuote, this.#afterBackslash] = [inQuote, afterBackslash];
    };
  }

  /** Moves to the next character. */
  next(): void {
    this.point = this.skip();
    this.quoted = false;
    if (this.#inQuote) return this.#nextQuoted();
    if (this.#afterBackslash) {
      this.#afterBackslash = false;
      return;
    }
    if (this.modes.comments) this.#skipComments();
    if (this.point === BACKSLASH) this.#readEscape();
  }

  #nextQuoted(): void {
    this.quoted = true;
    if (this.point === END) this.quoted = false;
    if (this.point === BACKSLASH && this.peek() === CAPITAL_E) {
      this.#inQuote = false;
      this.skip();
      this.next();
    }
  }

  #skipComments(): void {
    while (this.point !== END) {
      if (this.hashComments && this.point === HASH) {
        do this.point = this.skip(); while (
          this.point !== END &&
          !COMMENT_END.test(String.fromCodePoint(this.point))
        );
        if (this.point === END) return;
      }
      if (!PATTERN_SPACE.test(String.fromCodePoint(this.point))) return;
      this.point = this.skip();
    }
  }

  #readEscape(): void {
    const letter = this.peek();
    if (letter === END) throw new PatternSyntaxError("escape");
    if (letter === CAPITAL_Q) {
      // What follows is literal up to \E; the \Q itself is no item.
      this.skip();
      this.#inQuote = true;
      return this.next();
    }
    if (letter === ZERO) {
      this.skip();
      this.point = this.#readOctal();
    } else if (
      letter < 0x80 && CHARACTER_ESCAPES.includes(String.fromCharCode(letter))
    ) {
      this.skip();
      this.point = this.#readCharacterEscape(String.fromCharCode(letter));
    } else {
      // A class, an anchor or an escaped literal: the parser tells which.
      this.#afterBackslash = true;
      return;
    }
    this.quoted = true;
  }

  // \0 and one to three octal digits, at most \0377, as in Java.
  #readOctal(): number {
    let value = 0;
    let digits = 0;
    for (; digits < 3; digits++) {
      const digit = this.peek() - ZERO;
      if (digit < 0 || digit > 7 || value * 8 + digit > 255) break;
      value = value * 8 + digit;
      this.skip();
    }
    if (digits === 0) throw new PatternSyntaxError("escape");
    return value;
  }

  #readCharacterEscape(letter: string): number {
    switch (letter) {
      case "x":
        return this.#joinSurrogates(this.#readHexEscape());
      case "u":
        return this.#joinSurrogates(this.#readHex(4, 4));
      case "U":
        return this.#joinSurrogates(this.#readHex(8, 8));
      case "c": {
        const control = this.skip();
        return control === END ? 0x63 : control & 0x1f;
      }
      default:
        return NAMED_ESCAPES[letter] ?? 0;
    }
  }

  #readHexEscape(): number {
    if (this.peek() !== 0x7b) return this.#readHex(1, 2);
    this.skip();
    const value = this.#readHex(1, 8);
    if (this.skip() !== 0x7d) throw new PatternSyntaxError("escape");
    return value;
  }

  #readHex(least: number, most: number): number {
    let value = 0;
    let digits = 0;
    for (; digits < most; digits++) {
      const digit = hexDigit(this.peek());
      if (digit === undefined) break;
      value = value * 16 + digit;
      this.skip();
    }
    if (digits < least || value > 0x10ffff) {
      throw new PatternSyntaxError("escape");
    }
    return value;
  }

  // A pair may be written as two escapes, or as an escape and a half.
  #joinSurrogates(lead: number): number {
    if (lead < 0xd800 || lead > 0xdbff) return lead;
    const start = this.#at;
    const trail = this.#readTrail();
    if (trail !== undefined && trail >= 0xdc00 && trail <= 0xdfff) {
      return 0x10000 + ((lead - 0xd800) << 10) + (trail - 0xdc00);
    }
    this.#at = start;
    return lead;
  }

  #readTrail(): number | undefined {
    const point = this.skip();
    if (point !== BACKSLASH) return point;
    const letter = this.skip();
    try {
      if (letter === 0x75) return this.#readHex(4, 4);
      if (letter === 0x55) return this.#readHex(8, 8);
      if (letter === 0x78) return this.#readHexEscape();
    } catch (error) {
      if (!(error instanceof PatternSyntaxError)) throw error;
    }
    return undefined;
  }
}

function hexDigit(point: number): number | undefined {
  if (point >= 0x30 && point <= 0x39) return point - 0x30;
  const lower = point | 0x20;
  if (lower >= 0x61 && lower <= 0x66) return lower - 0x61 + 10;
  return undefined;
}
