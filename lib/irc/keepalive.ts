/**
 * Notices a connection that died without saying so: after a time without any
 * line from the server it is pinged, and after more of it given up. Lines are
 * only counted; no timer is moved for each of them.
 *
 * @module
 */

import type { CancelTimer, Clock } from "../clock.ts";
import type { LinkLimits } from "./limits.ts";

export interface KeepaliveOptions {
  readonly clock: Clock;
  readonly limits: Pick<LinkLimits, "idleMs" | "pingAnswerMs">;
  readonly ping: () => void;
  /** The server is gone. Called at most once, and then it has stopped. */
  readonly lost: () => void;
}

/** See the module doc. One is made for each connection. */
export class Keepalive {
  readonly #options: KeepaliveOptions;
  #lastHeard = 0;
  #heardSinceAsked = false;
  #cancel: CancelTimer | undefined;

  constructor(options: KeepaliveOptions) {
    this.#options = options;
  }

  start(): void {
    this.heard();
    this.#watch();
  }

  /** A line came from the server. */
  heard(): void {
    this.#lastHeard = this.#options.clock.monotonic();
    this.#heardSinceAsked = true;
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #watch(): void {
    const { clock, limits } = this.#options;
    const idle = clock.monotonic() - this.#lastHeard;
    const rest = limits.idleMs - idle;
    this.#cancel = clock.after(Math.max(rest, 0), () => {
      const isIdle = clock.monotonic() - this.#lastHeard >= limits.idleMs;
      if (isIdle) this.#ask();
      else this.#watch();
    });
  }

  #ask(): void {
    const { clock, limits, ping, lost } = this.#options;
    this.#heardSinceAsked = false;
    this.#cancel = clock.after(limits.pingAnswerMs, () => {
      this.#cancel = undefined;
      if (this.#heardSinceAsked) this.#watch();
      else lost();
    });
    ping();
  }
}
