/**
 * Raw and log subscriptions over a real capture and an engine in memory. What
 * the collector looks at is counted, and time moves when a test says so.
 *
 * @module
 */

import { DebugCapture, type DebugView } from "../../lib/debug/capture.ts";
import type { LogRingView } from "../../lib/debug/log_ring.ts";
import type { RawDirection, RawTapView } from "../../lib/debug/raw_tap.ts";
import type { SeqRingView } from "../../lib/debug/seq_ring.ts";
import { type LogLine, LogWriter } from "../../lib/log.ts";
import { SecretScan } from "../../lib/redact/secrets.ts";
import { FakeClock } from "../fake_clock.ts";
import type { FakeSession } from "../tools/fake_engine.ts";
import { Caller, type Result } from "../tools/tool_calls.ts";
import { ObservedEngine } from "./observed_engine.ts";

/** A {@link DebugView} that counts what is asked of it. */
class WatchedView implements DebugView {
  readonly looks: string[] = [];
  // One watched ring for each ring: a tap is known by what object it is.
  readonly #rings = new Map<RawTapView, RawTapView>();
  readonly #capture: DebugCapture;
  /** Called before each reading of lines. */
  beforeRead: (ring: string) => void = () => {};

  constructor(capture: DebugCapture) {
    this.#capture = capture;
  }

  get isOn(): boolean {
    return this.#capture.isOn;
  }

  get timesOff(): number {
    return this.#capture.timesOff;
  }

  get log(): LogRingView {
    this.looks.push("log");
    return this.#watched("log", this.#capture.log);
  }

  tap(sessionId: string): RawTapView | undefined {
    this.looks.push(`tap ${sessionId}`);
    const tap = this.#capture.tap(sessionId);
    if (tap === undefined) return undefined;
    let watched = this.#rings.get(tap);
    if (watched === undefined) {
      watched = this.#watched(`tap ${sessionId}`, tap);
      this.#rings.set(tap, watched);
    }
    return watched;
  }

  logSecrets(): SecretScan | undefined {
    this.looks.push("log secrets");
    return this.#capture.logSecrets();
  }

  snapshot(): undefined {
    return undefined;
  }

  #watched<T>(name: string, ring: SeqRingView<T>): SeqRingView<T> {
    return {
      get newestSeq() {
        return ring.newestSeq;
      },
      get size() {
        return ring.size;
      },
      get evictedThrough() {
        return ring.evictedThrough;
      },
      since: (after, limit) => {
        this.beforeRead(name);
        this.looks.push(`read ${name}`);
        return ring.since(after, limit);
      },
    };
  }
}

/** See the module doc. Debug is on, and one session runs. */
export class LineScene {
  readonly clock = new FakeClock();
  readonly engine = new ObservedEngine();
  readonly switches = { debug: true, send: false };
  readonly capture: DebugCapture;
  readonly view: WatchedView;
  readonly log: LogWriter;
  readonly logged: LogLine[] = [];
  readonly caller: Caller;

  constructor(options: { readonly sessions?: number } = {}) {
    this.capture = new DebugCapture({
      clock: this.clock,
      sessions: () => this.engine.list,
      snapshot: () => undefined,
    });
    this.view = new WatchedView(this.capture);
    this.log = new LogWriter(() => this.clock.now(), [
      (line) => this.capture.addLog(line),
      (line) => this.logged.push(line),
    ]);
    this.caller = new Caller(this.engine, {
      clock: this.clock,
      debug: this.view,
      log: this.log,
      switches: () => this.switches,
    });
    this.capture.switchTo(true);
    for (let i = 0; i < (options.sessions ?? 1); i++) this.start(`Net${i}`);
  }

  /** The session with this place in the order of their starts. */
  session(index = 0): FakeSession {
    const session = this.engine.list[index];
    if (session === undefined) throw new Error("No such session");
    return session;
  }

  start(name: string, secrets: string[] = []): FakeSession {
    const session = this.engine.start(name);
    session.scan = new SecretScan(secrets);
    this.capture.sessionStarted(session);
    return session;
  }

  /** A session whose secrets cannot be read, and never were. */
  startUnread(): FakeSession {
    const session = this.engine.start("Unread");
    session.secrets = () => {
      throw new Error("cannot be read");
    };
    this.capture.sessionStarted(session);
    return session;
  }

  stop(session: FakeSession): void {
    this.engine.list = this.engine.list.filter((other) => other !== session);
    this.capture.sessionStopped(session);
  }

  /** Starts a session that was stopped again: its tap is a new one. */
  restart(session: FakeSession): void {
    this.engine.list.push(session);
    this.capture.sessionStarted(session);
  }

  /** Puts a line into the tap of the first session, or of another. */
  raw(
    line: string,
    options: { dir?: RawDirection; session?: FakeSession } = {},
  ): void {
    const { dir = "in", session = this.session() } = options;
    this.capture.addRaw(session.id, dir, line);
  }

  /** `control.debug`, with what the service does at its change. */
  setDebug(isOn: boolean): void {
    this.switches.debug = isOn;
    this.capture.switchTo(isOn);
  }

  /** Lets one poll run. */
  poll(): Promise<void> {
    return this.clock.advance(1_000);
  }

  /** Subscribes and gives the id. */
  async subscribe(filters: Readonly<Record<string, unknown>>): Promise<string> {
    return (await this.caller.call("subscribe", filters)).subscription.id;
  }

  /** The texts of the raw and log events that a full read removes. */
  async drain(id?: string): Promise<string[]> {
    const page = await this.read({ detail: "full", limit: 500, id });
    return page.updates.flatMap((update: Result) =>
      update.events.map(({ type, line, message }: Result) =>
        type === "message" ? message.payload.text : line.line ?? line.text
      )
    );
  }

  /** A read, a digest unless it says otherwise. */
  read(args: Readonly<Record<string, unknown>> = {}): Promise<Result> {
    return this.caller.call("read_updates", args);
  }

  /** The one entry of a read; undefined when there is nothing to report. */
  async entry(
    args: Readonly<Record<string, unknown>> = {},
  ): Promise<Result | undefined> {
    return (await this.read(args)).updates[0];
  }

  /** What `list_subscriptions` says of each. */
  async list(): Promise<Result[]> {
    return (await this.caller.call("list_subscriptions")).subscriptions;
  }
}
