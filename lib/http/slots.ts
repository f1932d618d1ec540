/**
 * Counts what is going on at once, so that work a client has given up on
 * cannot pile up. A connection holds its slot until its work has ended, not
 * until it is answered. A handler that never returns gives the slot back in
 * the end, and is then counted as overrunning.
 *
 * A connection whose work has ended and whose answer is leaving is no longer
 * served: its client may be back with the next request before the close is
 * through. Those are counted apart, with a bound of their own.
 *
 * Spec: "The access gate", the paragraph on connections.
 *
 * @module
 */

/** Connections served at once (the contract's number). */
export const MAX_CONNECTIONS = 8;

// Each holds one descriptor for as long as a lingering client can make it.
const MAX_LEAVING = 16;

type SlotState = "served" | "leaving" | "overrunning" | "free";

/** The counts of one listener. */
export class Slots {
  readonly #limit: number;
  readonly #counts: Record<SlotState, number> = {
    served: 0,
    leaving: 0,
    overrunning: 0,
    free: 0,
  };

  constructor(limit: number = MAX_CONNECTIONS) {
    this.#limit = limit;
  }

  /** How many handlers have outlived their slot. */
  get overrunning(): number {
    return this.#counts.overrunning;
  }

  /** How many connections hold a slot. */
  get served(): number {
    return this.#counts.served;
  }

  /** A slot for a new connection; undefined when it must be turned away. */
  take(): Slot | undefined {
    const { served, overrunning } = this.#counts;
    if (served >= this.#limit || overrunning >= this.#limit) return undefined;
    return new Slot(this.#counts);
  }
}

/** One connection's place in the counts. */
export class Slot {
  readonly #counts: Record<SlotState, number>;
  #state: SlotState = "served";

  /** Made by {@link Slots.take} only. */
  constructor(counts: Record<SlotState, number>) {
    this.#counts = counts;
    counts.served++;
  }

  /** The work has ended and the answer is on its way. */
  leave(): void {
    if (this.#state !== "served") return;
    if (this.#counts.leaving < MAX_LEAVING) this.#move("leaving");
  }

  /** The work goes on past every deadline. */
  overrun(): void {
    if (this.#state === "served") this.#move("overrunning");
  }

  /** Work and connection have both ended. */
  free(): void {
    if (this.#state !== "free") this.#move("free");
  }

  #move(to: SlotState): void {
    this.#counts[this.#state]--;
    this.#counts[to]++;
    this.#state = to;
  }
}
