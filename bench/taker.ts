/**
 * A session on the feeder for rows that measure how fast lines become rows:
 * an engine with nothing but what the row gives it, joined to the channel that
 * the feeder fills.
 *
 * @module
 */

import { systemClock } from "../lib/clock.ts";
import type { SessionConfig } from "../lib/config/session_config.ts";
import { Engine } from "../lib/engine/engine.ts";
import { createLink } from "../lib/irc/connection.ts";
import type { Session, WireSink } from "../lib/irc/session.ts";
import type { LogWriter } from "../lib/log.ts";

/** Rows held: full after two rounds, so that all later ones do the same work. */
const BUFFER_LIMIT = 20_000;

/** A session on the feeder at `port`, in the channel that it fills. */
export function benchSession(port: number): SessionConfig {
  return {
    id: "6F1C3B1E-2F0B-4C53-9D0F-2F6B7A1C9E10",
    name: "Bench",
    host: "127.0.0.1",
    port,
    tls: false,
    tlsVerify: true,
    nick: "bench",
    altNicks: [],
    username: "bench",
    realname: "bench",
    channels: ["#bench"],
    autoconnect: true,
  };
}

/** A joined session whose row END can be waited for. */
export class Taker {
  readonly #session: Session;
  readonly #joined = Promise.withResolvers<void>();
  #ended = Promise.withResolvers<void>();

  constructor(engine: Engine, port: number) {
    engine.observe({
      messageAdded: (_session, _buffer, { kind, payload }) => {
        if (kind === "join") this.#joined.resolve();
        if (payload.caseName === "privmsg" && payload.text === "END") {
          this.#ended.resolve();
        }
      },
    });
    this.#session = engine.startSession(benchSession(port), {
      password: "correct-horse",
      channelKeys: new Map(),
    });
  }

  joined(): Promise<void> {
    return this.#joined.promise;
  }

  /** Takes `lines` lines; lines a second. */
  async take(lines: number): Promise<number> {
    this.#ended = Promise.withResolvers<void>();
    const start = performance.now();
    await this.#session.quote(`PRIVMSG feeder :go ${lines}`);
    await this.#ended.promise;
    return lines / ((performance.now() - start) / 1000);
  }
}

/** An engine whose sessions are not paced. */
export function makeEngine(log: LogWriter, wire?: WireSink): Engine {
  return new Engine({
    clock: systemClock,
    log,
    bufferLimit: BUFFER_LIMIT,
    createLink: (options) =>
      createLink({ ...options, limits: { floodThrottle: () => false } }),
    wire,
  });
}
