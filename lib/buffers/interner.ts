/**
 * Strings as rows keep them. A string cut out of a line is, inside the engine
 * that runs this program, a view that keeps the whole line alive: tags, host and
 * all, for as long as the row lives. `detach` copies the characters out;
 * `intern` does, and lets equal nicks, targets and accounts share one copy.
 *
 * @module
 */

/** Shorter pieces are copied by the runtime on its own, never kept as views. */
const MIN_VIEW_LENGTH = 13;

/** Longer strings are rarely names, so sharing them saves nothing. */
const MAX_INTERNED_LENGTH = 128;

/** Strings kept; past it the table starts anew and old rows keep theirs. */
const MAX_INTERNED = 8192;

/** A copy of `text` that keeps nothing else alive. */
export function detach(text: string): string {
  if (text.length < MIN_VIEW_LENGTH) return text;
  // The concatenation is laid out anew when it is sliced, one character longer.
  return (" " + text).slice(1);
}

/** See the module doc. */
export class Interner {
  #known = new Map<string, string>();

  /** The shared copy of `text`. */
  intern(text: string): string {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const copy = detach(text);
    if (text.length > MAX_INTERNED_LENGTH) return copy;
    if (this.#known.size >= MAX_INTERNED) this.#known.clear();
    this.#known.set(copy, copy);
    return copy;
  }
}
