/**
 * Bounded reads from a connection. Bytes gather in one buffer that grows up
 * to the largest request the gate takes; what a client sends past that is
 * left in the kernel or thrown away, never kept. A read that fails because
 * the connection was reset or closed under it is the end of the stream:
 * whoever reads has nothing else to do about it.
 *
 * @module
 */

/** What the gate needs of a connection to read from it. */
export interface ByteSource {
  read(into: Uint8Array): Promise<number | null>;
}

// Holds a usual request, head and body, so that one read brings it whole.
const FIRST_BUFFER_BYTES = 4_096;

// First buffers given back, for the next connections: making one costs more
// than reading a request into it. As many as there are connection slots.
const MAX_SPARE_BUFFERS = 8;
const spareBuffers: Uint8Array<ArrayBuffer>[] = [];

const NO_BUFFER = new Uint8Array(0);

/** Reads from one connection. Only one call may be pending at a time. */
export class ByteReader {
  readonly #source: ByteSource;
  readonly #maxBytes: number;
  #buffer: Uint8Array<ArrayBuffer>;
  #length = 0;
  #discarded = 0;

  /** Never holds more than `maxBytes`, which is 4,096 at least. */
  constructor(source: ByteSource, maxBytes: number) {
    this.#source = source;
    this.#maxBytes = maxBytes;
    this.#buffer = spareBuffers.pop() ?? new Uint8Array(FIRST_BUFFER_BYTES);
  }

  /** What arrived so far; only its first `length` bytes mean anything. */
  get buffer(): Uint8Array<ArrayBuffer> {
    return this.#buffer;
  }

  /** How many bytes arrived so far. */
  get length(): number {
    return this.#length;
  }

  /**
   * Waits for more bytes. Returns false when there will be none: the client
   * closed or half-closed, the connection failed, or `maxBytes` are held.
   */
  async fill(): Promise<boolean> {
    if (this.#length === this.#buffer.length && !this.#grow()) return false;
    const free = this.#length === 0
      ? this.#buffer
      : this.#buffer.subarray(this.#length);
    try {
      const count = await this.#source.read(free) ?? 0;
      this.#length += count;
      return count > 0;
    } catch {
      return false;
    }
  }

  /** How many bytes were thrown away. */
  get discarded(): number {
    return this.#discarded;
  }

  /**
   * Throws away what arrives until the stream ends or more than `maxBytes`
   * came. Keeps what is held.
   */
  async discardToEnd(maxBytes: number): Promise<void> {
    const scratch = new Uint8Array(FIRST_BUFFER_BYTES);
    try {
      while (this.#discarded <= maxBytes) {
        const count = await this.#source.read(scratch);
        if (count === null) return;
        this.#discarded += count;
      }
    } catch {
      return;
    }
  }

  /**
   * Gives the buffer back. Nothing may be read any more, and whoever still
   * looks at the buffer may find another connection's bytes.
   */
  release(): void {
    this.#giveBack(this.#buffer);
    this.#buffer = NO_BUFFER;
    this.#length = 0;
  }

  #giveBack(buffer: Uint8Array<ArrayBuffer>): void {
    const isSpare = buffer.length === FIRST_BUFFER_BYTES &&
      spareBuffers.length < MAX_SPARE_BUFFERS;
    if (isSpare) spareBuffers.push(buffer);
  }

  #grow(): boolean {
    if (this.#buffer.length >= this.#maxBytes) return false;
    const size = Math.min(this.#buffer.length * 4, this.#maxBytes);
    const grown = new Uint8Array(size);
    grown.set(this.#buffer);
    this.#giveBack(this.#buffer);
    this.#buffer = grown;
    return true;
  }
}
