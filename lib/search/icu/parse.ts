/**
 * ICU's grammar of regular expressions: a pattern enters, its tree leaves, and
 * what ICU 72 would not compile is refused with a PatternSyntaxError. Nothing
 * is forgiven that ICU does not forgive: `{bob}`, `a**` and `(?P<n>..)` are
 * errors, `]` and `\q` are literals.
 *
 * Two rules shape the code. Literals are collected, across comments too, and
 * become one node, because under `(?i)` they are folded together (`ss` is `ß`);
 * a quantifier takes the last of them alone. And a match mode set by `(?i)`
 * stays until its group ends, through `|` as well.
 *
 * Follows the ICU User Guide, "Regular Expressions".
 *
 * @module
 */

import type { Assertion, Greed, Node, Pattern } from "./ast.ts";
import { Items } from "./items.ts";
import { UNBOUNDED } from "./ast.ts";
import {
  parseNamedCharacter,
  parseProperty,
  parseSet,
  shorthandSet,
} from "./parse_set.ts";
import { lookBehindLength } from "./lengths.ts";
import {
  boundaryAssertion,
  endAssertion,
  type Modes,
  NO_MODES,
  setMode,
  startAssertion,
} from "./modes.ts";
import { END, Scanner } from "./scanner.ts";
import { PatternSyntaxError } from "./syntax_error.ts";

/** Groups and sets inside one another that ICU's parse stack takes. */
const MAX_NESTING = 98;
/** The highest bound of an interval that ICU's compiler takes. */
const MAX_INTERVAL = 0xffffff;

/** The tree of `pattern`; throws PatternSyntaxError when it is invalid. */
export function parsePattern(pattern: string): Pattern {
  if (pattern === "") throw new PatternSyntaxError("empty");
  return new Parser(pattern).parse();
}

class Parser {
  readonly #scanner: Scanner;
  readonly #names = new Map<string, number>();
  #groups = 0;

  constructor(pattern: string) {
    this.#scanner = new Scanner(pattern, { ...NO_MODES });
  }

  parse(): Pattern {
    this.#scanner.next();
    const body = this.#alternatives(0);
    if (this.#scanner.is(")")) throw new PatternSyntaxError("parenthesis");
    if (highestReference(body) > this.#groups) {
      throw new PatternSyntaxError("backreference");
    }
    return { body, groups: this.#groups };
  }

  // Reads up to the `)` that closes the group, or the end of the pattern.
  #alternatives(depth: number): Node {
    const branches: Node[] = [];
    let items = new Items(() => this.#scanner.modes);
    while (true) {
      const scanner = this.#scanner;
      if (scanner.point === END || scanner.is(")")) break;
      if (scanner.is("|")) {
        branches.push(items.finish());
        items = new Items(() => scanner.modes);
        scanner.next();
      } else this.#item(items, depth);
    }
    branches.push(items.finish());
    const [only] = branches;
    return only !== undefined && branches.length === 1
      ? only
      : { kind: "alternation", branches };
  }

  #item(items: Items, depth: number): void {
    const scanner = this.#scanner;
    if (scanner.quoted) return this.#literal(items);
    switch (String.fromCodePoint(scanner.point)) {
      case "*":
      case "+":
      case "?":
      case "{":
        return this.#quantifier(items);
      case "(":
        return this.#parenthesis(items, depth);
      case "[":
        return this.#set(items, depth);
      case "\\":
        return this.#escape(items);
      case ".":
        return this.#dot(items);
      case "^":
        return this.#assertion(items, startAssertion(scanner.modes));
      case "$":
        return this.#assertion(items, endAssertion(scanner.modes));
      case "}":
        throw new PatternSyntaxError("rule");
      default:
        return this.#literal(items);
    }
  }

  #literal(items: Items): void {
    items.addLiteral(this.#scanner.point);
    this.#scanner.next();
  }

  #dot(items: Items): void {
    const { dotAll, unixLines } = this.#scanner.modes;
    const mode = dotAll ? "all" : unixLines ? "unix" : "lines";
    items.add({ kind: "dot", mode }, { quantifiable: true });
    this.#scanner.next();
  }

