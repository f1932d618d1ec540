/**
 * Agent envelopes through the running service: what was said in a channel since
 * a cursor, waited for when there is nothing yet, and sending one whole, once
 * for its id, with no secret in it.
 *
 * A cursor holds the run of the service and the buffer it is of beside the
 * place in it, so that after a restart nothing is taken for seen.
 *
 * @module
 */

import type { Message } from "../buffers/message.ts";
import type { Clock } from "../clock.ts";
import type { BufferView, Observer, SessionView } from "../engine/reader.ts";
import {
  type Envelope,
  type JsonObject,
  serialiseEnvelope,
} from "../envelope/envelope.ts";
import { cutToFit, roomBytes } from "../envelope/fit.ts";
import type { WholeText } from "../irc/whole_text.ts";
import { MASK } from "../redact/masks.ts";
import type { SecretScan } from "../redact/secrets.ts";
import type {
  Heard,
  HeardEnvelope,
  HearRequest,
  Sending,
  SendRequest,
} from "./agent_door.ts";
import { SessionFilesError } from "./session_files.ts";
import { findBuffer } from "./slash_commands.ts";

/** Under the 25 s within which the door answers. */
export const MAX_WAIT_MS = 15_000;
/** Requests that wait at once: the door keeps room for other commands. */
export const MAX_WAITING = 24;
/** Rows looked at for one answer. */
const PAGE_ROWS = 500;
/** Ids remembered as sent, or on their way. */
const MAX_SENT = 1_024;

/** A session, as far as envelopes go through it. */
export interface EnvelopeSession extends SessionView {
  readonly lastError: string;
  /** Bytes of `:nick!user@host `, as the server puts it before our lines. */
  readonly sourceBytes: number;
  presence(channel: string): { readonly isIn: boolean; readonly joins: number };
  sendWhole(target: string, text: string): Promise<WholeText>;
}

/** What {@link LiveEnvelopes} is built from. */
export interface LiveEnvelopesParts {
  readonly clock: Clock;
  /** The session of this name or id. @throws an error that is for the person. */
  readonly pick: (named: string | undefined) => EnvelopeSession;
  readonly observe: (observer: Observer) => () => void;
  /** All secrets that the service knows now. */
  readonly secrets: () => Iterable<SecretScan>;
}

interface Waiter {
  readonly sessionId: string;
  readonly wake: () => void;
}

/** See the module doc. */
export class LiveEnvelopes {
  readonly #parts: LiveEnvelopesParts;
  readonly #run = crypto.randomUUID().slice(0, 8);
  readonly #waiting = new Set<Waiter>();
  readonly #unobserve: () => void;
  /** Which opening of its channel a buffer is. */
  readonly #openings = new WeakMap<BufferView, number>();
  #opened = 0;
  /** By session and id, the oldest first. */
  readonly #sent = new Map<string, Promise<Sending>>();
  #isClosed = false;

