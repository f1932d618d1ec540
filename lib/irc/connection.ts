/**
 * A session's connection across reconnects: makes one {@link ServerConnection}
 * after the other, says which state that adds up to, and decides by the
 * {@link ReconnectPolicy} what follows when one ends. Its handler is shielded:
 * an exception in it is logged and changes nothing here.
 *
 * @module
 */

import type { CancelTimer, Clock } from "../clock.ts";
import type {
  SessionConfig,
  SessionSecrets,
} from "../config/session_config.ts";
import type { SessionState } from "../engine/reader.ts";
import type { Log } from "../log.ts";
import { type FaultKind, FaultReporter } from "./fault_reporter.ts";
import type { LinkFailure } from "./failure.ts";
import { Isupport } from "./isupport.ts";
import { DEFAULT_LIMITS, type LinkLimits } from "./limits.ts";
import type { Link, LinkHandler, OutgoingScreen, SendOptions } from "./link.ts";
import type { LinkInspection } from "./link_inspection.ts";
import { isPossibleNick } from "./nick_choice.ts";
import { ReconnectPolicy } from "./reconnect_policy.ts";
import { ServerConnection } from "./server_connection.ts";

export type { LinkLimits } from "./limits.ts";

/** What a link is made of. */
export interface LinkOptions {
  readonly config: SessionConfig;
  /** Asked anew for each connection. */
  readonly secrets: () => SessionSecrets;
  readonly handler: LinkHandler;
  readonly clock: Clock;
  readonly log: Log;
  /** Looks at lines before they are written; absent, nobody does. */
  readonly screen?: OutgoingScreen;
  /** What differs from the defaults. */
  readonly limits?: Partial<LinkLimits>;
}

/** Makes a link that is disconnected until {@link Link.connect}. */
export function createLink(options: LinkOptions): Link {
  return new IrcLink(options);
}

const HANDLER_FAILED: FaultKind = {
  level: "error",
  category: "app",
  what: "a session handler failed",
};

const NO_SCREEN: OutgoingScreen = { permit: () => true };

const NO_NAMES: ReadonlySet<string> = new Set();
const NO_VALUES: ReadonlyMap<string, string> = new Map();

