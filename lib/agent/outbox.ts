/**
 * What a worker has to say, in order, each said again until the service took it
 * or refused it for good. An envelope keeps its id however often it is tried,
 * and the service sends an id once.
 *
 * @module
 */

import type { Envelope } from "../envelope/envelope.ts";
import type { Sending } from "../operator/agent_door.ts";

/** Envelopes that wait; whoever adds more is to wait for room. */
const MAX_WAITING = 64;
/** Between two tries. */
const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 2_000;

/** What an outbox is built from. */
export interface OutboxOptions {
  /** Tries once. Undefined while the service cannot be asked. */
  readonly send: (envelope: Envelope) => Promise<Sending | undefined>;
  readonly wait: (ms: number) => Promise<void>;
  /** A line for the operator. */
  readonly log: (text: string) => void;
}

interface Waiting {
  readonly envelope: Envelope;
  readonly settle: (sent: boolean) => void;
}

/** See the module doc. */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #waiting: Waiting[] = [];
  #sending: Promise<void> | undefined;
  #onRoom: (() => void)[] = [];
  #isClosed = false;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /** How many are not sent yet. */
  get size(): number {
    return this.#waiting.length;
  }

  /** Settles once it is sent; false when it never will be. */
  put(envelope: Envelope): Promise<boolean> {
    if (this.#isClosed) return Promise.resolve(false);
    return new Promise((settle) => {
      this.#waiting.push({ envelope, settle });
      this.#sending ??= this.#sendAll();
    });
  }

  /** Settles when there is room for more. */
  async room(): Promise<void> {
    while (this.#waiting.length >= MAX_WAITING && !this.#isClosed) {
      await new Promise<void>((resolve) => this.#onRoom.push(resolve));
    }
  }

  /** Waits for what is left, `maxMs` at most. Returns how many never went. */
  async close(maxMs: number): Promise<number> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, maxMs);
    });
    await Promise.race([this.#sending ?? Promise.resolve(), late]);
    clearTimeout(timer);
    this.#isClosed = true;
    const left = this.#waiting.splice(0);
    for (const { settle } of left) settle(false);
    this.#wakeForRoom();
    return left.length;
  }

  async #sendAll(): Promise<void> {
    while (!this.#isClosed) {
      const [next] = this.#waiting;
      if (next === undefined) {
        // Cleared here and not when the promise settles: what is put in
        // between would find it set, and wait for nobody.
        this.#sending = undefined;
        return;
      }
      const sent = await this.#sendOne(next.envelope);
      if (this.#waiting[0] === next) this.#waiting.shift();
      next.settle(sent);
      this.#wakeForRoom();
    }
  }

  async #sendOne(envelope: Envelope): Promise<boolean> {
    const { send, wait, log } = this.#options;
    for (
      let retryMs = FIRST_RETRY_MS;
      !this.#isClosed;
      retryMs = Math.min(2 * retryMs, MAX_RETRY_MS)
    ) {
      const sending = await send(envelope);
      switch (sending?.kind) {
        case "sent":
          return true;
        case "refused":
          log(`not sent: ${envelope.type} ${envelope.id}: ${sending.reason}`);
          return false;
        case "waiting":
        case "offline":
        case undefined:
          await wait(retryMs);
          break;
        default:
          return sending satisfies never;
      }
    }
    return false;
  }

  #wakeForRoom(): void {
    for (const resolve of this.#onRoom.splice(0)) resolve();
  }
}
