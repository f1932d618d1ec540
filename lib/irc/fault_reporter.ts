/**
 * Tells the log of faults that lines from a server can cause, each kind at most
 * once in a while with the count since: a server must not be able to flood the
 * log by repeating what goes wrong.
 *
 * @module
 */

import type { Clock } from "../clock.ts";
import type { Log, LogCategory, LogLevel } from "../log.ts";

/** Milliseconds between two lines of one kind. */
const QUIET_MS = 10_000;

/** One kind of fault: its words are a line's, its details are not compared. */
export interface FaultKind {
  readonly level: LogLevel;
  readonly category: LogCategory;
  readonly what: string;
}

/** See the module doc. Kinds are few and fixed. */
export class FaultReporter {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #name: string;
  readonly #kinds = new Map<FaultKind, { told: number; since: number }>();

  /** `name` is the session's, and starts each line. */
  constructor({ clock, log, name }: { clock: Clock; log: Log; name: string }) {
    this.#clock = clock;
    this.#log = log;
    this.#name = name;
  }

  report(kind: FaultKind, detail = ""): void {
    const now = this.#clock.monotonic();
    const before = this.#kinds.get(kind);
    if (before !== undefined && now - before.told < QUIET_MS) {
      before.since++;
      return;
    }
    this.#kinds.set(kind, { told: now, since: 0 });
    const more = before === undefined || before.since === 0
      ? ""
      : ` (and ${before.since} more since)`;
    const text = detail === "" ? kind.what : `${kind.what}: ${detail}`;
    this.#log.write(
      kind.level,
      kind.category,
      `${this.#name}: ${text.slice(0, 300)}${more}`,
    );
  }

  /** Runs `work`; what it throws is reported and goes no further. */
  contain(kind: FaultKind, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.report(kind, error instanceof Error ? error.message : String(error));
    }
  }
}
