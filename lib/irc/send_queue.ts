/**
 * Lines on their way to the server. A line with CR, LF or NUL is refused; the
 * queue is bounded; each caller learns whether its line was written. Replies
 * that the protocol asks for go ahead of all and are not paced. What people and
 * agents send is paced as servers expect it, people before agents.
 *
 * Lines are sent as they are, however long: who makes them splits them.
 *
 * @module
 */

import type { CancelTimer, Clock } from "../clock.ts";
import type { LineSender, SendOptions } from "./link.ts";
import type { FloodState } from "./link_inspection.ts";
import { TokenBucket } from "./token_bucket.ts";
import { isOneLine } from "./transport.ts";

/** Lines waiting at once: over half an hour of pacing. */
const MAX_WAITING = 1_000;
/** A peer with this much unread is not reading: nothing more is written. */
const MAX_UNSENT_BYTES = 65_536;
/** Before a look whether a socket that was full has room again. */
const FULL_RETRY_MS = 100;

/** RFC 1459 8.10 lets five lines through, then one each two seconds. */
const BURST_LINES = 5;
const PERSON_MS = 1_000;
const AGENT_MS = 2_000;

/**
 * What a person sends without waiting: it keeps a connection alive, ends it,
 * or logs it in, and would come too late behind a queue. An agent's waits.
 */
const UNPACED_VERBS: ReadonlySet<string> = new Set([
  "PING",
  "PONG",
  "QUIT",
  "PASS",
  "USER",
  "CAP",
  "AUTHENTICATE",
]);

/** The command of a line, past its tags and source, in upper case. */
function commandOf(line: string): string {
  const match = /^(?:@\S* +)?(?::\S* +)?(\S+)/.exec(line);
  return match?.[1]?.toUpperCase() ?? "";
}

/** Where written lines go. */
export interface LineSink {
  /** Writes one line; `written` learns whether it went to the socket. */
  writeLine(
    line: string,
    written: (sent: boolean) => void,
    sender: LineSender,
  ): void;
  /** Bytes written that have not left. */
  readonly unsentBytes: number;
}

interface Waiting {
  readonly line: string;
  readonly settle: (sent: boolean) => void;
}

/** See the module doc. One is made for each connection. */
export class SendQueue {
  readonly #clock: Clock;
  readonly #sink: LineSink;
  readonly #isPaced: () => boolean;
  readonly #person: Waiting[] = [];
  readonly #agent: Waiting[] = [];
  /** All paced lines draw from `all`, and an agent's from `agents` too. */
  readonly #all: TokenBucket;
  readonly #agents: TokenBucket;
  #cancelWait: CancelTimer | undefined;
  #closed = false;

  constructor(
    { clock, sink, isPaced }: {
      clock: Clock;
      sink: LineSink;
      isPaced: () => boolean;
    },
  ) {
    this.#clock = clock;
    this.#sink = sink;
    this.#isPaced = isPaced;
    const now = clock.monotonic();
    this.#all = new TokenBucket(BURST_LINES, PERSON_MS, now);
    this.#agents = new TokenBucket(BURST_LINES, AGENT_MS, now);
  }

  /** Lines that wait for their turn. */
  get waiting(): number {
    return this.#person.length + this.#agent.length;
  }

  /** What waits, by who sends it. */
  inspect(): FloodState {
    return {
      isPaced: this.#isPaced(),
      person: this.#person.length,
      agent: this.#agent.length,
      unsentBytes: this.#sink.unsentBytes,
    };
  }

  /**
   * Resolves true once the line was written, false when it never will be: it
   * is no single line, the queue is full, or the connection ends first.
   */
  send(line: string, pace: SendOptions["pace"]): Promise<boolean> {
    if (this.#closed || line === "" || !isOneLine(line)) {
      return Promise.resolve(false);
    }
    switch (pace) {
      case "reply":
        return this.#reply(line);
      case "person":
        return UNPACED_VERBS.has(commandOf(line))
          ? this.#reply(line)
          : this.#enqueue(this.#person, line);
      case "agent":
        return this.#enqueue(this.#agent, line);
      default:
        return pace satisfies never;
    }
  }

  /**
   * Queues all of `lines` next to each other, or none where not all have room.
   * Resolves whether all were written.
   */
  async sendTogether(
    lines: readonly string[],
    pace: SendOptions["pace"],
  ): Promise<boolean> {
    if (this.waiting + lines.length > MAX_WAITING) return false;
    if (!lines.every(isOneLine)) return false;
    const sent = await Promise.all(lines.map((line) => this.send(line, pace)));
    return sent.every((ok) => ok);
  }

  /** Settles every waiting line with false. */
  close(): void {
    this.#closed = true;
    this.#cancelWait?.();
    for (const lane of [this.#person, this.#agent]) {
      for (const { settle } of lane.splice(0)) settle(false);
    }
  }

  #reply(line: string): Promise<boolean> {
    // A peer that asks without reading must not fill our memory with answers.
    if (this.#sink.unsentBytes > MAX_UNSENT_BYTES) {
      return Promise.resolve(false);
    }
    return new Promise((settle) => this.#sink.writeLine(line, settle, "other"));
  }

  #enqueue(lane: Waiting[], line: string): Promise<boolean> {
    if (this.waiting >= MAX_WAITING) return Promise.resolve(false);
    return new Promise((settle) => {
      lane.push({ line, settle });
      this.#pump();
    });
  }

  #pump(): void {
    this.#cancelWait?.();
    this.#cancelWait = undefined;
    while (!this.#closed && this.waiting > 0) {
      const waitMs = this.#waitMs();
      if (waitMs > 0) {
        this.#cancelWait = this.#clock.after(waitMs, () => this.#pump());
        return;
      }
      const lane = this.#person.length > 0 ? this.#person : this.#agent;
      const next = lane.shift();
      if (next === undefined) return;
      if (this.#isPaced()) this.#draw(lane);
      const sender = lane === this.#agent ? "agent" : "other";
      this.#sink.writeLine(next.line, next.settle, sender);
    }
  }

  /** Milliseconds until the next line may go. */
  #waitMs(): number {
    if (this.#sink.unsentBytes > MAX_UNSENT_BYTES) return FULL_RETRY_MS;
    if (!this.#isPaced()) return 0;
    const now = this.#clock.monotonic();
    const all = this.#all.waitMs(now);
    if (this.#person.length > 0) return all;
    return Math.max(all, this.#agents.waitMs(now));
  }

  #draw(lane: Waiting[]): void {
    const now = this.#clock.monotonic();
    this.#all.take(now);
    if (lane === this.#agent) this.#agents.take(now);
  }
}
