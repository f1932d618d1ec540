/**
 * Whose secrets the log is scanned for: those of every running session, of
 * every session that ran while the log ring was being filled, and of those that
 * ended since. A secret that was replaced meanwhile stays known, because older
 * lines may hold it.
 *
 * A scan that would miss a running session's secrets is no scan: then there is
 * none, and readers of the log wait. With no session running there is nothing
 * to scan against, and it is the same.
 *
 * Spec: "read_log" (`stalled`), "Redaction" (Rete's own log lines).
 *
 * @module
 */

import { SecretScan } from "../redact/secrets.ts";

/** A session, as far as this module asks. */
export interface SecretHolder {
  /** The secrets it holds now; may throw when they cannot be read. */
  secrets(): SecretScan;
}

/**
 * Secret values remembered. Past it the log starts anew: forgetting a secret
 * while a line that holds it is kept would show it.
 */
export const MAX_KNOWN_VALUES = 4_096;

/** See the module doc. */
export class LogSecrets {
  readonly #running: () => Iterable<SecretHolder>;
  readonly #overflowed: () => void;
  // Sessions whose secrets were read at least once.
  #read = new WeakSet<SecretHolder>();
  #known: SecretScan = new SecretScan([]);

  constructor(options: {
    readonly running: () => Iterable<SecretHolder>;
    /** Too many secrets are known: the log's lines must go. */
    readonly overflowed: () => void;
  }) {
    this.#running = options.running;
    this.#overflowed = options.overflowed;
  }

  /** The scan for every line of the log; undefined while there can be none. */
  scan(): SecretScan | undefined {
    let isAny = false;
    let isComplete = true;
    for (const session of this.#running()) {
      isAny = true;
      if (!this.#learn(session)) isComplete = false;
    }
    return isAny && isComplete ? this.#known : undefined;
  }

  /** Reads a session's secrets: it started, or is about to end. */
  note(session: SecretHolder): void {
    this.#learn(session);
  }

  /** The log ring was cleared: only what runs matters from here on. */
  clear(): void {
    this.#read = new WeakSet();
    this.#known = new SecretScan([]);
  }

  // Whether the session's secrets are known, read now or before.
  #learn(session: SecretHolder): boolean {
    let secrets: SecretScan;
    try {
      secrets = session.secrets();
    } catch {
      return this.#read.has(session);
    }
    const known = this.#known.with(secrets);
    if (known.size > MAX_KNOWN_VALUES && known !== this.#known) {
      this.clear();
      this.#overflowed();
      this.#known = secrets;
    } else this.#known = known;
    this.#read.add(session);
    return true;
  }
}
