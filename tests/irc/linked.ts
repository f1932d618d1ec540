/**
 * A link to a {@link ScriptedServer} with a handler that writes down what it is
 * told, for tests to wait on and compare.
 *
 * @module
 */

import assert from "node:assert/strict";
import { type Clock, systemClock } from "../../lib/clock.ts";
import type {
  SessionConfig,
  SessionSecrets,
} from "../../lib/config/session_config.ts";
import type { SessionState } from "../../lib/engine/reader.ts";
import { createLink, type LinkLimits } from "../../lib/irc/connection.ts";
import type {
  Link,
  LinkHandler,
  MessageContext,
  OutgoingScreen,
} from "../../lib/irc/link.ts";
import type { IrcMessage } from "../../lib/irc/message.ts";
import type { Log, LogLine } from "../../lib/log.ts";
import type { FakeClock } from "../fake_clock.ts";
import { ScriptedServer, within } from "./scripted_server.ts";

/** A configuration for 127.0.0.1, plain, nick `me`. */
export function makeConfig(
  port: number,
  overrides: Partial<SessionConfig> = {},
): SessionConfig {
  return {
    id: "6F1C3B1E-2F0B-4C53-9D0F-2F6B7A1C9E10",
    name: "test",
    host: "127.0.0.1",
    port,
    tls: false,
    tlsVerify: true,
    nick: "me",
    altNicks: [],
    username: "user",
    realname: "Real Name",
    channels: [],
    autoconnect: false,
    ...overrides,
  };
}

/** One thing a handler was told. */
export type Told =
  | { kind: "state"; state: SessionState; reason: string }
  | { kind: "registered" }
  | { kind: "disconnected"; reason: string }
  | { kind: "message"; message: IrcMessage; context: MessageContext }
  | { kind: "features" }
  | { kind: "nick"; from: string; to: string };

/** Writes down what it is told. */
export class RecordingHandler implements LinkHandler {
  readonly told: Told[] = [];
  readonly wires: string[] = [];
  /** Called with each message; may throw, to see that it is contained. */
  onMessage: (message: IrcMessage) => void = () => {};
  #waiting: (() => void)[] = [];

  stateChanged(state: SessionState, reason: string): void {
    this.#tell({ kind: "state", state, reason });
  }
  registered(): void {
    this.#tell({ kind: "registered" });
  }
  disconnected(reason: string): void {
    this.#tell({ kind: "disconnected", reason });
  }
  message(message: IrcMessage, context: MessageContext): void {
    this.#tell({ kind: "message", message, context });
    this.onMessage(message);
  }
  featuresChanged(): void {
    this.#tell({ kind: "features" });
  }
  nickChanged(from: string, to: string): void {
    this.#tell({ kind: "nick", from, to });
  }
  wire(direction: "in" | "out", line: string): void {
    this.wires.push(`${direction} ${line}`);
  }

  /** Messages of one command, as `params` joined by `|`. */
  texts(command: string): string[] {
    return this.messages(command).map(({ message }) =>
      message.params.join("|")
    );
  }

  /** Messages of one command with their contexts. */
  messages(command: string) {
    return this.told.filter((told) => told.kind === "message")
      .filter(({ message }) => message.command === command);
  }

  /** States in the order they came. */
  get states(): SessionState[] {
    return this.told.filter((told) => told.kind === "state")
      .map(({ state }) => state);
  }

  /** Resolves once `holds` is true; looked at after each thing told. */
  async until(what: string, holds: () => boolean): Promise<void> {
    const wait = async () => {
      while (!holds()) {
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
    };
    await within(what, wait());
  }

  #tell(told: Told): void {
    this.told.push(told);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}

/** Keeps log lines. */
export class RecordingLog implements Log {
  readonly lines: Omit<LogLine, "time">[] = [];
  write(
    level: LogLine["level"],
    category: LogLine["category"],
    text: string,
  ): void {
    this.lines.push({ level, category, text });
  }
}

/** What {@link makeLink} gives. */
export interface Linked {
  readonly link: Link;
  readonly handler: RecordingHandler;
  readonly log: RecordingLog;
}

/** A link with a recording handler, not connected. */
export function makeLink(
  config: SessionConfig,
  { secrets = {}, clock = systemClock, limits = {}, screen }: {
    secrets?: Partial<SessionSecrets>;
    clock?: Clock;
    limits?: Partial<LinkLimits>;
    screen?: OutgoingScreen;
  } = {},
): Linked {
  const handler = new RecordingHandler();
  const log = new RecordingLog();
  const link = createLink({
    config,
    secrets: () => ({ channelKeys: new Map(), ...secrets }),
    handler,
    clock,
    log,
    limits: { quitMs: 50, random: () => 0, ...limits },
    ...(screen && { screen }),
  });
  return { link, handler, log };
}

/** Runs `test` with a listening server, and closes it whatever happens. */
export async function withServer(
  test: (server: ScriptedServer) => Promise<void>,
  server = ScriptedServer.listen(),
): Promise<void> {
  try {
    await test(server);
  } finally {
    await server.close();
  }
}

/** Connects `linked` to `server` and registers with `welcome`. */
export async function connectTo(
  server: ScriptedServer,
  { link, handler }: Linked,
  welcome: Parameters<
    Awaited<ReturnType<ScriptedServer["accept"]>>["register"]
  >[0] = {},
) {
  link.connect();
  const peer = await server.accept();
  await peer.register(welcome);
  await handler.until(
    "the end of the registration",
    () => handler.texts("422").length > 0,
  );
  assert.equal(link.state, "connected");
  return peer;
}

/** Disconnects a link whose clock stands still. */
export async function quit(
  { link }: Pick<Linked, "link">,
  clock: FakeClock,
): Promise<void> {
  const gone = link.disconnect("");
  await clock.advance(50);
  await within("the end of the connection", gone);
}
