/**
 * Whose turn it is while servers flood. All connections of the process share
 * one event loop, and so one account of the time spent on received lines: when
 * it is used up, they wait for a timer, which lets everything else have turns
 * for about a millisecond, and then go on in the order they came.
 *
 * A timer and not an immediate: immediates that follow each other keep all
 * sockets waiting. One turn between two reads would be too few as well: an HTTP
 * request takes a dozen.
 *
 * @module
 */

/** Milliseconds of work on received lines before others get their turn. */
const SLICE_MS = 8;
/** No work on lines for this long: others had their turns of their own accord. */
const REST_MS = 2;

/** See the module doc. */
export class ReadTurns {
  #workedMs = 0;
  #lastWorked = -Infinity;
  /** In the order they came; as many as there are connections. */
  readonly #waiting = new Set<() => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Whether who has lines to read must {@link wait}. */
  get isOver(): boolean {
    return this.#workedMs >= SLICE_MS;
  }

  /** Lines came, at `now` of the monotonic clock: after a rest it starts anew. */
  came(now: number): void {
    if (now - this.#lastWorked >= REST_MS) this.#workedMs = 0;
  }

  /** Notes time spent on lines, up to `now`. */
  worked(ms: number, now: number): void {
    this.#workedMs += ms;
    this.#lastWorked = now;
  }

  /** Runs `read` when it is its turn. Call the result to give that up. */
  wait(read: () => void): () => void {
    this.#waiting.add(read);
    this.#timer ??= setTimeout(() => this.#next(), 0);
    return () => {
      this.#waiting.delete(read);
      if (this.#waiting.size === 0) this.#stopTimer();
    };
  }

  #next(): void {
    this.#timer = undefined;
    this.#workedMs = 0;
    for (const read of [...this.#waiting]) {
      if (this.isOver) break;
      // One that closed meanwhile has given up.
      if (this.#waiting.delete(read)) read();
    }
    if (this.#waiting.size > 0) {
      this.#timer ??= setTimeout(() => this.#next(), 0);
    }
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
