/**
 * One raw or log subscription as the poll sees it: what it collects, up to
 * where it has read each ring, and how much more it may store this minute.
 *
 * Spec: "Raw and log subscriptions".
 *
 * @module
 */

import type { RawTapView } from "../debug/raw_tap.ts";
import type { EncodedEvent } from "./inbox.ts";
import {
  LINE_WINDOW_MS,
  MAX_LINES_PER_WINDOW,
  MAX_TAP_PLACES,
} from "./limits.ts";
import { LogLineFilter, RawLineFilter } from "./line_filters.ts";
import { RollingAllowance } from "./rolling_allowance.ts";
import type { Subscription } from "./subscriptions.ts";

/** Up to where a ring is read. */
export interface RingPlace {
  /** The number of the last line read or passed over. */
  through: number;
}

interface TapPlace extends RingPlace {
  readonly tap: RawTapView;
}

/** See the module doc. */
export class LineFollower {
  readonly subscription: Subscription;
  readonly rawFilter: RawLineFilter | undefined;
  readonly logFilter: LogLineFilter | undefined;
  /** Undefined until the log could be read. */
  logPlace: RingPlace | undefined;
  readonly #tapPlaces = new Map<string, TapPlace>();
  readonly #allowance = new RollingAllowance({
    limit: MAX_LINES_PER_WINDOW,
    windowMs: LINE_WINDOW_MS,
  });

  constructor(subscription: Subscription) {
    const { raw, log } = subscription.filters;
    this.subscription = subscription;
    this.rawFilter = raw && new RawLineFilter(raw);
    this.logFilter = log && new LogLineFilter(log);
  }

  /** Whether a subscription collects lines at all. */
  static isNeededFor({ filters }: Subscription): boolean {
    return filters.raw !== undefined || filters.log !== undefined;
  }

  /**
   * Its place in a session's tap: at the end when the session was not seen
   * before, at the start when its tap is a new one.
   */
  placeIn(
    tap: RawTapView,
    sessionId: string,
    isRunning: (sessionId: string) => boolean,
  ): RingPlace {
    const known = this.#tapPlaces.get(sessionId);
    if (known?.tap === tap) return known;
    if (known === undefined) this.#makeRoom(isRunning);
    const through = known === undefined ? tap.newestSeq : 0;
    const place = { tap, through };
    this.#tapPlaces.set(sessionId, place);
    return place;
  }

  /** Stores an event, or counts it as one too many of this minute. */
  store(
    type: "raw" | "log",
    encode: () => EncodedEvent,
    now: number,
  ): boolean {
    const { inbox } = this.subscription;
    if (!this.#allowance.take(now)) {
      inbox.lineCounters().suppressed++;
      return false;
    }
    inbox.add({
      ...encode(),
      subject: { type },
      from: "",
      mentioned: false,
      at: now,
    });
    return true;
  }

  #makeRoom(isRunning: (sessionId: string) => boolean): void {
    if (this.#tapPlaces.size < MAX_TAP_PLACES) return;
    const ids = [...this.#tapPlaces.keys()];
    const goes = ids.find((id) => !isRunning(id)) ?? ids[0];
    if (goes !== undefined) this.#tapPlaces.delete(goes);
  }
}
