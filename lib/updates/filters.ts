/**
 * What a subscription collects: normalised filters enter, and questions about
 * one row are answered, cheapest first. A row is asked where it is (scope),
 * what it is (kind), who said it, and only then what it says, so that a row
 * withheld for a secret is never compared with an agent's text: its count would
 * otherwise tell whether part of the secret matched.
 *
 * Spec: "What a subscription matches".
 *
 * @module
 */

import type { Message, MessageKind } from "../buffers/message.ts";
import type { BufferView, SessionView } from "../engine/reader.ts";
import { textFields } from "../search/text_fields.ts";
import { globMatcher, substringMatcher } from "../search/matchers.ts";
import { mentionsNick } from "./mentions.ts";

/** Kinds collected when a subscription names none. */
export const DEFAULT_KINDS: readonly MessageKind[] = [
  "privmsg",
  "action",
  "notice",
];

/** Kinds a subscription may ask for. */
export const SUBSCRIBABLE_KINDS: readonly MessageKind[] = [
  ...DEFAULT_KINDS,
  "topic",
  "join",
  "part",
  "quit",
  "nick",
  "mode",
  "kick",
];

/** Debug filter over raw IRC lines, normalised. */
export interface RawFilter {
  readonly sessions?: readonly string[];
  readonly commands?: readonly string[];
  readonly direction?: "in" | "out";
}

/** Debug filter over log lines, normalised; `min_level` absent is warning. */
export interface LogFilter {
  readonly min_level?: string;
  readonly categories?: readonly string[];
}

/** A subscription's filters as `subscribe` answers them: nothing that is off. */
export interface Filters {
  readonly sessions?: readonly string[];
  readonly buffers?: readonly string[];
  readonly mentions?: true;
  readonly queries?: true;
  readonly from?: readonly string[];
  readonly kinds?: readonly string[];
  readonly match?: string;
  readonly match_mode?: "glob";
  readonly raw?: RawFilter;
  readonly log?: LogFilter;
}

/**
 * A row's text as the filters of several subscriptions look at it: each thing
 * is worked out once, when the first of them asks.
 */
export class RowText {
  readonly #message: Message;
  readonly #nick: string;
  #fields: readonly string[] | undefined;
  #mentions: boolean | undefined;

  /** `nick` is the session's own when the row's batch is matched. */
  constructor(message: Message, nick: string) {
    this.#message = message;
    this.#nick = nick;
  }

  get from(): string {
    return this.#message.from;
  }

  /** The text-bearing fields, the sender not among them. */
  get fields(): readonly string[] {
    return this.#fields ??= textFields(this.#message);
  }

  /** Whether a text field mentions the nick. */
  get mentionsNick(): boolean {
    return this.#mentions ??= this.fields.some((field) =>
      mentionsNick(field, this.#nick)
    );
  }
}

/** See the module doc. */
export class MessageFilter {
  readonly #sessions: ReadonlySet<string>;
  readonly #buffers: ReadonlySet<string>;
  readonly #kinds: ReadonlySet<string>;
  readonly #from: ReadonlySet<string> | undefined;
  readonly #queriesOnly: boolean;
  readonly #mentionsOnly: boolean;
  readonly #matchesText: ((text: string) => boolean) | undefined;
  /** Whether it collects messages at all, and not only raw or log lines. */
  readonly takesMessages: boolean;

  constructor(filters: Filters) {
    this.#sessions = new Set(filters.sessions);
    this.#buffers = new Set(filters.buffers);
    this.#kinds = new Set(filters.kinds ?? DEFAULT_KINDS);
    this.#from = filters.from && new Set(filters.from);
    this.#queriesOnly = filters.queries === true;
    this.#mentionsOnly = filters.mentions === true;
    this.#matchesText = matcherOf(filters);
    this.takesMessages = filters.sessions !== undefined ||
      filters.buffers !== undefined || filters.kinds !== undefined ||
      filters.from !== undefined || filters.match !== undefined ||
      this.#queriesOnly || this.#mentionsOnly;
  }

  /** Whether rows of this buffer are in its scope. */
  covers(session: SessionView, buffer: BufferView): boolean {
    if (!this.takesMessages) return false;
    if (this.#queriesOnly && buffer.kind !== "query") return false;
    if (this.#sessions.size === 0 && this.#buffers.size === 0) return true;
    return this.#sessions.has(session.id) || this.#buffers.has(buffer.id);
  }

  /** Whether it collects rows of this kind. */
  collects(kind: MessageKind): boolean {
    return this.#kinds.has(kind);
  }

  /** Whether it collects what this nick says. */
  takesFrom(nick: string): boolean {
    return this.#from === undefined || this.#from.has(nick.toLowerCase());
  }

  /** Whether what the row says is what it collects. */
  takesText(text: RowText): boolean {
    if (this.#mentionsOnly && !text.mentionsNick) return false;
    const matches = this.#matchesText;
    return matches === undefined || matches(text.from) ||
      text.fields.some(matches);
  }
}

function matcherOf(filters: Filters): ((text: string) => boolean) | undefined {
  if (filters.match === undefined) return undefined;
  const matcher = filters.match_mode === "glob"
    ? globMatcher(filters.match)
    : substringMatcher(filters.match);
  return (text) => matcher.test(text);
}
