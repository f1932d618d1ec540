/**
 * Calls that wait for an event: at most two at once. A call takes a place,
 * waits until a subscription it targets has an event, its time is up, its
 * target is gone or its request is cancelled, and gives the place back in every
 * case.
 *
 * Spec: "wait_for_updates".
 *
 * @module
 */

import type { Clock } from "../clock.ts";
import { MAX_WAITING_CALLS } from "./limits.ts";
import type { Subscription, Subscriptions } from "./subscriptions.ts";

/** How a wait ended. */
export type WaitOutcome = "event" | "timeout" | "removed" | "cancelled";

interface Waiter {
  /** Undefined: every subscription. */
  readonly target: Subscription | undefined;
  readonly end: (outcome: WaitOutcome) => void;
}

/** See the module doc. */
export class WaitingCalls {
  readonly #clock: Clock;
  readonly #subscriptions: Subscriptions;
  readonly #waiters = new Set<Waiter>();

  constructor(options: { clock: Clock; subscriptions: Subscriptions }) {
    this.#clock = options.clock;
    this.#subscriptions = options.subscriptions;
    this.#subscriptions.listen({
      eventAdded: (subscription) =>
        this.#end(
          "event",
          (target) => target === undefined || target === subscription,
        ),
      removed: (subscription) =>
        this.#end("removed", (target) => target === subscription),
    });
  }

  /** Calls waiting now. */
  get count(): number {
    return this.#waiters.size;
  }

  /** Whether another call may wait. */
  get isFull(): boolean {
    return this.#waiters.size >= MAX_WAITING_CALLS;
  }

  /**
   * Waits for an event of `target`, or of any subscription. The caller has seen
   * that there is a place. An event already pending ends it at once.
   */
  wait(
    target: Subscription | undefined,
    options: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<WaitOutcome> {
    const { signal, timeoutMs } = options;
    if (signal.aborted) return Promise.resolve("cancelled");
    if (this.#hasEvent(target)) return Promise.resolve("event");
    return new Promise((resolve) => {
      const end = (outcome: WaitOutcome) => {
        if (!this.#waiters.delete(waiter)) return;
        cancelTimer();
        signal.removeEventListener("abort", abort);
        resolve(outcome);
      };
      const waiter: Waiter = { target, end };
      const abort = () => end("cancelled");
      const cancelTimer = this.#clock.after(timeoutMs, () => end("timeout"));
      signal.addEventListener("abort", abort);
      this.#waiters.add(waiter);
    });
  }

  #hasEvent(target: Subscription | undefined): boolean {
    const targets = target === undefined
      ? this.#subscriptions.current()
      : [target];
    for (const { inbox } of targets) {
      if (inbox.events.length > 0) return true;
    }
    return false;
  }

  #end(
    outcome: WaitOutcome,
    concerns: (target: Subscription | undefined) => boolean,
  ): void {
    for (const waiter of [...this.#waiters]) {
      if (concerns(waiter.target)) waiter.end(outcome);
    }
  }
}
