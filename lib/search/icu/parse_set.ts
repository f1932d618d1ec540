/**
 * Sets: `[..]` with ranges, escapes, nested sets, `[:posix:]` classes and the
 * operators `&&` `--` (between anything) and `&` `-` (between bracketed sets).
 * The scanner stands on what follows the `[`; the set leaves, and the scanner
 * on what follows its `]`.
 *
 * Operators are kept on a stack and carried out when one that binds no tighter
 * follows, so an operand is whatever was collected since the last one: ranges
 * need no brackets of their own. Case
 * closure comes before negation, since the other order would
 * exclude nothing.
 *
 * Follows ICU's "Set Expressions"; precedence was settled by asking ICU 72.
 *
 * @module
 */

import { CodePointSet } from "./code_point_set.ts";
import { HORIZONTAL_SPACE, LINE_END, propertySet } from "./properties.ts";
import { DIGIT, SPACE, WORD } from "./properties.ts";
import { characterByName } from "./character_names.ts";
import { END, type Scanner } from "./scanner.ts";
import { PatternSyntaxError } from "./syntax_error.ts";

/** `\d` and its like, by letter; the capital is the complement. */
const SHORTHANDS: Readonly<Record<string, CodePointSet>> = {
  d: DIGIT,
  h: HORIZONTAL_SPACE,
  s: SPACE,
  v: LINE_END,
  w: WORD,
};

/** The set of `\d`, `\D` and the like, undefined for another letter. */
export function shorthandSet(letter: number): CodePointSet | undefined {
  const character = String.fromCharCode(letter);
  const set = SHORTHANDS[character.toLowerCase()];
  if (set === undefined || letter > 0x7f) return undefined;
  return character in SHORTHANDS ? set : set.complement();
}

/** Reads `\p{..}` or `\P{..}`; the scanner stands on the `p`. */
export function parseProperty(scanner: Scanner): CodePointSet {
  const negated = scanner.point === 0x50;
  const { ignoreCase } = scanner.modes;
  return namedSet(parseBraced(scanner), { negated, ignoreCase });
}

/** Reads `{NAME}` after `\N`; the scanner stands on the `N`. */
export function parseNamedCharacter(scanner: Scanner): number {
  const point = characterByName(parseBraced(scanner));
  if (point === undefined) throw new PatternSyntaxError("property");
  return point;
}

// The text between the braces that follow; white space is the scanner's.
function parseBraced(scanner: Scanner): string {
  const next = () => (scanner.next(), scanner.point);
  if (next() !== 0x7b) throw new PatternSyntaxError("property");
  let text = "";
  for (let point = next(); point !== 0x7d; point = next()) {
    if (point === END) throw new PatternSyntaxError("property");
    text += String.fromCodePoint(point);
  }
  scanner.next();
  return text;
}

function namedSet(
  name: string,
  options: { negated: boolean; ignoreCase: boolean },
): CodePointSet {
  const set = propertySet(name);
  if (set === undefined) throw new PatternSyntaxError("property");
  const closed = options.ignoreCase ? set.caseClosure() : set;
  return options.negated ? closed.complement() : closed;
}

/** Reads a set; the scanner stands on what follows the `[`. */
export function parseSet(scanner: Scanner, depthLeft: number): CodePointSet {
  return new SetParser(scanner).parse(depthLeft);
}

type Operator =
  | "open"
  | "negate"
  | "close-case"
  | "difference"
  | "intersection"
  | "union"
  | "tight-difference"
  | "tight-intersection";

/** How tightly each binds; "close" is the `]` that carries out all inside it. */
const BINDING: Readonly<Record<Operator | "close", number>> = {
  open: 0,
  close: 1,
  negate: 2,
  "close-case": 2,
  difference: 3,
  intersection: 3,
  union: 4,
  "tight-difference": 4,
  "tight-intersection": 4,
};

