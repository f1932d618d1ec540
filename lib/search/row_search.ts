/**
 * Asks of one row after another whether its sender or a text-bearing field
 * matches. A row enters and a verdict leaves, for a regular expression perhaps
 * after several slices, between which whoever searches looks at the clock.
 *
 * Spec: "search_messages" (what a message is matched on).
 *
 * @module
 */

import type { Message } from "../buffers/message.ts";
import { type IcuProgram, STEPS_PER_SLICE } from "./icu/mod.ts";
import type { Matcher } from "./matchers.ts";
import { textFields } from "./text_fields.ts";

/**
 * "partial" is no match in a row with a field that was not tried; "more" asks
 * for another {@link RowSearch.resume}.
 */
export type Verdict = "match" | "none" | "partial" | "more";

/** See the module doc. */
export interface RowSearch {
  /** Begins with a row; what was left of the row before is forgotten. */
  begin(row: Pick<Message, "from" | "payload">): Verdict;
  /** Goes on with a row whose verdict was "more". */
  resume(): Verdict;
}

/** Senders whose comparison is kept: as many as talk in most channels. */
const KEPT_SENDERS = 1024;

/** A search by substring or glob, which takes no slices. */
export class TextRowSearch implements RowSearch {
  readonly #matcher: Matcher;
  readonly #leastUnits: number;
  readonly #senders = new Map<string, boolean>();

  /** `leastUnits` is the length of the shortest field that can match. */
  constructor(matcher: Matcher, leastUnits: number) {
    this.#matcher = matcher;
    this.#leastUnits = leastUnits;
  }

  begin(row: Pick<Message, "from" | "payload">): Verdict {
    if (this.#hasText(row)) return "match";
    // Most queries are longer than most nicks.
    return row.from.length >= this.#leastUnits && this.#isSender(row.from)
      ? "match"
      : "none";
  }

  resume(): Verdict {
    return "none";
  }

  // What people say is nearly all there is, and gets by without a list.
  #hasText(row: Pick<Message, "from" | "payload">): boolean {
    const { payload } = row;
    if (payload.caseName === "privmsg") return this.#matcher.test(payload.text);
    return textFields(row).some((field) => this.#matcher.test(field));
  }

  #isSender(nick: string): boolean {
    const known = this.#senders.get(nick);
    if (known !== undefined) return known;
    const matches = this.#matcher.test(nick);
    if (this.#senders.size < KEPT_SENDERS) this.#senders.set(nick, matches);
    return matches;
  }
}

/** A field longer than this, in UTF-16 units, is not tried (spec). */
export const MAX_REGEX_FIELD_UNITS = 4096;

/** A search by an ICU regular expression. */
export class RegexRowSearch implements RowSearch {
  readonly #program: IcuProgram;
  #fields: string[] = [];
  #isPartial = false;

  constructor(program: IcuProgram) {
    this.#program = program;
  }

  begin(row: Pick<Message, "from" | "payload">): Verdict {
    this.#isPartial = false;
    this.#fields = textFields(row);
    this.#fields.push(row.from);
    return this.#next();
  }

  resume(): Verdict {
    return this.#goOn(STEPS_PER_SLICE);
  }

  // Turns to the fields in turn until one needs a slice.
  #next(): Verdict {
    for (let field = this.#fields.shift(); field !== undefined;) {
      if (field.length > MAX_REGEX_FIELD_UNITS) this.#isPartial = true;
      else if (this.#program.begin(field) !== "none") {
        return this.#goOn(STEPS_PER_SLICE);
      }
      field = this.#fields.shift();
    }
    return this.#isPartial ? "partial" : "none";
  }

  #goOn(steps: number): Verdict {
    const outcome = this.#program.resume(steps);
    return outcome === "none" ? this.#next() : outcome;
  }
}
