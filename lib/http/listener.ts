/**
 * The server's port: accepts connections on 127.0.0.1 and gives each that has
 * a slot and the right peer to an exchange. `Deno.serve` lost: it never shows
 * a request's head, so it can neither tell a bare LF nor close a connection
 * unanswered. The handler keeps the shape of its handlers all the same.
 *
 * Spec: "Setup" (port, stopping, who may connect); "The access gate".
 *
 * @module
 */

import { type Clock, systemClock } from "../clock.ts";
import type { Log } from "../log.ts";
import type { PeerCheck } from "../peer/owner.ts";
import { DeadlineQueue, DEADLINES, type Deadlines } from "./deadlines.ts";
import { Exchange, type ExchangeContext, type Handler } from "./exchange.ts";
import { Gate } from "./gate.ts";
import { RefusalLog, type RefusalNotice } from "./refusal_log.ts";
import { MAX_CONNECTIONS, Slots } from "./slots.ts";

/** What a listener is made of. */
export interface ListenOptions {
  /** 0 lets the system pick. */
  readonly port: number;
  readonly token: string;
  readonly path: string;
  /**
   * Answers what the gate admits. The request's signal aborts when the client
   * is gone, at the answer deadline, and when the listener closes.
   */
  readonly handler: Handler;
  /** Who may connect; without one, whoever has the token. */
  readonly peer?: PeerCheck;
  readonly log: Log;
  readonly clock?: Clock;
  readonly deadlines?: Partial<Deadlines>;
  readonly maxConnections?: number;
  /** Hears of refused attempts to come in, as seldom as the log does. */
  readonly onRefused?: (refusal: RefusalNotice) => void;
}

/** An open port. */
export interface Listener {
  readonly port: number;
  /**
   * Closes the port at once, drops every connection and cancels the work on
   * it, and waits up to the close grace for that work to end. Work that does
   * not end by then goes on alone. Calling it again waits for the same end.
   */
  close(): Promise<void>;
}

/**
 * Opens a port on 127.0.0.1 and serves it until closed.
 *
 * @throws {Deno.errors.AddrInUse} when the port is taken.
 * @throws {RangeError} when the token is empty.
 */
export function listen(options: ListenOptions): Listener {
  const tcp = Deno.listen({ hostname: "127.0.0.1", port: options.port });
  try {
    return new GateListener(tcp, options);
  } catch (cause) {
    tcp.close();
    throw cause;
  }
}

// A failed accept is the system's (no descriptor left); trying again at once
// would spin until some are free.
const ACCEPT_PAUSE_MS = 50;

class GateListener implements Listener {
  readonly port: number;
  readonly #tcp: Deno.TcpListener;
  readonly #clock: Clock;
  readonly #peer: PeerCheck | undefined;
  readonly #slots: Slots;
  readonly #context: ExchangeContext;
  readonly #exchanges = new Map<Exchange, Promise<void>>();
  readonly #accepting: Promise<void>;
  #closing: Promise<void> | undefined;

  constructor(tcp: Deno.TcpListener, options: ListenOptions) {
    const { token, path, handler, log } = options;
    const clock = options.clock ?? systemClock;
    this.#tcp = tcp;
    this.port = tcp.addr.port;
    this.#clock = clock;
    this.#peer = options.peer;
    this.#slots = new Slots(options.maxConnections ?? MAX_CONNECTIONS);
    this.#context = {
      port: this.port,
      gate: new Gate({ token, port: this.port, path }),
      handler,
      log,
      refusals: new RefusalLog(clock, log, options.onRefused),
      queue: new DeadlineQueue(clock),
      deadlines: { ...DEADLINES, ...options.deadlines },
    };
    this.#accepting = this.#acceptAll();
  }

  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  async #close(): Promise<void> {
    this.#tcp.close();
    for (const exchange of this.#exchanges.keys()) exchange.drop();
    const { queue, deadlines } = this.#context;
    const grace = Promise.withResolvers<void>();
    queue.clear();
    queue.after(deadlines.closeGraceMs, grace.resolve);
    const ended = Promise.all([this.#accepting, ...this.#exchanges.values()]);
    await Promise.race([ended, grace.promise]);
    queue.clear();
  }

  async #acceptAll(): Promise<void> {
    while (this.#closing === undefined) {
      try {
        this.#serve(await this.#tcp.accept());
      } catch {
        if (this.#closing === undefined) await this.#pause();
      }
    }
  }

  #pause(): Promise<void> {
    const { queue } = this.#context;
    return new Promise((resolve) => queue.after(ACCEPT_PAUSE_MS, resolve));
  }

  #serve(conn: Deno.TcpConn): void {
    const slot = this.#closing ? undefined : this.#slots.take();
    if (slot === undefined) return conn.close();
    if (!this.#isPeerAdmitted(conn)) {
      slot.free();
      return conn.close();
    }
    const acceptedAt = this.#clock.monotonic();
    const exchange = new Exchange(conn, slot, acceptedAt, this.#context);
    this.#exchanges.set(
      exchange,
      exchange.run().then(() => {
        this.#exchanges.delete(exchange);
      }),
    );
  }

  #isPeerAdmitted(conn: Deno.TcpConn): boolean {
    const verdict = this.#peer?.judge(conn) ?? "same-user";
    switch (verdict) {
      case "same-user":
        return true;
      case "other-user":
        this.#context.refusals.note("peer is another user");
        return false;
      case "unknown":
        this.#context.refusals.note("peer user could not be checked");
        return false;
      default:
        throw verdict satisfies never;
    }
  }
}
