/**
 * The sessions of the running service: the files of home and the engine kept
 * together. What a person changes is saved, then done.
 *
 * @module
 */

import type {
  SessionConfig,
  SessionSecrets,
} from "../config/session_config.ts";
import type { SessionEntry } from "../config/session_schema.ts";
import type { Log } from "../log.ts";
import type { NewSession, SecretChange } from "./operator.ts";
import {
  describeAll,
  findEntry,
  isForPerson,
  onlyEntry,
  type SessionFiles,
} from "./session_files.ts";
import type { PersonSession } from "./person_session.ts";

/** A running session, as this module needs it. */
export interface RunningSession extends PersonSession {
  setSecrets(secrets: SessionSecrets): void;
}

/** The engine, as this module needs it. */
export interface SessionEngine {
  /** Starts a session, which connects when `autoconnect` says so. */
  startSession(config: SessionConfig, secrets: SessionSecrets): RunningSession;
  stopSession(id: string, reason: string): Promise<void>;
  session(id: string): RunningSession | undefined;
  sessions(): readonly { readonly id: string; readonly name: string }[];
  setBufferLimit(limit: number): void;
}

const NO_SESSION_SECRETS: SessionSecrets = { channelKeys: new Map() };

/** What the QUIT of a removed session says. */
const REMOVED_REASON = "Session removed";

/** See the module doc. */
export class LiveSessions {
  readonly #files: SessionFiles;
  readonly #engine: SessionEngine;
  readonly #log: Log;
  readonly #mayReach: (host: string, port: number) => boolean;

  constructor(parts: {
    readonly files: SessionFiles;
    readonly engine: SessionEngine;
    readonly log: Log;
    /** Whether this build's permissions reach an address. */
    readonly mayReach: (host: string, port: number) => boolean;
  }) {
    this.#files = parts.files;
    this.#engine = parts.engine;
    this.#log = parts.log;
    this.#mayReach = parts.mayReach;
  }

  /**
   * Starts every session of the configuration. One that cannot be started is
   * logged and left out; the others run. While the secrets file is refused the
   * sessions wait unconnected: connecting without a password that a server
   * expects may get the user banned.
   */
  async startAll(entries: readonly SessionEntry[]): Promise<void> {
    for (const entry of entries) {
      try {
        await this.#start(entry);
      } catch (error) {
        if (!isForPerson(error)) throw error;
        this.#log.write("error", "app", error.message);
      }
    }
  }

  /** One line a session. */
  async describe(): Promise<string> {
    return describeAll(await this.#files.config.read(), (entry) => {
      const session = this.#engine.session(entry.id);
      if (session === undefined) return "not started";
      return session.lastError === ""
        ? session.state
        : `${session.state} (${session.lastError})`;
    });
  }

  /** Adds a session and starts it. @throws an error that is for the person. */
  async add(session: NewSession): Promise<SessionEntry> {
    const entry = await this.#files.add(session);
    await this.#start(entry);
    return entry;
  }

  /** Stops a session and removes it with its secrets. @throws likewise. */
  async remove(named: string): Promise<SessionEntry> {
    const entry = await this.#files.remove(named);
    await this.#engine.stopSession(entry.id, REMOVED_REASON);
    return entry;
  }

  /** Connects a session, with its configuration as it is now. @throws likewise. */
  async connect(named: string): Promise<SessionEntry> {
    const entry = await this.#files.find(named);
    const secrets = await this.#files.secretsOf(entry.id);
    const running = this.#engine.session(entry.id);
    if (running === undefined) {
      await this.#start({ ...entry, autoconnect: true });
      return entry;
    }
    running.setSecrets(secrets);
    running.connect();
    return entry;
  }

  /** Disconnects a session; it stays so. @throws likewise. */
  async disconnect(named: string, reason: string): Promise<PersonSession> {
    const session = this.pick(named);
    await session.disconnect(reason);
    return session;
  }

  /** Stores a secret and hands it to the session. @throws likewise. */
  async changeSecret(change: SecretChange): Promise<SessionEntry> {
    const entry = await this.#files.changeSecret(change);
    const secrets = await this.#files.secretsOf(entry.id);
    this.#engine.session(entry.id)?.setSecrets(secrets);
    return entry;
  }

  setBufferLimit(limit: number): void {
    this.#engine.setBufferLimit(limit);
  }

  /** The running session of this name or id, or the only one. @throws likewise. */
  pick(named: string | undefined): PersonSession {
    const running = this.#engine.sessions();
    const { id } = named === undefined
      ? onlyEntry(running)
      : findEntry(running, named);
    return this.#engine.session(id) ?? onlyEntry([]);
  }

  async #start(entry: SessionEntry): Promise<void> {
    const config = await this.#files.resolve(entry);
    let secrets: SessionSecrets | undefined;
    try {
      secrets = await this.#files.secretsOf(entry.id);
    } catch (error) {
      if (!isForPerson(error)) throw error;
      this.#log.write(
        "error",
        "auth",
        `Session ${entry.name} is not connected: ${error.message}`,
      );
    }
    this.#warnOfReach(config);
    const autoconnect = config.autoconnect && secrets !== undefined;
    this.#engine.startSession(
      { ...config, autoconnect },
      secrets ?? NO_SESSION_SECRETS,
    );
  }

  #warnOfReach({ name, host, port, socks5 }: SessionConfig): void {
    const to = socks5 ?? { host, port };
    if (this.#mayReach(to.host, to.port)) return;
    this.#log.write(
      "warning",
      "network",
      `Session ${name}: this build may not reach ${to.host}:${to.port}. ` +
        `Build with IRC_HOSTS=${to.host}:${to.port}, or go through a bouncer ` +
        `or SOCKS5 proxy on 127.0.0.1.`,
    );
  }
}
