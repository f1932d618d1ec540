/**
 * A {@link Clock} that moves only when a test says so. `advance()` fires the
 * timers that came due, in order of their time, and lets promise reactions run
 * between them, so that code under test sees time pass as it would for real.
 *
 * @module
 */

import type { CancelTimer, Clock } from "../lib/clock.ts";

interface Timer {
  readonly due: number;
  readonly run: () => void;
}

/** See the module doc. Starts at `start` milliseconds on both scales. */
export class FakeClock implements Clock {
  #now: number;
  #monotonic = 0;
  #timers: Timer[] = [];

  constructor(start = Date.parse("2026-09-30T12:00:00Z")) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  after(ms: number, run: () => void): CancelTimer {
    const timer = { due: this.#monotonic + Math.max(0, ms), run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** How many timers are waiting: a test asserts 0 to show that none leaked. */
  get pending(): number {
    return this.#timers.length;
  }

  /** Moves both clocks on by `ms`, firing what comes due on the way. */
  async advance(ms: number): Promise<void> {
    // What was started before now may set its timers first.
    await settle();
    const end = this.#monotonic + ms;
    while (true) {
      const next = this.#timers
        .filter((timer) => timer.due <= end)
        .sort((a, b) => a.due - b.due)[0];
      if (next === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#now += next.due - this.#monotonic;
      this.#monotonic = next.due;
      next.run();
      await settle();
    }
    this.#now += end - this.#monotonic;
    this.#monotonic = end;
    await settle();
  }

  /** Steps the wall clock alone, as an administrator or NTP does. */
  step(ms: number): void {
    this.#now += ms;
  }
}

/** Lets promise reactions queued so far, and those they queue, run. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}
