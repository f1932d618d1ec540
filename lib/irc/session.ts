/**
 * One session: the state behind a connection, the view that tools read, and what
 * the person may do with it. Lines enter through the {@link LinkHandler} side and
 * become rows; nothing that arrives causes a line to be sent except the polls of
 * the session's own, whose words hold no text from IRC but a channel's name.
 *
 * Spec: "list_sessions", "list_buffers"; README's table of message kinds.
 *
 * @module
 */

import type { Buffer } from "../buffers/buffer.ts";
import { bufferId } from "../buffers/buffer_id.ts";
import type { Message } from "../buffers/message.ts";
import type {
  SessionConfig,
  SessionSecrets,
} from "../config/session_config.ts";
import type {
  BufferView,
  SessionState as ConnectionState,
  SessionView,
} from "../engine/reader.ts";
import type { Log } from "../log.ts";
import { SecretScan } from "../redact/secrets.ts";
import { dispatch } from "./handlers/dispatch.ts";
import { readLine } from "./line.ts";
import type { Link, LinkHandler, MessageContext } from "./link.ts";
import type { IrcMessage } from "./message.ts";
import { recordSent } from "./sent_text.ts";
import type {
  CreateLink,
  SessionOptions,
  WireSink,
} from "./session_options.ts";
import { SessionState } from "./session_state.ts";
import { type Showing, shownAs } from "./shown_lines.ts";
import { type SentKind, textLines } from "./text_lines.ts";
import { sendWhole, type WholeText } from "./whole_text.ts";

export type { CreateLink, WireSink };

/** What user and host may take before the server has shown us ours. */
const UNKNOWN_USER_HOST_BYTES = 10 + 1 + 63;

/** Broken handlers are told of so often a connection; the rest is the same. */
const MAX_FAULTS_LOGGED = 10;

/** A target or channel that would be read as more than one parameter. */
const NOT_A_WORD = /^$|^:|[\0\r\n ]/;

const encoder = new TextEncoder();

/** See the module doc. */
export class Session implements SessionView, LinkHandler {
  readonly id: string;
  readonly name: string;
  readonly transport = "irc" as const;
  readonly #state: SessionState;
  readonly #link: Link;
  readonly #log: Log;
  readonly #wire: WireSink | undefined;
  #secrets: SessionSecrets;
  /** What the connection of now, or the last one, was made with. */
  #usedSecrets: SessionSecrets;
  #scan: SecretScan;
  #faults = 0;

