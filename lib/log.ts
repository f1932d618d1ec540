/**
 * The one door for log lines: what happened enters with a level and a
 * category in the contract's words, and leaves to every sink. Nothing else in
 * the program writes to standard error, so that redaction has one exit.
 *
 * Spec: "Raw and log subscriptions" (levels and categories).
 *
 * @module
 */

/** Levels of the contract, lowest first. */
export const LOG_LEVELS = [
  "debug",
  "info",
  "scripts",
  "notice",
  "warning",
  "error",
  "fault",
] as const;
export type LogLevel = typeof LOG_LEVELS[number];

/** Categories of the contract. */
export const LOG_CATEGORIES = [
  "app",
  "ui",
  "network",
  "db",
  "auth",
  "perf",
  "scripts",
] as const;
export type LogCategory = typeof LOG_CATEGORIES[number];

/** One event, as it was when it happened. `time` is Unix milliseconds. */
export interface LogLine {
  readonly time: number;
  readonly level: LogLevel;
  readonly category: LogCategory;
  readonly text: string;
}

/** Takes each line as it is written; must not throw and must not block. */
export type LogSink = (line: LogLine) => void;

/** What the rest of the program logs through. */
export interface Log {
  write(level: LogLevel, category: LogCategory, text: string): void;
}

/** A {@link Log} that hands each line to every sink, in order. */
export class LogWriter implements Log {
  readonly #now: () => number;
  readonly #sinks: LogSink[];

  constructor(now: () => number, sinks: LogSink[] = []) {
    this.#now = now;
    this.#sinks = [...sinks];
  }

  addSink(sink: LogSink): void {
    this.#sinks.push(sink);
  }

  write(level: LogLevel, category: LogCategory, text: string): void {
    const line: LogLine = { time: this.#now(), level, category, text };
    for (const sink of this.#sinks) sink(line);
  }
}

/** Whether `level` is at or above `least`. */
export function isAtLeast(level: LogLevel, least: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least);
}

// A newline or control character in a line would forge a second one for
// whoever reads standard error.
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cf}]/gu;

/** The line as standard error shows it: one physical line, always. */
export function formatLogLine(line: LogLine): string {
  const text = line.text.replace(
    UNPRINTABLE,
    (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`,
  );
  const time = new Date(line.time).toISOString();
  return `${time} ${line.level} ${line.category}: ${text}`;
}

/** Writes lines at or above `least` to standard error. */
export function standardErrorSink(least: LogLevel): LogSink {
  const encoder = new TextEncoder();
  return (line) => {
    if (!isAtLeast(line.level, least)) return;
    try {
      Deno.stderr.writeSync(encoder.encode(formatLogLine(line) + "\n"));
    } catch {
      // A closed standard error must not end the service.
    }
  };
}
