/**
 * A {@link Link} without a connection: a test feeds lines as a server would send
 * them and reads what the session sends. It tracks batches, ISUPPORT and the own
 * nick as a connection does, so that a transcript is all that a test writes.
 *
 * @module
 */

import type { Message } from "../../lib/buffers/message.ts";
import type { SessionConfig } from "../../lib/config/session_config.ts";
import { Engine } from "../../lib/engine/engine.ts";
import type { SessionState } from "../../lib/engine/reader.ts";
import { Isupport } from "../../lib/irc/isupport.ts";
import type { Batch, Link, LinkHandler } from "../../lib/irc/link.ts";
import { parseLine } from "../../lib/irc/parse.ts";
import type { Session } from "../../lib/irc/session.ts";
import { LogWriter } from "../../lib/log.ts";
import { FakeClock } from "../fake_clock.ts";

/** See the module doc. */
export class FakeLink implements Link {
  state: SessionState = "disconnected";
  nick: string;
  lastError = "";
  readonly isupport = new Isupport();
  readonly capabilities = new Set<string>();
  readonly availableCapabilities = new Map<string, string>();
  /** Every line the session sent, in order. */
  readonly sent: string[] = [];
  /** Set to false to have lines refused. */
  takesLines = true;
  readonly #handler: LinkHandler;
  readonly #clock: FakeClock;
  #batches = new Map<string, Batch>();

  constructor(handler: LinkHandler, clock: FakeClock, nick: string) {
    this.#handler = handler;
    this.#clock = clock;
    this.nick = nick;
  }

  connect(): void {
    this.state = "connecting";
    this.#handler.stateChanged("connecting", "");
  }

  disconnect(reason: string): Promise<void> {
    this.drop(reason, "disconnected");
    return Promise.resolve();
  }

  send(line: string): Promise<boolean> {
    if (!this.takesLines || this.state !== "connected") {
      return Promise.resolve(false);
    }
    this.sent.push(line);
    return Promise.resolve(true);
  }

  async sendTogether(lines: readonly string[]): Promise<boolean> {
    const sent = await Promise.all(lines.map((line) => this.send(line)));
    return sent.every((ok) => ok);
  }

  changeNick(nick: string): void {
    this.send(`NICK ${nick}`);
  }

  /** The lines sent since the last call. */
  takeSent(): string[] {
    return this.sent.splice(0);
  }

  /** The server welcomes us: registration as a session sees it. */
  welcome(
    options: { caps?: string[]; isupport?: string; nick?: string } = {},
  ): void {
    this.capabilities.clear();
    for (const cap of options.caps ?? []) this.capabilities.add(cap);
    this.isupport.reset();
    this.state = "connected";
    this.#handler.stateChanged("connected", "");
    this.nick = options.nick ?? this.nick;
    this.feed(`:irc.test 001 ${this.nick} :Welcome`);
    this.#handler.registered();
    if (options.isupport !== undefined) {
      this.feed(
        `:irc.test 005 ${this.nick} ${options.isupport} :are supported`,
      );
    }
  }

  /** The connection is lost. */
  drop(reason = "closed", state: SessionState = "reconnecting"): void {
    this.#batches.clear();
    this.state = state;
    this.#handler.disconnected(reason);
    this.#handler.stateChanged(state, reason);
  }

  /** Takes or loses capabilities while connected. */
  setCapabilities(caps: readonly string[]): void {
    this.capabilities.clear();
    for (const cap of caps) this.capabilities.add(cap);
    this.#handler.featuresChanged();
  }

  /** Lines from the server, one a line of `text`; blank lines are nothing. */
  feed(text: string): void {
    for (const raw of text.split("\n")) {
      const message = parseLine(raw.replace(/\r$/, ""));
      if (message === undefined) continue;
      if (message.command === "005") {
        this.isupport.add(message.params.slice(1, -1));
      }
      const reference = message.tags["batch"];
      const batch = reference === undefined
        ? undefined
        : this.#batches.get(reference);
      if (message.command === "BATCH") this.#trackBatch(message.params, batch);
      const { label } = message.tags;
      const isOwnNick = message.command === "NICK" &&
        message.nick === this.nick;
      if (isOwnNick) this.nick = message.params[0] ?? this.nick;
      this.#handler.message(message, {
        ...(batch === undefined ? {} : { batch }),
        ...(label === undefined ? {} : { label }),
        receivedAt: this.#clock.now(),
      });
      if (isOwnNick) this.#handler.nickChanged(message.nick, this.nick);
      if (message.command === "005") this.#handler.featuresChanged();
    }
  }

  #trackBatch(params: readonly string[], parent: Batch | undefined): void {
    const [sign = "", type = "", ...rest] = params;
    const reference = sign.slice(1);
    if (!sign.startsWith("+")) {
      this.#batches.delete(reference);
      return;
    }
    this.#batches.set(reference, {
      reference,
      type,
      params: rest,
      ...(parent === undefined ? {} : { parent }),
    });
  }
}

