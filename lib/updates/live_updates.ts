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
import type { DebugView } from "../debug/capture.ts";
import type { Reader } from "../engine/reader.ts";
import type { Log } from "../log.ts";
import { LineCollector, type LineEvents } from "./line_collector.ts";
import { MessageCollector, type MessageEvents } from "./message_collector.ts";
import { Subscriptions } from "./subscriptions.ts";
import { WaitingCalls } from "./waiting_calls.ts";

/** What live updates are built from. */
export interface LiveUpdatesOptions {
  readonly reader: Reader;
  readonly clock: Clock;
  readonly log: Log;
  readonly messageEvent: MessageEvents;
  readonly lineEvents: LineEvents;
  /** The debug rings; without them no raw or log line is ever collected. */
  readonly debug?: DebugView | undefined;
}

/** See the module doc. */
export class LiveUpdates {
  readonly subscriptions: Subscriptions;
  readonly waiting: WaitingCalls;
  readonly #lines: LineCollector | undefined;

  constructor(options: LiveUpdatesOptions) {
    this.subscriptions = new Subscriptions(options.clock);
    this.waiting = new WaitingCalls({
      clock: options.clock,
      subscriptions: this.subscriptions,
    });
    const { subscriptions } = this;
    new MessageCollector({ ...options, subscriptions });
    const { debug, lineEvents } = options;
    this.#lines = debug &&
      new LineCollector({ ...options, ...lineEvents, debug, subscriptions });
  }

  /**
   * Drops and counts the raw and log events that debug's going off took away,
   * whether or not it is on again: to be called before any inbox is read, so
   * that while the switch is off no inbox holds one.
   */
  forgetPausedLines(isDebugOn: boolean): void {
    this.#lines?.forgetPaused();
    if (isDebugOn) return;
    for (const { inbox } of this.subscriptions.current()) inbox.dropLines();
  }

  /** Removes every subscription; calls that wait for one named end. */
  clear(): void {
    this.subscriptions.clear();
  }
}
