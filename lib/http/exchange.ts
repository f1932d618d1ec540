/**
 * One connection's life: read a request, judge it, hand it over, answer,
 * close. It acts on what `request.ts` parsed and `gate.ts` judged, and decides
 * neither. Whatever happens, it ends with the connection closed; and it does
 * not end before the handler has returned.
 *
 * Spec: "The access gate".
 *
 * @module
 */

import type { Log } from "../log.ts";
import { admitRequest } from "./admitted_request.ts";
import { ByteReader } from "./byte_reader.ts";
import type { Deadline, DeadlineQueue, Deadlines } from "./deadlines.ts";
import type { Gate } from "./gate.ts";
import type { RefusalLog } from "./refusal_log.ts";
import { type RefusalClass, REFUSALS } from "./refusals.ts";
import {
  findHeadEnd,
  MAX_BODY_BYTES,
  MAX_HEAD_BYTES,
  parseHead,
  type RequestHead,
} from "./request.ts";
import { CONTINUE, renderAnswer, renderResponse } from "./response.ts";
import type { Slot } from "./slots.ts";

/** What answers an admitted request; the shape of `Deno.serve`'s handler. */
export type Handler = (request: Request) => Promise<Response>;

/** What the connections of one listener share. */
export interface ExchangeContext {
  readonly port: number;
  readonly gate: Gate;
  readonly handler: Handler;
  readonly log: Log;
  readonly refusals: RefusalLog;
  readonly queue: DeadlineQueue;
  readonly deadlines: Deadlines;
}

// A refused client may finish sending a request or two, and not more: reading
// on for whoever sends without end would be work for a client without a token.
const MAX_LINGER_BYTES = 262_144;

const SERVER_ERROR = renderAnswer(500, []);
const TIMED_OUT = renderAnswer(REFUSALS["handler deadline"].status, []);

/** Serves one accepted connection, which it owns and closes. */
export class Exchange {
  readonly #conn: Deno.TcpConn;
  readonly #slot: Slot;
  readonly #context: ExchangeContext;
  readonly #reader: ByteReader;
  readonly #work = new AbortController();
  readonly #acceptedAt: number;
  /** What the current phase has to keep to. */
  #deadline: Deadline | undefined;
  #head: RequestHead | undefined;
  #headBytes = 0;
  #isClosed = false;
  #isLate = false;
  #isHandlerDone = false;
  #leaving: Promise<void> | undefined;
  #draining: Promise<void> | undefined;

  constructor(
    conn: Deno.TcpConn,
    slot: Slot,
    acceptedAt: number,
    context: ExchangeContext,
  ) {
    this.#conn = conn;
    this.#slot = slot;
    this.#acceptedAt = acceptedAt;
    this.#context = context;
    this.#reader = new ByteReader(conn, MAX_HEAD_BYTES + MAX_BODY_BYTES + 1);
  }

  /** Resolves, and never rejects, once work and connection have ended. */
  async run(): Promise<void> {
    const refusal = await this.#readHead() ?? this.#judge();
    if (refusal !== undefined) {
      await this.#refuse(refusal);
    } else if (!this.#isClosed && await this.#readBody()) {
      await this.#handle();
    }
    this.#deadline?.cancel();
    this.#close();
    this.#reader.release();
    this.#slot.free();
  }

  /** Cancels the work and closes the connection, answered or not. */
  drop(): void {
    this.#close();
    this.#work.abort();
  }

