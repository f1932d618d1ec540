/**
 * The server's echo-message copies of texts sent with `/smsg`, which are shown
 * as a mask. A copy is recognised by its target and text within ten seconds of
 * the sending, and once: a later copy, or a second one, shows in clear, as the
 * contract lists.
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
 * Sensitive texts whose echo is awaited at once, per session. A person types
 * them, and the fifteen that pacing lets out in ten seconds are far from it.
 */
export const MAX_AWAITED_ECHOES = 64;

interface Awaited {
  readonly target: string;
  readonly text: string;
  /** Steady time, in milliseconds. */
  readonly sentAt: number;
  inLine: boolean;
  inRow: boolean;
}

/** See the module doc. `sameName` compares two targets. */
export class SensitiveEchoes {
  readonly #clock: Clock;
  readonly #sameName: (a: string, b: string) => boolean;
  #awaited: Awaited[] = [];

  constructor(clock: Clock, sameName: (a: string, b: string) => boolean) {
    this.#clock = clock;
    this.#sameName = sameName;
  }

  /** A sensitive text was written; past the bound the oldest gives way. */
  sent(target: string, text: string): void {
    this.#awaited.push({
      target,
      text,
      sentAt: this.#clock.monotonic(),
      inLine: true,
      inRow: true,
    });
    if (this.#awaited.length > MAX_AWAITED_ECHOES) this.#awaited.shift();
  }

  /** Whether an own line of the server is an awaited echo: mask it. */
  takeLine(target: string, text: string): boolean {
    const found = this.#find(target, text, "inLine");
    if (found !== undefined) found.inLine = false;
    return found !== undefined;
  }

  /** Whether a row to be made is of an awaited echo: mask its text. */
  takeRow(target: string, text: string): boolean {
    const found = this.#find(target, text, "inRow");
    if (found !== undefined) found.inRow = false;
    return found !== undefined;
  }

  /** The connection is gone, and its echoes with it. */
  clear(): void {
    this.#awaited = [];
  }

  /** How many echoes are awaited now. */
  get size(): number {
    if (this.#awaited.length > 0) this.#forgetOld();
    return this.#awaited.length;
  }

  #find(
    target: string,
    text: string,
    where: "inLine" | "inRow",
  ): Awaited | undefined {
    if (this.size === 0) return undefined;
    return this.#awaited.find((awaited) =>
      awaited.text === text && awaited[where] &&
      this.#sameName(awaited.target, target)
    );
  }

  #forgetOld(): void {
    const now = this.#clock.monotonic();
    this.#awaited = this.#awaited.filter(({ sentAt, inLine, inRow }) =>
      now - sentAt <= ECHO_WINDOW_MS && (inLine || inRow)
    );
  }
}
