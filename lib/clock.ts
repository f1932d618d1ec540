/**
 * Time as the program sees it: the wall clock for what people read, a steady
 * clock for deadlines, and timers. Everything that waits or expires takes a
 * {@link Clock}, so that a test holds the time instead of sleeping.
 *
 * @module
 */

/** Cancels a timer; calling it after the timer fired does nothing. */
export type CancelTimer = () => void;

/** A source of time and timers. */
export interface Clock {
  /** Wall-clock time in milliseconds since the Unix epoch. May step. */
  now(): number;
  /** Milliseconds since some fixed moment. Never steps, never goes back. */
  monotonic(): number;
  /** Calls `run` once, no sooner than `ms` milliseconds from now. */
  after(ms: number, run: () => void): CancelTimer;
}

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
