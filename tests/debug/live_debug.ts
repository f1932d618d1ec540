/**
 * A live engine with its debug capture over a scripted server, and the tools on
 * it: what goes over the wire, what rows it makes and what tools answer can be
 * compared in one test.
 *
 * @module
 */

import { type Clock, systemClock } from "../../lib/clock.ts";
import type {
  SessionConfig,
  SessionSecrets,
} from "../../lib/config/session_config.ts";
import type { DebugCapture } from "../../lib/debug/capture.ts";
import { createCapture, feedCapture } from "../../lib/debug/live_capture.ts";
import { Engine } from "../../lib/engine/engine.ts";
import { createLink } from "../../lib/irc/connection.ts";
import type { Session } from "../../lib/irc/session.ts";
import { type LogLine, LogWriter } from "../../lib/log.ts";
import { sessionConfig } from "../irc/fake_link.ts";
import { type ScriptedPeer, ScriptedServer } from "../irc/scripted_server.ts";
import { FakeEngine } from "../tools/fake_engine.ts";
import { Caller, type Result } from "../tools/tool_calls.ts";

/** What differs from a session without secrets. */
export interface LiveOptions {
  readonly config?: Partial<SessionConfig>;
  readonly secrets?: Partial<SessionSecrets>;
  readonly clock?: Clock;
}

/** See the module doc. Capture is on; the session is not yet connected. */
export class LiveDebug {
  readonly server = ScriptedServer.listen();
  readonly engine: Engine;
  readonly capture: DebugCapture;
  readonly log: LogWriter;
  readonly logged: LogLine[] = [];
  readonly session: Session;
  readonly caller: Caller;

  constructor({ config, secrets, clock = systemClock }: LiveOptions = {}) {
    this.capture = createCapture({ clock, engine: () => this.engine });
    this.log = new LogWriter(() => clock.now(), [
      (line) => this.logged.push(line),
    ]);
    this.engine = new Engine({
      clock,
      log: this.log,
      bufferLimit: 1000,
      wire: this.capture,
      createLink: (options) =>
        createLink({
          ...options,
          limits: {
            quitMs: 50,
            reconnectMinMs: 1,
            random: () => 0,
            floodThrottle: () => false,
          },
        }),
    });
    feedCapture(this.capture, { engine: this.engine, log: this.log });
    this.capture.switchTo(true);
    this.session = this.engine.startSession(
      sessionConfig({ port: this.server.port, ...config }),
      { channelKeys: new Map(), ...secrets },
    );
    this.caller = new Caller(new FakeEngine(), {
      reader: this.engine,
      debug: this.capture,
      log: this.log,
      switches: () => ({ debug: true, send: false }),
    });
  }

  /** Connects and registers. */
  async connect(caps = ""): Promise<ScriptedPeer> {
    this.session.connect();
    const peer = await this.server.accept();
    await peer.register({ caps });
    await peer.barrier();
    return peer;
  }

  /** The raw lines that `raw_since` answers with, as `dir line`. */
  async raw(): Promise<string[]> {
    const { lines } = await this.rawPage();
    return lines.map(({ dir, line }: Result) => `${dir} ${line}`);
  }

  rawPage(): Promise<Result> {
    return this.caller.call("raw_since", {
      session: this.session.id,
      limit: 2000,
    });
  }

  /** The texts of a buffer's rows, as `read_since` answers with them. */
  async texts(name: string): Promise<string[]> {
    const buffer = this.session.buffers().find((b) => b.name === name);
    if (buffer === undefined) return [];
    const page = await this.caller.call("read_since", { buffer: buffer.id });
    return page.messages.map(({ payload }: Result) => payload.text);
  }

  async close(): Promise<void> {
    await this.engine.close("end");
    await this.server.close();
  }
}

/** Runs `test` and takes everything down whatever happens. */
export async function withLiveDebug(
  options: LiveOptions,
  test: (live: LiveDebug) => Promise<void>,
): Promise<void> {
  const live = new LiveDebug(options);
  try {
    await test(live);
  } finally {
    await live.close();
  }
}
