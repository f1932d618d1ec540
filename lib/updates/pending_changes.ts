/**
 * What changed in one session's covered buffers since the last batch: rows
 * enter as they arrive, and ranges of rows to read leave. A live row is a
 * change; rows of history that arrive together are one. Past the bound the
 * busiest buffer's changes become one range that nobody reads, so that a flood
 * costs the connection a bounded amount however fast it scrolls.
 *
 * Spec: "When an event arrives", `evicted`.
 *
 * @module
 */

import type { Message } from "../buffers/message.ts";
import type { BufferView } from "../engine/reader.ts";
import { MAX_PENDING_CHANGES } from "./limits.ts";

/** Rows of one buffer that wait for a batch. */
export interface PendingRange {
  readonly buffer: BufferView;
  /** Both included. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Live and history could not be told apart in part of it: not to be read. */
  readonly isMerged: boolean;
}

interface Pending {
  readonly buffer: BufferView;
  firstSeq: number;
  lastSeq: number;
  changes: number;
  endsInHistory: boolean;
  isMerged: boolean;
}

/** See the module doc. One for each session. */
export class PendingChanges {
  #byBuffer = new Map<string, Pending>();
  #changes = 0;

  /** Whether nothing waits. */
  get isEmpty(): boolean {
    return this.#byBuffer.size === 0;
  }

  /** How many changes are kept apart: the bound, or one for each buffer. */
  get changes(): number {
    return this.#changes;
  }

  /** Notes a row that entered `buffer`. */
  add(buffer: BufferView, message: Message): void {
    const pending = this.#byBuffer.get(buffer.id);
    if (pending === undefined) this.#open(buffer, message, false);
    else if (message.seq <= pending.lastSeq) this.#restart(pending, message);
    else this.#extend(pending, message);
    if (this.#changes > MAX_PENDING_CHANGES) this.#mergeBusiest();
  }

  /** The newest pending row of a buffer, 0 when none is. */
  lastSeq(bufferId: string): number {
    return this.#byBuffer.get(bufferId)?.lastSeq ?? 0;
  }

  /** Ids of the buffers that have rows waiting. */
  bufferIds(): Iterable<string> {
    return this.#byBuffer.keys();
  }

  /** Takes everything out, in the order the buffers came in. */
  take(): PendingRange[] {
    const ranges = [...this.#byBuffer.values()];
    this.#byBuffer = new Map();
    this.#changes = 0;
    return ranges;
  }

  #open(buffer: BufferView, message: Message, isMerged: boolean): void {
    this.#byBuffer.set(buffer.id, {
      buffer,
      firstSeq: message.seq,
      lastSeq: message.seq,
      changes: 1,
      endsInHistory: message.history,
      isMerged,
    });
    this.#changes++;
  }

  #extend(pending: Pending, message: Message): void {
    pending.lastSeq = message.seq;
    const isNewChange = !pending.isMerged &&
      !(message.history && pending.endsInHistory);
    pending.endsInHistory = message.history;
    if (!isNewChange) return;
    pending.changes++;
    this.#changes++;
  }

  // The buffer began again under the same id: its old rows cannot be read.
  #restart(pending: Pending, message: Message): void {
    this.#changes -= pending.changes;
    this.#byBuffer.delete(pending.buffer.id);
    this.#open(pending.buffer, message, true);
  }

  #mergeBusiest(): void {
    let busiest: Pending | undefined;
    for (const pending of this.#byBuffer.values()) {
      if (pending.changes > (busiest?.changes ?? 1)) busiest = pending;
    }
    // One change for each of many buffers: their number is bounded elsewhere.
    if (busiest === undefined) return;
    this.#changes -= busiest.changes - 1;
    busiest.changes = 1;
    busiest.isMerged = true;
  }
}
