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

import type { CancelTimer, Clock } from "../clock.ts";
import type {
  SessionConfig,
  SessionSecrets,
} from "../config/session_config.ts";
import type { Log } from "../log.ts";
import { Batches } from "./batches.ts";
import { Capabilities } from "./capabilities.ts";
import { foldName } from "./casemapping.ts";
import { dial } from "./dial.ts";
import { LinkFailure } from "./failure.ts";
import { type FrameworkClient, makeClient } from "./framework_client.ts";
import { type Isupport, isupportTokens } from "./isupport.ts";
import { Keepalive } from "./keepalive.ts";
import { LastWords } from "./last_words.ts";
import type { LinkLimits } from "./limits.ts";
import type { MessageContext, SendOptions } from "./link.ts";
import type { OpenConnection, SaslState } from "./link_inspection.ts";
import type { IrcMessage } from "./message.ts";
import { NickRegain } from "./nick_regain.ts";
import { parseLine } from "./parse.ts";
import { Registration } from "./registration.ts";
import { SaslLogin, type SaslOutcome } from "./sasl.ts";
import { SendQueue } from "./send_queue.ts";
import { LinkTransport } from "./transport.ts";

/** Lines the library keeps its own nick and its registered flag from. */
const PASSED_ON: ReadonlySet<string> = new Set(["001", "NICK"]);

/** Bytes of a PING token that is answered; servers send under a hundred. */
const MAX_TOKEN_CHARS = 400;

/** Batches whose lines tell of the past and change nothing now. */
const REPLAYED: ReadonlySet<string> = new Set([
  "chathistory",
  "znc.in/playback",
]);

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
  readonly limits: LinkLimits;
  readonly events: ConnectionEvents;
}

/** See the module doc. */
export class ServerConnection {
  readonly #options: ConnectionOptions;
  readonly #client: FrameworkClient;
  readonly #transport: LinkTransport;
  readonly #queue: SendQueue;
  readonly #capabilities: Capabilities;
  readonly #registration: Registration;
  readonly #batches: Batches;
  readonly #keepalive: Keepalive;
  readonly #regain: NickRegain;
  readonly #lastWords = new LastWords();
  readonly #protocol: ReadonlyMap<string, (message: IrcMessage) => void>;
  #login: SaslLogin | undefined;
  #isLoggedIn = false;
  #nick: string;
  #wantedNick: string;
  #registeredAt: number | undefined;
  #isQuitting = false;
  #cancelQuit: CancelTimer | undefined;
  #ended = false;