  // ^ and $ may be quantified, the assertions with a backslash may not.
  #assertion(items: Items, what: Assertion): void {
    items.add({ kind: "assertion", what }, { quantifiable: true });
    this.#scanner.next();
  }

  #set(items: Items, depth: number): void {
    this.#scanner.next();
    const set = parseSet(this.#scanner, MAX_NESTING - depth);
    // A set of one character is a literal to ICU, joined to its neighbours.
    if (set.single !== undefined) items.addLiteral(set.single);
    else items.add({ kind: "set", set }, { quantifiable: true });
  }

  #escape(items: Items): void {
    const scanner = this.#scanner;
    scanner.next();
    const letter = scanner.point;
    const boundary = boundaryAssertion(letter, scanner.modes);
    if (boundary !== undefined) {
      scanner.next();
      items.add(
        { kind: "assertion", what: boundary },
        { quantifiable: false },
      );
      return;
    }
    const node = this.#escapedNode(letter);
    if (node === undefined) return this.#escapedLiteral(items, letter);
    items.add(node, { quantifiable: true });
  }

  #escapedNode(letter: number): Node | undefined {
    const scanner = this.#scanner;
    const shorthand = shorthandSet(letter);
    if (shorthand !== undefined) {
      scanner.next();
      return { kind: "set", set: shorthand };
    }
    if (letter >= 0x31 && letter <= 0x39) return this.#numberedReference();
    switch (String.fromCodePoint(letter)) {
      case "p":
      case "P":
        return { kind: "set", set: parseProperty(scanner) };
      case "R":
        scanner.next();
        return { kind: "newline" };
      case "X":
        scanner.next();
        return { kind: "grapheme" };
      case "k":
        return this.#namedReference();
      default:
        return undefined;
    }
  }

  #escapedLiteral(items: Items, letter: number): void {
    if (letter === 0x4e) {
      items.addLiteral(parseNamedCharacter(this.#scanner));
    } else this.#literal(items);
  }

  // Digits are taken while the number stays below that of the groups opened
  // so far, so `(a)\10` is group 1 and a 0.
  #numberedReference(): Node {
    const scanner = this.#scanner;
    let group = scanner.point - 0x30;
    while (group < this.#groups) {
      const digit = scanner.peek() - 0x30;
      if (digit < 0 || digit > 9) break;
      scanner.skip();
      group = group * 10 + digit;
    }
    scanner.next();
    return this.#reference(group);
  }

  #namedReference(): Node {
    const scanner = this.#scanner;
    scanner.next();
    if (!scanner.is("<")) throw new PatternSyntaxError("group-name");
    scanner.next();
    const group = this.#names.get(this.#groupName());
    if (group === undefined) throw new PatternSyntaxError("group-name");
    return this.#reference(group);
  }

  #reference(group: number): Node {
    const { ignoreCase } = this.#scanner.modes;
    return { kind: "backreference", group, ignoreCase };
  }

  // The scanner stands on the first letter, and then on what follows the `>`.
  #groupName(): string {
    const scanner = this.#scanner;
    let name = "";
    while (!scanner.is(">")) {
      const character = scanner.point === END
        ? ""
        : String.fromCodePoint(scanner.point);
      const isValid = !scanner.quoted &&
        (name === "" ? /^[A-Za-z]$/ : /^[A-Za-z0-9]$/).test(character);
      if (!isValid) throw new PatternSyntaxError("group-name");
      name += character;
      scanner.next();
    }
    if (name === "") throw new PatternSyntaxError("group-name");
    scanner.next();
    return name;
  }

  #quantifier(items: Items): void {
    if (!items.quantifiable) throw new PatternSyntaxError("rule");
    const scanner = this.#scanner;
    const isInterval = scanner.is("{");
    const [min, max] = scanner.is("*")
      ? [0, UNBOUNDED]
      : scanner.is("+")
      ? [1, UNBOUNDED]
      : scanner.is("?")
      ? [0, 1]
      : this.#interval();
    if (!isInterval) scanner.next();
    const greed = this.#greed();
    const body = items.takeLast();
    items.add(
      { kind: "repeat", body, min, max, greed, isInterval },
      { quantifiable: false },
    );
  }

  #greed(): Greed {
    const scanner = this.#scanner;
    const greed = scanner.is("?")
      ? "lazy"
      : scanner.is("+")
      ? "possessive"
      : "greedy";
    if (greed !== "greedy") scanner.next();
    return greed;
  }

  #interval(): [min: number, max: number] {
    const scanner = this.#scanner;
    scanner.next();
    const min = this.#bound();
    if (min === undefined) throw new PatternSyntaxError("interval");
    let max: number | undefined = min;
    if (scanner.is(",")) {
      scanner.next();
      max = this.#bound() ?? UNBOUNDED;
    }
    if (!scanner.is("}")) throw new PatternSyntaxError("interval");
    scanner.next();
    if (min > MAX_INTERVAL || max > MAX_INTERVAL) {
      throw new PatternSyntaxError("interval");
    }
    if (max !== UNBOUNDED && min > max) {
      throw new PatternSyntaxError("interval");
    }
    return [min, max];
  }

  #bound(): number | undefined {
    const scanner = this.#scanner;
    let bound: number | undefined;
    while (!scanner.quoted && scanner.point >= 0x30 && scanner.point <= 0x39) {
      bound = (bound ?? 0) * 10 + scanner.point - 0x30;
      scanner.next();
    }
    return bound;
  }

  #parenthesis(items: Items, depth: number): void {
    const scanner = this.#scanner;
    scanner.next();
    if (!scanner.is("?")) return this.#capture(items, depth);
    // In `(?#` under (?x) the # is no comment to the end of the line.
    scanner.hashComments = false;
    scanner.next();
    scanner.hashComments = true;
    if (scanner.quoted) throw new PatternSyntaxError("rule");
    switch (String.fromCodePoint(Math.max(0, scanner.point))) {
      case "#":
        return this.#comment();
      case ":":
        return this.#group(items, depth, (body) => body);
      case ">":
        return this.#group(items, depth, (body) => ({ kind: "atomic", body }));
      case "=":
        return this.#look(items, depth, { behind: false, negative: false });
      case "!":
        return this.#look(items, depth, { behind: false, negative: true });
      case "<":
        return this.#lookBehindOrName(items, depth);
      case "(":
        throw new PatternSyntaxError("unsupported");
      default:
        return this.#modes(items, depth);
    }
  }

  #comment(): void {
    const scanner = this.#scanner;
    do scanner.next(); while (scanner.point !== END && !scanner.is(")"));
    if (scanner.point === END) throw new PatternSyntaxError("parenthesis");
    scanner.next();
  }

  #capture(items: Items, depth: number, name?: string): void {
    const group = ++this.#groups;
    if (name !== undefined) this.#names.set(name, group);
    this.#body(items, depth, {
      wrap: (body) => ({ kind: "capture", group, body }),
      quantifiable: true,
    });
  }

  #group(items: Items, depth: number, wrap: (body: Node) => Node): void {
    this.#scanner.next();
    this.#body(items, depth, { wrap, quantifiable: true });
  }

  #look(
    items: Items,
    depth: number,
    kind: { behind: boolean; negative: boolean },
  ): void {
    this.#scanner.next();
    this.#body(items, depth, {
      wrap: (body) => {
        if (kind.behind) lookBehindLength(body);
        return { kind: "look", ...kind, body };
      },
      quantifiable: false,
    });
  }

  #lookBehindOrName(items: Items, depth: number): void {
    const scanner = this.#scanner;
    scanner.next();
    if (scanner.is("=")) {
      return this.#look(items, depth, { behind: true, negative: false });
    }
    if (scanner.is("!")) {
      return this.#look(items, depth, { behind: true, negative: true });
    }
    const name = this.#groupName();
    if (this.#names.has(name)) throw new PatternSyntaxError("group-name");
    this.#capture(items, depth, name);
  }

  // Reads a group's alternatives and its `)`. Modes set inside end with it.
  #body(
    items: Items,
    depth: number,
    group: { wrap: (body: Node) => Node; quantifiable: boolean },
    modes?: Modes,
  ): void {
    if (depth >= MAX_NESTING) throw new PatternSyntaxError("nesting");
    const scanner = this.#scanner;
    items.flush();
    const outer = scanner.modes;
    scanner.modes = { ...(modes ?? outer) };
    const body = this.#alternatives(depth + 1);
    if (!scanner.is(")")) throw new PatternSyntaxError("parenthesis");
    scanner.modes = outer;
    scanner.next();
    items.add(group.wrap(body), { quantifiable: group.quantifiable });
  }

  // `(?ims-x)` for the rest of the group, or `(?ims-x:..)`.
  #modes(items: Items, depth: number): void {
    const scanner = this.#scanner;
    const modes = { ...scanner.modes };
    let isOn = true;
    let letters = 0;
    for (; !scanner.is(")") && !scanner.is(":"); scanner.next(), letters++) {
      if (scanner.is("-")) isOn = false;
      else if (!setMode(modes, scanner.letter, { isOn })) {
        throw new PatternSyntaxError("rule");
      }
    }
    if (letters === 0) throw new PatternSyntaxError("rule");
    if (scanner.is(":")) {
      const outer = scanner.modes;
      items.flush();
      scanner.modes = modes;
      scanner.next();
      scanner.modes = outer;
      this.#body(items, depth, { wrap: (body) => body, quantifiable: true }, {
        ...modes,
      });
      return;
    }
    items.flush();
    items.quantifiable = false;
    scanner.modes = modes;
    scanner.next();
  }
}

/** The highest group that is referred to, but in what `{0}` takes away. */
function highestReference(node: Node): number {
  switch (node.kind) {
    case "backreference":
      return node.group;
    case "sequence":
      return Math.max(0, ...node.items.map(highestReference));
    case "alternation":
      return Math.max(...node.branches.map(highestReference));
    case "repeat":
      if (node.max === 0 && node.greed === "greedy") return 0;
      return highestReference(node.body);
    case "capture":
    case "atomic":
    case "look":
      return highestReference(node.body);
    default:
      return 0;
  }
}
