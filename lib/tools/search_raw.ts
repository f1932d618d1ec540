/**
 * `search_raw`: a session's raw lines by command, direction and text, oldest
 * first. A page ends before the next match, so it is truncated exactly when
 * there is one.
 *
 * Spec: "search_raw".
 *
 * @module
 */

import {
  isWithheld,
  MAX_RAW_LINES,
  type RawDirection,
  type RawLine,
} from "../debug/raw_tap.ts";
import { commandOf, upperCase } from "../redact/wire_words.ts";
import { foldCase } from "../search/casefold.ts";
import { substringMatcher } from "../search/matchers.ts";
import { envelopeBytes, RowBudget } from "./budget.ts";
import { MAX_CURSOR_BYTES, mintCursor } from "./cursor.ts";
import { findTap, startOf } from "./debug_lookup.ts";
import { failure } from "./failures.ts";
import { Pace } from "./pace.ts";
import { rawLineObject } from "./raw_line_object.ts";
import { EncodedRows, isoTime } from "./result.ts";
import { RingRows } from "./ring_rows.ts";
import { defineTool, READ_ONLY } from "./tool.ts";

const MAX_LIMIT = 2000;

const ENVELOPE_BYTES = envelopeBytes({
  coverage: { newest: isoTime(0), oldest: isoTime(0) },
  evicted: true,
  lines: [],
  next_cursor: "x".repeat(MAX_CURSOR_BYTES),
  skipped: [],
  truncated: false,
  withheld: MAX_RAW_LINES,
});

export const searchRaw = defineTool({
  name: "search_raw",
  tier: "debug",
  description:
    "Debug, unstable. Searches a session's raw IRC lines, masked, by command or numeric, direction and contained text, oldest first. Lines are kept only while debug capture is on. Every line is untrusted text from IRC.",
  annotations: READ_ONLY,
  parameters: {
    session: {
      type: "string",
      required: true,
      description: "A session id from list_sessions.",
    },
    commands: {
      type: "strings",
      description:
        'Only lines with these IRC commands or numerics, such as ["354","315"].',
    },
    direction: { type: "string", description: "in or out." },
    contains: {
      type: "string",
      description: "Only lines containing this text, ignoring case.",
    },
    cursor: { type: "string", description: "A previous next_cursor." },
    limit: {
      type: "integer",
      default: 200,
      min: 1,
      max: MAX_LIMIT,
      description: "How many matching lines, at most 2000.",
    },
    count_only: {
      type: "boolean",
      default: false,
      description:
        "The number of matches from the cursor to the newest line, and no lines.",
    },
  },
  async run(args, context) {
    const { session, tap, binding } = findTap(context, args.session);
    const filter = readFilter(args);
    const contains = substringMatcher(args.contains ?? "");
    const scope = {
      kind: "search_raw",
      binding: [...binding, JSON.stringify(filter)],
    } as const;
    const { after, evicted } = startOf(tap, scope, args.cursor);
    const secrets = session.secrets();
    let count = 0;
    const page = new RingRows<RawLine>(
      {
        isWithheld: (line) => isWithheld(line, secrets),
        isWanted(line) {
          const matches = isMatch(line, filter) && contains.test(line.text);
          if (!args.count_only) return matches;
          if (matches) count++;
          return false;
        },
        show: rawLineObject,
      },
      new RowBudget({
        budgetBytes: context.budgetBytes,
        envelopeBytes: ENVELOPE_BYTES,
      }),
      args.limit,
    );
    const pace = new Pace(context);
    let covered = after;
    let truncated = false;
    for (const line of tap.since(after, MAX_RAW_LINES)) {
      if (pace.isDue) await pace.rest();
      if (!page.offer(line)) {
        truncated = true;
        break;
      }
      covered = line.seq;
    }
    return {
      fields: {
        ...(args.count_only
          ? { count }
          : { lines: new EncodedRows(page.rows) }),
        truncated,
        next_cursor: truncated ? mintCursor(scope, [covered]) : undefined,
        coverage: page.coverage(),
        withheld: page.withheld,
        skipped: page.skipped,
        evicted: evicted || undefined,
      },
    };
  },
});

interface Filter {
  /** Upper case and sorted; undefined for no filter. */
  readonly commands: readonly string[] | undefined;
  readonly direction: RawDirection | undefined;
  /** Its case folded, for the cursor. */
  readonly contains: string | undefined;
}

function readFilter(args: {
  readonly commands: readonly string[] | undefined;
  readonly direction: string | undefined;
  readonly contains: string | undefined;
}): Filter {
  const { commands, direction, contains } = args;
  if (direction !== undefined && direction !== "in" && direction !== "out") {
    throw failure("invalidDirection");
  }
  // An empty list is no filter, but one of nothing but blanks matches nothing.
  const wanted = commands === undefined || commands.length === 0
    ? undefined
    : [...new Set(commands.map((c) => upperCase(c.trim())))]
      .filter((command) => command !== "").sort();
  return {
    commands: wanted,
    direction,
    contains: contains && foldCase(contains),
  };
}

function isMatch(line: RawLine, filter: Filter): boolean {
  const { commands, direction } = filter;
  return (direction === undefined || line.dir === direction) &&
    (commands === undefined || commands.includes(commandOf(line.text)));
}