  constructor(options: SessionOptions) {
    const { config, clock, log } = options;
    this.id = config.id.toUpperCase();
    this.name = config.name;
    this.#log = log;
    this.#wire = options.wire;
    this.#secrets = options.secrets;
    this.#usedSecrets = options.secrets;
    this.#link = options.createLink({
      config,
      secrets: () => this.#useSecrets(),
      handler: this,
      clock,
      log,
    });
    this.#state = new SessionState({
      config,
      clock,
      log,
      link: this.#link,
      events: options.events,
      bufferLimit: options.bufferLimit,
    });
    this.#scan = this.#takeSecrets();
  }

  // What tools read.

  get network(): string {
    return this.#link.isupport.network;
  }

  get state(): ConnectionState {
    return this.#link.state;
  }

  get nick(): string {
    return this.#link.nick;
  }

  buffers(): readonly Buffer[] {
    return this.#state.buffers.listed();
  }

  buffer(id: string): Buffer | undefined {
    return this.#state.buffers.byId(id);
  }

  /** Whether we are in a channel, and how often we came to be since the start. */
  presence(
    channel: string,
  ): { readonly isIn: boolean; readonly joins: number } {
    const { isJoined = false, joins = 0 } = this.#state.channel(channel) ?? {};
    return { isIn: isJoined, joins };
  }

  hasCapability(name: string): boolean {
    return this.#link.capabilities.has(name);
  }

  secrets(): SecretScan {
    return this.#scan;
  }

  // What the operator reads.

  get config(): SessionConfig {
    return this.#state.config;
  }

  /** Why the last connection ended or the next is not tried, `""` for none. */
  get lastError(): string {
    return this.#link.lastError;
  }

  /** Milliseconds the server takes to answer; undefined when it does not. */
  measureLag(): Promise<number | undefined> {
    return this.#link.measureLag?.() ?? Promise.resolve(undefined);
  }

  /** Capabilities and ISUPPORT, to read. */
  get link(): Pick<
    Link,
    | "state"
    | "nick"
    | "isupport"
    | "capabilities"
    | "availableCapabilities"
    | "inspect"
  > {
    return this.#link;
  }

  /** The session's inner state, to read: sections of it are shown to debug. */
  get inner(): SessionState {
    return this.#state;
  }

  /** The id of the raw buffer, which no list shows. */
  get rawBufferId(): string {
    return bufferId({ sessionId: this.id, kind: "raw", foldedName: "" });
  }

  // What the person does.

  connect(): void {
    this.#link.connect();
  }

  /** QUITs and stays disconnected. Settles when the socket is gone. */
  disconnect(reason: string): Promise<void> {
    return this.#link.disconnect(reason);
  }

  /** Takes other secrets: the next connection uses them, the scan at once. */
  setSecrets(secrets: SessionSecrets): void {
    this.#secrets = secrets;
    this.#scan = this.#takeSecrets();
  }

  /** Changes how many rows every buffer holds. */
  setBufferLimit(limit: number): void {
    this.#state.buffers.setLimit(limit);
  }

  /** Sends a line as it is. Resolves whether it was written. */
  quote(line: string): Promise<boolean> {
    return this.#send(line, "person", { kind: "origin", origin: "quoted" });
  }

  /**
   * Sends `line` and shows `shown` in its place wherever it is shown or kept,
   * the server's echo of it included. Resolves whether it was written.
   */
  sendMasked(line: string, shown: string): Promise<boolean> {
    return this.#send(line, "person", { kind: "instead", shown });
  }

  /**
   * Sends a line of an agent, paced as one and masked as one. Resolves whether
   * it was written; the audit row is the caller's to make.
   */
  sendForAgent(line: string): Promise<boolean> {
    return this.#send(line, "agent", { kind: "origin", origin: "agent" });
  }

  /**
   * Sends `text`, a message a line and as many as its length needs. Resolves
   * whether all of it was written; what was has its rows.
   */
  async sendText(
    target: string,
    kind: SentKind,
    text: string,
  ): Promise<boolean> {
    if (NOT_A_WORD.test(target)) return false;
    const lines = textLines(text, {
      target,
      kind,
      sourceBytes: this.sourceBytes,
    });
    const sent = await Promise.all(lines.map((line) => this.quote(line)));
    return sent.length > 0 && sent.every((ok) => ok);
  }

  /** Sends `text`, without line breaks, as one message or not at all. */
  sendWhole(target: string, text: string): Promise<WholeText> {
    if (NOT_A_WORD.test(target)) return Promise.resolve({ kind: "not-sent" });
    return sendWhole(target, text, {
      link: this.#link,
      shown: this.#state.shown,
      sourceBytes: this.sourceBytes,
      record: (line) => this.recordSent(line),
    });
  }

  /**
   * Makes the rows for a PRIVMSG or NOTICE that was written, where the server
   * will not echo it. Does nothing for any other line. `line` is what is to be
   * kept: a caller that masks gives the masked line.
   */
  recordSent(line: string): void {
    recordSent(this.#state, line);
  }

  /** An audit row in the server buffer. */
  recordAudit(text: string): Message | undefined {
    return this.#state.addLocal(this.#state.buffers.server, {
      from: "",
      payload: { caseName: "audit", text },
    });
  }

  /**
   * Joins now, or at the next welcome; and again after a reconnect. Both may be
   * comma lists. Resolves whether the line was written.
   */
  join(channel: string, key?: string): Promise<boolean> {
    if (
      NOT_A_WORD.test(channel) || (key !== undefined && NOT_A_WORD.test(key))
    ) {
      return Promise.resolve(false);
    }
    const keys = key?.split(",") ?? [];
    channel.split(",").forEach((name, i) => this.#want(name, keys[i]));
    if (keys.length > 0) this.#scan = this.#makeScan();
    const line = key === undefined
      ? `JOIN ${channel}`
      : `JOIN ${channel} ${key}`;
    return this.#link.send(line, { pace: "person" });
  }

  /** Leaves a channel and does not come back. Its buffer stays listed. */
  part(channel: string, reason = ""): Promise<boolean> {
    if (NOT_A_WORD.test(channel)) return Promise.resolve(false);
    for (const name of channel.split(",")) this.#state.rejoin.forget(name);
    const line = reason === ""
      ? `PART ${channel}`
      : `PART ${channel} :${reason}`;
    return this.#link.send(line, { pace: "person" });
  }

  /** The query with `nick`, opened if need be; it closes only when asked to. */
  openQuery(nick: string): BufferView {
    const buffer = this.#state.openQuery(nick);
    if (buffer.kind === "query") buffer.openedByPerson = true;
    return buffer;
  }

  /**
   * Takes a channel or query off the list, with its rows; leaves the channel
   * first. False for the server buffer and for an id that is not listed.
   */
  closeBuffer(id: string): boolean {
    const buffer = this.buffer(id);
    if (buffer === undefined || buffer.kind === "server") return false;
    if (this.#state.channel(buffer.name)?.isJoined === true) {
      this.part(buffer.name).catch(() => {});
    }
    if (buffer.kind === "channel") this.#state.rejoin.forget(buffer.name);
    this.#state.buffers.close(buffer);
    return true;
  }

  /** Asks for another nick, and wants it from here on. */
  changeNick(nick: string): void {
    this.#link.changeNick(nick);
  }

  // What the connection tells.

  stateChanged(_state: ConnectionState, _reason: string): void {
    // The connection logs it, and `state` is read from the connection.
  }

  registered(): void {
    this.#faults = 0;
    this.#state.whox.start();
    for (const line of this.#state.rejoin.lines()) this.#state.poll(line);
    if (this.hasCapability("znc.in/playback")) this.#askForPlayback();
  }

  disconnected(_reason: string): void {
    this.#state.disconnected();
  }

  message(message: IrcMessage, context: MessageContext): void {
    const state = this.#state;
    try {
      const line = readLine(message, context, state.interner);
      if (line.replay === undefined) {
        if (message.tags["time"] !== undefined) {
          state.noteServerTime(line, context.receivedAt);
        }
      } else if (line.command !== "BATCH") {
        state.history.row(line.replay, line.time);
      }
      dispatch(state, line);
    } catch (error) {
      // One line that nobody foresaw must not cost the connection. Its text is
      // not logged: it is a stranger's.
      if (this.#faults++ >= MAX_FAULTS_LOGGED) return;
      const name = error instanceof Error ? error.name : typeof error;
      this.#log.write(
        "fault",
        "network",
        `${this.name}: a ${message.command} line was not handled (${name})`,
      );
    }
  }

  featuresChanged(): void {
    this.#state.refold();
  }

  nickChanged(_from: string, _to: string): void {
    // The NICK line itself changes members and makes the rows.
  }

  wire(direction: "in" | "out", line: string): void {
    const { shown } = this.#state;
    // A written line is looked at in any case: its echo may be sensitive.
    const written = direction === "out" ? shown.written(line) : undefined;
    if (this.#wire?.isOn !== true) return;
    this.#wire.addRaw(this.id, direction, written ?? shown.received(line));
  }

  async #send(
    line: string,
    pace: "person" | "agent",
    showing: Showing,
  ): Promise<boolean> {
    const settled = this.#state.shown.expect(line, showing);
    try {
      const sent = await this.#link.send(line, { pace });
      if (sent) this.recordSent(shownAs(line, showing));
      return sent;
    } finally {
      settled();
    }
  }

  // Joined at the next welcome; while connected, our own JOIN says it worked.
  #want(channel: string, key: string | undefined): void {
    if (channel === "") return;
    if (key !== undefined && key !== "") {
      this.#state.rejoin.setKey(channel, key);
    }
    if (this.state !== "connected") this.#state.rejoin.want(channel);
  }

  #useSecrets(): SessionSecrets {
    this.#usedSecrets = this.#secrets;
    this.#scan = this.#makeScan();
    return this.#secrets;
  }

  #takeSecrets(): SecretScan {
    this.#state.rejoin.setKeys(this.#secrets.channelKeys);
    return this.#makeScan();
  }

  // The TLS client key is not looked for: it is many lines, and none of them
  // fits an IRC line.
  #makeScan(): SecretScan {
    // A replaced password is a secret for as long as a connection holds it.
    const values = [this.#secrets, this.#usedSecrets].flatMap((secrets) => [
      secrets.password,
      secrets.saslPassword,
      ...secrets.channelKeys.values(),
    ]);
    values.push(...this.#state.rejoin.keys());
    return new SecretScan(values.filter((value) => value !== undefined));
  }

  // ZNC counts in seconds, and plays what is newer than the time it is told.
  #askForPlayback(): void {
    let newest = 0;
    for (const buffer of this.buffers()) {
      if (buffer.kind === "server") continue;
      newest = Math.max(newest, buffer.log.newest()?.time ?? 0);
    }
    const since = Math.max(0, newest / 1000);
    this.#state.poll(`PRIVMSG *playback :play * ${since}`);
  }

  /**
   * Bytes of `:nick!user@host ` as the server will put it before what we send;
   * the most it can be while user and host are not known.
   */
  get sourceBytes(): number {
    const me = this.#state.users.get(this.nick);
    const userHost = me === undefined || me.host === ""
      ? UNKNOWN_USER_HOST_BYTES
      : encoder.encode(`${me.user}@${me.host}`).length;
    return 1 + encoder.encode(this.nick).length + 1 + userHost + 1;
  }
}
