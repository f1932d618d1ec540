/**
 * The transport that irc-framework is given in place of its own: it opens the
 * socket by {@link dial}, reads bounded lines, and writes whole ones. Bytes are
 * read in slices of a few milliseconds with the socket paused between them, so
 * that a flood slows its sender down and nobody else.
 *
 * Every line goes to the owner; the library sees those that the owner gives to
 * {@link LinkTransport.passOn}. A line with CR, LF or NUL is written by nobody: this is the last place
 * to refuse it.
 *
 * @module
 */

import type { Buffer } from "node:buffer";
import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { destroyQuietly } from "./dial.ts";
import { LinkFailure } from "./failure.ts";
import type { FrameworkTransport } from "./irc_framework.d.ts";
import { LineReader } from "./line_reader.ts";
import type { LineSender, OutgoingScreen } from "./link.ts";
import { ReadTurns } from "./read_turns.ts";

/** Lines between two looks at the time: looking costs a tenth of a line. */
const LINES_PER_LOOK = 8;
/** Characters between two looks, for lines that are longer than most. */
const CHARACTERS_PER_LOOK = 2_048;
/** After a look that came this late, each line is followed by one. */
const LATE_LOOK_MS = 2;

/** One for all connections: the event loop is one. */
const turns = new ReadTurns();

const FORBIDDEN = /[\r\n\0]/;

/** Whether `line` can stand as one line on the wire. */
export function isOneLine(line: string): boolean {
  return !FORBIDDEN.test(line);
}

/** Who the lines are for. */
export interface TransportOwner extends OutgoingScreen {
  /** Opens the socket; rejects with a {@link LinkFailure}. */
  dial(signal: AbortSignal): Promise<Socket>;
  /** A line came. Must not throw. */
  received(line: string): void;
  /** A line is being written. */
  wrote(line: string): void;
  /** Over-long lines were dropped. */
  discarded(count: number): void;
}

/** See the module doc. One is made for each connection. */
export class LinkTransport extends EventEmitter implements FrameworkTransport {
  readonly #owner: TransportOwner;
  readonly #reader = new LineReader();
  readonly #abort = new AbortController();
  #socket: Socket | undefined;
  #cancelWait: (() => void) | undefined;
  /** Lines to the next look; fewer while lines take long. */
  #linesPerLook = LINES_PER_LOOK;
  #discarded = 0;
  /** Bytes of lines that are being looked at, and the last of those lines. */
  #screenedBytes = 0;
  #lastScreened: Promise<void> = Promise.resolve();
  #error: Error | undefined;
  /** The socket closed while lines were still to be read. */
  #closePending = false;
  #closed = false;

  constructor(owner: TransportOwner) {
    super();
    this.#owner = owner;
  }

  /** Whether lines can be written. */
  get isOpen(): boolean {
    return this.#socket?.writable ?? false;
  }

  /** Bytes that were written, or wait to be, and have not left the process. */
  get unsentBytes(): number {
    return this.#screenedBytes + (this.#socket?.writableLength ?? 0);
  }

  connect(): void {
    this.#owner.dial(this.#abort.signal)
      .then((socket) => this.#opened(socket))
      .catch((error: unknown) => {
        this.#error = error instanceof Error ? error : new Error(String(error));
        this.#finish();
      });
  }

  /** Lets the library see a line, and throws what its handling throws. */
  passOn(line: string): void {
    this.emit("line", line);
  }

  /**
   * Writes a line once the screen permits it, in the order of the calls.
   * `written` is told whether the line went to the socket.
   */
  writeLine(
    line: string,
    written?: (sent: boolean) => void,
    sender: LineSender = "other",
  ): void {
    const permission = this.#owner.permit(line, sender);
    if (permission === true && this.#screenedBytes === 0) {
      this.#write(line, written);
      return;
    }
    // A UTF-16 unit is at most three bytes; the bound need not be exact.
    const bytes = line.length * 3 + 1;
    this.#screenedBytes += bytes;
    this.#lastScreened = this.#lastScreened.then(async () => {
      const isPermitted = await permission;
      this.#screenedBytes -= bytes;
      if (isPermitted) this.#write(line, written);
      else written?.(false);
    });
  }

  #write(line: string, written?: (sent: boolean) => void): void {
    const socket = this.#socket;
    if (socket === undefined || !socket.writable || !isOneLine(line)) {
      written?.(false);
      return;
    }
    this.#owner.wrote(line);
    socket.write(`${line}\r\n`, "utf8", (error) => written?.(!error));
  }

  /** Ends the connection: at once, or once what was written has left. */
  close(force: boolean): void {
    this.#abort.abort();
    if (force) this.#socket?.destroy();
    else this.#socket?.end();
  }

  /** Lets go of the socket; no event follows. Safe to call again. */
  disposeSocket(): void {
    this.#closed = true;
    this.#abort.abort();
    this.#cancelWait?.();
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket === undefined) return;
    socket.removeAllListeners();
    destroyQuietly(socket);
  }

  /** Lines are decoded one by one, whatever the library wishes. */
  setEncoding(_encoding: string): boolean {
    return true;
  }

  #opened(socket: Socket): void {
    if (this.#closed) {
      destroyQuietly(socket);
      return;
    }
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => {
      socket.pause();
      this.#reader.push(chunk);
      turns.came(performance.now());
      if (turns.isOver) this.#waitForTurn();
      else this.#readSlice();
    });
    socket.on("error", (error) => this.#error ??= asFailure(error));
    socket.on("close", () => {
      if (this.#reader.hasUnread) this.#closePending = true;
      else this.#finish();
    });
    this.emit("open");
    if (!this.#closed) socket.resume();
  }

  #readSlice(): void {
    this.#readLines();
    if (this.#closed) return;
    this.#reportDiscarded();
    if (this.#closePending && !this.#reader.hasUnread) {
      this.#finish();
      return;
    }
    if (this.#reader.hasUnread) this.#waitForTurn();
    else this.#socket?.resume();
  }

  #waitForTurn(): void {
    this.#cancelWait = turns.wait(() => this.#readSlice());
  }

  /** Until nothing is left to read or the turn is over. */
  #readLines(): void {
    let looked = performance.now();
    let lines = 0;
    let characters = 0;
    const look = () => {
      const now = performance.now();
      turns.worked(now - looked, now);
      this.#linesPerLook = now - looked > LATE_LOOK_MS ? 1 : LINES_PER_LOOK;
      looked = now;
      lines = 0;
      characters = 0;
    };
    while (!this.#closed && !turns.isOver) {
      const line = this.#reader.next();
      if (line === undefined) break;
      this.#owner.received(line);
      characters += line.length;
      const isDue = ++lines >= this.#linesPerLook ||
        characters >= CHARACTERS_PER_LOOK;
      if (isDue) look();
    }
    look();
  }

  #reportDiscarded(): void {
    const count = this.#reader.discarded - this.#discarded;
    if (count === 0) return;
    this.#discarded += count;
    this.#owner.discarded(count);
  }

  #finish(): void {
    if (this.#closed) return;
    const error = this.#error;
    this.disposeSocket();
    this.emit("close", error ?? false);
  }
}

function asFailure(error: Error): LinkFailure {
  const { code } = error as { code?: unknown };
  const what = typeof code === "string" ? code : error.message.slice(0, 200);
  return new LinkFailure("closed", `the connection broke (${what})`, {
    cause: error,
  });
}
