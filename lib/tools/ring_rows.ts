/**
 * The lines of one page of a debug ring, gathered within the budget: offered in
 * order, each is taken, withheld, passed over because a filter does not want
 * it, stepped over because no page could hold it, or left for the next page.
 *
 * A withheld line is counted before any filter looks at its text: a count that
 * changed with the filter would tell whether a part of a secret matched.
 *
 * Spec: "The budget", "withheld, skipped, untrusted".
 *
 * @module
 */

import type { RowBudget } from "./budget.ts";
import { encodeJson, type Fields, isoTime } from "./result.ts";

/** A line of a ring, as far as a page asks. */
export interface RingLine {
  readonly seq: number;
  readonly time: number;
}

/** How lines of one ring are judged and shown. */
export interface RingRules<T> {
  readonly isWithheld: (line: T) => boolean;
  readonly isWanted: (line: T) => boolean;
  readonly show: (line: T) => Fields;
}

/** See the module doc. `limit` is how many lines are taken at most. */
export class RingRows<T extends RingLine> {
  readonly #rules: RingRules<T>;
  readonly #budget: RowBudget;
  readonly #limit: number;
  #taken = 0;
  #withheld = 0;
  #skipped: number[] = [];
  #oldest: number | undefined;
  #newest: number | undefined;

  constructor(rules: RingRules<T>, budget: RowBudget, limit: number) {
    this.#rules = rules;
    this.#budget = budget;
    this.#limit = limit;
  }

  /** Covers `line`. False when the page is full, and the line not covered. */
  offer(line: T): boolean {
    if (this.#rules.isWithheld(line)) {
      this.#withheld++;
    } else if (this.#rules.isWanted(line)) {
      if (this.#taken >= this.#limit || !this.#take(line)) return false;
      this.#taken++;
    }
    this.#oldest ??= line.time;
    this.#newest = line.time;
    return true;
  }

  /** The JSON of the lines taken, in the order they were offered. */
  get rows(): readonly string[] {
    return this.#budget.rows;
  }

  /** Lines withheld, undefined for none. */
  get withheld(): number | undefined {
    return this.#withheld || undefined;
  }

  /** Numbers of the lines stepped over, undefined for none. */
  get skipped(): readonly number[] | undefined {
    return this.#skipped.length === 0 ? undefined : this.#skipped;
  }

  /** The times of the first and last line covered. */
  coverage(): Fields {
    if (this.#oldest === undefined || this.#newest === undefined) return {};
    return { oldest: isoTime(this.#oldest), newest: isoTime(this.#newest) };
  }

  #take(line: T): boolean {
    switch (this.#budget.offer(encodeJson(this.#rules.show(line)))) {
      case "taken":
        return true;
      case "oversize":
        if (!this.#budget.spend(String(line.seq).length + 1)) return false;
        this.#skipped.push(line.seq);
        return true;
      case "full":
        return false;
    }
  }
}
