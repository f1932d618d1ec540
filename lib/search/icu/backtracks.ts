/**
 * The choices that a match can go back to, and what going back restores. A
 * choice is where to go on, the position, and how long the log was; the log has
 * the former value of each register (groups, loop counters) that changed since,
 * once a choice. Cutting choices, as an atomic group does, keeps the log: the
 * choices before must still restore.
 *
 * Memory is bounded: choices as ICU bounds its stack, and the log.
 *
 * @module
 */

import type { Program } from "./program.ts";

/** Numbers in a choice: where to go on, the position, the length of the log. */
const CHOICE = 3;
/** Numbers of the log, two for a change, before it counts as overflown. */
const MAX_LOG = 4_000_000;

/** See the module doc. */
export class Backtracks {
  readonly #maxChoices: number;
  readonly #registers: Int32Array;
  /** The era in which each register was last logged. */
  readonly #loggedIn: Int32Array;
  #choices = new Int32Array(64 * CHOICE);
  #log = new Int32Array(128);
  #logLength = 0;
  /** Changes with every choice made or taken back, never the same twice. */
  #era = 1;
  /** Choices there are. */
  count = 0;
  /** Where the choice that was popped goes on, and at which position. */
  pc = 0;
  at = 0;
  /**
   * Whether a bound was met. ICU ends with an error then, which
   * NSRegularExpression reports as no match, for the whole text.
   */
  isOverflown = false;

  constructor({ registers, maxChoices }: Program) {
    this.#maxChoices = maxChoices;
    this.#registers = new Int32Array(registers);
    this.#loggedIn = new Int32Array(registers);
  }

  /** Begins anew: no choices, every register -1. */
  clear(): void {
    this.#registers.fill(-1);
    this.#loggedIn.fill(0);
    this.#logLength = 0;
    this.#era = 1;
    this.count = 0;
    this.isOverflown = false;
  }

  get(register: number): number {
    return this.#registers[register] ?? -1;
  }

  set(register: number, value: number): void {
    if (this.#loggedIn[register] !== this.#era && this.count > 0) {
      this.#loggedIn[register] = this.#era;
      if (this.#logLength + 2 > this.#log.length) {
        this.#log = doubled(this.#log);
      }
      this.#log[this.#logLength] = register;
      this.#log[this.#logLength + 1] = this.get(register);
      this.#logLength += 2;
    }
    this.#registers[register] = value;
  }

  /** Adds a choice; false, and none is left, when there is no room. */
  push(pc: number, at: number): boolean {
    if (this.count >= this.#maxChoices || this.#logLength > MAX_LOG) {
      this.isOverflown = true;
      this.count = 0;
      return false;
    }
    const place = this.count * CHOICE;
    if (place + CHOICE > this.#choices.length) {
      this.#choices = doubled(this.#choices);
    }
    this.#choices[place] = pc;
    this.#choices[place + 1] = at;
    this.#choices[place + 2] = this.#logLength;
    this.count++;
    this.#era++;
    return true;
  }

  /** Takes the last choice and restores; false when there is none. */
  pop(): boolean {
    if (this.count === 0) return false;
    const place = --this.count * CHOICE;
    this.pc = this.#choices[place] ?? 0;
    this.at = this.#choices[place + 1] ?? 0;
    const length = this.#choices[place + 2] ?? 0;
    for (let i = this.#logLength - 2; i >= length; i -= 2) {
      this.#registers[this.#log[i] ?? 0] = this.#log[i + 1] ?? 0;
    }
    this.#logLength = length;
    this.#era++;
    return true;
  }

  /** Forgets the choices after the first `count`. */
  cutTo(count: number): void {
    this.count = count;
    this.#era++;
  }
}

function doubled(numbers: Int32Array): Int32Array<ArrayBuffer> {
  const more = new Int32Array(numbers.length * 2);
  more.set(numbers);
  return more;
}
