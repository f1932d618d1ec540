/**
 * From the tree of a pattern to instructions. Each construct becomes the loop
 * that ICU makes of it, since that decides what differs between engines: a
 * greedy loop that matched nothing is left, a lazy one is not; a counted loop
 * stops when it no longer moves; a positive look-around keeps its groups; a
 * look-behind tries every start between its shortest and longest match.
 *
 * @module
 */

import {
  type Look,
  type Node,
  type Pattern,
  type Repeat,
  UNBOUNDED,
} from "./ast.ts";
import { CodePointSet } from "./code_point_set.ts";
import { simpleFold } from "../casefold.ts";
import { maxLength, minLength } from "./lengths.ts";
import { firstCharacters, isAnchored, requirement } from "./prefilter.ts";
import { startFinder } from "./prefilter.ts";
import {
  ASSERTION,
  DOT_MODES,
  LOOK_CELLS,
  OP,
  type Program,
} from "./program.ts";

/** ICU's backtrack stack, in numbers of eight bytes (8,000,000 bytes by four). */
const ICU_STACK_NUMBERS = 2_000_000;
/** Numbers in each of its frames beside groups and loops. */
const ICU_FRAME_NUMBERS = 2;

/** The program of a parsed pattern. */
export function compile(pattern: Pattern): Program {
  return new Compiler(pattern).compile();
}

class Compiler {
  readonly #pattern: Pattern;
  readonly #code: number[] = [];
  readonly #strings: string[] = [];
  readonly #folded: Int32Array[] = [];
  readonly #sets: CodePointSet[] = [];
  #registers: number;
  #cells = 0;
  /** Instructions whose failure at a position is worth remembering. */
  readonly #remembered = new Set<number>();
  /** Whether a failure depends on the instruction and the position alone. */
  #isMemorable = true;

  constructor(pattern: Pattern) {
    this.#pattern = pattern;
    // A group's start, its end, and the start of a try that is under way.
    this.#registers = pattern.groups * 3;
  }

  compile(): Program {
    const { body, groups } = this.#pattern;
    this.#remember();
    this.#node(body);
    this.#emit(OP.match);
    const remembered = [...this.#remembered];
    const memory = new Int32Array(this.#code.length).fill(-1);
    remembered.forEach((pc, i) => memory[pc] = i);
    const frame = ICU_FRAME_NUMBERS + this.#registers;
    return {
      code: Int32Array.from(this.#code),
      strings: this.#strings,
      folded: this.#folded,
      sets: this.#sets,
      groups,
      registers: this.#registers,
      cells: this.#cells,
      maxChoices: Math.floor(ICU_STACK_NUMBERS / frame),
      memory: this.#isMemorable ? memory : undefined,
      memories: remembered.length,
      minLength: minLength(body),
      isAnchored: isAnchored(body),
      mayMatch: requirement(body),
      findStart: startFinder(body),
      first: firstCharacters(body),
    };
  }

  #emit(...numbers: number[]): number {
    const at = this.#code.length;
    this.#code.push(...numbers);
    return at;
  }

  /** Makes the operand at `at`, a target, the next instruction. */
  #patch(at: number): void {
    this.#code[at] = this.#code.length;
    this.#remember();
  }

  #remember(): void {
    this.#remembered.add(this.#code.length);
  }

