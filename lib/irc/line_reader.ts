/**
 * Bytes of an IRC connection to lines of text. Each line is decoded alone, as
 * UTF-8 where it is valid and as Latin-1 where it is not, so that one odd line
 * changes no other and nothing of it is lost. Lines end in LF, with any CRs
 * before it taken off; a CR or NUL inside a line is text. A line over the bound
 * is dropped whole and counted, however long it goes on.
 *
 * A line is never a slice of a larger string: V8 would keep the whole read
 * alive as long as one message of it is held.
 *
 * @module
 */

import { Buffer } from "node:buffer";

/**
 * Bytes of one line. IRCv3 allows 8,191 of tags and RFC 1459 512 of message;
 * the rest is for servers that count otherwise.
 */
export const MAX_LINE_BYTES = 16_384;

const LF = 0x0a;
const CR = 0x0d;
const NOTHING = Buffer.alloc(0);

/** See the module doc. */
export class LineReader {
  readonly #maxBytes: number;
  readonly #utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  #chunk: Buffer = NOTHING;
  #at = 0;
  /** The start of a line whose end has not come: never over the bound. */
  #partial: Buffer = NOTHING;
  #discarding = false;
  #discarded = 0;

  constructor(maxBytes = MAX_LINE_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Lines dropped so far for being over the bound. */
  get discarded(): number {
    return this.#discarded;
  }

  /** Whether bytes of the last {@link push} are still to be read. */
  get hasUnread(): boolean {
    return this.#at < this.#chunk.length;
  }

  /**
   * Hands in the next bytes; all earlier ones must have been read, that is,
   * {@link next} answered undefined.
   */
  push(chunk: Buffer): void {
    this.#chunk = chunk;
    this.#at = 0;
  }

  /** The next whole line, undefined when more bytes are needed. */
  next(): string | undefined {
    while (this.#at < this.#chunk.length) {
      const end = this.#chunk.indexOf(LF, this.#at);
      if (end < 0) {
        this.#keep(this.#chunk.subarray(this.#at));
        this.#at = this.#chunk.length;
        break;
      }
      const piece = this.#chunk.subarray(this.#at, end);
      this.#at = end + 1;
      const line = this.#complete(piece);
      if (line !== undefined) return line;
    }
    this.#chunk = NOTHING;
    this.#at = 0;
    return undefined;
  }

  #complete(piece: Buffer): string | undefined {
    if (this.#discarding) {
      this.#discarding = false;
      return undefined;
    }
    if (this.#partial.length + piece.length > this.#maxBytes) {
      this.#partial = NOTHING;
      this.#discarded++;
      return undefined;
    }
    const whole = this.#partial.length === 0
      ? piece
      : Buffer.concat([this.#partial, piece]);
    this.#partial = NOTHING;
    return this.#decode(whole);
  }

  #keep(rest: Buffer): void {
    if (this.#discarding) return;
    if (this.#partial.length + rest.length > this.#maxBytes) {
      this.#partial = NOTHING;
      this.#discarding = true;
      this.#discarded++;
      return;
    }
    // A copy: a view would keep the whole read alive until the line ends.
    this.#partial = Buffer.concat([this.#partial, rest]);
  }

  #decode(bytes: Buffer): string {
    let end = bytes.length;
    while (end > 0 && bytes[end - 1] === CR) end--;
    // measured: this takes a tenth of the time of TextDecoder, and most
    // lines are ASCII, which both read alike.
    if (isAscii(bytes, end)) return bytes.toString("latin1", 0, end);
    try {
      return this.#utf8.decode(bytes.subarray(0, end));
    } catch {
      return bytes.toString("latin1", 0, end);
    }
  }
}

function isAscii(bytes: Uint8Array, end: number): boolean {
  let seen = 0;
  for (let i = 0; i < end; i++) seen |= bytes[i] ?? 0;
  return seen < 0x80;
}
