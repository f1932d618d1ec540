/**
 * The queue of the WHOs that the session sends by itself: one on joining a
 * channel, and one a channel in the periodic poll where the server does not
 * tell who is away. One is on the wire at a time; the next goes when it was
 * answered or after 45 seconds. With WHOX the replies carry our token and are
 * known by it. A WHO of the person's own is never queued and keeps its rows.
 *
 * Spec: "engine_state" (the whox section's fields).
 *
 * @module
 */

import type { CancelTimer, Clock } from "../clock.ts";

/** How long one WHO may take (spec). */
const WHO_TIMEOUT_MS = 45_000;

/** Time between two polls: away states may be this old without away-notify. */
const POLL_INTERVAL_MS = 5 * 60_000;

/** Tells our WHOX replies from those of a WHO that the person typed. */
export const WHOX_TOKEN = "771";

/** Fields asked for: token, channel, user, host, nick, flags, account, realname. */
const WHOX_FIELDS = "%tcuhnfar";

/** Unanswered WHOs whose late end of list is still recognised. */
const MAX_LATE = 64;

/** Channels waiting for their turn: as many as a session can be in. */
const MAX_QUEUED = 2000;

/** What the queue needs of its session. */
export interface WhoxHost {
  readonly clock: Clock;
  fold(name: string): string;
  hasWhox(): boolean;
  /** Channels joined, for the poll; none when no poll is needed. */
  channelsToPoll(): readonly string[];
  isJoined(channel: string): boolean;
  /** Sends the WHO of one channel, and what else is asked in its turn. */
  send(line: string, channel: string): void;
}

/** See the module doc. */
export class WhoxQueue {
  readonly #host: WhoxHost;
  #queued: string[] = [];
  #inFlight: string | undefined;
  #deadline: number | undefined;
  #late = new Set<string>();
  #cancelTimeout: CancelTimer | undefined;
  #cancelPoll: CancelTimer | undefined;

  constructor(host: WhoxHost) {
    this.#host = host;
  }

  /** The channel whose WHO is on the wire. */
  get inFlight(): string | undefined {
    return this.#inFlight;
  }

  /** When it times out, Unix milliseconds. */
  get deadline(): number | undefined {
    return this.#deadline;
  }

  /** The channels waiting, in sending order. */
  get queued(): readonly string[] {
    return this.#queued;
  }

  /** Starts the poll; the session is registered. */
  start(): void {
    this.stop();
    this.#armPoll();
  }

  /** Forgets everything: the connection is gone. */
  stop(): void {
    this.#queued = [];
    this.#late.clear();
    this.#clearInFlight();
    this.#cancelPoll?.();
    this.#cancelPoll = undefined;
  }

  /** Queues a WHO of a channel, unless one is waiting. */
  enqueue(channel: string): void {
    if (this.#queued.length >= MAX_QUEUED) return;
    const key = this.#host.fold(channel);
    if (this.#queued.some((other) => this.#host.fold(other) === key)) return;
    this.#queued.push(channel);
    this.#sendNext();
  }

  /** We left a channel: its turn is not needed. */
  drop(channel: string): void {
    const key = this.#host.fold(channel);
    this.#queued = this.#queued.filter((c) => this.#host.fold(c) !== key);
  }

  /** Whether a plain WHO reply for this channel answers ours. */
  ownsReply(channel: string): boolean {
    return this.#isInFlight(channel) ||
      this.#late.has(this.#host.fold(channel));
  }

  /** An end of a WHO list, or an error in its place. True when it was ours. */
  ended(mask: string): boolean {
    if (this.#isInFlight(mask)) {
      this.#clearInFlight();
      this.#sendNext();
      return true;
    }
    return this.#late.delete(this.#host.fold(mask));
  }

  #isInFlight(channel: string): boolean {
    return this.#inFlight !== undefined &&
      this.#host.fold(this.#inFlight) === this.#host.fold(channel);
  }

  #sendNext(): void {
    if (this.#inFlight !== undefined) return;
    let channel = this.#queued.shift();
    while (channel !== undefined && !this.#host.isJoined(channel)) {
      channel = this.#queued.shift();
    }
    if (channel === undefined) return;
    this.#inFlight = channel;
    this.#deadline = this.#host.clock.now() + WHO_TIMEOUT_MS;
    this.#cancelTimeout = this.#host.clock.after(
      WHO_TIMEOUT_MS,
      () => this.#timedOut(),
    );
    const line = this.#host.hasWhox()
      ? `WHO ${channel} ${WHOX_FIELDS},${WHOX_TOKEN}`
      : `WHO ${channel}`;
    this.#host.send(line, channel);
  }

  #timedOut(): void {
    if (this.#inFlight !== undefined && this.#late.size < MAX_LATE) {
      this.#late.add(this.#host.fold(this.#inFlight));
    }
    this.#clearInFlight();
    this.#sendNext();
  }

  #clearInFlight(): void {
    this.#inFlight = undefined;
    this.#deadline = undefined;
    this.#cancelTimeout?.();
    this.#cancelTimeout = undefined;
  }

  #armPoll(): void {
    this.#cancelPoll = this.#host.clock.after(POLL_INTERVAL_MS, () => {
      this.#armPoll();
      for (const channel of this.#host.channelsToPoll()) this.enqueue(channel);
    });
  }
}
