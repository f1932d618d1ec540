/**
 * What a connection lets a person see who debugs it: where it stands, what it
 * waits for and what is queued. Values copied at one instant; no secret is
 * among them, and nothing in here can act.
 *
 * Spec: "engine_state".
 *
 * @module
 */

/** How far the SASL login of a connection is. */
export type SaslState = "none" | "waiting" | "running" | "done" | "failed";

/** A batch the server has open. */
export interface OpenBatch {
  readonly reference: string;
  readonly type: string;
  readonly params: readonly string[];
  /** The reference of the batch it stands in. */
  readonly parent?: string;
}

/** The next connection, when one is to come. Times are Unix milliseconds. */
export interface NextAttempt {
  /** When it is made; undefined when none is planned. */
  readonly at: number | undefined;
  /** Connections that ended since one last stood for a minute. */
  readonly failures: number;
}

/** The lines waiting to be sent. */
export interface FloodState {
  /** Whether lines are paced at all. */
  readonly isPaced: boolean;
  /** Lines of people and of the client itself. */
  readonly person: number;
  readonly agent: number;
  /** Bytes written that have not left. */
  readonly unsentBytes: number;
}

/** The one connection there is now. */
export interface OpenConnection {
  /** Whether 001 came. */
  readonly isRegistered: boolean;
  /** When 001 came, Unix milliseconds. */
  readonly registeredAt: number | undefined;
  /** The nick last asked for. */
  readonly askedNick: string;
  /** The nick that is waited for because it was taken. */
  readonly awaitedNick: string | undefined;
  readonly sasl: SaslState;
  readonly batches: readonly OpenBatch[];
  readonly flood: FloodState;
}

/** See the module doc. */
export interface LinkInspection {
  readonly wantedNick: string;
  readonly next: NextAttempt;
  /** Undefined while there is no connection. */
  readonly open: OpenConnection | undefined;
}