class IrcLink implements Link {
  readonly isupport = new Isupport();
  readonly #options: LinkOptions;
  readonly #limits: LinkLimits;
  readonly #policy: ReconnectPolicy;
  readonly #faults: FaultReporter;
  #state: SessionState = "disconnected";
  #lastError = "";
  #wantedNick: string;
  #connection: ServerConnection | undefined;
  #cancelRetry: CancelTimer | undefined;
  /** When the next try is made, Unix milliseconds. */
  #retryAt: number | undefined;
  /** Settles when the connection that is being quit is gone. */
  #quit: PromiseWithResolvers<void> | undefined;
  /** `connect()` came while quitting. */
  #connectAgain = false;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#policy = new ReconnectPolicy(this.#limits);
    this.#faults = new FaultReporter({ ...options, name: options.config.name });
    this.#wantedNick = options.config.nick;
  }

  get state(): SessionState {
    return this.#state;
  }

  get nick(): string {
    return this.#connection?.nick ?? this.#wantedNick;
  }

  get capabilities(): ReadonlySet<string> {
    return this.#connection?.capabilities ?? NO_NAMES;
  }

  get availableCapabilities(): ReadonlyMap<string, string> {
    return this.#connection?.availableCapabilities ?? NO_VALUES;
  }

  get lastError(): string {
    return this.#lastError;
  }

  connect(): void {
    if (this.#quit !== undefined) {
      this.#connectAgain = true;
      return;
    }
    if (this.#connection !== undefined) return;
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
    this.#policy.reset();
    this.#lastError = "";
    const { host, port } = this.#options.config;
    this.#changeState("connecting", `connecting to ${host}:${port}`);
    this.#open();
  }

  disconnect(reason: string): Promise<void> {
    this.#connectAgain = false;
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
    if (this.#connection === undefined) {
      this.#changeState("disconnected", "disconnected on request");
      return Promise.resolve();
    }
    this.#quit ??= Promise.withResolvers<void>();
    const { promise } = this.#quit;
    this.#connection.quit(reason);
    return promise;
  }

  send(line: string, options: SendOptions): Promise<boolean> {
    return this.#connection?.send(line, options) ?? Promise.resolve(false);
  }

  sendTogether(
    lines: readonly string[],
    options: Pick<SendOptions, "pace">,
  ): Promise<boolean> {
    return this.#connection?.sendTogether(lines, options) ??
      Promise.resolve(false);
  }

  changeNick(nick: string): void {
    if (!isPossibleNick(nick)) return;
    this.#wantedNick = nick;
    this.#connection?.changeNick(nick);
  }

  measureLag(): Promise<number | undefined> {
    return this.#state === "connected" && this.#connection !== undefined
      ? this.#connection.measureLag()
      : Promise.resolve(undefined);
  }

  inspect(): LinkInspection {
    const isWaiting = this.#cancelRetry !== undefined;
    return {
      wantedNick: this.#wantedNick,
      next: {
        at: isWaiting ? this.#retryAt : undefined,
        failures: this.#policy.failures,
      },
      open: this.#connection?.inspect(),
    };
  }

  #open(): void {
    const { config, secrets, clock, log, handler } = this.#options;
    this.isupport.reset();
    const connection = new ServerConnection({
      config,
      secrets: secrets(),
      nick: this.#wantedNick,
      isupport: this.isupport,
      clock,
      log,
      faults: this.#faults,
      limits: this.#limits,
      screen: this.#options.screen ?? NO_SCREEN,
      events: {
        registered: () => this.#registered(),
        message: (message, context) =>
          this.#tell(() => handler.message(message, context)),
        featuresChanged: () => this.#tell(() => handler.featuresChanged()),
        nickChanged: (from, to) =>
          this.#tell(() => handler.nickChanged(from, to)),
        wire: (direction, line) =>
          this.#tell(() => handler.wire(direction, line)),
        ended: (failure) => this.#ended(connection, failure),
      },
    });
    this.#connection = connection;
    connection.start();
  }

  #registered(): void {
    const { handler } = this.#options;
    this.#lastError = "";
    this.#changeState("connected", `registered as ${this.nick}`);
    this.#tell(() => handler.registered());
  }

  #ended(connection: ServerConnection, failure: LinkFailure): void {
    const { registeredAt } = connection;
    const { clock, handler } = this.#options;
    const connectedMs = registeredAt === undefined
      ? 0
      : clock.monotonic() - registeredAt;
    this.#connection = undefined;
    const next = this.#policy.ended(failure.kind, connectedMs);
    const reason = failure.message;
    this.#lastError = failure.kind === "requested" ? "" : reason;
    this.#state = next.kind === "stop" ? "disconnected" : "reconnecting";
    if (registeredAt !== undefined) {
      this.#tell(() => handler.disconnected(reason));
    }
    const plan = next.kind === "stop"
      ? ""
      : `; next try in ${Math.round(next.ms / 1_000)} s`;
    this.#announce(reason + plan);
    if (next.kind === "wait") {
      this.#retryAt = clock.now() + next.ms;
      this.#cancelRetry = clock.after(next.ms, () => {
        this.#cancelRetry = undefined;
        this.#open();
      });
    }
    this.#quitDone();
  }

  #quitDone(): void {
    const quit = this.#quit;
    if (quit === undefined) return;
    this.#quit = undefined;
    quit.resolve();
    if (this.#connectAgain) {
      this.#connectAgain = false;
      this.connect();
    }
  }

  #changeState(state: SessionState, reason: string): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#announce(reason);
  }

  #announce(reason: string): void {
    const { config, log, handler } = this.#options;
    const level = this.#lastError === "" ? "info" : "warning";
    log.write(level, "network", `${config.name}: ${this.#state}: ${reason}`);
    this.#tell(() => handler.stateChanged(this.#state, reason));
  }

  #tell(report: () => void): void {
    this.#faults.contain(HANDLER_FAILED, report);
  }
}
