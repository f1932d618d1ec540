/**
 * The subscriptions there are: added, found, touched, swept and cleared.
 * Nothing is collected here; the collectors fill the inboxes, and reads empty
 * them. All are in memory, shared by every client that holds the token.
 *
 * Spec: "Live updates", "subscribe", "unsubscribe".
 *
 * @module
 */

import { type Clock, systemClock } from "../clock.ts";
import { type Filters, MessageFilter } from "./filters.ts";
import { Inbox } from "./inbox.ts";
import {
  IDLE_EXPIRY_SECONDS,
  MAX_SUBSCRIPTIONS,
  SWEEP_EVERY_MS,
} from "./limits.ts";

/** One live subscription. */
export interface Subscription {
  /** `sub_` and 12 lower-case hexadecimal digits. */
  readonly id: string;
  readonly filters: Filters;
  readonly filter: MessageFilter;
  readonly inbox: Inbox;
  /** Unix milliseconds. */
  readonly created: number;
  /** The last read that touched it, Unix milliseconds. */
  lastRead: number | undefined;
  /** The last touch, on the steady clock. */
  touchedAt: number;
  /** Sessions of the buffers it names, as far as they were ever seen. */
  readonly bufferSessions: Map<string, string>;
  /** Rows of a buffer up to here came before it, by buffer id. */
  readonly skipThrough: Map<string, number>;
  /** The last log read could not be scanned for secrets. */
  stalled: boolean;
}

/** Told when the set of subscriptions or an inbox changes. */
export interface SubscriptionsListener {
  /** One was added; existing rows are not for it. */
  added?(subscription: Subscription): void;
  /** One is gone, whatever removed it. */
  removed?(subscription: Subscription): void;
  /** An event entered the inbox. */
  eventAdded?(subscription: Subscription): void;
}

/** See the module doc. */
export class Subscriptions {
  readonly #clock: Clock;
  readonly #listeners: SubscriptionsListener[] = [];
  #live = new Map<string, Subscription>();
  #cancelSweep: (() => void) | undefined;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** Adds a listener, for as long as the program runs. */
  listen(listener: SubscriptionsListener): void {
    this.#listeners.push(listener);
  }

  get size(): number {
    return this.#live.size;
  }

  /** Whether no more can be added. */
  get isFull(): boolean {
    return this.#live.size >= MAX_SUBSCRIPTIONS;
  }

  /** Every live subscription, oldest first. Removes the idle ones first. */
  all(): Subscription[] {
    this.sweep();
    return [...this.#live.values()];
  }

  /** The live subscription with this id. Removes the idle ones first. */
  find(id: string): Subscription | undefined {
    this.sweep();
    return this.#live.get(id);
  }

  /** Every live subscription, without sweeping: for the collectors. */
  current(): Iterable<Subscription> {
    return this.#live.values();
  }

  /** Adds one. The caller has seen that it is not full. */
  add(filters: Filters): Subscription {
    const subscription: Subscription = {
      id: this.#freshId(),
      filters,
      filter: new MessageFilter(filters),
      inbox: new Inbox(),
      created: this.#clock.now(),
      lastRead: undefined,
      touchedAt: this.#clock.monotonic(),
      bufferSessions: new Map(),
      skipThrough: new Map(),
      stalled: false,
    };
    this.#live.set(subscription.id, subscription);
    this.#scheduleSweep();
    for (const listener of this.#listeners) listener.added?.(subscription);
    return subscription;
  }

  /** Removes one and all that its inbox held; false when it is not live. */
  remove(id: string): boolean {
    const subscription = this.#live.get(id);
    if (subscription === undefined) return false;
    this.#live.delete(id);
    if (this.#live.size === 0) this.#stopSweep();
    for (const listener of this.#listeners) listener.removed?.(subscription);
    return true;
  }

  /** Removes all: the server stopped, or its token or port changed. */
  clear(): void {
    for (const id of [...this.#live.keys()]) this.remove(id);
  }

  /** Notes a read: the idle clock starts anew. */
  touch(subscription: Subscription): void {
    subscription.touchedAt = this.#clock.monotonic();
    subscription.lastRead = this.#clock.now();
  }

  /** Tells the listeners that an event came in. */
  noteEvent(subscription: Subscription): void {
    for (const listener of this.#listeners) listener.eventAdded?.(subscription);
  }

  /** Removes idle subscriptions and lets go of events that are too old. */
  sweep(): void {
    const now = this.#clock.monotonic();
    for (const subscription of [...this.#live.values()]) {
      if (now - subscription.touchedAt > IDLE_EXPIRY_SECONDS * 1000) {
        this.remove(subscription.id);
      } else subscription.inbox.expire(now);
    }
  }

  #scheduleSweep(): void {
    if (this.#cancelSweep !== undefined) return;
    this.#cancelSweep = this.#clock.after(SWEEP_EVERY_MS, () => {
      this.#cancelSweep = undefined;
      this.sweep();
      if (this.#live.size > 0) this.#scheduleSweep();
    });
  }

  #stopSweep(): void {
    this.#cancelSweep?.();
    this.#cancelSweep = undefined;
  }

  #freshId(): string {
    while (true) {
      const bytes = crypto.getRandomValues(new Uint8Array(6));
      const id = `sub_${bytes.toHex()}`;
      if (!this.#live.has(id)) return id;
    }
  }
}
