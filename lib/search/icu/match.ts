/**
 * Runs a program over a text: backtracking, as ICU does, so that it finds what
 * ICU finds, but with its own stack and in slices. A run ends after the number
 * of steps it was given and goes on where it was at the next call, so a
 * pattern that never ends holds up nothing: whoever called looks at the clock
 * between slices, and lets others run.
 *
 * That is why the pattern is not translated to the runtime's RegExp: a RegExp
 * cannot be stopped but by ending the worker it runs in. A worker took 190 ms to
 * start on the machine this was measured on, and to search 10,000 lines 39 ms
 * where the same took 12 in place, since each text is copied to it. And a third of what
 * ICU does has no translation (full case folding, `\X`, `\R`, `(?w)\b`, groups that
 * fail while unset, its loops over nothing, its stack's bound).
 *
 * Places are UTF-16 units and characters are code points.
 *
 * @module
 */

import { Backtracks } from "./backtracks.ts";
import { Boundaries } from "./boundaries.ts";
import { CodePointSet, setWork } from "./code_point_set.ts";
import { FailureMemory } from "./failure_memory.ts";
import { endOfFolded, foldedPoints } from "./folded_text.ts";
import { LINE_END } from "./properties.ts";
import { ASSERTION, OP, type Program } from "./program.ts";
import { dotTakes, Runs } from "./runs.ts";
import { nextStart } from "./starts.ts";
import { after, isInsidePair, pointAt } from "./utf16.ts";

/** Steps that finding a start is charged for, the logarithm of units a step. */
const UNITS_PER_STEP_LOG = 4;

/**
 * Steps a text may take before its failures are remembered: nearly all end
 * sooner, and need no memory made for them.
 */
const STEPS_UNREMEMBERED = 40_000;

/** How a run ended; "more" means that steps ran out first. */
export type Outcome = "match" | "none" | "more";

/** A search of one text after another with one program. */
export class Matcher {
  readonly #program: Program;
  readonly #stack: Backtracks;
  readonly #failures: FailureMemory;
  readonly #cells: Int32Array;

  #text = "";
  #boundaries: Boundaries;
  #runs: Runs;
  /** Where no character may be read; look-arounds move it. */
  #limit = 0;
  #start = 0;
  #isAttempting = false;
  #pc = 0;
  #at = 0;
  #steps = 0;
  /** Steps spent on this text; past a bound, failures are remembered. */
  #spent = 0;

  constructor(program: Program) {
    this.#program = program;
    this.#stack = new Backtracks(program);
    this.#failures = new FailureMemory(program);
    this.#cells = new Int32Array(program.cells);
    this.#boundaries = new Boundaries("");
    this.#runs = new Runs("");
  }

  /** Where the match begins; only after "match". */
  get start(): number {
    return this.#start;
  }

  /** Where the match ends; only after "match". */
  get end(): number {
    return this.#at;
  }

  /** Makes `text` the one that {@link run} searches, from its start. */
  begin(text: string): void {
    this.#text = text;
    this.#boundaries = new Boundaries(text);
    this.#start = 0;
    this.#isAttempting = false;
    this.#spent = 0;
    this.#failures.forget();
    this.#runs = new Runs(text);
  }

  /** Whether the text can be turned down without a run. */
  get isHopeless(): boolean {
    const { minLength, mayMatch } = this.#program;
    return this.#text.length < minLength || mayMatch?.(this.#text) === false;
  }

  /** Goes on searching for about `steps` steps. */
  run(steps: number): Outcome {
    this.#steps = steps;
    this.#spent += steps;
    if (this.#spent > STEPS_UNREMEMBERED) {
      this.#failures.start(this.#text.length);
    }
    while (true) {
      if (!this.#isAttempting) {
        this.#steps--;
        const from = nextStart(this.#program, this.#text, this.#start);
        this.#steps -= (Math.max(from, this.#start) - this.#start) >>
          UNITS_PER_STEP_LOG;
        this.#chargeSets();
        if (from < 0) return "none";
        this.#beginAttempt(from);
        if (this.#failures.wasEntered(0, from)) {
          this.#isAttempting = false;
          this.#start = after(this.#text, from);
          continue;
        }
      }
      const outcome = this.#attempt();
      if (outcome !== "none") return outcome;
      this.#isAttempting = false;
      if (this.#program.isAnchored || this.#stack.isOverflown) return "none";
      this.#start = after(this.#text, this.#start);
    }
  }

  #chargeSets(): void {
    this.#steps -= setWork.steps;
    setWork.steps = 0;
  }

  #beginAttempt(from: number): void {
    this.#start = from;
    this.#at = from;
    this.#pc = 0;
    this.#limit = this.#text.length;
    this.#stack.clear();
    this.#isAttempting = true;
  }

