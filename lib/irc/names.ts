/**
 * Names as one server folds them. A line names a channel and a nick or two, and
 * the same few names come over and over, so folded forms are kept.
 *
 * @module
 */

import { type Casemapping, foldName } from "./casemapping.ts";

/** Folded names kept; past it the cache starts anew. A busy session has fewer. */
const MAX_CACHED = 8192;

/** No name of a server in use is longer; such a one is folded each time. */
const MAX_CACHED_LENGTH = 128;

/** See the module doc. */
export class Names {
  #casemapping: Casemapping = "rfc1459";
  #folded = new Map<string, string>();

  get casemapping(): Casemapping {
    return this.#casemapping;
  }

  /** Changes the mapping. Returns whether it differs: keys are stale then. */
  use(casemapping: Casemapping): boolean {
    if (casemapping === this.#casemapping) return false;
    this.#casemapping = casemapping;
    this.#folded.clear();
    return true;
  }

  /** `name` folded: the key that every map of the session goes by. */
  fold(name: string): string {
    const known = this.#folded.get(name);
    if (known !== undefined) return known;
    const folded = foldName(name, this.#casemapping);
    if (name.length > MAX_CACHED_LENGTH) return folded;
    if (this.#folded.size >= MAX_CACHED) this.#folded.clear();
    this.#folded.set(name, folded);
    return folded;
  }

  /** Whether the server takes the two for the same. */
  same(a: string, b: string): boolean {
    return a === b || this.fold(a) === this.fold(b);
  }
}