  constructor(parts: LiveEnvelopesParts) {
    this.#parts = parts;
    this.#unobserve = parts.observe({
      messageAdded: (session, _buffer, { kind }) => {
        if (kind === "privmsg" || kind === "join") this.#wake(session.id);
      },
    });
  }

  /** Answers every request that waits. */
  close(): void {
    this.#isClosed = true;
    this.#unobserve();
    for (const { wake } of this.#waiting) wake();
  }

  /**
   * The envelopes beyond the cursor, waiting up to `waitMs` for the first.
   *
   * @throws an error that is for the person: no such session, or too many wait.
   * @throws {RangeError} for a cursor that was never given.
   */
  async hear(request: HearRequest, signal?: AbortSignal): Promise<Heard> {
    const session = this.#parts.pick(request.session);
    const waitMs = Math.min(request.waitMs, MAX_WAIT_MS);
    const deadline = this.#parts.clock.monotonic() + waitMs;
    let cursor = request.cursor ?? this.#newest(session, request.channel);
    while (true) {
      const found = this.#collect(session, request.channel, cursor);
      const isDue = request.cursor === undefined || found.isMore ||
        isWorthTelling(found.heard, request);
      if (isDue || !await this.#next(session.id, deadline, signal)) {
        return found.heard;
      }
      cursor = found.heard.cursor;
    }
  }

  /**
   * Sends an envelope from the session's nick. Nothing is ever sent in part,
   * and an id that was sent is not sent again.
   *
   * @throws an error that is for the person: no such session.
   */
  async send(request: SendRequest): Promise<Sending> {
    const session = this.#parts.pick(request.session);
    const key = `${session.id} ${request.envelope.id}`;
    let sending = this.#sent.get(key);
    if (sending === undefined) {
      sending = this.#sendOnce(session, request);
      this.#remember(key, sending);
    }
    const late = Promise.withResolvers<Sending>();
    const cancel = this.#parts.clock.after(
      MAX_WAIT_MS,
      () => late.resolve({ kind: "waiting" }),
    );
    try {
      return await Promise.race([sending, late.promise]);
    } finally {
      cancel();
    }
  }

  #remember(key: string, sending: Promise<Sending>): void {
    this.#sent.set(key, sending);
    sending.then(({ kind }) => {
      if (kind !== "sent") this.#sent.delete(key);
    }, () => this.#sent.delete(key));
    const [oldest] = this.#sent.keys();
    if (this.#sent.size > MAX_SENT && oldest !== undefined) {
      this.#sent.delete(oldest);
    }
  }

  async #sendOnce(
    session: EnvelopeSession,
    { channel, envelope, cut }: SendRequest,
  ): Promise<Sending> {
    if (session.state !== "connected") return offline(session);
    const buffer = findBuffer(session, channel);
    const needsJoin = buffer === undefined
      ? /^[#&+!]/.test(channel)
      : buffer.kind === "channel";
    if (needsJoin && !session.presence(channel).isIn) {
      return { kind: "offline", reason: `not in ${channel}` };
    }
    const masked = this.#masked({ ...envelope, from: session.nick });
    const { sourceBytes } = session;
    const maxBytes = roomBytes({ target: channel, sourceBytes });
    const whole = cut === undefined
      ? masked
      : cutToFit(masked, { field: cut, maxBytes }) ?? masked;
    const text = serialiseEnvelope(whole);
    if (this.#holdsSecret(whole, text)) {
      return { kind: "refused", reason: "it holds a secret of this home" };
    }
    const result = await session.sendWhole(channel, text);
    switch (result.kind) {
      case "sent":
        return { kind: "sent", envelope: whole };
      case "too-long":
        return {
          kind: "refused",
          reason: `it is ${result.excessBytes} bytes too long for one message`,
        };
      case "not-sent":
        return offline(session);
      default:
        return result satisfies never;
    }
  }

  #masked(envelope: Envelope): Envelope {
    const { payload } = envelope;
    if (payload === undefined) return envelope;
    const scans = [...this.#parts.secrets()];
    const mask = (text: string) =>
      scans.reduce((left, scan) => scan.replaceIn(left, MASK), text);
    return { ...envelope, payload: mapTexts(payload, mask) as JsonObject };
  }

  #holdsSecret(envelope: Envelope, text: string): boolean {
    for (const scan of this.#parts.secrets()) {
      if (scan.inText(text) || scan.inValue(envelope)) return true;
    }
    return false;
  }

  /** Settles at the session's next row; false when it is time to answer. */
  async #next(
    sessionId: string,
    deadline: number,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const { clock } = this.#parts;
    const mayWait = () =>
      !this.#isClosed && signal?.aborted !== true &&
      clock.monotonic() < deadline;
    if (!mayWait()) return false;
    if (this.#waiting.size >= MAX_WAITING) {
      // Answered at once, it would come back at once.
      throw new SessionFilesError(
        `Too many follow envelopes: ${MAX_WAITING} at once are served.`,
      );
    }
    const woken = Promise.withResolvers<void>();
    const waiter: Waiter = { sessionId, wake: woken.resolve };
    const cancel = clock.after(deadline - clock.monotonic(), woken.resolve);
    const onAbort = () => woken.resolve();
    this.#waiting.add(waiter);
    signal?.addEventListener("abort", onAbort);
    await woken.promise;
    signal?.removeEventListener("abort", onAbort);
    this.#waiting.delete(waiter);
    cancel();
    return mayWait();
  }

  #wake(sessionId: string): void {
    for (const waiter of this.#waiting) {
      if (waiter.sessionId === sessionId) waiter.wake();
    }
  }

  #newest(session: EnvelopeSession, channel: string): string {
    const buffer = findBuffer(session, channel);
    return this.#cursor(buffer, buffer?.messages.newestSeq ?? 0);
  }

  #cursor(buffer: BufferView | undefined, seq: number): string {
    return `${this.#run}.${this.#opening(buffer)}.${seq}`;
  }

  #opening(buffer: BufferView | undefined): number {
    if (buffer === undefined) return 0;
    let opening = this.#openings.get(buffer);
    if (opening === undefined) {
      opening = ++this.#opened;
      this.#openings.set(buffer, opening);
    }
    return opening;
  }

  #collect(
    session: EnvelopeSession,
    channel: string,
    cursor: string,
  ): { readonly heard: Heard; readonly isMore: boolean } {
    const buffer = findBuffer(session, channel);
    const after = this.#place(buffer, cursor);
    const rows = buffer?.messages.since(after.seq, PAGE_ROWS) ?? [];
    const seq = rows.at(-1)?.seq ?? after.seq;
    const { isIn, joins } = session.presence(channel);
    const evicted = buffer?.messages.evictedThrough ?? 0;
    const heard: Heard = {
      cursor: this.#cursor(buffer, seq),
      nick: session.nick,
      presence: isIn ? `${this.#run}.${this.#opening(buffer)}.${joins}` : "",
      now: Math.max(this.#parts.clock.now(), lastTime(buffer)),
      isGap: after.isLost || evicted > after.seq,
      envelopes: rows.map(heardIn).filter((found) => found !== undefined),
    };
    return { heard, isMore: rows.length === PAGE_ROWS };
  }

  /** The place of a cursor in `buffer`: its start, when it is of another. */
  #place(
    buffer: BufferView | undefined,
    cursor: string,
  ): { readonly seq: number; readonly isLost: boolean } {
    const parts = /^([0-9a-f]{8})\.(\d{1,15})\.(\d{1,15})$/.exec(cursor);
    if (parts === null) throw new RangeError(`no cursor: ${cursor}`);
    const [, run, opening, seq] = parts;
    const isSame = run === this.#run &&
      Number(opening) === this.#opening(buffer);
    return isSame
      ? { seq: Number(seq), isLost: false }
      : { seq: 0, isLost: run !== this.#run || opening !== "0" };
  }
}

function isWorthTelling(heard: Heard, { presence }: HearRequest): boolean {
  return heard.envelopes.length > 0 || heard.isGap ||
    presence !== undefined && presence !== heard.presence;
}

function offline(session: EnvelopeSession): Sending {
  const { name, state, lastError } = session;
  const why = lastError === "" ? "" : ` (${lastError})`;
  const reason = state === "connected"
    ? `${name} did not take the line`
    : `${name} is ${state}${why}`;
  return { kind: "offline", reason };
}

function lastTime(buffer: BufferView | undefined): number {
  if (buffer === undefined) return 0;
  const { messages } = buffer;
  return messages.bySeq(messages.newestSeq)?.time ?? 0;
}

function heardIn(row: Message): HeardEnvelope | undefined {
  const { payload, from, time, history } = row;
  if (payload.caseName !== "privmsg" || payload.envelope === undefined) {
    return undefined;
  }
  // The row was given it by parsing.
  const envelope = payload.envelope as Envelope;
  return { from, time, history, envelope };
}

/** `value` with every text in it, but for names of fields, mapped. */
function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === "string") return map(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, mapTexts(item, map)]),
  );
}
