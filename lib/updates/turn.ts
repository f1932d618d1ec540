/**
 * The turn of the event loop that a poll or a batch holds: it notes each line
 * or row it looks at, and rests when it has looked at enough or for long
 * enough, over all the rings or buffers it reads.
 *
 * @module
 */

import type { Clock } from "../clock.ts";

/** Lines looked at in one turn at most. */
export const LINES_PER_TURN = 200;

/** Milliseconds of one turn: a long line takes long to scan, and a glob to match. */
const HOLD_MS = 5;

/** See the module doc. */
export class Turn {
  readonly #clock: Clock;
  #since: number;
  #lines = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = clock.monotonic();
  }

  /** Whether it is time to rest. */
  get isOver(): boolean {
    return this.#lines >= LINES_PER_TURN ||
      this.#clock.monotonic() - this.#since >= HOLD_MS;
  }

  /** Notes a line that was looked at. */
  noteLine(): void {
    this.#lines++;
  }

  /** Lets the event loop go on, and begins the next turn. */
  async rest(): Promise<void> {
    await new Promise<void>((go) => this.#clock.after(0, go));
    this.#lines = 0;
    this.#since = this.#clock.monotonic();
  }
}
