/**
 * How long a server takes to answer: a PING with a token of our own, and the
 * time to its PONG. Only measured when a person asks, so that no connection
 * has a line more than it needs.
 *
 * @module
 */

import type { CancelTimer, Clock } from "../clock.ts";
import type { IrcMessage } from "./message.ts";

/** A server slower than this is told as that. */
export const LAG_WAIT_MS = 2_000;

/** What {@link LagMeter} is built from. */
export interface LagOptions {
  readonly clock: Clock;
  readonly send: (line: string) => void;
}

/** See the module doc. One is made for each connection. */
export class LagMeter {
  readonly #options: LagOptions;
  #measuring: {
    readonly token: string;
    readonly end: (lagMs: number | undefined) => void;
    readonly promise: Promise<number | undefined>;
    readonly sentAt: number;
  } | undefined;
  #count = 0;

  constructor(options: LagOptions) {
    this.#options = options;
  }

  /** Milliseconds to the answer; undefined when none came in time. */
  measure(): Promise<number | undefined> {
    if (this.#measuring !== undefined) return this.#measuring.promise;
    const { clock, send } = this.#options;
    const token = `reterm-lag-${++this.#count}`;
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    const cancel: CancelTimer = clock.after(LAG_WAIT_MS, () => end(undefined));
    const end = (lagMs: number | undefined) => {
      cancel();
      this.#measuring = undefined;
      resolve(lagMs);
    };
    const sentAt = clock.monotonic();
    this.#measuring = { token, end, promise, sentAt };
    send(`PING :${token}`);
    return promise;
  }

  /** A PONG came. */
  heard({ params }: IrcMessage): void {
    const { token, end, sentAt } = this.#measuring ?? {};
    if (end === undefined || sentAt === undefined) return;
    if (params.at(-1) === token) end(this.#options.clock.monotonic() - sentAt);
  }

  /** The connection is gone. */
  close(): void {
    this.#measuring?.end(undefined);
  }
}
