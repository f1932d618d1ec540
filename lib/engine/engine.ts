/**
 * The live engine: the running sessions, and those who watch them. Tools see it
 * as a {@link Reader}; only the operator's side has the class itself, and with it
 * the sessions' acts.
 *
 * @module
 */

import type { Clock } from "../clock.ts";
import type {
  SessionConfig,
  SessionSecrets,
} from "../config/session_config.ts";
import { type CreateLink, Session, type WireSink } from "../irc/session.ts";
import type { Log } from "../log.ts";
import type { BufferView, Observer, Reader, SessionView } from "./reader.ts";

/** What an engine is made with. */
export interface EngineOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Rows each buffer holds. */
  readonly bufferLimit: number;
  readonly createLink: CreateLink;
  /** Takes every session's lines on the wire. */
  readonly wire?: WireSink | undefined;
}

/** A session cannot be started: one with its id runs. */
export class SessionRunningError extends Error {
  readonly kind = "session-running";

  constructor(id: string) {
    super(`Session ${id} is running already`);
    this.name = "SessionRunningError";
  }
}

/** See the module doc. */
export class Engine implements Reader {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #createLink: CreateLink;
  readonly #wire: WireSink | undefined;
  #bufferLimit: number;
  #sessions = new Map<string, Session>();
  #listed: readonly Session[] = [];
  #observers = new Set<Observer>();

  constructor(options: EngineOptions) {
    this.#clock = options.clock;
    this.#log = options.log;
    this.#createLink = options.createLink;
    this.#wire = options.wire;
    this.#bufferLimit = options.bufferLimit;
  }

  /**
   * Starts a session and lists it; it connects when its configuration says so,
   * else when it is told to.
   *
   * @throws {SessionRunningError} when a session with its id runs.
   */
  startSession(config: SessionConfig, secrets: SessionSecrets): Session {
    const id = config.id.toUpperCase();
    if (this.#sessions.has(id)) throw new SessionRunningError(id);
    const session: Session = new Session({
      config,
      secrets,
      clock: this.#clock,
      log: this.#log,
      bufferLimit: this.#bufferLimit,
      createLink: this.#createLink,
      wire: this.#wire,
      events: {
        messageAdded: (buffer, message) =>
          this.#tell((o) => o.messageAdded?.(session, buffer, message)),
        bufferOpened: (buffer) =>
          this.#tell((o) => o.bufferOpened?.(session, buffer)),
        bufferClosed: (buffer) =>
          this.#tell((o) => o.bufferClosed?.(session, buffer)),
      },
    });
    this.#sessions.set(id, session);
    this.#listed = [...this.#sessions.values()];
    this.#tell((o) => o.sessionStarted?.(session));
    if (config.autoconnect) session.connect();
    return session;
  }

  /** QUITs a session and takes it off the list. An unknown id is nothing. */
  async stopSession(id: string, reason: string): Promise<void> {
    const session = this.#sessions.get(id);
    if (session === undefined) return;
    // Off the list first: who asks meanwhile must not be told of one that ends.
    this.#sessions.delete(id);
    this.#listed = [...this.#sessions.values()];
    this.#tell((o) => o.sessionStopped?.(session));
    await session.disconnect(reason);
  }

  /** Stops every session; settles when all sockets are gone. */
  async close(reason: string): Promise<void> {
    const ids = [...this.#sessions.keys()];
    await Promise.all(ids.map((id) => this.stopSession(id, reason)));
  }

  /** Changes how many rows every buffer of every session holds. */
  setBufferLimit(limit: number): void {
    this.#bufferLimit = limit;
    for (const session of this.#listed) session.setBufferLimit(limit);
  }

  sessions(): readonly Session[] {
    return this.#listed;
  }

  session(id: string): Session | undefined {
    return this.#sessions.get(id);
  }

  buffer(
    id: string,
  ):
    | { readonly session: SessionView; readonly buffer: BufferView }
    | undefined {
    for (const session of this.#listed) {
      const buffer = session.buffer(id);
      if (buffer !== undefined) return { session, buffer };
    }
    return undefined;
  }

  observe(observer: Observer): () => void {
    this.#observers.add(observer);
    return () => {
      this.#observers.delete(observer);
    };
  }

  #tell(tell: (observer: Observer) => void): void {
    for (const observer of this.#observers) {
      try {
        tell(observer);
      } catch (error) {
        // A watcher's fault must not cost the row, nor the other watchers.
        const name = error instanceof Error ? error.name : typeof error;
        this.#log.write("fault", "app", `an observer failed (${name})`);
      }
    }
  }
}
