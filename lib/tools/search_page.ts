/**
 * What a call of `search_messages` answers with, gathered within the budget:
 * matches with their context, what was stepped over, and the list of buffers
 * examined. Rows of the answer leave room for that list, up to a quarter of the
 * budget; where the whole list needs more, only the buffers on the page are
 * named, and for those there is always room.
 *
 * Spec: "search_messages", "The budget", "withheld, skipped, untrusted".
 *
 * @module
 */

import type { Message } from "../buffers/message.ts";
import { envelopeBytes, type Fit } from "./budget.ts";
import { FAILURES } from "./failures.ts";
import type { MessageObject } from "./message_object.ts";
import {
  EncodedRows,
  encodeJson,
  type Fields,
  isoTime,
  utf8Length,
} from "./result.ts";
import {
  MAX_COPIED_ROWS,
  SEARCH_CURSOR_SAMPLE,
  type Window,
} from "./search_windows.ts";

const ENVELOPE_BYTES = envelopeBytes({
  coverage: [],
  coverage_omitted: MAX_COPIED_ROWS,
  coverage_truncated: true,
  matches: [],
  counts: {},
  next_cursor: SEARCH_CURSOR_SAMPLE,
  regex_skipped: MAX_COPIED_ROWS,
  skipped: [],
  stopped: FAILURES.searchStopped,
  truncated: false,
  window_truncated: true,
  withheld: MAX_COPIED_ROWS,
});

/** The part of the budget that the whole list of buffers may take (spec). */
const COVERAGE_SHARE = 4;

const ID_SAMPLE = "00000000-0000-0000-0000-000000000000";
const ENTRY_BYTES = envelopeBytes({
  buffer: ID_SAMPLE,
  newest: isoTime(0),
  oldest: isoTime(0),
  window_truncated: true,
  withheld: MAX_COPIED_ROWS,
}) + 1;

/** What was examined of one buffer. */
export class Examined {
  readonly window: Window;
  matches = 0;
  #oldest = Infinity;
  #newest = -Infinity;
  // A row is withheld once, however often it was a neighbour.
  readonly #withheld = new Set<number>();

  constructor(window: Window) {
    this.window = window;
  }

  get bufferId(): string {
    return this.window.place.buffer.id;
  }

  get withheld(): number {
    return this.#withheld.size;
  }

