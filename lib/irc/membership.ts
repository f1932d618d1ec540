/**
 * A user's rank in one channel. It is kept as it was told: glyphs from NAMES,
 * mode letters from MODE. What letters the glyphs stand for is read from PREFIX
 * each time it is asked, because a server may name its PREFIX only after it has
 * listed the members.
 *
 * @module
 */

import type { Member } from "../buffers/roster.ts";
import type { Prefix } from "./isupport.ts";
import type { User } from "./users.ts";

/** Glyphs of networks in use: no nick starts with one, announced or not. */
const COMMON_GLYPHS = "~&@%+!*";

/** More are no rank but a broken line. */
const MAX_GLYPHS = 16;

/** See the module doc. */
export class Membership {
  readonly user: User;
  #glyphs = "";
  #letters = "";

  constructor(user: User) {
    this.user = user;
  }

  /**
   * Takes the glyphs that NAMES showed. Without `multi-prefix` it shows the
   * highest alone, and the lower ranks known from before stay.
   */
  setGlyphs(
    glyphs: string,
    { prefixes, hasAll }: {
      readonly prefixes: readonly Prefix[];
      readonly hasAll: boolean;
    },
  ): void {
    const before = this.modes(prefixes);
    this.#glyphs = glyphs;
    this.#letters = "";
    if (hasAll) return;
    const shown = prefixes.findIndex((p) => glyphs.includes(p.glyph));
    const lower = new Set(prefixes.slice(shown + 1).map((p) => p.mode));
    if (shown < 0) return;
    for (const letter of before) {
      if (lower.has(letter)) this.#letters += letter;
    }
  }

  /** MODE gave a rank. */
  add(letter: string): void {
    if (!this.#letters.includes(letter)) this.#letters += letter;
  }

  /** MODE took a rank. */
  drop(letter: string, prefixes: readonly Prefix[]): void {
    this.#letters = this.#letters.replace(letter, "");
    for (const prefix of prefixes) {
      if (prefix.mode === letter) {
        this.#glyphs = this.#glyphs.replaceAll(prefix.glyph, "");
      }
    }
  }

  /** The mode letters in rank order, highest first. */
  modes(prefixes: readonly Prefix[]): string {
    if (this.#glyphs === "" && this.#letters === "") return "";
    let modes = "";
    for (const { mode, glyph } of prefixes) {
      if (this.#letters.includes(mode) || this.#glyphs.includes(glyph)) {
        modes += mode;
      }
    }
    return modes;
  }

  /** As tools see it. */
  view(prefixes: readonly Prefix[]): Member {
    const { nick, account, away, user, host } = this.user;
    return {
      nick,
      modes: this.modes(prefixes),
      ...(account === "" ? {} : { account }),
      away,
      ...(user === "" ? {} : { user }),
      ...(host === "" ? {} : { host }),
    };
  }
}

/** One entry of a NAMES list taken apart. */
export interface NamesEntry {
  readonly glyphs: string;
  readonly nick: string;
  readonly user: string;
  readonly host: string;
}

/**
 * Takes an entry apart: glyphs in any order, then a nick, then `!user@host`
 * where userhost-in-names is on. Undefined when no nick is left.
 */
export function parseNamesEntry(
  entry: string,
  prefixes: readonly Prefix[],
): NamesEntry | undefined {
  let start = 0;
  while (start < entry.length && start < MAX_GLYPHS) {
    const glyph = entry.charAt(start);
    if (
      !COMMON_GLYPHS.includes(glyph) && !prefixes.some((p) => p.glyph === glyph)
    ) break;
    start++;
  }
  const glyphs = entry.slice(0, start);
  const bang = entry.indexOf("!", start);
  const at = entry.lastIndexOf("@");
  if (bang < 0 || at < bang) {
    const nick = entry.slice(start);
    return nick === "" ? undefined : { glyphs, nick, user: "", host: "" };
  }
  const nick = entry.slice(start, bang);
  if (nick === "") return undefined;
  return {
    glyphs,
    nick,
    user: entry.slice(bang + 1, at),
    host: entry.slice(at + 1),
  };
}
