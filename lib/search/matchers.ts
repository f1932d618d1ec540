/**
 * How one field is compared with a query: as a substring, as an IRC glob over
 * the whole field, or as a regular expression. Case is ignored in the first two
 * by simple case folding and every character stands for itself.
 *
 * A literal is handed to the runtime's RegExp with the flags `iu`, whose
 * comparison is simple case folding by definition and whose literal search is
 * compiled: 30 ns a line, as much as `includes()`, where folding the
 * line first costs 190. A glob is cut at its stars into such literals and each
 * is looked for after the one before, leftmost first, so that no
 * number of stars makes it more than (text times pattern) steps; one
 * RegExp of the whole would backtrack with a power of the star count.
 *
 * Spec: "search_messages" (match) and subscribe's `match`.
 *
 * @module
 */

import { foldCase, isAscii } from "./casefold.ts";

/**
 * Says of one field whether it matches. Holds no state between calls. A RegExp
 * without `g` and `y` is one, and is given as it is where it can be: a call
 * less for each field counts.
 */
export interface Matcher {
  test(text: string): boolean;
}

/**
 * Queries longer than this, in UTF-16 units, are compared without a RegExp:
 * compiling a long one costs more than the search, and the engine has a limit.
 */
const MAX_COMPILED_UNITS = 1024;

/** Matches a field that contains `query`, ignoring case. */
export function substringMatcher(query: string): Matcher {
  if (query === "") return { test: () => true };
  const length = query.length;
  if (length > MAX_COMPILED_UNITS) {
    const folded = foldCase(query);
    // Simple folding keeps the number of units: a shorter text cannot match.
    return {
      test: (text) => text.length >= length && foldCase(text).includes(folded),
    };
  }
  return isAscii(query)
    ? asciiPattern(query)
    : keptPattern(escapeLiteral(query), "iu");
}

/**
 * An ASCII literal without the flag `u`, which is a third quicker. Only two
 * other characters fold to ASCII, and they are named in place.
 */
function asciiPattern(query: string): RegExp {
  const source = escapeLiteral(query)
    .replace(/k/gi, "[k\u212a]").replace(/s/gi, "[s\u017f]");
  return keptPattern(source, "i");
}

/** Matches a field that is, as a whole, `glob`: `*` any run, `?` one character. */
export function globMatcher(glob: string): Matcher {
  return glob.length > MAX_COMPILED_UNITS
    ? longGlobMatcher(glob, foldCase)
    : compiledGlob(glob, "iu");
}

/** The same with case told apart. */
export function exactGlobMatcher(glob: string): Matcher {
  return glob.length > MAX_COMPILED_UNITS
    ? longGlobMatcher(glob, (text) => text)
    : compiledGlob(glob, "u");
}

function compiledGlob(glob: string, flags: string): Matcher {
  const parts = glob.split(/\*+/);
  const [first = "", ...rest] = parts;
  const last = rest.pop();
  const whole = (source: string) => patternMatcher(source, flags);
  if (last === undefined) return whole(`^${literalPart(first)}$`);
  if (rest.length === 0) {
    if (first === "" && last === "") return { test: () => true };
    if (first === "") return whole(`${literalPart(last)}$`);
    if (last === "") return whole(`^${literalPart(first)}`);
  }
  if (rest.length === 1 && first === "" && last === "") {
    return whole(literalPart(rest[0] ?? ""));
  }
  return partsMatcher({ first, middle: rest, last }, flags);
}

function patternMatcher(source: string, flags: string): Matcher {
  return keptPattern(source, flags);
}

/** Patterns kept compiled: a walk asks the same question page after page. */
const KEPT_PATTERNS = 16;
const kept = new Map<string, RegExp>();

// Compiling costs as much as searching some thousand lines.
function keptPattern(source: string, flags: string): RegExp {
  const key = `${flags}/${source}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  const pattern = new RegExp(source, flags);
  const oldest = kept.size < KEPT_PATTERNS ? undefined : kept.keys().next();
  if (oldest?.value !== undefined) kept.delete(oldest.value);
  kept.set(key, pattern);
  return pattern;
}

function partsMatcher(
  { first, middle, last }: {
    first: string;
    middle: readonly string[];
    last: string;
  },
  flags: string,
): Matcher {
  const head = new RegExp(literalPart(first), flags + "y");
  const search = middle.map((part) =>
    new RegExp(literalPart(part), flags + "g")
  );
  const tail = new RegExp(`${literalPart(last)}$`, flags + "g");
  const steps = [head, ...search, tail];
  return {
    test(text) {
      let at = 0;
      for (const step of steps) {
        step.lastIndex = at;
        if (!step.test(text)) return false;
        at = step.lastIndex;
      }
      return true;
    },
  };
}

/** Compares folded characters, going back to the last star when one differs. */
function longGlobMatcher(
  glob: string,
  fold: (text: string) => string,
): Matcher {
  const pattern = Array.from(fold(glob.replace(/\*+/g, "*")));
  const least = pattern.filter((character) => character !== "*").length;
  return {
    test(text) {
      if (text.length < least) return false;
      return matchesGlob(pattern, Array.from(fold(text)));
    },
  };
}

function matchesGlob(
  pattern: readonly string[],
  text: readonly string[],
): boolean {
  let p = 0;
  let star = -1;
  let starAt = 0;
  for (let t = 0; t < text.length;) {
    const wanted = pattern[p];
    if (wanted === "*") {
      star = p++;
      starAt = t;
    } else if (wanted === "?" || wanted === text[t]) {
      p++;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++starAt;
    } else return false;
  }
  while (pattern[p] === "*") p++;
  return p === pattern.length;
}

function literalPart(part: string): string {
  return part.split("?").map(escapeLiteral).join("[^]");
}

function escapeLiteral(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
