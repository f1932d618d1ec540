/**
 * Which raw and log lines a subscription collects: its normalised filters
 * enter, and questions about one line are answered. What a line says is asked
 * apart from what is known about it, because a line withheld for a secret is
 * counted before its text is compared with anything.
 *
 * Spec: "Raw and log subscriptions".
 *
 * @module
 */

import type { RawDirection } from "../debug/raw_tap.ts";
import {
  isAtLeast,
  LOG_LEVELS,
  type LogCategory,
  type LogLevel,
} from "../log.ts";
import { commandOf } from "../redact/wire_words.ts";
import type { LogFilter, RawFilter } from "./filters.ts";

/** The lowest level collected when a subscription names none (spec). */
const DEFAULT_MIN_LEVEL: LogLevel = "warning";

/** See the module doc. */
export class RawLineFilter {
  readonly #sessions: ReadonlySet<string> | undefined;
  readonly #commands: ReadonlySet<string> | undefined;
  readonly #direction: RawDirection | undefined;

  constructor(filter: RawFilter) {
    this.#sessions = filter.sessions && new Set(filter.sessions);
    this.#commands = filter.commands && new Set(filter.commands);
    this.#direction = filter.direction;
  }

  /** Whether it collects lines of this session. */
  coversSession(sessionId: string): boolean {
    return this.#sessions === undefined || this.#sessions.has(sessionId);
  }

  /** Whether it collects lines of this direction. */
  covers(line: { readonly dir: RawDirection }): boolean {
    return this.#direction === undefined || this.#direction === line.dir;
  }

  /** Whether it collects lines with this one's command. */
  takes(line: { readonly text: string }): boolean {
    return this.#commands === undefined ||
      this.#commands.has(commandOf(line.text));
  }
}

/** See the module doc. */
export class LogLineFilter {
  readonly #minLevel: LogLevel;
  readonly #categories: ReadonlySet<string> | undefined;

  constructor(filter: LogFilter) {
    this.#minLevel = LOG_LEVELS.find((level) => level === filter.min_level) ??
      DEFAULT_MIN_LEVEL;
    this.#categories = filter.categories && new Set(filter.categories);
  }

  /** Whether it collects lines of this level and category. */
  covers(line: {
    readonly level: LogLevel;
    readonly category: LogCategory;
  }): boolean {
    return isAtLeast(line.level, this.#minLevel) &&
      (this.#categories === undefined || this.#categories.has(line.category));
  }
}
