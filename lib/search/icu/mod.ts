/**
 * ICU regular expressions, as NSRegularExpression takes them with its default
 * options: a pattern is compiled once, then each text is searched for the first
 * match, unanchored, in slices of steps. Behaves as ICU 72; what differs is
 * named in the README's "Differences".
 *
 * @module
 */

import { compile } from "./compile.ts";
import { Matcher, type Outcome } from "./match.ts";
import { parsePattern } from "./parse.ts";
import { PatternSyntaxError } from "./syntax_error.ts";

/** Steps between two looks at the clock: a tenth of a millisecond once compiled. */
export const STEPS_PER_SLICE = 4_000;

/** A match, in UTF-16 units. */
export interface IcuMatch {
  readonly start: number;
  readonly end: number;
}

/** A compiled pattern. Searches one text at a time. */
export class IcuProgram {
  readonly #matcher: Matcher;

  constructor(matcher: Matcher) {
    this.#matcher = matcher;
  }

  /** Makes `text` the one to search; "none" when it cannot match. */
  begin(text: string): Outcome {
    this.#matcher.begin(text);
    return this.#matcher.isHopeless ? "none" : "more";
  }

  /** Searches on for `steps` steps: "more" when they did not suffice. */
  resume(steps = STEPS_PER_SLICE): Outcome {
    return this.#matcher.run(steps);
  }

  /** The match found, after "match". */
  get found(): IcuMatch {
    return { start: this.#matcher.start, end: this.#matcher.end };
  }

  /**
   * The first match in `text`, undefined when there is none, "stopped" when
   * `mayGoOn`, asked between slices, said no.
   */
  find(
    text: string,
    mayGoOn: () => boolean = () => true,
  ): IcuMatch | "stopped" | undefined {
    let outcome = this.begin(text);
    while (outcome === "more") {
      outcome = this.resume();
      if (outcome === "more" && !mayGoOn()) return "stopped";
    }
    return outcome === "match" ? this.found : undefined;
  }
}

/** The compiled pattern, undefined when ICU would not compile it. */
export function compileIcu(pattern: string): IcuProgram | undefined {
  try {
    return new IcuProgram(new Matcher(compile(parsePattern(pattern))));
  } catch (error) {
    if (error instanceof PatternSyntaxError) return undefined;
    throw error;
  }
}