  // The instruction loop. Hot instructions are here with their state in
  // locals; the rest is in #other, which leaves it in fields.
  #attempt(): Outcome {
    const { code, sets, strings } = this.#program;
    const text = this.#text;
    const stack = this.#stack;
    const failures = this.#failures;
    let pc = this.#pc;
    let at = this.#at;
    while (true) {
      if (--this.#steps <= 0) {
        this.#pc = pc;
        this.#at = at;
        return "more";
      }
      let ok = true;
      switch (code[pc]) {
        case OP.char: {
          const point = at < this.#limit
            ? pointAt(this.#text, at, this.#limit)
            : -1;
          ok = point === code[pc + 1];
          at += point > 0xffff ? 2 : 1;
          pc += 2;
          break;
        }
        case OP.set: {
          const point = at < this.#limit
            ? pointAt(this.#text, at, this.#limit)
            : -1;
          ok = point >= 0 && sets[code[pc + 1] ?? 0]?.has(point) === true;
          at += point > 0xffff ? 2 : 1;
          pc += 2;
          if (setWork.steps > 0) this.#chargeSets();
          break;
        }
        case OP.string: {
          const string = strings[code[pc + 1] ?? 0] ?? "";
          ok = at + string.length <= this.#limit && text.startsWith(string, at);
          at += string.length;
          pc += 2;
          break;
        }
        case OP.split:
          ok = stack.push(code[pc + 1] ?? 0, at);
          pc += 2;
          break;
        case OP.jump:
          pc = code[pc + 1] ?? 0;
          ok = !failures.wasEntered(pc, at);
          break;
        case OP.pushJump:
          if (failures.wasEntered(code[pc + 1] ?? 0, at)) {
            pc += 2;
            ok = !failures.wasEntered(pc, at);
            break;
          }
          ok = stack.push(pc + 2, at);
          pc = code[pc + 1] ?? 0;
          break;
        case OP.match:
          this.#at = at;
          return "match";
        default:
          this.#pc = pc;
          this.#at = at;
          ok = this.#other(code[pc] ?? OP.fail);
          pc = this.#pc;
          at = this.#at;
      }
      if (ok) continue;
      if (!this.#return()) return "none";
      pc = this.#pc;
      at = this.#at;
    }
  }

  // Goes back to the last choice that has not failed before; false when there
  // is none left.
  #return(): boolean {
    while (this.#stack.pop()) {
      this.#pc = this.#stack.pc;
      this.#at = this.#stack.at;
      if (!this.#failures.wasEntered(this.#pc, this.#at)) return true;
    }
    return false;
  }

  #other(op: number): boolean {
    switch (op) {
      case OP.dot:
        return this.#dot();
      case OP.runSet:
      case OP.runDot:
        return this.#takeRun(op);
      case OP.giveBack:
        return this.#giveBack();
      case OP.stringFold:
        return this.#stringFold();
      case OP.assert:
        return this.#assert();
      case OP.open:
        this.#stack.set(this.#operand(1) * 3 + 2, this.#at);
        return this.#step(2);
      case OP.close:
        return this.#close();
      case OP.noteStart:
        this.#stack.set(this.#operand(1), this.#at);
        return this.#step(2);
      case OP.loopIfMoved:
        return this.#loopIfMoved();
      case OP.countStart:
      case OP.lazyStart:
        return this.#countStart(op === OP.lazyStart);
      case OP.countLoop:
        return this.#countLoop();
      case OP.lazyLoop:
        return this.#lazyLoop();
      case OP.cutMark:
        this.#cells[this.#operand(1)] = this.#stack.count;
        return this.#step(2);
      case OP.cut:
        this.#stack.cutTo(this.#cells[this.#operand(1)] ?? 0);
        return this.#step(2);
      case OP.reference:
        return this.#reference();
      case OP.referenceFold:
        return this.#referenceFold();
      case OP.newline:
        return this.#newline();
      case OP.grapheme:
        return this.#grapheme();
      case OP.lookStart:
      case OP.behindStart:
        return this.#lookStart(op === OP.behindStart);
      case OP.lookEnd:
        return this.#lookEnd();
      case OP.behindTry:
        return this.#behindTry();
      case OP.behindEnd:
        return this.#at === this.#limit && this.#step(2);
      default:
        return false;
    }
  }

  #operand(offset: number): number {
    return this.#program.code[this.#pc + offset] ?? 0;
  }