  note(row: Message): void {
    if (row.time < this.#oldest) this.#oldest = row.time;
    if (row.time > this.#newest) this.#newest = row.time;
  }

  noteWithheld(row: Message): void {
    this.#withheld.add(row.seq);
  }

  coverage(): Fields {
    const hasRows = this.#oldest <= this.#newest;
    return {
      buffer: this.bufferId,
      oldest: hasRows ? isoTime(this.#oldest) : undefined,
      newest: hasRows ? isoTime(this.#newest) : undefined,
      withheld: this.withheld || undefined,
      window_truncated: this.window.isTruncated || undefined,
    };
  }
}

/** A match as it is offered to a page. */
export interface Match {
  readonly message: MessageObject;
  /** Neighbours in `seq` order. */
  readonly context: readonly MessageObject[];
}

/** See the module doc. */
export class SearchPage {
  readonly #totalBytes: number;
  readonly #quarterBytes: number;
  /** Room kept for the whole list of buffers, were it to be shown. */
  readonly #reserveBytes: number;
  readonly #examined: Examined[] = [];
  readonly #onPage = new Set<Examined>();
  readonly #matches: string[] = [];
  readonly #skipped: { buffer: string; seq: number }[] = [];
  #usedBytes = 0;
  regexSkipped = 0;

  constructor(options: { budgetBytes: number; places: number }) {
    this.#totalBytes = options.budgetBytes - ENVELOPE_BYTES;
    this.#quarterBytes = Math.floor(options.budgetBytes / COVERAGE_SHARE);
    this.#reserveBytes = Math.min(
      this.#quarterBytes,
      options.places * ENTRY_BYTES,
    );
  }

  get matchCount(): number {
    return this.#matches.length;
  }

  /** Begins with a buffer. */
  examine(window: Window): Examined {
    const examined = new Examined(window);
    this.#examined.push(examined);
    return examined;
  }

  /**
   * Takes a match, with as much of its context as a page can hold; one that
   * no page can hold is noted as skipped. False when this page is full.
   */
  offer(examined: Examined, match: Match): boolean {
    for (let context = match.context; true;) {
      switch (this.#take(examined, encodeMatch(examined, match, context))) {
        case "taken":
          return true;
        case "full":
          return false;
        case "oversize":
          if (context.length === 0) return this.#skip(examined, match);
          context = nearest(match, context);
      }
    }
  }

  #take(examined: Examined, json: string): Fit {
    const bytes = utf8Length(json) + 1;
    if (bytes + ENTRY_BYTES > this.#totalBytes) return "oversize";
    const entries = (this.#onPage.size + (this.#onPage.has(examined) ? 0 : 1)) *
      ENTRY_BYTES;
    // A page's only match may take the room of buffers that are not on it.
    const reserve = this.#usedBytes === 0
      ? entries
      : Math.max(entries, this.#reserveBytes);
    if (this.#usedBytes + bytes + reserve > this.#totalBytes) return "full";
    this.#usedBytes += bytes;
    this.#onPage.add(examined);
    this.#matches.push(json);
    return "taken";
  }

  #skip(examined: Examined, { message }: Match): boolean {
    const skipped = { buffer: examined.bufferId, seq: message.seq };
    const bytes = utf8Length(encodeJson(skipped)) + 1;
    const reserve = Math.max(
      this.#onPage.size * ENTRY_BYTES,
      this.#reserveBytes,
    );
    if (this.#usedBytes + bytes + reserve > this.#totalBytes) return false;
    this.#usedBytes += bytes;
    this.#skipped.push(skipped);
    return true;
  }

  /** The fields of a page of matches, but for where it goes on. */
  matchFields(): Fields {
    return {
      matches: new EncodedRows(this.#matches),
      ...this.#coverage(this.#totalBytes - this.#usedBytes, this.#onPage),
      ...this.#totals(),
    };
  }

  /** The fields of counts; `isCut` when not even the non-zero ones fit. */
  countFields(): { fields: Fields; isCut: boolean } {
    const found = this.#examined.filter(({ matches }) => matches > 0);
    const coverage = this.#coverage(this.#quarterBytes, new Set(found));
    const room = this.#totalBytes - utf8Length(encodeJson(coverage.coverage));
    const all = countsWithin(this.#examined, room);
    const { counts, isCut } = all.isCut ? countsWithin(found, room) : all;
    return { fields: { counts, ...coverage, ...this.#totals() }, isCut };
  }

  #coverage(
    room: number,
    onPage: ReadonlySet<Examined>,
  ): Fields & { coverage: EncodedRows } {
    const entries = this.#examined.map((examined) => ({
      examined,
      json: encodeJson(examined.coverage()),
    }));
    const bytes = entries.reduce((sum, { json }) => sum + json.length + 1, 0);
    if (bytes <= Math.min(room, this.#quarterBytes)) {
      return { coverage: new EncodedRows(entries.map(({ json }) => json)) };
    }
    let left = room;
    const kept = entries.filter(({ examined, json }) =>
      onPage.has(examined) && (left -= json.length + 1) >= 0
    );
    return {
      coverage: new EncodedRows(kept.map(({ json }) => json)),
      coverage_truncated: true,
      coverage_omitted: entries.length - kept.length,
    };
  }

  #totals(): Fields {
    const withheld = this.#examined.reduce((sum, e) => sum + e.withheld, 0);
    const isTruncated = this.#examined.some((e) => e.window.isTruncated);
    return {
      skipped: this.#skipped.length > 0 ? this.#skipped : undefined,
      withheld: withheld || undefined,
      window_truncated: isTruncated || undefined,
      regex_skipped: this.regexSkipped || undefined,
    };
  }
}

function encodeMatch(
  examined: Examined,
  match: Match,
  context: readonly MessageObject[],
): string {
  return encodeJson({
    buffer: examined.bufferId,
    message: match.message,
    context: context.length > 0 ? context : undefined,
  });
}

/** The nearer half of a context. */
function nearest(
  { message }: Match,
  context: readonly MessageObject[],
): MessageObject[] {
  return context.toSorted((a, b) =>
    Math.abs(a.seq - message.seq) - Math.abs(b.seq - message.seq)
  ).slice(0, context.length >> 1).sort((a, b) => a.seq - b.seq);
}

function countsWithin(
  examined: readonly Examined[],
  room: number,
): { counts: Fields; isCut: boolean } {
  const counts: Record<string, number> = {};
  let left = room;
  for (const { bufferId, matches } of examined) {
    left -= ID_SAMPLE.length + String(matches).length + '"":,'.length;
    if (left < 0) return { counts, isCut: true };
    counts[bufferId] = matches;
  }
  return { counts, isCut: false };
}
