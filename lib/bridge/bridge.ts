/**
 * A stdio MCP server that is a door to the running service: each line of the
 * harness becomes one request to it, many at once, and each answer is one line
 * back as it comes. It holds no state of the protocol and no token between
 * messages. What cannot be relayed is answered by an error of its own.
 *
 * Spec: README, "Connecting an agent"; MCP, "Transports", "stdio".
 *
 * @module
 */

import { MAX_BODY_BYTES } from "../http/request.ts";
import { BRIDGE_FAILURES, RelayError } from "./failures.ts";
import { type InputLine, MAX_LINE_BYTES, readLines } from "./lines.ts";
import {
  errorLine,
  INVALID_REQUEST,
  NOT_RELAYED,
  PARSE_ERROR,
  readMessage,
  type RequestId,
} from "./message.ts";

/** Requests at the service at once: two of its eight places are left. */
export const MAX_IN_FLIGHT = 6;
/** Messages that wait for their turn; at most 16 MiB with their bound. */
export const MAX_WAITING = 256;

/** What {@link runBridge} is built from. */
export interface BridgeParts {
  readonly input: AsyncIterable<Uint8Array>;
  /** Writes one whole line, its break included. False when nobody reads. */
  readonly write: (line: string) => Promise<boolean>;
  /** A line for the person; never holds a message or a part of one. */
  readonly tell: (text: string) => void;
  /** Sends a message on: see `relay.ts`. */
  readonly send: (
    body: Uint8Array,
    signal: AbortSignal,
  ) => Promise<string | undefined>;
}

/**
 * Relays until the input ends and what was in flight is answered, or until
 * nobody reads the answers any more.
 */
export async function runBridge(parts: BridgeParts): Promise<void> {
  const bridge = new Bridge(parts);
  const lines = readLines(parts.input);
  while (true) {
    const next = await Promise.race([lines.next(), bridge.deserted]);
    if (next === undefined || next.done) break;
    bridge.take(next.value);
  }
  await bridge.settled();
}

class Bridge {
  readonly #parts: BridgeParts;
  readonly #open = new Map<string, Set<AbortController>>();
  readonly #running = new Set<Promise<void>>();
  readonly #waiting: (() => void)[] = [];
  readonly #deserted = Promise.withResolvers<undefined>();
  #inFlight = 0;
  #writing: Promise<void> = Promise.resolve();

  constructor(parts: BridgeParts) {
    this.#parts = parts;
  }

  /** Resolves when nobody reads the answers any more. */
  get deserted(): Promise<undefined> {
    return this.#deserted.promise;
  }

  /** Settles once every request taken has been answered. */
  async settled(): Promise<void> {
    const done = Promise.all([...this.#running]).then(() => this.#writing);
    await Promise.race([done, this.deserted]);
  }

  take(line: InputLine): void {
    if (line === undefined) {
      return this.#refuse(null, {
        code: INVALID_REQUEST,
        message: BRIDGE_FAILURES.longLine(MAX_LINE_BYTES),
      });
    }
    const message = readMessage(line);
    switch (message.kind) {
      case "request":
        return this.#start(line, message.id);
      case "one-way":
        return this.#start(line);
      case "cancel":
        // Closing the request is what cancels it; the service keeps no state
        // by which it could know what the notification is about.
        for (const open of this.#open.get(keyOf(message.id)) ?? []) {
          open.abort();
        }
        return;
      case "not-json":
        return this.#refuse(null, {
          code: PARSE_ERROR,
          message: BRIDGE_FAILURES.notJson(),
        });
      case "not-a-message":
        return this.#refuse(null, {
          code: INVALID_REQUEST,
          message: BRIDGE_FAILURES.notAMessage(),
        });
      default:
        return message satisfies never;
    }
  }

  #start(line: Uint8Array, id?: RequestId): void {
    const refuse = (message: string) =>
      this.#refuse(id, { code: NOT_RELAYED, message });
    if (line.length > MAX_BODY_BYTES) {
      return refuse(BRIDGE_FAILURES.tooLarge(line.length, MAX_BODY_BYTES));
    }
    if (this.#waiting.length >= MAX_WAITING) {
      return refuse(BRIDGE_FAILURES.tooMany(MAX_WAITING));
    }
    const running = this.#relay(line, id).finally(() =>
      this.#running.delete(running)
    );
    this.#running.add(running);
  }

  async #relay(line: Uint8Array, id: RequestId | undefined): Promise<void> {
    const open = new AbortController();
    const release = this.#register(id, open);
    await this.#place();
    try {
      if (open.signal.aborted) return;
      const answer = await this.#parts.send(line, open.signal);
      if (id !== undefined && !open.signal.aborted) {
        if (answer === undefined) {
          throw new RelayError(BRIDGE_FAILURES.strange(202));
        }
        this.#write(answer);
      }
    } catch (error) {
      if (open.signal.aborted) return;
      const message = error instanceof RelayError
        ? error.message
        : `The bridge failed: ${error instanceof Error ? error.name : "?"}.`;
      this.#refuse(id, { code: NOT_RELAYED, message });
    } finally {
      release();
      this.#leave();
    }
  }

  #register(id: RequestId | undefined, open: AbortController): () => void {
    if (id === undefined) return () => {};
    const key = keyOf(id);
    const same = this.#open.get(key) ?? new Set();
    this.#open.set(key, same.add(open));
    return () => {
      same.delete(open);
      if (same.size === 0) this.#open.delete(key);
    };
  }

  async #place(): Promise<void> {
    if (this.#inFlight < MAX_IN_FLIGHT) {
      this.#inFlight++;
      return;
    }
    // The place is handed on, so the count stays.
    await new Promise<void>((resume) => this.#waiting.push(resume));
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#inFlight--;
    else next();
  }

  /** Tells the person, and the client where it waits for an answer. */
  #refuse(
    id: RequestId | null | undefined,
    error: { readonly code: number; readonly message: string },
  ): void {
    this.#parts.tell(error.message);
    if (id !== undefined) this.#write(errorLine(id, error));
  }

  // One after another: a line is never cut by another one.
  #write(line: string): void {
    this.#writing = this.#writing.then(async () => {
      const isRead = await this.#parts.write(`${line}\n`).catch(() => false);
      if (!isRead) this.#deserted.resolve(undefined);
    });
  }
}

// 1 and "1" are two ids.
function keyOf(id: RequestId): string {
  return JSON.stringify(id);
}
