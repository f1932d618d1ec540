/**
 * The debug capture: while it is on, every session's raw lines and the
 * program's log lines are kept for the debug tools; when it goes off all of
 * them are dropped, and what passes while it is off is never seen. It is on
 * while `control.debug` is on and the server runs: who knows both switches it.
 *
 * Readers get a {@link DebugView}, which reads and does nothing else.
 *
 * Spec: "Setup" (capture), "Debug tools", "Raw and log subscriptions".
 *
 * @module
 */

import type { Clock } from "../clock.ts";
import type { WireSink } from "../irc/session.ts";
import type { LogLine } from "../log.ts";
import type { SecretScan } from "../redact/secrets.ts";
import type { EngineSnapshot } from "./engine_state.ts";
import { LogRing, type LogRingView } from "./log_ring.ts";
import { LogSecrets, type SecretHolder } from "./log_secrets.ts";
import { type RawDirection, RawTap, type RawTapView } from "./raw_tap.ts";

/** A session, as far as the capture knows it. */
export interface CapturedSession extends SecretHolder {
  readonly id: string;
}

/** What debug tools and subscriptions may read. */
export interface DebugView {
  /** Whether lines are being kept. */
  readonly isOn: boolean;
  /** How many times it went off: what was read before the last is not to stay. */
  readonly timesOff: number;
  /** The raw lines of the running session with this id. */
  tap(sessionId: string): RawTapView | undefined;
  readonly log: LogRingView;
  /** What the log's lines are scanned for; undefined: the read is stalled. */
  logSecrets(): SecretScan | undefined;
  /** The state of the running session with this id, as it is now. */
  snapshot(sessionId: string): EngineSnapshot | undefined;
}

/** See the module doc. Starts off. */
export class DebugCapture implements DebugView, WireSink {
  readonly snapshot: (sessionId: string) => EngineSnapshot | undefined;
  readonly #clock: Clock;
  readonly #log = new LogRing();
  readonly #secrets: LogSecrets;
  // A tap for each running session, whether or not capture is on, so that a
  // tap's numbers go on where they were.
  #taps = new Map<string, RawTap>();
  #isOn = false;
  #timesOff = 0;

  constructor(options: {
    readonly clock: Clock;
    readonly sessions: () => Iterable<CapturedSession>;
    readonly snapshot: (sessionId: string) => EngineSnapshot | undefined;
  }) {
    this.snapshot = options.snapshot;
    this.#clock = options.clock;
    this.#secrets = new LogSecrets({
      running: options.sessions,
      overflowed: () => this.#log.clear(),
    });
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  get timesOff(): number {
    return this.#timesOff;
  }

  get log(): LogRingView {
    return this.#log;
  }

  tap(sessionId: string): RawTapView | undefined {
    return this.#taps.get(sessionId);
  }

  logSecrets(): SecretScan | undefined {
    return this.#secrets.scan();
  }

  /** Starts or ends keeping lines. Ending drops all of them. */
  switchTo(isOn: boolean): void {
    if (isOn === this.#isOn) return;
    this.#isOn = isOn;
    if (isOn) {
      // Read now, so that a session that ends before any read is known.
      this.#secrets.scan();
      return;
    }
    this.#timesOff++;
    for (const tap of this.#taps.values()) tap.clear();
    this.#log.clear();
    this.#secrets.clear();
  }

  addRaw(sessionId: string, dir: RawDirection, line: string): void {
    if (!this.#isOn) return;
    this.#taps.get(sessionId)?.addLine(dir, line, this.#clock.now());
  }

  /** A sink of the program's log. */
  addLog(line: LogLine): void {
    if (this.#isOn) this.#log.addLine(line);
  }

  /** A session runs: its tap is a new one. */
  sessionStarted(session: CapturedSession): void {
    this.#taps.set(session.id, new RawTap());
    if (this.#isOn) this.#secrets.note(session);
  }

  /** A session ended: its lines are gone, its secrets stay known. */
  sessionStopped(session: CapturedSession): void {
    this.#taps.delete(session.id);
    if (this.#isOn) this.#secrets.note(session);
  }
}
