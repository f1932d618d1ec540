/**
 * Why a connection ended, as a kind the reconnect policy can judge and as words
 * an operator can act on. The words may quote the server, never a secret.
 *
 * @module
 */

/** What ended a connection, or kept one from being made. */
export type FailureKind =
  /** Refused, unreachable, name not found, or a proxy that says so. */
  | "unreachable"
  /** The program has no permission for that address. */
  | "not-permitted"
  /** A deadline passed: connect, TLS, registration. */
  | "timeout"
  /** The certificate or the TLS protocol itself is wrong. */
  | "tls"
  /** The server ended it, with ERROR or without. */
  | "closed"
  /** Its last words were a ban. */
  | "banned"
  /** The server password is missing or wrong. */
  | "password"
  /** The server said no to the SASL login. */
  | "sasl-refused"
  /** No SASL, no answer, or services that are away. */
  | "sasl-unavailable"
  /** The server took none of the nicks. */
  | "nick"
  /** Nothing was heard, the ping included. */
  | "ping"
  /** The person asked for it. */
  | "requested";

/** See the module doc. */
export class LinkFailure extends Error {
  override readonly name = "LinkFailure";
  readonly kind: FailureKind;

  constructor(kind: FailureKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
