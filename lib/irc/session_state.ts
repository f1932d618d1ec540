/**
 * What one session knows: its buffers, channels and users, and the few ways
 * handlers may change them. Every row of the session enters through `add` and
 * is told from there, so that no handler can forget it.
 *
 * @module
 */

import type { Buffer } from "../buffers/buffer.ts";
import { BufferList } from "../buffers/buffer_list.ts";
import { Interner } from "../buffers/interner.ts";
import type {
  Message,
  MessageKind,
  NewMessage,
  Payload,
} from "../buffers/message.ts";
import type { Clock } from "../clock.ts";
import type { SessionConfig } from "../config/session_config.ts";
import type { Log } from "../log.ts";
import { Channel } from "./channel.ts";
import { FaultReporter } from "./fault_reporter.ts";
import { HistoryFill } from "./history.ts";
import type { Line } from "./line.ts";
import type { Link } from "./link.ts";
import { Names } from "./names.ts";
import { Rejoin } from "./rejoin.ts";
import { ShownLines } from "./shown_lines.ts";
import { ReplayFold } from "./replay_fold.ts";
import { Users } from "./users.ts";
import { WhoxQueue } from "./whox.ts";

/** The kind of a row by the shape of its payload. */
const KINDS = {
  privmsg: "privmsg",
  notice: "notice",
  action: "action",
  userJoined: "join",
  userParted: "part",
  userQuit: "quit",
  userKicked: "kick",
  nickChanged: "nick",
  topicChanged: "topic",
  modeChanged: "mode",
  invited: "invite",
  awayChanged: "away",
  hostChanged: "chghost",
  accountChanged: "account",
  realnameChanged: "setname",
  ctcp: "ctcp",
  serverText: "server",
  audit: "audit",
  rawLine: "raw",
} as const satisfies Record<Payload["caseName"], MessageKind>;

/**
 * Case mappings taken from one connection. A server names one or two; each goes
 * over every name there is, and to and fro it would do nothing else.
 */
const MAX_REFOLDS = 8;

/** Told of changes as they happen; must not throw. */
export interface SessionEvents {
  messageAdded(buffer: Buffer, message: Message): void;
  bufferOpened(buffer: Buffer): void;
  bufferClosed(buffer: Buffer): void;
}

/** What a state is made with. */
export interface SessionStateOptions {
  readonly config: SessionConfig;
  readonly clock: Clock;
  readonly log: Log;
  readonly link: Link;
  readonly events: SessionEvents;
  readonly bufferLimit: number;
}

/** See the module doc. */
export class SessionState {
  readonly config: SessionConfig;
  readonly clock: Clock;
  readonly log: Log;
  readonly link: Link;
  readonly names: Names = new Names();
  readonly users: Users = new Users(this.names);
  readonly interner: Interner = new Interner();
  readonly replays: ReplayFold = new ReplayFold();
  readonly buffers: BufferList;
  readonly rejoin: Rejoin;
  readonly whox: WhoxQueue;
  readonly history: HistoryFill;
  readonly shown: ShownLines;
  readonly faults: FaultReporter;
  readonly #events: SessionEvents;
  #channels = new Map<Buffer, Channel>();
  /** Case mappings taken from the connection of now. */
  #refolds = 0;
  /** How far the server's clock is from ours, by the last live line, in ms. */
  #serverAheadMs = 0;

  constructor(options: SessionStateOptions) {
    const { config, clock, log, link, events } = options;
    this.config = config;
    this.clock = clock;
    this.log = log;
    this.link = link;
    this.#events = events;
    this.faults = new FaultReporter({ clock, log, name: config.name });
    this.buffers = new BufferList({
      sessionId: config.id,
      serverName: config.name,
      limit: options.bufferLimit,
      fold: (name) => this.names.fold(name),
      events: {
        opened: (buffer) => events.bufferOpened(buffer),
        closed: (buffer) => {
          this.#channels.get(buffer)?.leave();
          this.#channels.delete(buffer);
          events.bufferClosed(buffer);
        },
      },
    });
    this.shown = new ShownLines({
      clock,
      sameName: (a, b) => this.names.same(a, b),
      isOwn: (nick) => this.isOwn(nick),
    });
    this.rejoin = new Rejoin(this.names, config.channels);
    this.whox = new WhoxQueue({
      clock,
      fold: (name) => this.names.fold(name),
      hasWhox: () => link.isupport.get("WHOX") !== undefined,
      isJoined: (name) => this.channel(name)?.isJoined === true,
      channelsToPoll: () =>
        link.capabilities.has("away-notify") ? [] : this.joinedNames(),
      send: (line, channel) => {
        this.#askForModes(channel);
        this.poll(line);
      },
    });
    this.history = new HistoryFill({
      clock,
      fold: (name) => this.names.fold(name),
      isJoined: (name) => this.channel(name)?.isJoined === true,
      serverLimit: () =>
        link.isupport.get("CHATHISTORY") ??
          link.isupport.get("DRAFT/CHATHISTORY"),
      send: (line) => this.poll(line),
      gapLeft: (channel) =>
        log.write("notice", "network", `history of ${channel}: a gap is left`),
    });
  }

