/**
 * The one act an agent may be given: sending a line on a session. It is apart
 * from the reader, and the control surface hands it out only while
 * `control.send` is on.
 *
 * Spec: "Invariants", "Sending".
 *
 * @module
 */

/** How a send ended. */
export type SendOutcome =
  /** Written to the connection; `recorded` is the line as it may be shown. */
  | { readonly kind: "sent"; readonly recorded: string }
  /** The session is not connected. */
  | { readonly kind: "not-connected" }
  /** A script vetoed it, or the connection could not take it. */
  | { readonly kind: "not-sent" }
  /** A limit refused it. */
  | { readonly kind: "limited"; readonly by: "per-minute" | "burst" };

/** Sends lines on running sessions. */
export interface Sender {
  /**
   * Queues `line`, paced like any other line of an agent, and settles once it
   * was written or never will be. Resolves undefined when no running session
   * has `sessionId`. The line has passed the line rule: it holds no CR, LF or
   * NUL and is short enough. A line once queued is not taken back.
   */
  send(sessionId: string, line: string): Promise<SendOutcome | undefined>;
}
