/**
 * Debug tools over a real capture and an engine in memory: sessions start with
 * their taps, lines are put in as the engine would, and tools are called as a
 * client does.
 *
 * @module
 */

import { DebugCapture } from "../../lib/debug/capture.ts";
import type { EngineSnapshot } from "../../lib/debug/engine_state.ts";
import type { RawDirection } from "../../lib/debug/raw_tap.ts";
import { LogWriter } from "../../lib/log.ts";
import type { DispatcherOptions } from "../../lib/tools/dispatcher.ts";
import { SecretScan } from "../../lib/redact/secrets.ts";
import { FakeClock } from "../fake_clock.ts";
import { FakeEngine, type FakeSession } from "./fake_engine.ts";
import { Caller } from "./tool_calls.ts";

/** See the module doc. Capture is on unless a test says otherwise. */
export class DebugRig {
  readonly clock = new FakeClock();
  readonly engine = new FakeEngine();
  readonly switches = { debug: true, send: false };
  readonly capture: DebugCapture;
  readonly log: LogWriter;
  readonly caller: Caller;
  readonly session: FakeSession;
  snapshot: EngineSnapshot | undefined;

  constructor(
    options: Partial<DispatcherOptions> & { secrets?: string[] } = {},
  ) {
    this.capture = new DebugCapture({
      clock: this.clock,
      sessions: () => this.engine.list,
      snapshot: () => this.snapshot,
    });
    this.log = new LogWriter(() => this.clock.now(), [
      (line) => this.capture.addLog(line),
    ]);
    this.caller = new Caller(this.engine, {
      debug: this.capture,
      switches: () => this.switches,
      log: this.log,
      ...options,
    });
    this.session = this.start("Libera", options.secrets);
    this.capture.switchTo(true);
  }

  start(name: string, secrets: string[] = []): FakeSession {
    const session = this.engine.start(name);
    session.scan = new SecretScan(secrets);
    this.capture.sessionStarted(session);
    return session;
  }

  /** Puts raw lines into the first session's tap. */
  raw(...lines: string[]): void {
    for (const line of lines) this.put("in", line);
  }

  put(dir: RawDirection, line: string): void {
    this.capture.addRaw(this.session.id, dir, line);
  }
}