/** What was just read, which decides what `-` and `&` mean. */
type After = "start" | "literal" | "range" | "set" | "operator";

class SetParser {
  readonly #scanner: Scanner;
  readonly #sets: CodePointSet[] = [];
  readonly #operators: Operator[] = [];
  // What a range begins with. A `-` or `&` that is a literal after all does not
  // count, so that `[b&-x]` has the range b to x.
  #lastLiteral = END;

  constructor(scanner: Scanner) {
    this.#scanner = scanner;
  }

  parse(depthLeft: number): CodePointSet {
    this.#open();
    let nesting = 1;
    let after = this.#begin();
    if (after === "set") nesting--;
    while (nesting > 0) {
      const scanner = this.#scanner;
      if (scanner.point === END) throw new PatternSyntaxError("bracket");
      if (scanner.is("[")) {
        if (nesting++ >= depthLeft) throw new PatternSyntaxError("nesting");
        this.#push("union");
        after = this.#nest();
        if (after === "set") nesting--;
      } else if (scanner.is("]") && after !== "operator") {
        this.#close();
        nesting--;
        after = "set";
      } else {
        const next = this.#item(after);
        if (next === "nested") {
          if (nesting++ >= depthLeft) throw new PatternSyntaxError("nesting");
          after = this.#nest();
          if (after === "set") nesting--;
        } else after = next;
      }
    }
    return this.#sets.pop() ?? CodePointSet.empty;
  }

  #nest(): After {
    this.#scanner.next();
    this.#operators.push("open");
    if (this.#scanner.modes.ignoreCase) this.#operators.push("close-case");
    return this.#begin();
  }

  #open(): void {
    this.#sets.push(CodePointSet.empty);
    this.#operators.push("open");
    if (this.#scanner.modes.ignoreCase) this.#operators.push("close-case");
  }

