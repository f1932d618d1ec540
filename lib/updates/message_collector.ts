/**
 * Fills inboxes from buffers. While there is a subscription it observes the
 * engine; a row in a buffer that some subscription covers is noted, and a batch
 * reads what was noted: at once after quiet, then with a fixed pause between
 * one batch and the next. A batch reads each buffer once and each session's
 * nick once, and lets the event loop go on between slices.
 *
 * Spec: "Live updates", "When an event arrives".
 *
 * @module
 */

import type { Message } from "../buffers/message.ts";
import type { Clock } from "../clock.ts";
import type { BufferView, Reader, SessionView } from "../engine/reader.ts";
import type { Log } from "../log.ts";
import { RowText } from "./filters.ts";
import type { EncodedEvent } from "./inbox.ts";
import { BATCH_PAUSE_MS } from "./limits.ts";
import { once } from "./once.ts";
import { PendingChanges, type PendingRange } from "./pending_changes.ts";
import type { Subscription, Subscriptions } from "./subscriptions.ts";
import { Turn } from "./turn.ts";

const BATCH_FAILED = "live updates: a batch of messages could not be read";

/**
 * The contract's event object of a row, to be encoded when it is wanted;
 * undefined when the row is withheld.
 */
export type MessageEvents = (
  session: SessionView,
  buffer: BufferView,
  message: Message,
) => (() => EncodedEvent) | undefined;

/** What a collector is built from. */
export interface MessageCollectorOptions {
  readonly reader: Reader;
  readonly subscriptions: Subscriptions;
  readonly clock: Clock;
  /** Makes the events of rows. */
  readonly messageEvent: MessageEvents;
  readonly log: Log;
}

interface SessionChanges {
  readonly session: SessionView;
  readonly pending: PendingChanges;
}

/** See the module doc. */
export class MessageCollector {
  readonly #reader: Reader;
  readonly #subscriptions: Subscriptions;
  readonly #clock: Clock;
  readonly #messageEvent: MessageEvents;
  readonly #log: Log;
  #stopObserving: (() => void) | undefined;
  #changes = new Map<string, SessionChanges>();
  #isBusy = false;

  constructor(options: MessageCollectorOptions) {
    this.#reader = options.reader;
    this.#subscriptions = options.subscriptions;
    this.#clock = options.clock;
    this.#messageEvent = options.messageEvent;
    this.#log = options.log;
    this.#subscriptions.listen({
      added: (subscription) => this.#added(subscription),
      removed: () => this.#removed(),
    });
  }

  #added(subscription: Subscription): void {
    if (!subscription.filter.takesMessages) return;
    this.#stopObserving ??= this.#reader.observe({
      messageAdded: (session, buffer, message) =>
        this.#note(session, buffer, message),
      bufferClosed: (_, buffer) => this.#forget(buffer),
    });
    // What waits for the next batch came before this subscription.
    for (const { pending } of this.#changes.values()) {
      for (const id of pending.bufferIds()) {
        subscription.skipThrough.set(id, pending.lastSeq(id));
      }
    }
  }

  #removed(): void {
    for (const subscription of this.#subscriptions.current()) {
      if (subscription.filter.takesMessages) return;
    }
    this.#stopObserving?.();
    this.#stopObserving = undefined;
    this.#changes.clear();
  }

  #note(session: SessionView, buffer: BufferView, message: Message): void {
    if (!this.#isCovered(session, buffer)) return;
    let changes = this.#changes.get(session.id);
    // A session started anew under its id is another object.
    if (changes === undefined || changes.session !== session) {
      changes = { session, pending: new PendingChanges() };
      this.#changes.set(session.id, changes);
    }
    changes.pending.add(buffer, message);
    if (!this.#isBusy) void this.#run();
  }

  #isCovered(session: SessionView, buffer: BufferView): boolean {
    for (const { filter } of this.#subscriptions.current()) {
      if (filter.covers(session, buffer)) return true;
    }
    return false;
  }

  // A buffer opened again under the id has rows of its own numbering.
  #forget(buffer: BufferView): void {
    for (const subscription of this.#subscriptions.current()) {
      subscription.skipThrough.delete(buffer.id);
    }
  }

  async #run(): Promise<void> {
    this.#isBusy = true;
    // The rows of the read that woke us come together in one batch.
    await Promise.resolve();
    while (this.#changes.size > 0) {
      const changes = this.#changes;
      this.#changes = new Map();
      for (const { session, pending } of changes.values()) {
        await this.#collectSession(session, pending.take())
          .catch(() => this.#log.write("fault", "app", BATCH_FAILED));
      }
      await new Promise<void>((go) => this.#clock.after(BATCH_PAUSE_MS, go));
    }
    this.#isBusy = false;
  }

  async #collectSession(
    session: SessionView,
    ranges: PendingRange[],
  ): Promise<void> {
    const nick = session.nick;
    const turn = new Turn(this.#clock);
    for (const range of ranges) {
      const covering = [...this.#subscriptions.current()]
        .filter(({ filter }) => filter.covers(session, range.buffer));
      for (const row of this.#readRange(range, covering)) {
        this.#collectRow(session, range.buffer, row, { nick, covering });
        turn.noteLine();
        if (turn.isOver) await turn.rest();
      }
      for (const { skipThrough } of covering) {
        const through = skipThrough.get(range.buffer.id);
        if (through !== undefined && through <= range.lastSeq) {
          skipThrough.delete(range.buffer.id);
        }
      }
    }
  }

  #readRange(range: PendingRange, covering: Subscription[]): Message[] {
    const { buffer, firstSeq, lastSeq, isMerged } = range;
    const log = buffer.messages;
    if (isMerged || log.evictedThrough >= firstSeq) {
      for (const { inbox } of covering) {
        inbox.countersOf(buffer.id).evicted = true;
      }
    }
    if (isMerged) return [];
    const after = firstSeq - 1;
    return log.since(after, lastSeq - after)
      .filter((row) => row.seq <= lastSeq);
  }

  #collectRow(
    session: SessionView,
    buffer: BufferView,
    row: Message,
    context: { readonly nick: string; readonly covering: Subscription[] },
  ): void {
    const isRaw = row.kind === "raw";
    const text = new RowText(row, context.nick);
    const event = once(() => this.#messageEvent(session, buffer, row));
    const encoded = once(() => event()?.());
    for (const subscription of context.covering) {
      const { filter, inbox, skipThrough } = subscription;
      if ((skipThrough.get(buffer.id) ?? 0) >= row.seq) continue;
      if (!isRaw && !filter.collects(row.kind)) continue;
      if (row.history) {
        if (!isRaw) inbox.countersOf(buffer.id).backfilled++;
        continue;
      }
      if (!isRaw && !filter.takesFrom(row.from)) continue;
      if (event() === undefined) {
        inbox.countersOf(buffer.id).withheld++;
        continue;
      }
      if (!filter.takesText(text)) continue;
      const found = encoded();
      if (found === undefined) continue;
      inbox.add({
        ...found,
        subject: { type: "message", bufferId: buffer.id },
        from: row.from,
        mentioned: text.mentionsNick,
        at: this.#clock.monotonic(),
      });
      this.#subscriptions.noteEvent(subscription);
    }
  }
}
