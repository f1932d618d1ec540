/**
 * One connection to a server, from dialling to its end, on irc-framework. The
 * library runs the transport's life and the first lines of the registration;
 * of the server's lines it sees only {@link PASSED_ON}, through one synchronous
 * middleware that contains its exceptions. Capabilities, SASL, batches, PING,
 * nicks and pacing are parts of this folder, wired here: the library's versions
 * of them lose lines, hang, or send credentials twice.
 *
 * Each line is handled on its own: whatever goes wrong in one is logged, and
 * the next is read.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { CancelTimer, Clock } from "../clock.ts";
import type {
  SessionConfig,
  SessionSecrets,
} from "../config/session_config.ts";
import type { Log } from "../log.ts";
import { Batches } from "./batches.ts";
import { dial } from "./dial.ts";
import { LinkFailure } from "./failure.ts";
import { type FrameworkClient, makeClient } from "./framework_client.ts";
import { type Isupport, isupportTokens } from "./isupport.ts";
import { Keepalive } from "./keepalive.ts";
import type { FaultKind, FaultReporter } from "./fault_reporter.ts";
import { LagMeter } from "./lag.ts";
import { LastWords } from "./last_words.ts";
import { findReplay } from "./line.ts";
import type { LinkLimits } from "./limits.ts";
import type { MessageContext, OutgoingScreen, SendOptions } from "./link.ts";
import type { OpenConnection } from "./link_inspection.ts";
import { Login } from "./login.ts";
import type { IrcMessage } from "./message.ts";
import { OwnNick } from "./own_nick.ts";
import { parseLine } from "./parse.ts";
import { Registration } from "./registration.ts";
import { SendQueue } from "./send_queue.ts";
import { LinkTransport } from "./transport.ts";

/** Lines the library keeps its own nick and its registered flag from. */
const PASSED_ON: ReadonlySet<string> = new Set(["001", "NICK"]);

/** Bytes of a PING token that is answered: with `PONG :` a line of 510. */
const MAX_TOKEN_BYTES = 504;

const BAD_LINE: FaultKind = {
  level: "error",
  category: "network",
  what: "cannot handle a line from the server",
};
const OVER_LONG: FaultKind = {
  level: "warning",
  category: "network",
  what: "dropped an over-long line from the server",
};

/** What a connection tells its link. */
export interface ConnectionEvents {
  registered(): void;
  message(message: IrcMessage, context: MessageContext): void;
  featuresChanged(): void;
  nickChanged(from: string, to: string): void;
  wire(direction: "in" | "out", line: string): void;
  /** Once; nothing follows it. */
  ended(failure: LinkFailure): void;
}

export interface ConnectionOptions {
  readonly config: SessionConfig;
  readonly secrets: SessionSecrets;
  /** The nick to ask for. */
  readonly nick: string;
  readonly isupport: Isupport;
  readonly clock: Clock;
  readonly log: Log;
  readonly faults: FaultReporter;
  readonly limits: LinkLimits;
  readonly screen: OutgoingScreen;
  readonly events: ConnectionEvents;
}

/** See the module doc. */
export class ServerConnection {
  readonly #options: ConnectionOptions;
  readonly #client: FrameworkClient;
  readonly #transport: LinkTransport;
  readonly #queue: SendQueue;
  readonly #login: Login;
  readonly #registration: Registration;
  readonly #batches: Batches;
  readonly #keepalive: Keepalive;
  readonly #lag: LagMeter;
  readonly #nick: OwnNick;
  readonly #lastWords = new LastWords();
  readonly #protocol: ReadonlyMap<string, (message: IrcMessage) => void>;
  #registeredAt: number | undefined;
  #isQuitting = false;
  #cancelQuit: CancelTimer | undefined;
  #ended = false;

