/**
 * Live updates as one part: the subscriptions, what fills their inboxes, and
 * the calls that wait for them. Tools read and change it; the control surface
 * clears it when it stops.
 *
 * Spec: "Live updates".
 *
 * @module
 */

import type { Clock } from "../clock.ts";
import type { Reader } from "../engine/reader.ts";
import type { Log } from "../log.ts";
import { MessageCollector, type MessageEvents } from "./message_collector.ts";
import { Subscriptions } from "./subscriptions.ts";
import { WaitingCalls } from "./waiting_calls.ts";

/** What live updates are built from. */
export interface LiveUpdatesOptions {
  readonly reader: Reader;
  readonly clock: Clock;
  readonly log: Log;
  readonly messageEvent: MessageEvents;
}

/** See the module doc. */
export class LiveUpdates {
  readonly subscriptions: Subscriptions;
  readonly waiting: WaitingCalls;

  constructor(options: LiveUpdatesOptions) {
    this.subscriptions = new Subscriptions(options.clock);
    this.waiting = new WaitingCalls({
      clock: options.clock,
      subscriptions: this.subscriptions,
    });
    new MessageCollector({ ...options, subscriptions: this.subscriptions });
  }

  /**
   * While the debug switch is off no inbox holds a raw or log event: those
   * that are there are dropped and counted.
   */
  forgetLinesUnless(isDebugOn: boolean): void {
    if (isDebugOn) return;
    for (const { inbox } of this.subscriptions.current()) inbox.dropLines();
  }

  /** Removes every subscription; calls that wait for one named end. */
  clear(): void {
    this.subscriptions.clear();
  }
}
