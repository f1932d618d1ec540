/**
 * What failed before fails again, where the instruction and the place decide
 * alone: no reference to a group, no counter, no cut. Such programs are run with
 * a bit for each instruction that can be come back to and each place, so that a
 * pattern like `(a+)+$` takes as many steps as they have bits and no more.
 *
 * The memory is made only for a text that has taken many steps already. That is
 * sound: a bit set late says as much as one set early.
 *
 * @module
 */

import type { Program } from "./program.ts";

/** See the module doc. */
export class FailureMemory {
  readonly #numbers: Int32Array | undefined;
  readonly #count: number;
  #places = 0;
  #entered: Int32Array | undefined;

  constructor({ memory, memories }: Program) {
    this.#numbers = memory;
    this.#count = memories;
  }

  /** Drops what is remembered: another text comes. */
  forget(): void {
    this.#entered = undefined;
  }

  /** Remembers from now on, in a text of this length. */
  start(textLength: number): void {
    if (this.#numbers === undefined || this.#entered !== undefined) return;
    this.#places = textLength + 1;
    this.#entered = new Int32Array(((this.#count * this.#places) >>> 5) + 1);
  }

  /**
   * Whether the instruction was entered at this place before, and so failed.
   * If not, it now is.
   */
  wasEntered(pc: number, at: number): boolean {
    const entered = this.#entered;
    if (entered === undefined) return false;
    const number = this.#numbers?.[pc] ?? -1;
    if (number < 0) return false;
    const bit = number * this.#places + at;
    const word = entered[bit >>> 5] ?? 0;
    const mask = 1 << (bit & 31);
    if ((word & mask) !== 0) return true;
    entered[bit >>> 5] = word | mask;
    return false;
  }
}