  #step(length: number): true {
    this.#pc += length;
    return true;
  }

  #dot(): boolean {
    const at = this.#at;
    if (at >= this.#limit) return false;
    const point = pointAt(this.#text, at, this.#limit);
    if (!dotTakes(this.#operand(1), point)) return false;
    this.#at = at + (point > 0xffff ? 2 : 1);
    // With (?s) a CR LF is one character.
    if (
      point === 0xd && this.#operand(1) === 1 && this.#unitAt(this.#at) === 0xa
    ) this.#at++;
    return this.#step(2);
  }

  #unitAt(at: number): number {
    return at < this.#limit ? this.#text.charCodeAt(at) : -1;
  }

  // As many characters as there are and may be, then what follows.
  #takeRun(op: number): boolean {
    const start = this.#at;
    const min = this.#operand(3);
    const max = this.#operand(4);
    const runs = this.#runs;
    const taker = op === OP.runSet
      ? this.#program.sets[this.#operand(1)] ?? CodePointSet.empty
      : this.#operand(1);
    runs.limit = this.#limit;
    const least = runs.end(taker, start, min);
    const hasLeast = runs.taken === min;
    const end = !hasLeast || max === min
      ? least
      : max < 0
      ? runs.endOfAll(taker, least, this.#pc)
      : runs.end(taker, least, max - min);
    this.#steps -= runs.takeWork();
    this.#chargeSets();
    if (!hasLeast) return false;
    const register = this.#operand(2);
    this.#at = end;
    this.#pc += 5;
    if (this.#program.code[this.#pc] !== OP.giveBack) return true;
    if (end > least) {
      this.#stack.set(register, least);
      if (!this.#stack.push(this.#pc, end)) return false;
    }
    this.#pc += 3;
    // Whether what follows can match here is seen sooner than tried.
    return this.#follows(this.#pc, end) &&
      !this.#failures.wasEntered(this.#pc, end);
  }

  // Gives back as many characters as it takes for what follows to fit.
  #giveBack(): boolean {
    const first = this.#stack.get(this.#operand(1));
    const isOfDots = this.#operand(2) === 1;
    const after = this.#pc + 3;
    const earliest = this.#earliestFor(after);
    let at = this.#at;
    do {
      if (at <= first || at < earliest) return false;
      at = this.#before(at, first, isOfDots);
      this.#steps--;
    } while (!this.#follows(after, at) || this.#failures.wasEntered(after, at));
    this.#at = at;
    if (at > first && !this.#stack.push(this.#pc, at)) return false;
    return this.#step(3);
  }

  // Where the instruction at `pc` can hold at the earliest.
  #earliestFor(pc: number): number {
    const { code } = this.#program;
    return code[pc] === OP.assert && code[pc + 1] === ASSERTION.end
      ? this.#text.length - 2
      : 0;
  }

  #before(at: number, first: number, isOfDots: boolean): number {
    const before = at - 1;
    if (before <= first) return before;
    if (isInsidePair(this.#text, before)) return before - 1;
    const isLineEnd = isOfDots && this.#text.charCodeAt(before) === 0xa &&
      this.#text.charCodeAt(before - 1) === 0xd;
    return isLineEnd ? before - 1 : before;
  }

  // False when the instruction at `pc` is sure to fail at `at`.
  #follows(pc: number, at: number): boolean {
    const { code, sets, strings } = this.#program;
    while (code[pc] === OP.close) pc += 2;
    const operand = code[pc + 1] ?? 0;
    switch (code[pc]) {
      case OP.char:
        return at < this.#limit &&
          pointAt(this.#text, at, this.#limit) === operand;
      case OP.set:
        return at < this.#limit &&
          sets[operand]?.has(pointAt(this.#text, at, this.#limit)) === true;
      case OP.string:
        return this.#unitAt(at) === strings[operand]?.charCodeAt(0);
      case OP.assert:
        return operand !== ASSERTION.end || at >= this.#text.length - 2;
      default:
        return true;
    }
  }

  #stringFold(): boolean {
    const wanted = this.#program.folded[this.#operand(1)];
    if (wanted === undefined) return false;
    const end = endOfFolded(this.#text, this.#at, this.#limit, wanted);
    if (end < 0) return false;
    this.#at = end;
    return this.#step(2);
  }

  #reference(): boolean {
    const group = this.#operand(1) * 3;
    const start = this.#stack.get(group);
    const end = this.#stack.get(group + 1);
    if (start < 0) return false;
    const said = this.#text.slice(start, end);
    const after = this.#at + said.length;
    this.#steps -= said.length >> UNITS_PER_STEP_LOG;
    if (after > this.#limit || !this.#text.startsWith(said, this.#at)) {
      return false;
    }
    // A group that ended with half a pair is not found in a whole one.
    if (said !== "" && after < this.#limit && isInsidePair(this.#text, after)) {
      return false;
    }
    this.#at = after;
    return this.#step(2);
  }

  #referenceFold(): boolean {
    const group = this.#operand(1) * 3;
    const start = this.#stack.get(group);
    const end = this.#stack.get(group + 1);
    if (start < 0) return false;
    this.#steps -= end - start;
    const wanted = foldedPoints(this.#text.slice(start, end));
    const after = endOfFolded(this.#text, this.#at, this.#limit, wanted);
    if (after < 0) return false;
    this.#at = after;
    return this.#step(2);
  }

  #close(): boolean {
    const group = this.#operand(1) * 3;
    this.#stack.set(group, this.#stack.get(group + 2));
    this.#stack.set(group + 1, this.#at);
    return this.#step(2);
  }

  #loopIfMoved(): boolean {
    const register = this.#operand(2);
    if ((this.#stack.get(register)) >= this.#at) return this.#step(3);
    const top = this.#operand(1);
    if (!this.#stack.push(this.#pc + 3, this.#at)) return false;
    this.#stack.set(register, this.#at);
    this.#pc = top;
    return true;
  }

  #countStart(isLazy: boolean): boolean {
    const register = this.#operand(1);
    const [min, max, end] = [
      this.#operand(2),
      this.#operand(3),
      this.#operand(4),
    ];
    this.#stack.set(register, 0);
    if (max < 0) this.#stack.set(register + 1, this.#at);
    const body = this.#pc + 5;
    this.#pc = body;
    if (min > 0) return true;
    if (!isLazy) return this.#stack.push(end, this.#at);
    this.#pc = end;
    return this.#stack.push(body, this.#at);
  }

  #countLoop(): boolean {
    const register = this.#operand(1);
    const [min, max] = [this.#operand(2), this.#operand(3)];
    const body = this.#operand(4);
    const count = (this.#stack.get(register)) + 1;
    const next = this.#pc + 5;
    this.#stack.set(register, count);
    if (max >= 0 && count >= max) return this.#step(5);
    if (count >= min) {
      if (max < 0 && !this.#moved(register + 1)) return this.#step(5);
      if (!this.#stack.push(next, this.#at)) return false;
    }
    this.#pc = body;
    return true;
  }

  #lazyLoop(): boolean {
    const register = this.#operand(1);
    const [min, max] = [this.#operand(2), this.#operand(3)];
    const body = this.#operand(4);
    const count = (this.#stack.get(register)) + 1;
    this.#stack.set(register, count);
    if (max >= 0 && count >= max) return this.#step(5);
    if (count < min) {
      this.#pc = body;
      return true;
    }
    if (max < 0 && !this.#moved(register + 1)) return this.#step(5);
    return this.#stack.push(body, this.#at) && this.#step(5);
  }

  // Whether the position changed since the register was set, and sets it.
  #moved(register: number): boolean {
    if (this.#stack.get(register) === this.#at) return false;
    this.#stack.set(register, this.#at);
    return true;
  }

  #newline(): boolean {
    if (this.#at >= this.#limit) return false;
    const unit = this.#text.charCodeAt(this.#at);
    if (!LINE_END.has(unit)) return false;
    this.#at++;
    if (unit === 0xd && this.#unitAt(this.#at) === 0xa) this.#at++;
    return this.#step(1);
  }

  #grapheme(): boolean {
    if (this.#at >= this.#limit) return false;
    this.#at = this.#boundaries.graphemeEnd(this.#at);
    this.#steps -= this.#boundaries.takeWork();
    return this.#step(1);
  }

  #assert(): boolean {
    const holds = this.#boundaries.holds(this.#operand(1), this.#at);
    this.#steps -= this.#boundaries.takeWork();
    return holds && this.#step(2);
  }

  #lookStart(isBehind: boolean): boolean {
    const cell = this.#operand(1);
    this.#cells[cell] = this.#stack.count;
    this.#cells[cell + 1] = this.#at;
    this.#cells[cell + 2] = this.#limit;
    // A look-behind ends here; a look-ahead sees to the end of the text.
    this.#limit = isBehind ? this.#at : this.#text.length;
    this.#cells[cell + 3] = -1;
    return this.#step(2);
  }

  #lookEnd(): boolean {
    const cell = this.#operand(1);
    this.#stack.cutTo(this.#cells[cell] ?? 0);
    this.#at = this.#cells[cell + 1] ?? 0;
    this.#limit = this.#cells[cell + 2] ?? 0;
    return this.#step(2);
  }

  #behindTry(): boolean {
    const cell = this.#operand(1);
    const [min, max] = [this.#operand(2), this.#operand(3)];
    const origin = this.#cells[cell + 1] ?? 0;
    const last = this.#cells[cell + 3] ?? -1;
    let start = last < 0 ? origin - min : last - 1;
    if (start > 0 && isInsidePair(this.#text, start)) start--;
    if (start < 0 || start < origin - max) {
      this.#limit = this.#cells[cell + 2] ?? 0;
      return false;
    }
    this.#cells[cell + 3] = start;
    if (!this.#stack.push(this.#pc, this.#at)) return false;
    this.#at = start;
    return this.#step(4);
  }
}
