/**
 * A clock whose steady time goes on by a fixed step each time it is read, so
 * that a test runs a call out of its time at a known place. Timers fire at the
 * next turn of the event loop.
 *
 * @module
 */

import type { CancelTimer, Clock } from "../../lib/clock.ts";

/** See the module doc. */
export class RunningClock implements Clock {
  readonly #stepMs: number;
  #monotonic = 0;
  /** How often a caller waited a turn. */
  rests = 0;

  constructor(stepMs: number) {
    this.#stepMs = stepMs;
  }

  now(): number {
    return 0;
  }

  monotonic(): number {
    return this.#monotonic += this.#stepMs;
  }

  after(_ms: number, run: () => void): CancelTimer {
    this.rests++;
    const timer = setTimeout(run, 0);
    return () => clearTimeout(timer);
  }
}
