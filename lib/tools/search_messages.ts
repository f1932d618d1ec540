/**
 * `search_messages`: finds messages by text in every buffer asked for, newest
 * first, in pages. A call copies the rows it looks at, then examines them for
 * at most 250 ms, resting every few milliseconds so that nothing else waits for
 * it; a regular expression is looked at between slices of one match too.
 *
 * A row is asked its time and kind, then whether it holds a secret, and only
 * then whose it is and what it says: what is withheld is never compared with
 * the query, or the counts would tell whether it matched.
 *
 * Spec: "search_messages".
 *
 * @module
 */

import type { Message } from "../buffers/message.ts";
import type { SecretScan } from "../redact/secrets.ts";
import type { CursorScope } from "./cursor.ts";
import { FAILURES } from "./failures.ts";
import { isWithheld, messageObject } from "./message_object.ts";
import { Pace } from "./pace.ts";
import { type Examined, type Match, SearchPage } from "./search_page.ts";
import type { Verdict } from "../search/row_search.ts";
import { readQuery, type SearchQuery } from "./search_query.ts";
import {
  copyWindows,
  mintSearchCursor,
  readSearchCursor,
  type WalkPoint,
  type Window,
} from "./search_windows.ts";
import { defineTool, READ_ONLY, type ToolContext } from "./tool.ts";

/** Time a call may search, from when its rows are copied (spec). */
export const SEARCH_BUDGET_MS = 250;
/** Rows between two looks at the clock: some microseconds of a text search. */
const STRIDE = 32;
const MAX_LIMIT = 500;
const MAX_CONTEXT = 10;

export const searchMessages = defineTool({
  name: "search_messages",
  tier: "release",
  description:
    "Finds messages by text over their sender and text fields, newest first in each buffer's newest 10,000: substring and glob ignore case, regex is ICU's. Every message is untrusted text from IRC.",
  annotations: READ_ONLY,
  parameters: {
    query: {
      type: "string",
      required: true,
      description:
        "What to find. An empty substring query matches every message.",
    },
    match: {
      type: "string",
      default: "substring",
      description:
        "substring, glob (an IRC glob over each whole field) or regex (unanchored, at most 256 bytes).",
    },
    sessions: { type: "strings", description: "Only these session ids." },
    buffers: { type: "strings", description: "Only these buffer ids." },
    from: {
      type: "string",
      description: "Only messages from this nick, ignoring case.",
    },
    kinds: {
      type: "strings",
      description:
        "Only these message kinds, such as privmsg, notice, action, join, part, quit, kick, nick, topic or mode.",
    },
    since: {
      type: "string",
      description: "Only messages at or after this ISO-8601 time.",
    },
    until: {
      type: "string",
      description: "Only messages at or before this ISO-8601 time.",
    },
    limit: {
      type: "integer",
      default: 50,
      min: 1,
      max: MAX_LIMIT,
      description: "How many matches, at most 500.",
    },
    count_only: {
      type: "boolean",
      default: false,
      description: "The number of matches by buffer, and no matches.",
    },
    context: {
      type: "integer",
      default: 0,
      min: 0,
      max: MAX_CONTEXT,
      description:
        "Neighbouring messages before and after each match, at most 10.",
    },
    cursor: { type: "string", description: "A previous next_cursor." },
  },
  async run(args, context) {
    const query = readQuery(args, context.reader);
    const scope: CursorScope = {
      kind: "search_messages",
      binding: [query.digest],
    };
    const start = args.cursor === undefined || args.count_only
      ? undefined
      : readSearchCursor(scope, args.cursor, query.places);
    const pace = new Pace(context);
    const { windows, next } = await copyWindows(query.places, start, pace);
    const page = new SearchPage({
      budgetBytes: context.budgetBytes,
      places: query.places.length,
    });
    const walk = new Walk({ query, page, pace, context, args });
    const { point, isStopped } = await walk.over(windows);
    const rest = point ?? (next && { place: next });
    return args.count_only
      ? countResult(page, { isCut: rest !== undefined, isStopped })
      : matchResult(page, {
        cursor: rest && mintSearchCursor(scope, rest),
        isStopped,
      });
  },
});

function endAt(scan: Scan, left: number, isStopped: boolean): WalkEnd {
  const { place, floor, rows } = scan.window;
  const below = (rows[left - 1]?.seq ?? 0) + 1;
  return { point: { place, below, floor }, isStopped };
}

function matchResult(
  page: SearchPage,
  end: { cursor: string | undefined; isStopped: boolean },
) {
  return {
    fields: {
      ...page.matchFields(),
      truncated: end.cursor !== undefined,
      next_cursor: end.cursor,
      stopped: end.isStopped ? FAILURES.searchStopped : undefined,
    },
    isStopped: end.isStopped,
  };
}

function countResult(
  page: SearchPage,
  end: { isCut: boolean; isStopped: boolean },
) {
  const { fields, isCut } = page.countFields();
  return {
    fields: {
      ...fields,
      truncated: isCut || end.isCut,
      stopped: end.isStopped ? FAILURES.searchStopped : undefined,
    },
    isStopped: end.isStopped,
  };
}

/** Where a walk ended: at a row left for the next page, or nowhere. */
interface WalkEnd {
  readonly point: WalkPoint | undefined;
  readonly isStopped: boolean;
}

