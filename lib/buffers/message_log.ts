/**
 * The rows of one buffer, in two orders: arrival (`seq`), by which cursors and
 * pages work, and display (time, then `seq`), in which a late row lands in the
 * middle. New rows enter with `append`; the row that arrived first leaves when
 * the log is full. A row seen before, by its msgid, does not enter again.
 *
 * Rows are kept by `seq - firstSeq` in one array with a moving head, so that a
 * page is a slice and an eviction is a step. Eviction goes by arrival and not
 * by time, so that "was anything after this cursor dropped" is one comparison.
 *
 * Spec: "Cursors", "Message objects", "read_since" (`evicted`).
 *
 * @module
 */

import type { Message, NewMessage } from "./message.ts";

/** What readers may ask of a log. */
export interface MessageLogView {
  /** Rows held. */
  readonly size: number;
  /** The newest sequence number given, 0 before the first row. */
  readonly newestSeq: number;
  /** The `seq` of the oldest row still held, undefined when empty. */
  readonly oldestSeq: number | undefined;
  /** The highest `seq` dropped because the log was full; 0 when none was. */
  readonly evictedThrough: number;
  /** Rows with `seq` above `after`, ascending, at most `limit`. */
  since(after: number, limit: number): Message[];
  /** The newest rows with `seq` below `before`, ascending, at most `limit`. */
  before(before: number, limit: number): Message[];
  /** The row with this msgid, if held. */
  byId(id: string): Message | undefined;
  /** The row with this sequence number, if held. */
  bySeq(seq: number): Message | undefined;
  /**
   * Rows around `anchor` in display order: up to `older` before it, the row
   * itself, up to `newer` after it.
   */
  around(anchor: Message, older: number, newer: number): Message[];
  /** Whether a row older than `row` in display order is held. */
  hasOlder(row: Message): boolean;
}