  /** Whether `nick` is our own. */
  isOwn(nick: string): boolean {
    return nick !== "" && this.names.same(nick, this.link.nick);
  }

  hasCapability(name: string): boolean {
    return this.link.capabilities.has(name);
  }

  /** The channel with this name, when its buffer is listed. */
  channel(name: string): Channel | undefined {
    const buffer = this.buffers.channel(name);
    return buffer === undefined ? undefined : this.#channels.get(buffer);
  }

  /** Every channel whose buffer is listed, joined or not. */
  channels(): IterableIterator<Channel> {
    return this.#channels.values();
  }

  joinedNames(): string[] {
    return [...this.#channels.values()]
      .filter((channel) => channel.isJoined)
      .map((channel) => channel.name);
  }

  /** The channel with this name, its buffer opened; undefined past the bound. */
  openChannel(name: string): Channel | undefined {
    const buffer = this.buffers.open(
      "channel",
      this.interner.intern(name),
      (other) => this.#channels.get(other)?.isJoined !== true,
    );
    if (buffer === undefined) return undefined;
    const known = this.#channels.get(buffer);
    if (known !== undefined) return known;
    const channel = new Channel(buffer, {
      names: this.names,
      users: this.users,
      isupport: this.link.isupport,
      hasCapability: (capability) => this.hasCapability(capability),
    });
    buffer.roster = channel;
    this.#channels.set(buffer, channel);
    return channel;
  }

  /** The query with this nick, opened; the server buffer past the bound. */
  openQuery(nick: string): Buffer {
    return this.buffers.open("query", this.interner.intern(nick)) ??
      this.buffers.server;
  }

  /** A row for `line` in `buffer`, from who sent the line unless told. */
  add(
    buffer: Buffer,
    line: Line,
    payload: Payload,
    { from = line.from }: { from?: string } = {},
  ): Message | undefined {
    const replayed = line.replay !== undefined;
    // Our own clock may have stepped back: a live line that the server gave no
    // time would seem older than the rows before it and count as history.
    const notBefore = replayed || line.isServerTime
      ? line.time
      : buffer.log.newest()?.time ?? line.time;
    return this.insert(buffer, {
      id: line.id,
      time: Math.max(line.time, notBefore),
      from,
      kind: KINDS[payload.caseName],
      payload,
      replayed,
    });
  }

  /** A row that no line brought: what we sent ourselves, or an audit row. */
  addLocal(
    buffer: Buffer,
    row: Pick<NewMessage, "from" | "payload">,
  ): Message | undefined {
    // By the server's clock, where it is behind ours: with ours, the next live
    // lines would seem older than this row and count as history.
    const now = this.clock.now() + Math.min(0, this.#serverAheadMs);
    const time = Math.max(now, buffer.log.newest()?.time ?? now);
    return this.insert(buffer, {
      id: undefined,
      time,
      from: row.from,
      kind: KINDS[row.payload.caseName],
      payload: row.payload,
      replayed: false,
    });
  }

  /** Puts a row into its buffer and tells of it, unless it is held already. */
  insert(buffer: Buffer, row: NewMessage): Message | undefined {
    if (row.replayed && this.replays.isHeld(buffer, row)) return undefined;
    const added = buffer.log.append(row);
    if (added === undefined) return undefined;
    this.buffers.touch(buffer);
    this.#events.messageAdded(buffer, added);
    return added;
  }

  /** A live line came with the server's time. */
  noteServerTime(line: Line, receivedAt: number): void {
    this.#serverAheadMs = line.time - receivedAt;
  }

  /** Sends a line of the session's own; whether it got through shows later. */
  poll(line: string): void {
    this.link.send(line, { pace: "person" }).catch(() => {});
  }

  // In the turn of the channel's WHO: after a rejoin of many channels, what the
  // person types must not wait behind a question for each.
  #askForModes(name: string): void {
    const channel = this.channel(name);
    if (channel?.needsModes !== true) return;
    channel.needsModes = false;
    channel.modePolls++;
    this.poll(`MODE ${name}`);
  }

  /** The case mapping may have changed: every key by name is made anew. */
  refold(): void {
    const { isupport } = this.link;
    // A new connection knows none yet: what the server said last time stands,
    // or two channels that it keeps apart would be merged until it says again.
    if (isupport.get("CASEMAPPING") === undefined) return;
    if (isupport.casemapping === this.names.casemapping) return;
    if (this.#refolds >= MAX_REFOLDS) return;
    this.#refolds++;
    this.names.use(isupport.casemapping);
    this.users.rekey();
    this.rejoin.rekey();
    for (const { kept, merged } of this.buffers.rekey()) {
      this.log.write(
        "notice",
        "network",
        `buffers ${merged.name} and ${kept.name} are one`,
      );
    }
    for (const channel of this.#channels.values()) channel.rekey();
  }

  /** Membership ends with the connection. */
  disconnected(): void {
    for (const channel of this.#channels.values()) channel.leave();
    this.users.clear();
    this.#refolds = 0;
    this.shown.disconnected();
    this.whox.stop();
    this.history.stop();
  }
}
