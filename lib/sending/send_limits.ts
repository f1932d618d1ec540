/**
 * How often an agent may send on one session: a burst that refills, and a cap
 * on any minute. A caller reserves a place before the line is queued and then
 * says whether it was sent; a line that was not sent counts for nothing. The
 * two limits are judged together, and a line that one refuses takes nothing
 * from the other.
 *
 * Spec: "Sending", the rate cap.
 *
 * @module
 */

import type { Clock } from "../clock.ts";

/** Lines at once. */
export const BURST_LINES = 5;

/** Milliseconds after which the burst has one more. */
export const BURST_REFILL_MS = 2_000;

/** Lines in any minute. */
export const LINES_PER_MINUTE = 30;

const MINUTE_MS = 60_000;

/** A place under both limits, to be settled once. */
export interface Reservation {
  /** The line was written: it counts from now on. */
  sent(): void;
  /** The line was not sent: it never counted. */
  release(): void;
}

/** Which limit refused. */
export type LimitRefusal = "per-minute" | "burst";

/** The limits of one session. */
export class SendLimits {
  readonly #clock: Clock;
  // Times of the lines sent in the last minute, oldest first.
  #sentAt: number[] = [];
  #reserved = 0;
  #tokens = BURST_LINES;
  #refilledAt: number;
  // Changes at clear(), so that older reservations settle into nothing.
  #generation = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#refilledAt = clock.monotonic();
  }

  /** Takes a place under both limits, or says which refuses. */
  reserve(): Reservation | LimitRefusal {
    const now = this.#clock.monotonic();
    this.#refill(now);
    while ((this.#sentAt[0] ?? now) <= now - MINUTE_MS) this.#sentAt.shift();
    if (this.#sentAt.length + this.#reserved >= LINES_PER_MINUTE) {
      return "per-minute";
    }
    if (this.#tokens < 1) return "burst";
    this.#tokens--;
    this.#reserved++;
    return this.#reservation();
  }

  /** Forgets every line sent: the server stopped or its token or port changed. */
  clear(): void {
    this.#generation++;
    this.#sentAt = [];
    this.#reserved = 0;
    this.#tokens = BURST_LINES;
    this.#refilledAt = this.#clock.monotonic();
  }

  #reservation(): Reservation {
    const generation = this.#generation;
    let isSettled = false;
    const settle = (wasSent: boolean) => {
      if (isSettled) return;
      isSettled = true;
      if (generation !== this.#generation) return;
      this.#reserved--;
      if (wasSent) this.#sentAt.push(this.#clock.monotonic());
      else this.#tokens = Math.min(BURST_LINES, this.#tokens + 1);
    };
    return { sent: () => settle(true), release: () => settle(false) };
  }

  #refill(now: number): void {
    const grown = Math.floor((now - this.#refilledAt) / BURST_REFILL_MS);
    if (grown <= 0) return;
    this.#tokens = Math.min(BURST_LINES, this.#tokens + grown);
    this.#refilledAt = this.#tokens === BURST_LINES
      ? now
      : this.#refilledAt + grown * BURST_REFILL_MS;
  }
}