  // What may stand first in a set only: `^`, a `]` that is a literal, and the
  // `:name:` of a POSIX class, which is the whole of its set.
  #begin(): After {
    const scanner = this.#scanner;
    if (scanner.is(":") && this.#posixClass()) {
      this.#close();
      return "set";
    }
    if (scanner.is("^")) {
      scanner.next();
      const last = this.#operators.pop();
      this.#operators.push("negate");
      if (last === "close-case") this.#operators.push(last);
      else if (last !== undefined) {
        this.#operators.splice(-1, 0, last);
      }
    }
    if (!scanner.is("]")) return "start";
    this.#addLiteral();
    return "literal";
  }

  // Reads `:name:` if there is one; else leaves the scanner as it was.
  #posixClass(): boolean {
    const scanner = this.#scanner;
    const goBack = scanner.mark();
    scanner.next();
    const negated = scanner.point === 0x5e;
    if (negated) scanner.next();
    let name = "";
    // The first character belongs to the name, a colon too.
    do {
      if (scanner.point === END) break;
      name += String.fromCodePoint(scanner.point);
      scanner.next();
    } while (scanner.point !== END && !scanner.quoted && !scanner.is(":"));
    if (scanner.is(":")) {
      scanner.next();
      if (scanner.is("]")) {
        const { ignoreCase } = scanner.modes;
        this.#add(namedSet(name, { negated, ignoreCase }));
        return true;
      }
    }
    goBack();
    return false;
  }

  #item(after: After): After | "nested" {
    const scanner = this.#scanner;
    if (scanner.is("]")) throw new PatternSyntaxError("rule");
    if (scanner.is("\\")) return this.#escape();
    if (scanner.is("-") && after !== "operator") return this.#dash(after);
    if (scanner.is("&") && after !== "operator") return this.#ampersand(after);
    this.#addLiteral();
    return "literal";
  }

  #dash(after: After): After | "nested" {
    const scanner = this.#scanner;
    scanner.next();
    if (scanner.is("-")) {
      if (after === "start") throw new PatternSyntaxError("rule");
      scanner.next();
      this.#push("difference");
      return "operator";
    }
    if (after === "set" && scanner.is("[")) {
      this.#push("tight-difference");
      return "nested";
    }
    const isRange = after === "literal" && !scanner.is("[") &&
      !scanner.is("]") && scanner.point !== END;
    if (isRange) return this.#range();
    this.#add(CodePointSet.ofRanges(0x2d, 0x2d));
    return "literal";
  }

  #ampersand(after: After): After | "nested" {
    const scanner = this.#scanner;
    scanner.next();
    if (scanner.is("&")) {
      if (after === "start") throw new PatternSyntaxError("rule");
      scanner.next();
      this.#push("intersection");
      return "operator";
    }
    if (after === "set" && scanner.is("[")) {
      this.#push("tight-intersection");
      return "nested";
    }
    this.#add(CodePointSet.ofRanges(0x26, 0x26));
    return "literal";
  }

  #range(): After {
    const scanner = this.#scanner;
    const first = this.#lastLiteral;
    let last = scanner.point;
    if (scanner.is("\\")) {
      scanner.next();
      last = scanner.point;
      if (scanner.point === 0x4e) last = parseNamedCharacter(scanner);
      else if ("sSwWdD".includes(String.fromCodePoint(Math.max(0, last)))) {
        throw new PatternSyntaxError("rule");
      } else scanner.next();
    } else scanner.next();
    if (last === END) throw new PatternSyntaxError("bracket");
    if (first === END || first > last) throw new PatternSyntaxError("range");
    this.#add(CodePointSet.ofRanges(first, last));
    return "range";
  }

  #escape(): After {
    const scanner = this.#scanner;
    scanner.next();
    const letter = scanner.point;
    if (letter === END) throw new PatternSyntaxError("bracket");
    if (letter === 0x70 || letter === 0x50) {
      this.#add(parseProperty(scanner));
      return "set";
    }
    if (letter === 0x4e) {
      this.#addPoint(parseNamedCharacter(scanner));
      return "literal";
    }
    const shorthand = shorthandSet(letter);
    if (shorthand === undefined) {
      this.#addLiteral();
      return "literal";
    }
    scanner.next();
    this.#add(shorthand);
    return "range";
  }

  #addLiteral(): void {
    this.#addPoint(this.#scanner.point);
    this.#scanner.next();
  }

  #addPoint(point: number): void {
    this.#lastLiteral = point;
    this.#addPlain(CodePointSet.ofRanges(point, point));
  }

  // A tight operator binds as tightly as joining a literal does, and so comes
  // first. It does not come before joining a class: `[[a]-[b]\s]` takes away
  // white space too.
  #addPlain(set: CodePointSet): void {
    this.#carryOut(BINDING.union);
    this.#add(set);
  }

  #add(set: CodePointSet): void {
    const top = this.#sets.pop() ?? CodePointSet.empty;
    this.#sets.push(top.union(set));
  }

  #push(operator: Operator): void {
    this.#carryOut(BINDING[operator]);
    this.#operators.push(operator);
    this.#sets.push(CodePointSet.empty);
  }

  #close(): void {
    this.#carryOut(BINDING.close);
    this.#operators.pop();
    this.#scanner.next();
  }

  #carryOut(binding: number): void {
    while (true) {
      const operator = this.#operators.at(-1);
      if (operator === undefined || BINDING[operator] < binding) return;
      this.#operators.pop();
      const right = this.#sets.pop() ?? CodePointSet.empty;
      this.#sets.push(this.#apply(operator, right));
    }
  }

  #apply(operator: Operator, right: CodePointSet): CodePointSet {
    if (operator === "negate") return right.complement();
    if (operator === "close-case") return right.caseClosure();
    const left = this.#sets.pop() ?? CodePointSet.empty;
    if (operator === "union") return left.union(right);
    if (operator === "difference" || operator === "tight-difference") {
      return left.difference(right);
    }
    return left.intersection(right);
  }
}
