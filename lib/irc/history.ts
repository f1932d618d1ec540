/**
 * Fills the gap between the newest row a channel's buffer holds and now, from
 * the server's history, after each join: pages forward with CHATHISTORY AFTER
 * until a page comes back short, or takes the LATEST page when nothing is held.
 * One request is on the wire at a time. Rows arrive as any other line, inside
 * their batch; this file only asks and counts.
 *
 * Times and not msgids are asked for: a server that has dropped the message
 * answers an unknown msgid with an error, a time always with what it has. The
 * time asked for is a little before the newest row's, because rows may share
 * it; the row itself comes again and is known by its msgid.
 *
 * Follows IRCv3 draft/chathistory.
 *
 * @module
 */

import type { CancelTimer, Clock } from "../clock.ts";
import type { Batch } from "./link.ts";

/** Rows asked for at once where the server names no limit. */
const DEFAULT_PAGE = 100;

/** More than this in one answer would hold the connection up. */
const MAX_PAGE = 500;

/** Pages a gap: past it the gap stays, and a line in the log says so. */
const MAX_PAGES = 40;

/** A request without an answer is given up after this. */
const REQUEST_TIMEOUT_MS = 30_000;

/** Channels waiting for their turn. */
const MAX_QUEUED = 2000;

/** What the filler needs of its session. */
export interface HistoryHost {
  readonly clock: Clock;
  fold(name: string): string;
  isJoined(channel: string): boolean;
  /** The CHATHISTORY value of ISUPPORT. */
  serverLimit(): string | undefined;
  send(line: string): void;
  /** A gap that was too long to be filled whole. */
  gapLeft(channel: string): void;
}

interface Fill {
  readonly channel: string;
  /** Rows before this time are held, Unix ms; undefined when none is. */
  since: number | undefined;
  pages: number;
  batch: string | undefined;
  rows: number;
  newest: number | undefined;
}

/** See the module doc. */
export class HistoryFill {
  readonly #host: HistoryHost;
  #queue: Fill[] = [];
  #current: Fill | undefined;
  #cancelTimeout: CancelTimer | undefined;

  constructor(host: HistoryHost) {
    this.#host = host;
  }

  /** Asks for what a channel said since `since` (Unix ms), or lately. */
  fill(channel: string, since: number | undefined): void {
    if (this.#queue.length >= MAX_QUEUED) return;
    const key = this.#host.fold(channel);
    if (this.#queue.some((f) => this.#host.fold(f.channel) === key)) return;
    this.#queue.push({
      channel,
      since,
      pages: 0,
      batch: undefined,
      rows: 0,
      newest: undefined,
    });
    this.#next();
  }

  /** Forgets everything: the connection is gone. */
  stop(): void {
    this.#queue = [];
    this.#finish();
  }

  /** The channel whose history is being asked for. */
  get inFlight(): string | undefined {
    return this.#current?.channel;
  }

  /** Channels waiting, in asking order. */
  get queued(): readonly string[] {
    return this.#queue.map((fill) => fill.channel);
  }

  /** A batch opened. */
  batchOpened(reference: string, type: string, target: string): void {
    const fill = this.#current;
    if (fill === undefined || fill.batch !== undefined) return;
    if (!type.endsWith("chathistory")) return;
    if (this.#host.fold(target) !== this.#host.fold(fill.channel)) return;
    fill.batch = reference;
  }

  /** A row came inside a replay. `time` is its own. */
  row(batch: Batch, time: number): void {
    const fill = this.#current;
    if (fill === undefined || fill.batch !== batch.reference) return;
    fill.rows++;
    fill.newest = Math.max(fill.newest ?? time, time);
  }

  /** A batch closed: asks for the next page, or is done with the channel. */
  batchClosed(reference: string): void {
    const fill = this.#current;
    if (fill === undefined || fill.batch !== reference) return;
    const { since, newest } = fill;
    const isShort = fill.rows < this.#pageSize();
    const hasMoved = newest !== undefined &&
      (since === undefined || newest > since);
    if (since === undefined || isShort || !hasMoved) {
      this.#done();
    } else if (fill.pages >= MAX_PAGES) {
      this.#host.gapLeft(fill.channel);
      this.#done();
    } else {
      fill.since = newest;
      this.#request(fill);
    }
  }

  /** The server refused a CHATHISTORY. True when it was ours. */
  failed(): boolean {
    if (this.#current === undefined) return false;
    this.#done();
    return true;
  }

  #next(): void {
    if (this.#current !== undefined) return;
    let fill = this.#queue.shift();
    while (fill !== undefined && !this.#host.isJoined(fill.channel)) {
      fill = this.#queue.shift();
    }
    if (fill === undefined) return;
    this.#current = fill;
    this.#request(fill);
  }

  #request(fill: Fill): void {
    fill.pages++;
    fill.batch = undefined;
    fill.rows = 0;
    fill.newest = undefined;
    const limit = this.#pageSize();
    this.#cancelTimeout?.();
    this.#cancelTimeout = this.#host.clock.after(
      REQUEST_TIMEOUT_MS,
      () => this.#done(),
    );
    const { channel, since } = fill;
    if (since === undefined) {
      this.#host.send(`CHATHISTORY LATEST ${channel} * ${limit}`);
      return;
    }
    const time = new Date(Math.max(0, since - 1)).toISOString();
    this.#host.send(`CHATHISTORY AFTER ${channel} timestamp=${time} ${limit}`);
  }

  #done(): void {
    this.#finish();
    this.#next();
  }

  #finish(): void {
    this.#current = undefined;
    this.#cancelTimeout?.();
    this.#cancelTimeout = undefined;
  }

  #pageSize(): number {
    const value = Number(this.#host.serverLimit() ?? DEFAULT_PAGE);
    const limit = Number.isInteger(value) && value > 0 ? value : DEFAULT_PAGE;
    return Math.min(limit, MAX_PAGE);
  }
}