  #node(node: Node): void {
    switch (node.kind) {
      case "literal":
        return this.#literal(node.text, node.ignoreCase);
      case "set":
        this.#emit(OP.set, this.#setIndex(node.set));
        return;
      case "dot":
        this.#emit(OP.dot, DOT_MODES.indexOf(node.mode));
        return;
      case "newline":
        this.#emit(OP.newline);
        return;
      case "grapheme":
        this.#emit(OP.grapheme);
        return;
      case "assertion":
        this.#emit(OP.assert, ASSERTION[node.what]);
        return;
      case "sequence":
        for (const item of node.items) this.#node(item);
        return;
      case "alternation":
        return this.#alternation(node.branches);
      case "capture":
        this.#emit(OP.open, node.group - 1);
        this.#node(node.body);
        this.#emit(OP.close, node.group - 1);
        return;
      case "atomic":
        return this.#atomic(() => this.#node(node.body));
      case "backreference":
        this.#isMemorable = false;
        this.#emit(
          node.ignoreCase ? OP.referenceFold : OP.reference,
          node.group - 1,
        );
        return;
      case "look":
        this.#isMemorable = false;
        return node.behind ? this.#lookBehind(node) : this.#lookAhead(node);
      case "repeat":
        return this.#repeat(node);
      default:
        node satisfies never;
    }
  }

  #literal(text: string, ignoreCase: boolean): void {
    const points = Array.from(text, (c) => c.codePointAt(0) ?? 0);
    const [only] = points;
    if (points.length === 1 && only !== undefined) {
      if (ignoreCase) this.#emit(OP.set, this.#setIndex(foldedSet(only)));
      else this.#emit(OP.char, only);
    } else if (ignoreCase) {
      this.#emit(OP.stringFold, this.#folded.length);
      this.#folded.push(Int32Array.from(points));
    } else {
      this.#emit(OP.string, this.#strings.length);
      this.#strings.push(text);
    }
  }

  #setIndex(set: CodePointSet): number {
    const at = this.#sets.indexOf(set);
    return at >= 0 ? at : this.#sets.push(set) - 1;
  }

  #alternation(branches: readonly Node[]): void {
    const ends: number[] = [];
    branches.forEach((branch, i) => {
      const isLast = i === branches.length - 1;
      const split = isLast ? -1 : this.#emit(OP.split, 0);
      this.#node(branch);
      // The last jumps too, since a jump is where a failure is remembered.
      ends.push(this.#emit(OP.jump, 0) + 1);
      if (!isLast) this.#patch(split + 1);
    });
    for (const end of ends) this.#patch(end);
  }

  #atomic(body: () => void): void {
    this.#isMemorable = false;
    const cell = this.#cells++;
    this.#emit(OP.cutMark, cell);
    body();
    this.#emit(OP.cut, cell);
  }

  #lookAhead({ negative, body }: Look): void {
    const cell = this.#cells;
    this.#cells += LOOK_CELLS;
    this.#emit(OP.lookStart, cell);
    if (!negative) {
      this.#node(body);
      this.#emit(OP.lookEnd, cell);
      return;
    }
    const split = this.#emit(OP.split, 0);
    this.#node(body);
    this.#emit(OP.lookEnd, cell, OP.fail);
    this.#patch(split + 1);
    this.#emit(OP.lookEnd, cell);
  }

  #lookBehind({ negative, body }: Look): void {
    const cell = this.#cells;
    this.#cells += LOOK_CELLS;
    const most = maxLength(body);
    this.#emit(OP.behindStart, cell);
    const split = negative ? this.#emit(OP.split, 0) : -1;
    this.#emit(OP.behindTry, cell, minLength(body), most);
    this.#node(body);
    this.#emit(OP.behindEnd, cell, OP.lookEnd, cell);
    if (!negative) return;
    this.#emit(OP.fail);
    this.#patch(split + 1);
    this.#emit(OP.lookEnd, cell);
  }

  #repeat(repeat: Repeat): void {
    const { body, min, max, greed, isInterval } = repeat;
    if (max === 0) return;
    if (minLength(body) === 0) this.#isMemorable = false;
    if (isSimple(body) && greed !== "lazy") this.#run(repeat);
    else if (greed === "possessive") {
      this.#atomic(() => this.#possessive(repeat));
    } else if (isInterval) this.#counted(repeat);
    else if (max === 1) this.#optional(body, greed === "lazy");
    else if (greed === "lazy") this.#lazyLoop(body, min);
    else this.#greedyLoop(body, min);
  }

  #optional(body: Node, isLazy: boolean): void {
    const skip = this.#emit(isLazy ? OP.pushJump : OP.split, 0);
    if (isLazy) this.#remember();
    this.#node(body);
    this.#patch(skip + 1);
  }

  #run({ body, min, max, greed }: Repeat): void {
    const register = this.#registers++;
    if (body.kind === "dot") {
      const mode = DOT_MODES.indexOf(body.mode);
      this.#emit(OP.runDot, mode, register, min, max);
    } else {
      const set = this.#setIndex(simpleSet(body));
      this.#emit(OP.runSet, set, register, min, max);
    }
    if (greed === "possessive") return;
    this.#emit(OP.giveBack, register, body.kind === "dot" ? 1 : 0);
    this.#remember();
  }

  #greedyLoop(body: Node, min: number): void {
    const split = min === 0 ? this.#emit(OP.split, 0) : -1;
    if (minLength(body) === 0) {
      const register = this.#registers++;
      this.#emit(OP.noteStart, register);
      const top = this.#code.length;
      this.#node(body);
      this.#emit(OP.loopIfMoved, top, register);
    } else {
      const top = this.#code.length;
      this.#remember();
      this.#node(body);
      this.#emit(OP.pushJump, top);
    }
    this.#remember();
    if (split >= 0) this.#patch(split + 1);
  }

  // ICU does not watch that a lazy loop moves: one that does not ends by the
  // stack's bound or the caller's budget.
  #lazyLoop(body: Node, min: number): void {
    const jump = min === 0 ? this.#emit(OP.jump, 0) : -1;
    const top = this.#code.length;
    this.#remember();
    this.#node(body);
    if (jump >= 0) this.#patch(jump + 1);
    this.#emit(OP.split, top);
  }

  // Nor that a possessive one does.
  #possessive(repeat: Repeat): void {
    const { body, min, max, isInterval } = repeat;
    if (isInterval) return this.#counted({ ...repeat, greed: "greedy" });
    if (max === 1) return this.#optional(body, false);
    const top = this.#code.length;
    if (min === 1) this.#node(body);
    const split = this.#emit(OP.split, 0);
    if (min === 0) this.#node(body);
    this.#emit(OP.jump, top);
    this.#patch(split + 1);
  }

  #counted({ body, min, max, greed }: Repeat): void {
    this.#isMemorable = false;
    const register = this.#registers;
    this.#registers += max === UNBOUNDED ? 2 : 1;
    const isLazy = greed === "lazy";
    const start = this.#emit(
      isLazy ? OP.lazyStart : OP.countStart,
      register,
      min,
      max,
      0,
    );
    const top = this.#code.length;
    this.#node(body);
    this.#emit(isLazy ? OP.lazyLoop : OP.countLoop, register, min, max, top);
    this.#patch(start + 4);
  }
}

/** Whether a node always takes exactly one character. */
function isSimple(node: Node): boolean {
  if (node.kind === "set" || node.kind === "dot") return true;
  return node.kind === "literal" && Array.from(node.text).length === 1;
}

function simpleSet(node: Node): CodePointSet {
  if (node.kind === "set") return node.set;
  const point = node.kind === "literal" ? node.text.codePointAt(0) ?? 0 : 0;
  return node.kind === "literal" && node.ignoreCase
    ? foldedSet(point)
    : CodePointSet.ofRanges(point, point);
}

/** The characters whose simple folding is `point`. */
function foldedSet(point: number): CodePointSet {
  return CodePointSet.of((other) => simpleFold(other) === point);
}
