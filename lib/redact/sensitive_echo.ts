/**
 * `/smsg`: the text is sent as it is and shown as a mask wherever it comes up
 * again: in the line as sent, and in the server's echo-message copy. The copy
 * is recognised by its target and text within ten seconds of the sending, and
 * once: a later copy, or a second one, shows in clear, as the contract lists.
 *
 * One copy is met twice, first as a line and then as the row it makes, so each
 * of the two is recognised once. Nothing is kept longer than it can matter.
 *
 * Spec: "Redaction" (`/smsg`), "What redaction does not do".
 *
 * @module
 */

import type { Clock } from "../clock.ts";

/** How long after the sending an echo is recognised (spec). */
export const ECHO_WINDOW_MS = 10_000;

/**
 * Sensitive texts waited for at once, per session. A person types them, and
 * the eleven that pacing lets out in ten seconds are far from it.
 */
export const MAX_PENDING_ECHOES = 64;

interface Pending {
  readonly target: string;
  readonly text: string;
  // Steady time the line was written at, undefined while it is queued.
  writtenAt: number | undefined;
  inLine: boolean;
  inRow: boolean;
}

/** Texts sent with `/smsg` on one session. `sameName` compares two targets. */
export class SensitiveEchoes {
  readonly #clock: Clock;
  readonly #sameName: (a: string, b: string) => boolean;
  #pending: Pending[] = [];

  constructor(clock: Clock, sameName: (a: string, b: string) => boolean) {
    this.#clock = clock;
    this.#sameName = sameName;
  }

  /** A sensitive text is about to be queued; the oldest give way to it. */
  expect(target: string, text: string): void {
    this.#pending.push({
      target,
      text,
      writtenAt: undefined,
      inLine: true,
      inRow: true,
    });
    if (this.#pending.length > MAX_PENDING_ECHOES) this.#pending.shift();
  }

  /** Whether the line being written is a queued sensitive text: mask it. */
  takeWritten(target: string, text: string): boolean {
    const found = this.#find(
      target,
      text,
      (pending) => pending.writtenAt === undefined,
    );
    if (found === undefined) return false;
    found.writtenAt = this.#clock.monotonic();
    return true;
  }

  /** Whether a line of the server is the awaited echo: mask it. */
  takeLine(target: string, text: string): boolean {
    const found = this.#find(
      target,
      text,
      (pending) => this.#isAwaited(pending) && pending.inLine,
    );
    if (found === undefined) return false;
    found.inLine = false;
    return true;
  }

  /** Whether a row to be made is of the awaited echo: mask its text. */
  takeRow(target: string, text: string): boolean {
    const found = this.#find(
      target,
      text,
      (pending) => this.#isAwaited(pending) && pending.inRow,
    );
    if (found === undefined) return false;
    found.inRow = false;
    return true;
  }

  /** The connection is gone, and with it what was queued and its echoes. */
  clear(): void {
    this.#pending = [];
  }

  /** How many texts are kept now. */
  get size(): number {
    this.#forgetOld();
    return this.#pending.length;
  }

  #find(
    target: string,
    text: string,
    isWanted: (pending: Pending) => boolean,
  ): Pending | undefined {
    if (this.#pending.length === 0) return undefined;
    this.#forgetOld();
    return this.#pending.find((pending) =>
      pending.text === text && isWanted(pending) &&
      this.#sameName(pending.target, target)
    );
  }

  #isAwaited({ writtenAt }: Pending): boolean {
    return writtenAt !== undefined &&
      this.#clock.monotonic() - writtenAt <= ECHO_WINDOW_MS;
  }

  #forgetOld(): void {
    this.#pending = this.#pending.filter((pending) =>
      pending.writtenAt === undefined ||
      (this.#isAwaited(pending) && (pending.inLine || pending.inRow))
    );
  }
}
