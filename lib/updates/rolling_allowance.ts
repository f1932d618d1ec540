/**
 * So many of something in any window of time, and not one more: each that is
 * taken counts until the window has moved past it.
 *
 * @module
 */

/** See the module doc. Holds one number for each that counts. */
export class RollingAllowance {
  readonly #limit: number;
  readonly #windowMs: number;
  #taken: number[] = [];

  constructor(options: { readonly limit: number; readonly windowMs: number }) {
    this.#limit = options.limit;
    this.#windowMs = options.windowMs;
  }

  /** Takes one at `now` on the steady clock; false when none is left. */
  take(now: number): boolean {
    const isOver = (at: number) => now - at >= this.#windowMs;
    const oldest = this.#taken[0];
    if (oldest !== undefined && isOver(oldest)) {
      this.#taken = this.#taken.filter((at) => !isOver(at));
    }
    if (this.#taken.length >= this.#limit) return false;
    this.#taken.push(now);
    return true;
  }
}
