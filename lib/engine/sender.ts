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
  | { readonly kind: "not-sent" };

/** Sends lines on running sessions. */
export interface Sender {
  /**
   * Queues `line`, paced like any other line of an agent, and settles once it
   * was written or never will be. Resolves undefined when no running session
   * has `sessionId`. The line holds no CR, LF or NUL: the caller checked.
   */
  send(sessionId: string, line: string): Promise<SendOutcome | undefined>;
}
