/**
 * The envelopes a worker has dealt with, by their ids, so that none is run
 * twice: many ids, and of the last of them the answer that was given. Bounded;
 * the oldest are forgotten first.
 *
 * @module
 */

import type { EnvelopeContent } from "../envelope/envelope.ts";

/** Ids remembered: days of a busy channel, some megabytes. */
const MAX_IDS = 50_000;
/** Answers remembered, each at most one line of IRC. */
const MAX_ANSWERS = 1_000;

/** What is said of a task. */
export type Saying = Omit<EnvelopeContent, "from">;

/** The last answer about a task, and when in the worker's life it was given. */
export interface GivenAnswer {
  readonly saying: Saying;
  readonly presence: string;
}

/** See the module doc. */
export class KnownTasks {
  readonly #ids = new Set<string>();
  readonly #answers = new Map<string, GivenAnswer>();

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  add(id: string): void {
    this.#ids.add(id);
    dropOldest(this.#ids, MAX_IDS);
  }

  /** As if it had never come: it may come again. */
  forget(id: string): void {
    this.#ids.delete(id);
    this.#answers.delete(id);
  }

  answer(id: string): GivenAnswer | undefined {
    return this.#answers.get(id);
  }

  setAnswer(id: string, answer: GivenAnswer): void {
    this.#answers.set(id, answer);
    dropOldest(this.#answers, MAX_ANSWERS);
  }
}

function dropOldest(
  from: Set<string> | Map<string, unknown>,
  limit: number,
): void {
  if (from.size <= limit) return;
  for (const oldest of from.keys()) {
    from.delete(oldest);
    return;
  }
}