  constructor(options: ConnectionOptions) {
    const { config, clock, limits, events, nick, isupport } = options;
    this.#options = options;
    this.#transport = this.#makeTransport();
    this.#client = makeClient({
      config,
      nick,
      password: options.secrets.password,
      transport: this.#transport,
      contain: (work) => options.faults.contain(BAD_LINE, work),
      opened: () => this.#opened(),
      closed: (error) => this.#closed(error),
    });
    this.#queue = new SendQueue({
      clock,
      sink: this.#transport,
      isPaced: limits.floodThrottle,
    });
    const send = (line: string) => this.#reply(line);
    const fail = (failure: LinkFailure) => this.#end(failure);
    this.#login = new Login({
      ...options,
      send,
      changed: () => events.featuresChanged(),
      failed: fail,
    });
    this.#registration = new Registration({
      clock,
      deadlineMs: limits.registrationMs,
      wanted: nick,
      others: config.altNicks,
      send,
      failed: fail,
    });
    this.#batches = new Batches(
      clock,
      (message, context) => events.message(message, context),
    );
    this.#keepalive = new Keepalive({
      clock,
      limits,
      ping: () => send(`PING :${Math.floor(clock.monotonic())}`),
      lost: () => fail(new LinkFailure("ping", "the server fell silent")),
    });
    this.#lag = new LagMeter({ clock, send });
    this.#nick = new OwnNick({
      clock,
      isupport,
      wanted: nick,
      intervalMs: limits.regainMs,
      send: (line) => void this.#queue.send(line, "person"),
      changed: (from, to) => events.nickChanged(from, to),
    });
    this.#protocol = this.#protocolTable();
  }

  /** The nick the server knows; before 001 the one first asked for. */
  get nick(): string {
    return this.#nick.current;
  }

  get capabilities(): ReadonlySet<string> {
    return this.#login.capabilities.enabled;
  }

  get availableCapabilities(): ReadonlyMap<string, string> {
    return this.#login.capabilities.available;
  }

  /** Monotonic time of 001, undefined before. */
  get registeredAt(): number | undefined {
    return this.#registeredAt;
  }

  /** Where it stands, for who debugs it. */
  inspect(): OpenConnection {
    const { clock } = this.#options;
    const registeredAt = this.#registeredAt;
    return {
      isRegistered: registeredAt !== undefined,
      registeredAt: registeredAt === undefined
        ? undefined
        : clock.now() - (clock.monotonic() - registeredAt),
      askedNick: this.#registration.asked,
      awaitedNick: this.#nick.awaited,
      sasl: this.#login.saslState,
      batches: this.#batches.list(),
      flood: this.#queue.inspect(),
    };
  }

  /** See {@link Link.measureLag}. */
  measureLag(): Promise<number | undefined> {
    return this.#lag.measure();
  }

  start(): void {
    this.#client.connect();
  }

  /** See {@link Link.send}. */
  send(line: string, { pace, label }: SendOptions): Promise<boolean> {
    if (this.#isQuitting) return Promise.resolve(false);
    const labelled =
      label !== undefined && this.capabilities.has("labeled-response")
        ? addLabel(line, label)
        : line;
    return this.#queue.send(labelled, pace);
  }

  /** See {@link Link.sendTogether}. */
  sendTogether(
    lines: readonly string[],
    { pace }: Pick<SendOptions, "pace">,
  ): Promise<boolean> {
    if (this.#isQuitting) return Promise.resolve(false);
    return this.#queue.sendTogether(lines, pace);
  }

  /** QUITs; `ended` follows within the quit deadline. */
  quit(reason: string): void {
    if (this.#isQuitting || this.#ended) return;
    this.#isQuitting = true;
    if (!this.#transport.isOpen) {
      this.#end(requested());
      return;
    }
    this.#reply(`QUIT :${reason.replace(/[\r\n\0]+/g, " ")}`);
    // The server closes; a connection that is dead never would.
    const { clock, limits } = this.#options;
    this.#cancelQuit = clock.after(limits.quitMs, () => this.#end(requested()));
  }

  /** Asks for another nick; it is waited for when it is taken. */
  changeNick(nick: string): void {
    this.#nick.want(nick);
  }

  #makeTransport(): LinkTransport {
    const { config, secrets, clock, limits, events, faults, screen } =
      this.#options;
    return new LinkTransport({
      permit: (line, sender) => screen.permit(line, sender),
      dial: (signal) => dial({ config, secrets, clock, limits, signal }),
      received: (line) => this.#received(line),
      wrote: (line) => events.wire("out", line),
      discarded: () => faults.report(OVER_LONG),
    });
  }

  #opened(): void {
    this.#registration.start();
    this.#login.begin();
  }

  #closed(error: Error | false): void {
    const said = this.#lastWords.toFailure();
    // What the server said explains more than how the socket ended.
    const isSilent = said === undefined;
    if (error instanceof LinkFailure && (isSilent || error.kind !== "closed")) {
      this.#end(error);
    } else this.#end(said ?? CLOSED());
  }

  #received(line: string): void {
    if (this.#ended) return;
    this.#keepalive.heard();
    this.#options.events.wire("in", line);
    const message = parseLine(line);
    if (message === undefined) return;
    this.#options.faults.contain(BAD_LINE, () => this.#handle(message, line));
  }

  #handle(message: IrcMessage, line: string): void {
    this.#lastWords.hear(message);
    this.#protocol.get(message.command)?.(message);
    if (this.#ended) return;
    this.#batches.take(message);
    // Without a nick there is nothing to keep, and the library would throw.
    const isKept = PASSED_ON.has(message.command) && message.params.length > 0;
    if (!isKept || this.#isReplayed(message)) return;
    // After it was delivered, so that it is still told as one's own.
    if (message.command === "NICK") this.#nick.moved(message);
    if (!this.#ended) this.#transport.passOn(line);
  }

  #protocolTable(): ReadonlyMap<string, (message: IrcMessage) => void> {
    const login = (message: IrcMessage) => this.#login.handle(message);
    const nickRefused = (message: IrcMessage) => this.#nickRefused(message);
    const regain = (message: IrcMessage) => {
      if (!this.#isReplayed(message)) this.#nick.see(message);
    };
    return new Map<string, (message: IrcMessage) => void>([
      ["PING", ({ params }) => this.#pong(params[0])],
      ["PONG", (message) => this.#lag.heard(message)],
      ["CAP", ({ params }) => this.#login.capabilities.handle(params)],
      ["AUTHENTICATE", login],
      ...["902", "903", "904", "905", "906", "907", "908"].map((numeric) =>
        [numeric, login] as const
      ),
      ["001", (message) => this.#welcomed(message)],
      ["005", ({ params }) => this.#featured(params)],
      ["464", (message) => this.#registration.passwordRefused(message)],
      ...["432", "433", "436", "437"].map((numeric) =>
        [numeric, nickRefused] as const
      ),
      ...["QUIT", "NICK", "303", "731"].map((command) =>
        [command, regain] as const
      ),
    ]);
  }

  #pong(token: string | undefined): void {
    if (token === undefined) return;
    if (Buffer.byteLength(token) > MAX_TOKEN_BYTES) return;
    this.#reply(`PONG :${token}`);
  }

  #featured(params: readonly string[]): void {
    this.#options.isupport.add(isupportTokens(params));
    this.#nick.featuresChanged();
    this.#options.events.featuresChanged();
  }

  #welcomed({ params }: IrcMessage): void {
    if (this.#registeredAt !== undefined || !this.#login.complete()) return;
    const { clock, events } = this.#options;
    this.#registration.stop();
    this.#registeredAt = clock.monotonic();
    this.#keepalive.start();
    this.#nick.welcomed(params[0] ?? "");
    events.registered();
    this.#nick.watch(this.#registration.asked);
  }

  #nickRefused(message: IrcMessage): void {
    if (this.#registeredAt !== undefined) this.#nick.refused(message);
    else this.#registration.nickRefused(message);
  }

  #isReplayed(message: IrcMessage): boolean {
    const batch = this.#batches.batchOf(message);
    return batch !== undefined && findReplay(batch) !== undefined;
  }

  #reply(line: string): void {
    void this.#queue.send(line, "reply");
  }

  #end(failure: LinkFailure): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#cancelQuit?.();
    this.#keepalive.stop();
    this.#lag.close();
    this.#registration.stop();
    this.#login.stop();
    this.#nick.close();
    this.#batches.close();
    this.#queue.close();
    this.#transport.disposeSocket();
    this.#client.removeAllListeners();
    this.#options.events.ended(this.#isQuitting ? requested() : failure);
  }
}

const CLOSED = () =>
  new LinkFailure("closed", "the server closed the connection");

function requested(): LinkFailure {
  return new LinkFailure("requested", "disconnected on request");
}

function addLabel(line: string, label: string): string {
  return line.startsWith("@")
    ? `@label=${label};${line.slice(1)}`
    : `@label=${label} ${line}`;
}
