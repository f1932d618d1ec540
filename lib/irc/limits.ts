/**
 * Every deadline and bound of a connection to an IRC server, in one place, so
 * that a test can hold them. Values the product fixes are marked so; the others
 * are generous to slow servers and still end what hangs.
 *
 * @module
 */

/** See the module doc. All times in milliseconds. */
export interface LinkLimits {
  /** TCP connect and SOCKS negotiation together. */
  readonly connectMs: number;
  /** The TLS handshake. */
  readonly tlsMs: number;
  /** From the open socket to 001. */
  readonly registrationMs: number;
  /** From `CAP LS` or `CAP REQ` to its answer, before 001. */
  readonly capabilityMs: number;
  /** From AUTHENTICATE to the outcome. */
  readonly saslMs: number;
  /** From QUIT to the closed socket, before it is destroyed. */
  readonly quitMs: number;
  /** Without traffic for this long, the server is pinged (fixed). */
  readonly idleMs: number;
  /** Without traffic for this long after the ping, it is given up (fixed). */
  readonly pingAnswerMs: number;
  /** First wait before a reconnect; doubled each time (fixed). */
  readonly reconnectMinMs: number;
  /** The longest such wait (fixed). */
  readonly reconnectMaxMs: number;
  /** Connected for this long, the waits start over (fixed). */
  readonly stableMs: number;
  /** Between two attempts to take the wanted nick back. */
  readonly regainMs: number;
  /** Whether outgoing lines are paced; asked for each line. */
  readonly floodThrottle: () => boolean;
  /** A number in [0, 1) for jitter. */
  readonly random: () => number;
}

export const DEFAULT_LIMITS: LinkLimits = {
  connectMs: 20_000,
  tlsMs: 15_000,
  registrationMs: 60_000,
  capabilityMs: 10_000,
  // Below the 20 s after which InspIRCd gives up on a registration, so that
  // the outcome is ours to tell.
  saslMs: 15_000,
  quitMs: 1_500,
  idleMs: 60_000,
  pingAnswerMs: 30_000,
  reconnectMinMs: 2_000,
  reconnectMaxMs: 300_000,
  stableMs: 60_000,
  regainMs: 60_000,
  floodThrottle: () => true,
  random: Math.random,
};