export const SESSION_ID = "6F1C3B1E-2F0B-4C53-9D0F-2F6B7A1C9E10";

/** A configuration with what a test cares about changed. */
export function sessionConfig(
  changes: Partial<SessionConfig> = {},
): SessionConfig {
  return {
    id: SESSION_ID,
    name: "Net",
    host: "127.0.0.1",
    port: 6667,
    tls: false,
    tlsVerify: true,
    nick: "me",
    altNicks: [],
    username: "me",
    realname: "Me",
    channels: [],
    autoconnect: false,
    ...changes,
  };
}

/** An engine with one session on a fake link. */
export interface Rig {
  readonly engine: Engine;
  readonly session: Session;
  readonly link: FakeLink;
  readonly clock: FakeClock;
  /** Every row as observers were told: `buffer: kind from text`. */
  readonly told: string[];
  /** Log lines at or above warning. */
  readonly faults: string[];
  /** Rows of a buffer by name as `kind from body`. */
  rows(buffer: string): string[];
  /** The row objects of a buffer by name. */
  messages(buffer: string): Message[];
  /** Names of the listed buffers. */
  names(): string[];
  /** Members of a channel as `modes nick`, sorted. */
  members(channel: string): string[];
}

/** Makes a {@link Rig}, not yet welcomed. */
export function makeRig(
  changes: Partial<SessionConfig> = {},
  options: { keys?: Record<string, string>; bufferLimit?: number } = {},
): Rig {
  const clock = new FakeClock();
  const faults: string[] = [];
  const told: string[] = [];
  let link: FakeLink | undefined;
  const log = new LogWriter(() => clock.now(), [
    (line) => {
      if (["warning", "error", "fault"].includes(line.level)) {
        faults.push(line.text);
      }
    },
  ]);
  const engine = new Engine({
    clock,
    log,
    bufferLimit: options.bufferLimit ?? 1000,
    createLink: ({ config, handler }) =>
      link = new FakeLink(handler, clock, config.nick),
  });
  engine.observe({
    messageAdded: (_, buffer, message) =>
      told.push(`${buffer.name}: ${summary(message)}`),
  });
  const session = engine.startSession(sessionConfig(changes), {
    channelKeys: new Map(Object.entries(options.keys ?? {})),
  });
  if (link === undefined) throw new Error("the session made no link");
  const find = (name: string) =>
    session.buffers().find((buffer) => buffer.name === name);
  const messages = (name: string) =>
    find(name)?.messages.since(0, 100_000) ?? [];
  return {
    engine,
    session,
    link,
    clock,
    told,
    faults,
    messages,
    rows: (name) => messages(name).map(summary),
    names: () => session.buffers().map((buffer) => buffer.name),
    members: (name) =>
      (find(name)?.members() ?? []).map((m) => `${m.modes} ${m.nick}`.trim())
        .sort(),
  };
}

/** A rig that is welcomed and in #room with alice (operator) and bob (voiced). */
export function joinedRig(
  options: { caps?: string[]; isupport?: string } = {},
): Rig {
  const rig = makeRig();
  rig.link.welcome(options);
  rig.link.feed(JOIN_ROOM);
  rig.link.takeSent();
  return rig;
}

export const JOIN_ROOM = [
  ":me!me@my.host JOIN #room",
  ":irc.test 353 me = #room :me @alice +bob",
  ":irc.test 366 me #room :End of /NAMES list.",
].join("\n");

/** A row in one line: kind, sender, and what it says. */
export function summary(message: Message): string {
  const { payload } = message;
  const rest = Object.entries(payload)
    .filter(([key]) => key !== "caseName")
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return [message.kind, message.from, ...rest].filter((s) => s !== "").join(
    " ",
  );
}
