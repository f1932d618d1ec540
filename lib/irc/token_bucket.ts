/**
 * A rate as a bucket of tokens: full at first, one more each interval, never
 * over its size. Time is handed in, so that it holds no timer.
 *
 * @module
 */

/** See the module doc. Times are monotonic milliseconds. */
export class TokenBucket {
  readonly #size: number;
  readonly #intervalMs: number;
  #tokens: number;
  #at: number;

  constructor(size: number, intervalMs: number, now: number) {
    this.#size = size;
    this.#intervalMs = intervalMs;
    this.#tokens = size;
    this.#at = now;
  }

  /** Milliseconds until a token is there, 0 when one is. */
  waitMs(now: number): number {
    this.#refill(now);
    // Sums of fractions fall short of whole tokens by less than this.
    return this.#tokens >= 1 - 1e-9
      ? 0
      : Math.ceil((1 - this.#tokens) * this.#intervalMs);
  }

  /** Takes one token; the bucket may go below empty and then waits longer. */
  take(now: number): void {
    this.#refill(now);
    this.#tokens--;
  }

  #refill(now: number): void {
    const grown = this.#tokens + (now - this.#at) / this.#intervalMs;
    this.#tokens = Math.min(this.#size, grown);
    this.#at = now;
  }
}