  /** Reads the head. Leaves no head and no refusal when there is no answer. */
  async #readHead(): Promise<RefusalClass | undefined> {
    const reader = this.#reader;
    this.#closeAt(this.#context.deadlines.headMs, "head deadline");
    for (let seen = 0;; seen = reader.length) {
      if (!await reader.fill()) {
        this.#close();
        return undefined;
      }
      const end = findHeadEnd(reader.buffer, reader.length, seen);
      if (end === undefined) continue;
      if (typeof end === "string") return end;
      const head = parseHead(reader.buffer, end);
      if (typeof head === "string") return head;
      this.#head = head;
      this.#headBytes = end;
      return undefined;
    }
  }

  #judge(): RefusalClass | undefined {
    return this.#head && this.#context.gate.judge(this.#head);
  }

  async #refuse(name: RefusalClass): Promise<void> {
    this.#deadline?.cancel();
    this.#context.refusals.note(name);
    this.#slot.leave();
    await this.#answer(refusalAnswer(name));
  }

  /** Reads the body. Returns false when the request will never be complete. */
  async #readBody(): Promise<boolean> {
    const head = this.#head as RequestHead;
    const whole = this.#headBytes + head.bodyBytes;
    if (expectsContinue(head) && !await this.#write(CONTINUE)) return false;
    if (this.#reader.length < whole) {
      this.#deadline?.cancel();
      this.#closeAt(this.#context.deadlines.requestMs, "read deadline");
    }
    while (this.#reader.length < whole) {
      if (!await this.#reader.fill()) return false;
    }
    this.#deadline?.cancel();
    return !this.#isClosed;
  }

  async #handle(): Promise<void> {
    this.#watchWork();
    const answer = await this.#callHandler();
    this.#isHandlerDone = true;
    this.#deadline?.cancel();
    if (this.#leaving) return await this.#leaving;
    if (this.#isClosed) return;
    this.#slot.leave();
    if (this.#isLate) this.#context.refusals.note("handler deadline");
    await this.#answer(this.#isLate ? TIMED_OUT : answer);
  }

  /** The handler's answer as bytes; its failure is an empty 500. */
  async #callHandler(): Promise<Uint8Array> {
    const head = this.#head as RequestHead;
    const end = this.#headBytes + head.bodyBytes;
    try {
      const request = admitRequest({
        head,
        body: this.#reader.buffer.subarray(this.#headBytes, end),
        port: this.#context.port,
        signal: this.#work.signal,
      });
      return await renderResponse(await this.#context.handler(request));
    } catch (cause) {
      if (!this.#work.signal.aborted) this.#logFailure(cause);
      return SERVER_ERROR;
    }
  }

  // The message of an error can quote the request; its class cannot.
  #logFailure(cause: unknown): void {
    const name = cause instanceof Error ? cause.constructor.name : typeof cause;
    this.#context.log.write("error", "network", `handler failed: ${name}`);
  }

  /** Walks the work through its deadlines, one at a time. */
  #watchWork(): void {
    const { queue, deadlines } = this.#context;
    const { watchMs, answerMs, handlerMs, overrunMs } = deadlines;
    const completeAt = this.#context.queue.now();
    const at = (ms: number, run: () => void) => {
      this.#deadline = queue.at(completeAt + ms, run);
    };
    at(watchMs, () => {
      this.#watchClient();
      at(answerMs, () => {
        this.#isLate = true;
        this.#work.abort();
        at(handlerMs, () => {
          this.#answerWithoutHandler();
          at(handlerMs + overrunMs, () => {
            this.#slot.overrun();
            this.#context.refusals.note("handler overran");
          });
        });
      });
    });
  }

  /** Takes the end of the client's stream as its going away. */
  #watchClient(): void {
    this.#drain(Infinity).then(() => {
      if (this.#isHandlerDone || this.#leaving) return;
      this.drop();
    });
  }

  #answerWithoutHandler(): void {
    if (this.#isClosed) return;
    this.#context.refusals.note("handler deadline");
    this.#leaving = this.#answer(TIMED_OUT);
  }

  /** Sends an answer and closes, so that the client gets to read it. */
  async #answer(bytes: Uint8Array): Promise<void> {
    const { queue, deadlines } = this.#context;
    const limit = queue.after(deadlines.lingerMs, () => this.#close());
    // Closing with bytes unread, or yet to come, resets the connection, and a
    // client that is still sending then never sees why it was refused.
    if (await this.#write(bytes) && !this.#isFullyRead()) {
      await this.#conn.closeWrite().catch(() => {});
      await this.#drain(MAX_LINGER_BYTES);
    }
    limit.cancel();
    this.#close();
  }

  /** Whether the client sent one whole request and nothing else so far. */
  #isFullyRead(): boolean {
    if (this.#head === undefined) return false;
    const whole = this.#headBytes + this.#head.bodyBytes;
    return this.#reader.length === whole && this.#reader.discarded === 0;
  }

  async #write(bytes: Uint8Array): Promise<boolean> {
    try {
      let written = await this.#conn.write(bytes);
      while (written < bytes.length) {
        written += await this.#conn.write(bytes.subarray(written));
      }
      return true;
    } catch {
      this.#close();
      return false;
    }
  }

  #drain(maxBytes: number): Promise<void> {
    return this.#draining ??= this.#reader.discardToEnd(maxBytes);
  }

  /** Closes the connection unanswered unless it gets further in time. */
  #closeAt(msFromAccept: number, name: RefusalClass): void {
    this.#deadline = this.#context.queue.at(
      this.#acceptedAt + msFromAccept,
      () => {
        this.#context.refusals.note(name);
        this.#close();
      },
    );
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#conn.close();
  }
}

const REFUSAL_ANSWERS = new Map<RefusalClass, Uint8Array>();

function refusalAnswer(name: RefusalClass): Uint8Array {
  let answer = REFUSAL_ANSWERS.get(name);
  if (answer === undefined) {
    answer = renderAnswer(REFUSALS[name].status, REFUSALS[name].headers);
    REFUSAL_ANSWERS.set(name, answer);
  }
  return answer;
}

// An HTTP/1.0 client does not know the interim answer (RFC 9110 10.1.1).
function expectsContinue(head: RequestHead): boolean {
  return head.minorVersion > 0 && head.fields.some(
    ([name, value]) =>
      name === "expect" && value.toLowerCase() === "100-continue",
  );
}