/** See the module doc. `limit` is the number of rows held. */
export class MessageLog implements MessageLogView {
  #limit: number;
  // Row of seq s at #rows[#head + s - #firstSeq]; a removed row is a hole.
  #rows: (Message | undefined)[] = [];
  #head = 0;
  #firstSeq = 1;
  #size = 0;
  // The same rows in display order, from #displayHead on.
  #display: (Message | undefined)[] = [];
  #displayHead = 0;
  #byId = new Map<string, Message>();
  #evictedThrough = 0;
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = Math.max(1, limit);
  }

  get size(): number {
    return this.#size;
  }

  get newestSeq(): number {
    return this.#firstSeq + (this.#rows.length - this.#head) - 1;
  }

  get oldestSeq(): number | undefined {
    return this.#size === 0 ? undefined : this.#firstSeq;
  }

  get evictedThrough(): number {
    return this.#evictedThrough;
  }

  /** About what the rows take in memory. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Drops the `count` rows that arrived first, as a full log does. */
  dropOldest(count: number): void {
    for (let i = 0; i < count && this.#size > 0; i++) this.#evictOldest();
  }

  /** Changes how many rows are held; the excess leaves at once. */
  setLimit(limit: number): void {
    this.#limit = Math.max(1, limit);
    while (this.#size > this.#limit) this.#evictOldest();
  }

  /**
   * Adds a row. Returns it with its `seq`, or undefined when a row with the
   * same msgid is held already: nothing changed then.
   */
  append(message: NewMessage): Message | undefined {
    const { id } = message;
    if (id !== undefined && this.#byId.has(id)) return undefined;
    const last = this.#display.at(-1);
    const isMidBuffer = this.#size > 0 && last !== undefined &&
      message.time < last.time;
    const row: Message = {
      seq: this.newestSeq + 1,
      id,
      time: message.time,
      from: message.from,
      kind: message.kind,
      payload: message.payload,
      history: message.replayed || isMidBuffer,
    };
    this.#rows.push(row);
    this.#size++;
    this.#bytes += weigh(row);
    if (isMidBuffer) this.#display.splice(this.#placeAfter(row.time), 0, row);
    else this.#display.push(row);
    if (id !== undefined) this.#byId.set(id, row);
    if (this.#size > this.#limit) this.#evictOldest();
    return row;
  }

  /**
   * Takes over the rows of `other`, which is left as it is: as history, in their
   * order, with sequence numbers of this log. Rows that this log holds by their
   * msgid do not enter again. Linear in both, however their times interleave.
   */
  absorb(other: MessageLog): void {
    const added: Message[] = [];
    for (const row of other.since(0, other.size)) {
      if (row.id !== undefined && this.#byId.has(row.id)) continue;
      const copy = { ...row, seq: this.newestSeq + 1, history: true };
      this.#rows.push(copy);
      this.#size++;
      this.#bytes += weigh(copy);
      if (copy.id !== undefined) this.#byId.set(copy.id, copy);
      added.push(copy);
    }
    this.#display = this.#display.slice(this.#displayHead).concat(added)
      .sort((a, b) =>
        a === undefined || b === undefined ? 0 : compareDisplay(a, b)
      );
    this.#displayHead = 0;
    while (this.#size > this.#limit) this.#evictOldest();
  }

  /**
   * Takes a row out for good, as an IRC server's message redaction asks. Its
   * `seq` is not given again and its removal is no eviction.
   */
  remove(row: Message): void {
    const index = this.#index(row.seq);
    if (this.#rows[index] !== row) return;
    this.#rows[index] = undefined;
    this.#size--;
    this.#forget(row);
    this.#skipHoles();
  }

  since(after: number, limit: number): Message[] {
    const page: Message[] = [];
    const start = Math.max(this.#head, this.#index(after + 1));
    for (let i = start; i < this.#rows.length && page.length < limit; i++) {
      const row = this.#rows[i];
      if (row !== undefined) page.push(row);
    }
    return page;
  }

  before(before: number, limit: number): Message[] {
    const page: Message[] = [];
    const start = Math.min(this.#rows.length, this.#index(before)) - 1;
    for (let i = start; i >= this.#head && page.length < limit; i--) {
      const row = this.#rows[i];
      if (row !== undefined) page.push(row);
    }
    return page.reverse();
  }

  byId(id: string): Message | undefined {
    return this.#byId.get(id);
  }

  bySeq(seq: number): Message | undefined {
    const index = this.#index(seq);
    return index < this.#head ? undefined : this.#rows[index];
  }

  /** The rows of exactly this time, newest arrival first, at most `limit`. */
  sameTime(time: number, limit: number): Message[] {
    const rows: Message[] = [];
    for (let at = this.#placeAfter(time) - 1; at >= this.#displayHead; at--) {
      const row = this.#display[at];
      if (row?.time !== time || rows.length >= limit) break;
      rows.push(row);
    }
    return rows;
  }

  /** The last row in display order. */
  newest(): Message | undefined {
    return this.#size === 0 ? undefined : this.#display.at(-1);
  }

  around(anchor: Message, older: number, newer: number): Message[] {
    const at = this.#placeOf(anchor);
    if (this.#display[at] !== anchor) return [];
    const start = Math.max(this.#displayHead, at - older);
    return this.#display.slice(start, at + newer + 1)
      .filter((row) => row !== undefined);
  }

  hasOlder(row: Message): boolean {
    const at = this.#placeOf(row);
    return this.#display[at] === row && at > this.#displayHead;
  }

  #index(seq: number): number {
    return this.#head + seq - this.#firstSeq;
  }

  #evictOldest(): void {
    const row = this.#rows[this.#head];
    this.#rows[this.#head] = undefined;
    this.#head++;
    this.#firstSeq++;
    if (row === undefined) return;
    this.#size--;
    this.#evictedThrough = row.seq;
    this.#forget(row);
    this.#skipHoles();
  }

  // Keeps the oldest place filled, so that oldestSeq names a row.
  #skipHoles(): void {
    while (
      this.#head < this.#rows.length && this.#rows[this.#head] === undefined
    ) {
      this.#head++;
      this.#firstSeq++;
    }
    // Half the array may be spent before it is copied: amortised, a step a row.
    if (this.#head > 1024 && this.#head * 2 > this.#rows.length) {
      this.#rows = this.#rows.slice(this.#head);
      this.#head = 0;
    }
  }

  #forget(row: Message): void {
    this.#bytes -= weigh(row);
    if (row.id !== undefined) this.#byId.delete(row.id);
    const at = this.#placeOf(row);
    if (this.#display[at] !== row) return;
    // The shorter side moves: what leaves for room stands near the front, and
    // moving a full buffer behind it would cost a scan of it for each row.
    if (at - this.#displayHead > this.#display.length - at) {
      this.#display.splice(at, 1);
      return;
    }
    for (let place = at; place > this.#displayHead; place--) {
      this.#display[place] = this.#display[place - 1];
    }
    // The place is only stepped over, but must not keep the row alive.
    this.#display[this.#displayHead] = undefined;
    this.#displayHead++;
    if (
      this.#displayHead > 1024 && this.#displayHead * 2 > this.#display.length
    ) {
      this.#display = this.#display.slice(this.#displayHead);
      this.#displayHead = 0;
    }
  }

  // The first display place whose row is later than `time`.
  #placeAfter(time: number): number {
    let low = this.#displayHead;
    let high = this.#display.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const row = this.#display[middle];
      if (row !== undefined && row.time <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // The display place of a row, found by (time, seq).
  #placeOf(row: Message): number {
    let low = this.#displayHead;
    let high = this.#display.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#display[middle];
      if (
        other !== undefined &&
        (other.time < row.time ||
          (other.time === row.time && other.seq < row.seq))
      ) {
        low = middle + 1;
      } else high = middle;
    }
    return low;
  }
}

function compareDisplay(a: Message, b: Message): number {
  return a.time - b.time || a.seq - b.seq;
}

// What a row takes beside its text, as measured, and a character of text.
const ROW_BYTES = 320;
const CHARACTER_BYTES = 2;
// A character of a text that is kept parsed as well: an array of empty objects,
// the worst that was found, takes 17.3; an ordinary envelope takes 2.
const PARSED_CHARACTER_BYTES = 18;

// Names up to this length are shared between rows, or in the row's own bytes.
const SHORT_NAME = 128;
// What an entry of a list takes beside its characters, in characters.
const ENTRY_CHARACTERS = 12;

function weigh({ from, id, payload }: Message): number {
  const names = long(from) + long(id);
  if ("text" in payload) {
    const perCharacter = "envelope" in payload
      ? CHARACTER_BYTES + PARSED_CHARACTER_BYTES
      : CHARACTER_BYTES;
    const target = "target" in payload ? long(payload.target) : 0;
    return ROW_BYTES + CHARACTER_BYTES * (names + target) +
      perCharacter * payload.text.length;
  }
  let characters = names;
  for (const value of Object.values(payload)) {
    if (typeof value === "string") characters += value.length;
    else if (Array.isArray(value)) characters += weighList(value);
  }
  return ROW_BYTES + CHARACTER_BYTES * characters;
}

function weighList(list: readonly string[]): number {
  return list.reduce((sum, entry) => sum + ENTRY_CHARACTERS + entry.length, 0);
}

function long(name = ""): number {
  return name.length > SHORT_NAME ? name.length : 0;
}
