/**
 * Messages as they come, for `reterm tail`: a follower collects rows from the
 * moment it first asks, and gets what it has not seen each time it asks again.
 * One that does not come back is dropped. While nobody follows, a message
 * costs nothing here.
 *
 * @module
 */

import type { Message } from "../buffers/message.ts";
import type { CancelTimer, Clock } from "../clock.ts";
import type { BufferView, Observer, SessionView } from "../engine/reader.ts";
import { type Answer, failed, type MessageTail } from "./operator.ts";
import { isForPerson } from "./session_files.ts";
import { findBuffer, noBuffer } from "./slash_commands.ts";
import { tailLine } from "./tail_line.ts";

/** Under the 25 s within which the door answers. */
const WAIT_MS = 15_000;
/** A follower that has not asked for so long is gone. */
const FORGET_MS = 30_000;
/** Who may follow at once; one more is refused. */
export const MAX_FOLLOWERS = 16;
/** Lines held for one follower: the oldest go, and are counted. */
export const MAX_HELD = 2_000;

/** What {@link LiveTail} is built from. */
export interface TailParts {
  readonly clock: Clock;
  /** The session of this name or id. @throws an error that is for the person. */
  readonly pick: (named: string) => SessionView;
  readonly observe: (observer: Observer) => () => void;
}

interface Follower {
  readonly sessionId: string | undefined;
  readonly bufferName: string | undefined;
  lines: string[];
  lost: number;
  wake: () => void;
  forget: CancelTimer;
}

/** See the module doc. */
export class LiveTail {
  readonly #parts: TailParts;
  readonly #followers = new Map<string, Follower>();
  #unobserve: (() => void) | undefined;

  constructor(parts: TailParts) {
    this.#parts = parts;
  }

  /** Answers whoever waits, and lets all go. */
  close(): void {
    for (const id of [...this.#followers.keys()]) this.#drop(id);
  }

  /** The lines since `after`, waited for when there are none. */
  async tail(request: MessageTail, signal?: AbortSignal): Promise<Answer> {
    const { after } = request;
    if (after === undefined) return this.#begin(request);
    const follower = this.#followers.get(after);
    if (follower === undefined) {
      return failed("Nobody follows under that number any more: ask anew.");
    }
    follower.forget();
    if (follower.lines.length === 0) await this.#next(follower, signal);
    const { lines, lost } = follower;
    follower.lines = [];
    follower.lost = 0;
    // It may have been let go while it waited.
    if (this.#followers.has(after)) this.#expect(after, follower);
    const err = lost === 0
      ? ""
      : `(${lost} messages came and went before they could be shown)`;
    return { exit: 0, out: lines.join("\n"), err, next: after };
  }

  #begin({ session: named, buffer }: MessageTail): Answer {
    let session: SessionView | undefined;
    try {
      session = named === undefined ? undefined : this.#parts.pick(named);
    } catch (error) {
      if (isForPerson(error)) return failed(error.message);
      throw error;
    }
    if (session !== undefined && buffer !== undefined) {
      if (findBuffer(session, buffer) === undefined) {
        return noBuffer(session, buffer);
      }
    }
    if (this.#followers.size >= MAX_FOLLOWERS) {
      return failed(`${MAX_FOLLOWERS} follow already: end one of them first.`);
    }
    const id = crypto.randomUUID();
    const follower: Follower = {
      sessionId: session?.id,
      bufferName: buffer,
      lines: [],
      lost: 0,
      wake: () => {},
      forget: () => {},
    };
    this.#followers.set(id, follower);
    this.#expect(id, follower);
    this.#unobserve ??= this.#parts.observe({
      messageAdded: (session, buffer, message) =>
        this.#added(session, buffer, message),
    });
    return { exit: 0, out: "", err: "", next: id };
  }

  #expect(id: string, follower: Follower): void {
    follower.forget = this.#parts.clock.after(FORGET_MS, () => this.#drop(id));
  }

  #drop(id: string): void {
    const follower = this.#followers.get(id);
    this.#followers.delete(id);
    follower?.forget();
    follower?.wake();
    if (this.#followers.size > 0) return;
    this.#unobserve?.();
    this.#unobserve = undefined;
  }

  async #next(follower: Follower, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return;
    const woken = Promise.withResolvers<void>();
    follower.wake = woken.resolve;
    const cancel = this.#parts.clock.after(WAIT_MS, woken.resolve);
    signal?.addEventListener("abort", follower.wake);
    await woken.promise;
    signal?.removeEventListener("abort", follower.wake);
    cancel();
  }

  #added(session: SessionView, buffer: BufferView, message: Message): void {
    let line: string | undefined;
    for (const follower of this.#followers.values()) {
      if (!isWanted(follower, session, buffer)) continue;
      line ??= tailLine({ session, buffer, message });
      follower.lines.push(line);
      if (follower.lines.length > MAX_HELD) {
        follower.lines.shift();
        follower.lost++;
      }
      follower.wake();
    }
  }
}

function isWanted(
  { sessionId, bufferName }: Follower,
  session: SessionView,
  buffer: BufferView,
): boolean {
  if (sessionId !== undefined && sessionId !== session.id) return false;
  return bufferName === undefined ||
    findBuffer(session, bufferName)?.id === buffer.id;
}