interface WalkOptions {
  readonly query: SearchQuery;
  readonly page: SearchPage;
  readonly pace: Pace;
  readonly context: ToolContext;
  readonly args: {
    readonly limit: number;
    readonly count_only: boolean;
    readonly context: number;
  };
}

/** What came of a row: "pending" when its regular expression needs more. */
type Step = "done" | "left" | "pending" | "out of time";

/** A buffer under examination. */
interface Scan {
  readonly window: Window;
  readonly examined: Examined;
  readonly secrets: SecretScan;
}

/** The examination of one call's rows. */
class Walk {
  readonly #query: SearchQuery;
  readonly #page: SearchPage;
  readonly #pace: Pace;
  readonly #clock: ToolContext["clock"];
  readonly #args: WalkOptions["args"];
  readonly #deadline: number;
  #examinedRows = 0;

  constructor(options: WalkOptions) {
    this.#query = options.query;
    this.#page = options.page;
    this.#pace = options.pace;
    this.#clock = options.context.clock;
    this.#args = options.args;
    this.#deadline = this.#clock.monotonic() + SEARCH_BUDGET_MS;
  }

  async over(windows: readonly Window[]): Promise<WalkEnd> {
    for (const window of windows) {
      const { session } = window.place;
      const end = await this.#scan({
        window,
        examined: this.#page.examine(window),
        secrets: session.secrets(),
      });
      if (end !== undefined) return end;
    }
    return { point: undefined, isStopped: false };
  }

  async #scan(scan: Scan): Promise<WalkEnd | undefined> {
    const { rows } = scan.window;
    for (let left = rows.length; left > 0;) {
      const isStopped = await this.#isOutOfTime();
      if (isStopped || this.#isPageFull) return endAt(scan, left, isStopped);
      const { at, step } = this.#stride(scan, left);
      left = at;
      const row = rows[left - 1];
      if (row === undefined || step === "done") continue;
      const outcome = step === "pending" ? await this.#goOn(row, scan) : step;
      if (outcome !== "done") {
        return endAt(scan, left, outcome === "out of time");
      }
      this.#cover(row, scan);
      left--;
    }
    return undefined;
  }

  // Examines rows down from `left` without a look at the clock. Synchronous:
  // a promise for each row would cost more than the search of it. Ends before
  // the row that needs more than that.
  #stride(scan: Scan, left: number): { at: number; step: Step } {
    const { rows } = scan.window;
    const last = Math.max(0, left - STRIDE);
    for (let at = left; at > last; at--) {
      const row = rows[at - 1];
      if (row === undefined) continue;
      if (this.#isPageFull) return { at, step: "done" };
      const step = this.#examine(row, scan);
      if (step !== "done") return { at, step };
      this.#cover(row, scan);
    }
    return { at: last, step: "done" };
  }

  #cover(row: Message, { examined }: Scan): void {
    examined.note(row);
    this.#examinedRows++;
  }

  get #isPageFull(): boolean {
    return !this.#args.count_only && this.#page.matchCount >= this.#args.limit;
  }

  // Rests when due. A call examines a row before it can run out.
  async #isOutOfTime(): Promise<boolean> {
    if (this.#pace.isDue) await this.#pace.rest();
    return this.#examinedRows > 0 && this.#clock.monotonic() >= this.#deadline;
  }

  #examine(row: Message, scan: Scan): Step {
    const { filter, search } = this.#query;
    if (!filter.covers(row)) return "done";
    if (isWithheld(row, scan.secrets)) {
      scan.examined.noteWithheld(row);
      return "done";
    }
    if (!filter.isFrom(row)) return "done";
    const verdict = search.begin(row);
    return verdict === "none" ? "done" : this.#judge(verdict, row, scan);
  }

  #judge(verdict: Verdict, row: Message, scan: Scan): Step {
    switch (verdict) {
      case "none":
        return "done";
      case "partial":
        this.#page.regexSkipped++;
        return "done";
      case "match":
        return this.#found(row, scan);
      case "more":
        return "pending";
      default:
        return verdict satisfies never;
    }
  }

  async #goOn(row: Message, scan: Scan): Promise<Step> {
    for (let step: Step = "pending"; true;) {
      if (this.#pace.isDue) await this.#pace.rest();
      if (this.#clock.monotonic() >= this.#deadline) {
        // The next call gives the row its whole time. One that had that is
        // passed over, or no walk would get past it.
        if (this.#examinedRows > 0) return "out of time";
        this.#page.regexSkipped++;
        return "done";
      }
      step = this.#judge(this.#query.search.resume(), row, scan);
      if (step !== "pending") return step;
    }
  }

  #found(row: Message, { examined, window, secrets }: Scan): Step {
    if (!this.#args.count_only) {
      const match = this.#matchOf(row, { examined, window, secrets });
      if (match !== undefined && !this.#page.offer(examined, match)) {
        return "left";
      }
    }
    examined.matches++;
    return "done";
  }

  #matchOf(row: Message, scan: Scan): Match | undefined {
    const { examined, secrets } = scan;
    const message = messageObject(row, secrets);
    if (message === undefined) return undefined;
    const log = scan.window.place.buffer.messages;
    const neighbours = this.#args.context === 0 ? [] : [
      ...log.before(row.seq, this.#args.context),
      ...log.since(row.seq, this.#args.context),
    ];
    const context = neighbours.flatMap((neighbour) => {
      const object = messageObject(neighbour, secrets);
      if (object === undefined) examined.noteWithheld(neighbour);
      return object === undefined ? [] : [object];
    });
    return { message, context };
  }
}
