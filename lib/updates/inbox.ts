/**
 * One subscription's inbox: events and counts enter as batches find them, and
 * leave with the read that takes them. It holds at most so many events, so many
 * bytes of them, and none older than an hour; what it lets go at a cap is
 * counted.
 *
 * Spec: "Live updates" (limits), "read_updates" (counters).
 *
 * @module
 */

import {
  MAX_COUNTED_BUFFERS,
  MAX_EVENT_AGE_MS,
  MAX_INBOX_BYTES,
  MAX_INBOX_EVENTS,
} from "./limits.ts";

/** What an event is about. */
export type EventSubject =
  | { readonly type: "message"; readonly bufferId: string }
  | { readonly type: "raw" }
  | { readonly type: "log" };

/** An event as a full read returns it, encoded once for every inbox. */
export interface EncodedEvent {
  /** The contract's event object. */
  readonly json: string;
  /** UTF-8 bytes of `json`. */
  readonly bytes: number;
}

/** An event in an inbox. */
export interface InboxEvent extends EncodedEvent {
  readonly subject: EventSubject;
  /** Who a message is from; `""` for raw and log lines. */
  readonly from: string;
  /** Whether it mentioned the session's nick when it was matched. */
  readonly mentioned: boolean;
  /** When it was collected, on the steady clock. */
  readonly at: number;
}

/** What was covered in one buffer and not delivered. */
export interface BufferCounters {
  backfilled: number;
  withheld: number;
  evicted: boolean;
}

/** Counts that belong to no buffer. */
export interface LineCounters {
  dropped: number;
  suppressed: number;
  withheld: number;
  evicted: boolean;
}

/** See the module doc. */
export class Inbox {
  #events: InboxEvent[] = [];
  #bytes = 0;
  #counters = new Map<string, BufferCounters>();
  #lines: LineCounters = noLineCounters();

  /** Events held, oldest first. */
  get events(): readonly InboxEvent[] {
    return this.#events;
  }

  /** Counters by buffer id, in the order the buffers first counted. */
  get counters(): ReadonlyMap<string, Readonly<BufferCounters>> {
    return this.#counters;
  }

  /** Counters that belong to no buffer. */
  get lines(): Readonly<LineCounters> {
    return this.#lines;
  }

  /** Whether any counter has something to report. */
  get hasCounts(): boolean {
    const { dropped, suppressed, withheld, evicted } = this.#lines;
    return this.#counters.size > 0 || dropped > 0 || suppressed > 0 ||
      withheld > 0 || evicted;
  }

  /** Adds an event; the oldest go, and are counted, when a cap is passed. */
  add(event: InboxEvent): void {
    this.#events.push(event);
    this.#bytes += event.bytes;
    let excess = 0;
    while (
      this.#events.length - excess > MAX_INBOX_EVENTS ||
      this.#bytes > MAX_INBOX_BYTES
    ) {
      this.#bytes -= this.#events[excess]?.bytes ?? 0;
      excess++;
    }
    this.#drop(excess);
  }

  /** Lets go of events that are too old at `now` on the steady clock. */
  expire(now: number): void {
    let count = 0;
    for (const event of this.#events) {
      if (now - event.at <= MAX_EVENT_AGE_MS) break;
      this.#bytes -= event.bytes;
      count++;
    }
    this.#drop(count);
  }

  /** Removes raw and log events, each counted as dropped: debug went off. */
  dropLines(): void {
    const kept = this.#events.filter((e) => e.subject.type === "message");
    this.#lines.dropped += this.#events.length - kept.length;
    this.#events = kept;
    this.#bytes = kept.reduce((sum, event) => sum + event.bytes, 0);
  }

  /** Takes out the `count` oldest events. */
  take(count: number): void {
    for (const event of this.#events.splice(0, count)) {
      this.#bytes -= event.bytes;
    }
  }

  /** The counters of a buffer, to add to. */
  countersOf(bufferId: string): BufferCounters {
    const known = this.#counters.get(bufferId);
    if (known !== undefined) return known;
    const oldest = this.#counters.keys().next().value;
    if (this.#counters.size >= MAX_COUNTED_BUFFERS && oldest !== undefined) {
      this.#counters.delete(oldest);
    }
    const counters = { backfilled: 0, withheld: 0, evicted: false };
    this.#counters.set(bufferId, counters);
    return counters;
  }

  /** The counters that belong to no buffer, to add to. */
  lineCounters(): LineCounters {
    return this.#lines;
  }

  /** Resets the counters of the buffers named: they were reported. */
  clearCounters(bufferIds: Iterable<string>): void {
    for (const id of bufferIds) this.#counters.delete(id);
  }

  /** Resets the counters that belong to no buffer: they were reported. */
  clearLineCounters(): void {
    this.#lines = noLineCounters();
  }

  #drop(count: number): void {
    if (count === 0) return;
    this.#events.splice(0, count);
    this.#lines.dropped += count;
  }
}

function noLineCounters(): LineCounters {
  return { dropped: 0, suppressed: 0, withheld: 0, evicted: false };
}