  constructor(options: ConnectionOptions) {
    const { config, clock, limits, events, nick, isupport } = options;
    this.#options = options;
    this.#nick = nick;
    this.#wantedNick = nick;
    this.#transport = this.#makeTransport();
    this.#client = makeClient({
      config,
      nick,
      password: options.secrets.password,
      transport: this.#transport,
      contain: (command, work) => this.#contain(command, work),
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
    this.#capabilities = new Capabilities({
      clock,
      answerMs: limits.capabilityMs,
      sasl: config.sasl !== undefined,
      send,
      changed: () => events.featuresChanged(),
      settled: () => this.#capabilitiesSettled(),
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
    this.#regain = new NickRegain({
      clock,
      isupport,
      intervalMs: limits.regainMs,
      send: (line) => void this.#queue.send(line, "person"),
    });
    this.#protocol = this.#protocolTable();
  }

  /** The nick the server knows; before 001 the one first asked for. */
  get nick(): string {
    return this.#nick;
  }

  get capabilities(): ReadonlySet<string> {
    return this.#capabilities.enabled;
  }

  get availableCapabilities(): ReadonlyMap<string, string> {
    return this.#capabilities.available;
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
      awaitedNick: this.#regain.wanted,
      sasl: this.#saslState(),
      batches: this.#batches.list(),
      flood: this.#queue.inspect(),
    };
  }

  #saslState(): SaslState {
    if (this.#options.config.sasl === undefined) return "none";
    if (this.#isLoggedIn) return "done";
    if (this.#login === undefined) {
      return this.#registeredAt === undefined ? "waiting" : "failed";
    }
    return this.#login.isOver ? "failed" : "running";
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
    this.#wantedNick = nick;
    if (this.#registeredAt === undefined) return;
    this.#regain.stop();
    void this.#queue.send(`NICK ${nick}`, "person");
  }

  #makeTransport(): LinkTransport {
    const { config, secrets, clock, limits, events, log } = this.#options;
    return new LinkTransport({
      dial: (signal) => dial({ config, secrets, clock, limits, signal }),
      received: (line) => this.#received(line),
      wrote: (line) => events.wire("out", line),
      discarded: (count) =>
        log.write(
          "warning",
          "network",
          `${config.name}: dropped ${count} over-long line(s)`,
        ),
    });
  }

  #opened(): void {
    this.#registration.start();
    this.#capabilities.begin();
  }

  #closed(error: Error | false): void {
    const said = this.#lastWords.toFailure();
    // What the server said explains more than how the socket ended.
    const isSilent = said === undefined;
    if (error instanceof LinkFailure && (isSilent || error.kind !== "closed")) {
      this.#end(error);
    } else this.#end(said ?? CLOSED());
  }

  #received(line: string): boolean {
    if (this.#ended) return false;
    this.#keepalive.heard();
    this.#options.events.wire("in", line);
    const message = parseLine(line);
    if (message === undefined) return false;
    this.#contain(message.command, () => this.#handle(message));
    return PASSED_ON.has(message.command) && !this.#isReplayed(message) &&
      !this.#ended;
  }

  #handle(message: IrcMessage): void {
    this.#lastWords.hear(message);
    this.#protocol.get(message.command)?.(message);
    if (this.#ended) return;
    this.#batches.take(message);
    if (message.command === "NICK") this.#nickMoved(message);
  }

  /** Runs one line's work so that its failure is that line's alone. */
  #contain(command: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      const { config, log } = this.#options;
      const what = error instanceof Error ? error.message : String(error);
      log.write(
        "error",
        "network",
        `${config.name}: cannot handle a ${command.slice(0, 20)} line: ` +
          what.slice(0, 200),
      );
    }
  }

  #protocolTable(): ReadonlyMap<string, (message: IrcMessage) => void> {
    const login = (message: IrcMessage) => this.#login?.handle(message);
    const nickRefused = (message: IrcMessage) => this.#nickRefused(message);
    const regain = (message: IrcMessage) => {
      if (!this.#isReplayed(message)) this.#regain.see(message);
    };
    return new Map<string, (message: IrcMessage) => void>([
      ["PING", ({ params }) => this.#pong(params[0])],
      ["CAP", ({ params }) => this.#capabilities.handle(params)],
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
    if (token === undefined || token.length > MAX_TOKEN_CHARS) return;
    this.#reply(`PONG :${token}`);
  }

  #featured(params: readonly string[]): void {
    this.#options.isupport.add(isupportTokens(params));
    this.#regain.featuresChanged();
    this.#options.events.featuresChanged();
  }

  #capabilitiesSettled(): void {
    const { config, secrets, nick, clock, limits } = this.#options;
    if (config.sasl === undefined) {
      this.#reply("CAP END");
      return;
    }
    if (!this.#capabilities.enabled.has("sasl")) {
      const reason = "the server offers no SASL login";
      this.#loggedIn({ kind: "unavailable", reason });
      return;
    }
    this.#login = new SaslLogin({
      config: config.sasl,
      nick,
      password: secrets.saslPassword,
      clock,
      deadlineMs: limits.saslMs,
      send: (line) => this.#reply(line),
      done: (outcome) => this.#loggedIn(outcome),
    });
    this.#login.start(this.#capabilities.available.get("sasl") ?? "");
  }

  #loggedIn(outcome: SaslOutcome): void {
    const { config, log } = this.#options;
    if (outcome.kind === "success") this.#isLoggedIn = true;
    else if (config.sasl?.required !== false) {
      this.#end(new LinkFailure(`sasl-${outcome.kind}`, outcome.reason));
      return;
    } else {
      log.write(
        "warning",
        "auth",
        `${config.name}: going on without a login: ${outcome.reason}`,
      );
    }
    this.#reply("CAP END");
  }

  #welcomed(message: IrcMessage): void {
    if (this.#registeredAt !== undefined) return;
    const { config, clock, events } = this.#options;
    if (config.sasl?.required === true && !this.#isLoggedIn) {
      const reason = "the server let us in without a SASL login";
      this.#end(new LinkFailure("sasl-unavailable", reason));
      return;
    }
    this.#registration.stop();
    this.#capabilities.stop();
    this.#login?.cancel();
    this.#registeredAt = clock.monotonic();
    const asked = this.#nick;
    this.#nick = message.params[0] || asked;
    this.#keepalive.start();
    if (this.#nick !== asked) events.nickChanged(asked, this.#nick);
    events.registered();
    if (!this.#isGranted()) this.#regain.watch(this.#wantedNick);
  }

  /** Whether the nick is the wanted one, or that one cut to what fits. */
  #isGranted(): boolean {
    const wanted = this.#wantedNick;
    return this.#isSameNick(this.#nick, wanted) ||
      (this.#registration.asked === wanted && wanted.startsWith(this.#nick));
  }

  #nickRefused(message: IrcMessage): void {
    if (this.#registeredAt === undefined) {
      this.#registration.nickRefused(message);
      return;
    }
    // 432 says that the nick is impossible, and 437 may be about a channel.
    const isAbout = this.#isSameNick(message.params[1] ?? "", this.#wantedNick);
    if (isAbout && message.command !== "432") {
      this.#regain.watch(this.#wantedNick);
    } else if (isAbout) this.#regain.stop();
  }

  /** After the line was delivered, so that it is still told as one's own. */
  #nickMoved(message: IrcMessage): void {
    const to = message.params[0] ?? "";
    if (to === "" || !this.#isSameNick(message.nick, this.#nick)) return;
    if (this.#isReplayed(message)) return;
    const from = this.#nick;
    this.#nick = to;
    // Ours now, or changed by somebody who is not to be fought.
    this.#regain.stop();
    this.#options.events.nickChanged(from, to);
  }

  #isSameNick(a: string, b: string): boolean {
    const { casemapping } = this.#options.isupport;
    return foldName(a, casemapping) === foldName(b, casemapping);
  }

  #isReplayed(message: IrcMessage): boolean {
    let batch = this.#batches.batchOf(message);
    while (batch !== undefined && !REPLAYED.has(batch.type)) {
      batch = batch.parent;
    }
    return batch !== undefined;
  }

  #reply(line: string): void {
    void this.#queue.send(line, "reply");
  }

  #end(failure: LinkFailure): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#cancelQuit?.();
    this.#keepalive.stop();
    this.#registration.stop();
    this.#capabilities.stop();
    this.#login?.cancel();
    this.#regain.close();
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
