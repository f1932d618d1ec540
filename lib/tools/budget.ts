/**
 * The bytes a result may take, spent row by row. Each row is encoded once and
 * measured once; nothing is encoded again to see whether it still fits. A row
 * that no page could hold is told apart from one that this page cannot.
 *
 * Spec: "The budget".
 *
 * @module
 */

import { encodeJson, type Fields, utf8Length } from "./result.ts";

/** The most UTF-8 bytes of JSON in one tool result (spec). */
export const RESULT_BUDGET_BYTES = 60_000;

/** What became of a row: taken, left for the next page, or too big for any. */
export type Fit = "taken" | "full" | "oversize";

/**
 * The bytes of a result at its longest without rows: `envelope` has every
 * optional field, with a value of its greatest length.
 */
export function envelopeBytes(envelope: Fields): number {
  return utf8Length(encodeJson(envelope));
}

/** The rows of one result, as many as fit in its budget beside its envelope. */
export class RowBudget {
  readonly #wholeBytes: number;
  #leftBytes: number;
  #rows: string[] = [];

  constructor(options: { budgetBytes: number; envelopeBytes: number }) {
    this.#wholeBytes = options.budgetBytes - options.envelopeBytes;
    this.#leftBytes = this.#wholeBytes;
  }

  /** The JSON of the rows taken, in the order they were offered. */
  get rows(): readonly string[] {
    return this.#rows;
  }

  /** Takes `json` as the next row, if it fits. */
  offer(json: string): Fit {
    const bytes = utf8Length(json);
    if (bytes > this.#wholeBytes) return "oversize";
    if (!this.spend(bytes + (this.#rows.length === 0 ? 0 : 1))) return "full";
    this.#rows.push(json);
    return "taken";
  }

  /** Spends bytes beside the rows; false, and nothing spent, if too many. */
  spend(bytes: number): boolean {
    if (bytes > this.#leftBytes) return false;
    this.#leftBytes -= bytes;
    return true;
  }
}
