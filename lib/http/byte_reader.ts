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
const FIRST_BUFFER_BYTES = 8_192;

/** Reads from one connection. Only one call may be pending at a time. */
export class ByteReader {
  readonly #source: ByteSource;
  readonly #maxBytes: number;
  #buffer: Uint8Array<ArrayBuffer>;
  #length = 0;

  /** Never holds more than `maxBytes`. */
  constructor(source: ByteSource, maxBytes: number) {
    this.#source = source;
    this.#maxBytes = maxBytes;
    this.#buffer = new Uint8Array(Math.min(FIRST_BUFFER_BYTES, maxBytes));
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
    const count = await this.#read(this.#buffer.subarray(this.#length));
    this.#length += count;
    return count > 0;
  }

  /** Throws away what arrives until the stream ends. Keeps what is held. */
  async discardToEnd(): Promise<void> {
    const scratch = new Uint8Array(FIRST_BUFFER_BYTES);
    while (await this.#read(scratch) > 0);
  }

  async #read(into: Uint8Array): Promise<number> {
    try {
      return await this.#source.read(into) ?? 0;
    } catch {
      return 0;
    }
  }

  #grow(): boolean {
    if (this.#buffer.length === this.#maxBytes) return false;
    const size = Math.min(this.#buffer.length * 4, this.#maxBytes);
    const grown = new Uint8Array(size);
    grown.set(this.#buffer);
    this.#buffer = grown;
    return true;
  }
}
