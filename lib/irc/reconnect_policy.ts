/**
 * What follows the end of a connection: another try soon, a try much later, or
 * none. Waits double from two seconds to five minutes with jitter, and start
 * over once a connection has stood for a minute. Nothing here waits; it says
 * how long.
 *
 * @module
 */

import type { FailureKind } from "./failure.ts";
import type { LinkLimits } from "./limits.ts";

/** `stop`: not tried again until somebody asks. */
export type NextTry =
  | { readonly kind: "stop" }
  | { readonly kind: "wait"; readonly ms: number };

type PolicyLimits = Pick<
  LinkLimits,
  "reconnectMinMs" | "reconnectMaxMs" | "stableMs" | "random"
>;

/** How much longer than for a server one waits for its services: 20 s at first. */
const SERVICES_FACTOR = 10;

/** See the module doc. */
export class ReconnectPolicy {
  readonly #limits: PolicyLimits;
  #failures = 0;

  constructor(limits: PolicyLimits) {
    this.#limits = limits;
  }

  /** Connections that ended since one last stood for a minute. */
  get failures(): number {
    return this.#failures;
  }

  /** A person asked for a connection: the waits start over. */
  reset(): void {
    this.#failures = 0;
  }

  /**
   * A connection ended by `kind`, `connectedMs` after 001, or 0 when it did not
   * get there.
   */
  ended(kind: FailureKind, connectedMs: number): NextTry {
    if (connectedMs >= this.#limits.stableMs) this.#failures = 0;
    this.#failures++;
    switch (kind) {
      // Trying again cannot help, and would look like an attack.
      case "requested":
      case "tls":
      case "banned":
      case "sasl-refused":
      case "not-permitted":
        return { kind: "stop" };
      // Services come back minutes after their server does, so the first try
      // is not far off; a network that has none is soon asked seldom.
      case "sasl-unavailable":
        return {
          kind: "wait",
          ms: this.#spread(this.#doubled(SERVICES_FACTOR)),
        };
      // Somebody has to put something right first; it may be the server's.
      case "password":
      case "nick":
        return { kind: "wait", ms: this.#spread(this.#limits.reconnectMaxMs) };
      case "unreachable":
      case "timeout":
      case "closed":
      case "ping":
        return { kind: "wait", ms: this.#spread(this.#doubled()) };
      default:
        return kind satisfies never;
    }
  }

  #doubled(times = 1): number {
    const { reconnectMinMs, reconnectMaxMs } = this.#limits;
    // 2^20 is far past the bound, and far from overflowing.
    const factor = 2 ** Math.min(this.#failures - 1, 20);
    return Math.min(reconnectMinMs * times * factor, reconnectMaxMs);
  }

  /** Up to a fifth less, so that many clients do not come back at once. */
  #spread(ms: number): number {
    return Math.round(ms * (1 - this.#limits.random() / 5));
  }
}
