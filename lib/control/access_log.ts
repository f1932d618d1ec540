/**
 * The AI access log: what AI clients did, for the person to look at. Tool calls
 * and refused requests enter, bounded and escaped; rows leave to the operator
 * alone. Never a result: what an agent read is not here. Memory only, and no
 * tool reads it.
 *
 * Spec: "The AI access log".
 *
 * @module
 */

import { escapeInvisible, quoteVisibly } from "../visible_text.ts";

/** Rows kept; each new one past that evicts the oldest. */
export const MAX_ROWS = 2_000;

/** UTF-8 bytes of one argument, the `…` of a cut one included. */
export const MAX_ARGUMENT_BYTES = 200;

/** UTF-8 bytes of an argument named `line`: the longest line that can be sent. */
export const MAX_LINE_BYTES = 4_606;

/** Arguments shown for one call; the rest are counted. */
export const MAX_ARGUMENTS = 16;

/** How a call ended. */
export type CallOutcome =
  | { readonly kind: "ok"; readonly bytes: number }
  | { readonly kind: "stopped"; readonly bytes: number }
  | { readonly kind: "waiting" }
  | { readonly kind: "error"; readonly text: string };

/** One row: safe to print as it is. */
export interface AccessRow {
  /** Counts from 1 and never again: what a follower has seen. */
  readonly number: number;
  /** Unix milliseconds. */
  readonly time: number;
  readonly text: string;
}

/** What the log is built from. */
export interface AccessLogOptions {
  readonly now: () => number;
  /** Masks what an agent's raw line holds of credentials. */
  readonly maskLine: (line: string) => string;
}

/** See the module doc. */
export class AccessLog {
  readonly #options: AccessLogOptions;
  readonly #followers = new Set<() => void>();
  #rows: AccessRow[] = [];
  #added = 0;
  #lastCall: AccessRow | undefined;

  constructor(options: AccessLogOptions) {
    this.#options = options;
  }

  /** The rows held, oldest first. */
  rows(): readonly AccessRow[] {
    return this.#rows;
  }

  /** Notes a call of a tool under the name the client sent. */
  recordCall(call: {
    readonly tool: string;
    readonly arguments: unknown;
    readonly outcome: CallOutcome;
  }): void {
    const parts = [
      showName(call.tool),
      ...this.#argumentsOf(call.arguments),
      describeOutcome(call.outcome),
    ];
    this.#lastCall = this.#add(parts.join(" "));
  }

  /** Notes refused requests: `more` were refused since the class's last row. */
  recordRefusal(refusal: {
    readonly class: string;
    readonly status: number;
    readonly more: number;
  }): void {
    const more = refusal.more > 0 ? ` (+${refusal.more} more)` : "";
    this.#add(`refused (${refusal.class}, ${refusal.status})${more}`);
  }

  /** The newest call of a tool, refusals left aside. */
  get lastCall(): AccessRow | undefined {
    return this.#lastCall;
  }

  /** The number of the newest row, 0 before the first. */
  get newest(): number {
    return this.#added;
  }

  /** Resolves when a row newer than `after` is held, or `signal` aborts. */
  waitBeyond(after: number, signal: AbortSignal): Promise<void> {
    if (this.#added > after || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        this.#followers.delete(end);
        signal.removeEventListener("abort", end);
        resolve();
      };
      this.#followers.add(end);
      signal.addEventListener("abort", end);
    });
  }

  #add(text: string): AccessRow {
    const number = ++this.#added;
    const row = { number, time: this.#options.now(), text };
    this.#rows.push(row);
    if (this.#rows.length > MAX_ROWS) this.#rows.shift();
    for (const follower of [...this.#followers]) follower();
    return row;
  }

  #argumentsOf(value: unknown): string[] {
    if (typeof value !== "object" || value === null) return [];
    const entries = Object.entries(value);
    const shown = entries.slice(0, MAX_ARGUMENTS).map(([name, item]) =>
      `${showName(name)}=${this.#show(name, item)}`
    );
    const more = entries.length - shown.length;
    return more > 0 ? [...shown, `(+${more} more)`] : shown;
  }

  #show(name: string, value: unknown): string {
    if (typeof value === "string") {
      return name === "line"
        ? quoteVisibly(cutBytes(this.#maskLines(value), MAX_LINE_BYTES))
        : quoteVisibly(cutBytes(value, MAX_ARGUMENT_BYTES));
    }
    const json = JSON.stringify(value) ?? "null";
    return escapeInvisible(cutBytes(json, MAX_ARGUMENT_BYTES));
  }

  // A line break ends a line for the mask too, so that what follows one is
  // masked as a line of its own.
  #maskLines(value: string): string {
    return value.split(LINE_BREAKS).map((part, index) =>
      index % 2 === 0 ? this.#options.maskLine(part) : part
    ).join("");
  }
}

const LINE_BREAKS = /([\0\n\v\f\r\x85\u2028\u2029]+)/;

/** A row as it is printed: its time to the second, then its text. */
export function formatAccessRow(row: AccessRow): string {
  const time = new Date(row.time).toISOString().replace(/\.\d+Z$/, "Z");
  return `${time} ${row.text}`;
}

const PLAIN_NAME = /^[\w.-]+$/;

/**
 * A name as the client sent it, in quotes unless it is a plain word: a tool
 * called `x ok (1 bytes)` must not be read as a call that went well.
 */
function showName(name: string): string {
  const cut = cutBytes(name, MAX_ARGUMENT_BYTES);
  return PLAIN_NAME.test(cut) ? cut : quoteVisibly(cut);
}

function describeOutcome(outcome: CallOutcome): string {
  switch (outcome.kind) {
    case "ok":
      return `ok (${outcome.bytes} bytes)`;
    case "stopped":
      return `stopped by its time budget (${outcome.bytes} bytes)`;
    case "waiting":
      return "waiting";
    case "error":
      return escapeInvisible(outcome.text);
    default:
      return outcome satisfies never;
  }
}

const encoder = new TextEncoder();

/** `text` cut between characters to `max` UTF-8 bytes, the `…` included. */
function cutBytes(text: string, max: number): string {
  // A string of `max` code units is at most three times as many bytes.
  if (text.length * 3 <= max || encoder.encode(text).length <= max) return text;
  const room = max - encoder.encode("…").length;
  const bytes = new Uint8Array(room);
  const { read } = encoder.encodeInto(text, bytes);
  return text.slice(0, read) + "…";
}
