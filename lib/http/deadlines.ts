/**
 * Every deadline of the gate, and the one timer that serves them all. A timer
 * for each phase of each connection would cost more than judging the request,
 * so deadlines wait in a small set and the earliest of them holds the clock.
 *
 * Spec: "The access gate" (both tables and the paragraph on slots).
 *
 * @module
 */

import type { CancelTimer, Clock } from "../clock.ts";

/** How long each phase may take, in milliseconds. */
export interface Deadlines {
  /** From accept until the head is complete. */
  readonly headMs: number;
  /** From accept until the whole request is complete. */
  readonly requestMs: number;
  /** From the complete request until the handler is told to stop. */
  readonly answerMs: number;
  /** From the complete request until it is answered without the handler. */
  readonly handlerMs: number;
  /** From the handler deadline until the handler's slot is given back. */
  readonly overrunMs: number;
  /** What close() waits for cancelled handlers. */
  readonly closeGraceMs: number;
  /** How long an answer may take to leave, and a client to stop sending. */
  readonly lingerMs: number;
  /** From the complete request until its client is watched for closing. */
  readonly watchMs: number;
}

/** The contract's numbers; the last two are the project's own. */
export const DEADLINES: Deadlines = {
  headMs: 2_000,
  requestMs: 10_000,
  answerMs: 25_000,
  handlerMs: 30_000,
  overrunMs: 60_000,
  closeGraceMs: 2_000,
  // Long enough for a client to write the rest of a body and read its answer.
  lingerMs: 2_000,
  // Well inside the tenth of a second within which a client that left must
  // be noticed, and long enough that a quick call never pays for the watch.
  watchMs: 20,
};

/** A deadline that waits. Cancelling tells whether it still did. */
export interface Deadline {
  cancel(): boolean;
}

/**
 * Deadlines on one timer of `clock`. It holds a few a connection, so the
 * gate's limit on connections bounds it. A timer whose deadlines were all
 * cancelled stays until it fires and finds nothing, or until `clear()`.
 */
export class DeadlineQueue {
  readonly #clock: Clock;
  readonly #entries: Entry[] = [];
  #armedFor = Infinity;
  #disarm: CancelTimer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Now, on the clock's monotonic scale. */
  now(): number {
    return this.#clock.monotonic();
  }

  /** Runs `run` once, no sooner than `ms` milliseconds after now. */
  after(ms: number, run: () => void): Deadline {
    return this.at(this.#clock.monotonic() + ms, run);
  }

  /** Runs `run` once `due`, on the clock's monotonic scale, has come. */
  at(due: number, run: () => void): Deadline {
    const entry = new Entry(this.#entries, due, run);
    if (due < this.#armedFor) this.#arm(due);
    return entry;
  }

  /** Drops every deadline and the timer. */
  clear(): void {
    while (this.#entries.length > 0) this.#entries[0]?.cancel();
    this.#disarm?.();
    this.#disarm = undefined;
    this.#armedFor = Infinity;
  }

  #arm(due: number): void {
    this.#disarm?.();
    this.#armedFor = due;
    const wait = Math.max(0, due - this.#clock.monotonic());
    this.#disarm = this.#clock.after(wait, () => this.#fire());
  }

  #fire(): void {
    this.#armedFor = Infinity;
    this.#disarm = undefined;
    const now = this.#clock.monotonic();
    for (const entry of this.#entries.filter(({ due }) => due <= now)) {
      // One that ran earlier in this turn may have cancelled this one.
      if (entry.cancel()) entry.run();
    }
    let next = Infinity;
    for (const { due } of this.#entries) next = Math.min(next, due);
    if (next < this.#armedFor) this.#arm(next);
  }
}

// Knows its place in the list, so that cancelling, which nearly every
// deadline ends by, neither searches nor leaves a hole.
class Entry implements Deadline {
  readonly due: number;
  readonly run: () => void;
  readonly #list: Entry[];
  #place: number;

  constructor(list: Entry[], due: number, run: () => void) {
    this.due = due;
    this.run = run;
    this.#list = list;
    this.#place = list.push(this) - 1;
  }

  /** Returns whether the deadline was still waiting. */
  cancel(): boolean {
    if (this.#place < 0) return false;
    const last = this.#list.pop() as Entry;
    if (last !== this) {
      this.#list[this.#place] = last;
      last.#place = this.#place;
    }
    this.#place = -1;
    return true;
  }
}
