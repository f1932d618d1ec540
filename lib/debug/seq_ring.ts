/**
 * A ring of numbered entries: the newest few are held, each under a sequence
 * number that is never given again, and the oldest give way. A reader keeps the
 * number it has read to and asks for what came after it.
 *
 * Clearing is not eviction: what is cleared leaves a gap in the numbers, and a
 * reader behind it is told of nothing, because nothing overtook it.
 *
 * @module
 */

/** What readers may ask of a ring. */
export interface SeqRingView<T> {
  /** The newest number given, 0 before the first: where a reader of now starts. */
  readonly newestSeq: number;
  /** Entries held. */
  readonly size: number;
  /** The highest number dropped because the ring was full, 0 for none. */
  readonly evictedThrough: number;
  /** Entries with a number above `after`, ascending, at most `limit`. */
  since(after: number, limit: number): T[];
}

/** See the module doc. `capacity` is the number of entries held. */
export class SeqRing<T> implements SeqRingView<T> {
  readonly #capacity: number;
  // The entry of number s at (s - 1) % capacity.
  #entries: T[] = [];
  #size = 0;
  #newestSeq = 0;
  #evictedThrough = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get newestSeq(): number {
    return this.#newestSeq;
  }

  get size(): number {
    return this.#size;
  }

  get evictedThrough(): number {
    return this.#evictedThrough;
  }

  /** Adds the entry that `make` gives for its number. */
  add(make: (seq: number) => T): void {
    const seq = ++this.#newestSeq;
    if (this.#size === this.#capacity) {
      this.#evictedThrough = seq - this.#capacity;
    } else this.#size++;
    this.#entries[(seq - 1) % this.#capacity] = make(seq);
  }

  /** Drops every entry; numbering goes on. */
  clear(): void {
    this.#entries = [];
    this.#size = 0;
    this.#evictedThrough = 0;
  }

  since(after: number, limit: number): T[] {
    const oldest = this.#newestSeq - this.#size + 1;
    const page: T[] = [];
    for (
      let seq = Math.max(oldest, after + 1);
      seq <= this.#newestSeq && page.length < limit;
      seq++
    ) {
      const entry = this.#entries[(seq - 1) % this.#capacity];
      if (entry !== undefined) page.push(entry);
    }
    return page;
  }
}
