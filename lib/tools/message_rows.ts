/**
 * The rows of one page of messages, gathered within the budget: offered one by
 * one, each is taken, withheld, stepped over because no page could hold it, or
 * left for the next page. Read tools differ only in which rows they offer, in
 * which order, and what a cursor made of the last one covered means.
 *
 * Spec: "The budget", "withheld, skipped, untrusted".
 *
 * @module
 */

import type { Message } from "../buffers/message.ts";
import type { SecretScan } from "../redact/secrets.ts";
import type { RowBudget } from "./budget.ts";
import { messageObject } from "./message_object.ts";
import { encodeJson, type Fields, isoTime } from "./result.ts";

/** A page takes at most this many rows (spec: the maximum of `limit`). */
export const MAX_PAGE_ROWS = 500;

/** Room for the fields that a page may have beside its own, at their longest. */
export const PAGE_ENVELOPE: Fields = {
  messages: [],
  skipped: [],
  withheld: MAX_PAGE_ROWS,
};

/** See the module doc. */
export class MessageRows {
  readonly #secrets: SecretScan;
  readonly #budget: RowBudget;
  #earliest = Infinity;
  #latest = -Infinity;
  #skipped: number[] = [];
  #withheld = 0;

  constructor(secrets: SecretScan, budget: RowBudget) {
    this.#secrets = secrets;
    this.#budget = budget;
  }

  /** Covers `row`. False when the page is full, and the row not covered. */
  offer(row: Message): boolean {
    const object = messageObject(row, this.#secrets);
    if (object === undefined) {
      this.#withheld++;
      return true;
    }
    switch (this.#budget.offer(encodeJson(object))) {
      case "taken":
        this.#earliest = Math.min(this.#earliest, row.time);
        this.#latest = Math.max(this.#latest, row.time);
        return true;
      case "oversize":
        if (!this.#budget.spend(String(row.seq).length + 1)) return false;
        this.#skipped.push(row.seq);
        return true;
      case "full":
        return false;
    }
  }

  /** The JSON of the rows taken, in the order they were offered. */
  get rows(): readonly string[] {
    return this.#budget.rows;
  }

  /** The earliest and latest time among the rows taken. */
  coverage(): Fields {
    if (this.rows.length === 0) return {};
    return { oldest: isoTime(this.#earliest), newest: isoTime(this.#latest) };
  }

  /** The counts every page has: absent when there is nothing to count. */
  counts(): Fields {
    return {
      skipped: this.#skipped.length === 0
        ? undefined
        : this.#skipped.toSorted((a, b) => a - b),
      withheld: this.#withheld === 0 ? undefined : this.#withheld,
    };
  }
}
