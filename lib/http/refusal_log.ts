/**
 * Says that requests were refused, without letting whoever sends them write
 * the log: at most one line a class every ten seconds, with the count of what
 * it stands for. A line is written when a refusal happens, never by a timer,
 * so a burst that ends is told by the next refusal of its class.
 *
 * Spec: "The access gate" (the paragraph on logging); "The AI access log".
 *
 * @module
 */

import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { type RefusalClass, REFUSALS } from "./refusals.ts";

/** Between two lines of one class, in milliseconds (the contract's number). */
export const REFUSAL_LINE_INTERVAL_MS = 10_000;

/** A refusal as told to the AI access log. */
export interface RefusalNotice {
  readonly class: RefusalClass;
  readonly status: number;
  /** How many more of the class were refused since the last notice. */
  readonly more: number;
}

interface ClassState {
  readonly toldAt: number;
  untold: number;
}

/** Counts refusals and tells of them. Holds one small record a class. */
export class RefusalLog {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #onAccess: ((notice: RefusalNotice) => void) | undefined;
  readonly #states = new Map<RefusalClass, ClassState>();

  /** `onAccess` hears of the classes that are AI access, as seldom as lines. */
  constructor(
    clock: Clock,
    log: Log,
    onAccess?: (notice: RefusalNotice) => void,
  ) {
    this.#clock = clock;
    this.#log = log;
    this.#onAccess = onAccess;
  }

  /** Notes one refusal, and tells of it when its class is due. */
  note(name: RefusalClass): void {
    const now = this.#clock.monotonic();
    const state = this.#states.get(name);
    if (state && now - state.toldAt < REFUSAL_LINE_INTERVAL_MS) {
      state.untold++;
      return;
    }
    const more = state?.untold ?? 0;
    this.#states.set(name, { toldAt: now, untold: 0 });
    const { status, isAccess } = REFUSALS[name];
    const outcome = status === 0 ? "closed" : String(status);
    this.#log.write(
      "debug",
      "network",
      `refused (${name}, ${outcome}), ${more} more of this class since the last line`,
    );
    if (isAccess) this.#onAccess?.({ class: name, status, more });
  }
}
