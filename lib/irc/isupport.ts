/**
 * What a server says it supports, from its 005 lines: tokens enter one line at
 * a time, and typed answers leave. A server that sends none gets the defaults
 * of RFC 1459; a broken token is taken as far as it makes sense and never
 * throws.
 *
 * @module
 */

import type { Casemapping } from "./casemapping.ts";

/** One membership prefix: its mode letter and the glyph shown before a nick. */
export interface Prefix {
  readonly mode: string;
  readonly glyph: string;
}

/** Which arguments a channel mode takes: the four classes of CHANMODES. */
export interface ChannelModeClasses {
  /** A: lists; always a parameter. */
  readonly list: string;
  /** B: always a parameter. */
  readonly always: string;
  /** C: a parameter only when set. */
  readonly onSet: string;
  /** D: never a parameter. */
  readonly never: string;
}

const DEFAULT_PREFIXES: readonly Prefix[] = [
  { mode: "o", glyph: "@" },
  { mode: "v", glyph: "+" },
];
const DEFAULT_MODES: ChannelModeClasses = {
  list: "b",
  always: "k",
  onSet: "l",
  never: "imnpst",
};

/** How many tokens one server may make us keep; networks send about 50. */
const MAX_TOKENS = 512;

/** See the module doc. */
export class Isupport {
  #tokens = new Map<string, string>();
  // Parsed forms, made on first use and dropped when a token changes.
  #prefixes: readonly Prefix[] | undefined;
  #modes: ChannelModeClasses | undefined;

  /** Forgets everything: a new connection knows nothing yet. */
  reset(): void {
    this.#tokens.clear();
    this.#changed();
  }

  /**
   * Takes the parameters of one 005 line, without the leading nick and the
   * trailing text. Later values win; `-NAME` removes.
   */
  add(tokens: readonly string[]): void {
    for (const token of tokens) {
      if (token.startsWith("-")) {
        const [name = ""] = token.slice(1).split("=");
        this.#tokens.delete(name.toUpperCase());
        continue;
      }
      const equals = token.indexOf("=");
      const name = (equals < 0 ? token : token.slice(0, equals)).toUpperCase();
      if (name === "") continue;
      if (!this.#tokens.has(name) && this.#tokens.size >= MAX_TOKENS) continue;
      this.#tokens.set(
        name,
        equals < 0 ? "" : unescapeValue(token.slice(equals + 1)),
      );
    }
    this.#changed();
  }

  /** The value of a token, `""` when it came without, undefined when absent. */
  get(name: string): string | undefined {
    return this.#tokens.get(name.toUpperCase());
  }

  /** All tokens as kept. */
  get tokens(): ReadonlyMap<string, string> {
    return this.#tokens;
  }

  /** NETWORK, `""` before it is known. */
  get network(): string {
    return this.#tokens.get("NETWORK") ?? "";
  }

  get casemapping(): Casemapping {
    const value = (this.#tokens.get("CASEMAPPING") ?? "").toLowerCase();
    if (value === "ascii") return "ascii";
    if (value === "strict-rfc1459" || value === "rfc1459-strict") {
      return "rfc1459-strict";
    }
    return "rfc1459";
  }

  /** Characters a channel name starts with. */
  get channelTypes(): string {
    return this.#tokens.get("CHANTYPES") ?? "#&";
  }

  /** Membership prefixes, highest rank first; none when PREFIX is empty. */
  get prefixes(): readonly Prefix[] {
    return this.#prefixes ??= parsePrefixes(this.#tokens.get("PREFIX"));
  }

  /** Glyphs that may stand before a channel name in a target (STATUSMSG). */
  get statusPrefixes(): string {
    const value = this.#tokens.get("STATUSMSG");
    if (value !== undefined && value !== "") return value;
    return value === "" ? this.prefixes.map((p) => p.glyph).join("") : "";
  }

  get channelModes(): ChannelModeClasses {
    return this.#modes ??= parseChannelModes(this.#tokens.get("CHANMODES"));
  }

  /** Whether `name` is a channel's by its first character. */
  isChannel(name: string): boolean {
    return name !== "" && this.channelTypes.includes(name.charAt(0));
  }

  #changed(): void {
    this.#prefixes = undefined;
    this.#modes = undefined;
  }
}

/**
 * The tokens among the parameters of a 005 line: all between the nick and the
 * text for people, which stands last and may be missing.
 */
export function isupportTokens(params: readonly string[]): readonly string[] {
  const last = params.at(-1) ?? "";
  const end = /^-?[A-Z][A-Z0-9./-]*(=\S*)?$/.test(last) ? undefined : -1;
  return params.slice(1, end);
}

function unescapeValue(value: string): string {
  return value.replace(
    /\\x([0-9A-Fa-f]{2})/g,
    (_, hex: string) => String.fromCharCode(parseInt(hex, 16)),
  );
}

function parsePrefixes(value: string | undefined): readonly Prefix[] {
  if (value === undefined) return DEFAULT_PREFIXES;
  const match = /^\(([^)]*)\)(.*)$/.exec(value);
  if (match === null) return [];
  const [, modes = "", glyphs = ""] = match;
  const count = Math.min(modes.length, glyphs.length);
  return Array.from({ length: count }, (_, i) => ({
    mode: modes.charAt(i),
    glyph: glyphs.charAt(i),
  }));
}

function parseChannelModes(value: string | undefined): ChannelModeClasses {
  if (value === undefined || value === "") return DEFAULT_MODES;
  const [list = "", always = "", onSet = "", never = ""] = value.split(",");
  return { list, always, onSet, never };
}
