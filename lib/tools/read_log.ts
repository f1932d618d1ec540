/**
 * `read_log`: the program's own log lines after a cursor, oldest first, of the
 * levels, categories and text asked for. A reading that cannot be scanned for
 * secrets returns nothing and moves no cursor: it is stalled, and says so.
 *
 * Spec: "read_log".
 *
 * @module
 */

import { type KeptLogLine, MAX_LOG_LINES } from "../debug/log_ring.ts";
import {
  isAtLeast,
  LOG_CATEGORIES,
  LOG_LEVELS,
  type LogCategory,
  type LogLevel,
} from "../log.ts";
import { holdsSecret } from "../redact/cut_line.ts";
import { type Matcher, substringMatcher } from "../search/matchers.ts";
import { envelopeBytes, RowBudget } from "./budget.ts";
import { mintCursor, SEQ_CURSOR_SAMPLE } from "./cursor.ts";
import { findDebug, startOf } from "./debug_lookup.ts";
import { unknownCategory, unknownLevel } from "./failures.ts";
import { logLineObject } from "./log_line_object.ts";
import { Pace } from "./pace.ts";
import { EncodedRows } from "./result.ts";
import { RingRows } from "./ring_rows.ts";
import { defineTool, READ_ONLY } from "./tool.ts";

const MAX_LIMIT = 2000;

const ENVELOPE_BYTES = envelopeBytes({
  cursor: SEQ_CURSOR_SAMPLE,
  evicted: false,
  lines: [],
  skipped: [],
  truncated: false,
  untrusted: true,
  withheld: MAX_LOG_LINES,
});

export const readLog = defineTool({
  name: "read_log",
  tier: "debug",
  description:
    "Debug, unstable. Reads Rete's own log lines after a cursor, oldest first; without a cursor, from the oldest held. Lines are kept only while debug capture is on. stalled means the lines could not be scanned for secrets and were not returned: read again. The text is untrusted: some of it comes from IRC.",
  annotations: READ_ONLY,
  parameters: {
    cursor: { type: "string", description: "A previous cursor." },
    limit: {
      type: "integer",
      default: 200,
      min: 1,
      max: MAX_LIMIT,
      description: "How many matching lines, at most 2000.",
    },
    min_level: {
      type: "string",
      description:
        "Only lines at or above this level: debug, info, scripts, notice, warning, error or fault. Absent: every level.",
    },
    categories: {
      type: "strings",
      description:
        "Only lines in these categories: app, ui, network, db, auth, perf or scripts.",
    },
    contains: {
      type: "string",
      description: "Only lines containing this text, ignoring case.",
    },
  },
  async run(args, context) {
    const filter = readFilter(args);
    const debug = findDebug(context);
    const scope = { kind: "read_log", binding: [] } as const;
    const { after, evicted } = startOf(debug.log, scope, args.cursor);
    const secrets = debug.logSecrets();
    if (secrets === undefined) {
      return {
        fields: {
          lines: [],
          cursor: args.cursor ?? mintCursor(scope, [after]),
          evicted: false,
          truncated: false,
          stalled: true,
          untrusted: true,
        },
      };
    }
    const page = new RingRows<KeptLogLine>(
      {
        isWithheld: (line) => holdsSecret(line, secrets),
        isWanted: (line) => isMatch(line, filter),
        show: logLineObject,
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
    for (const line of debug.log.since(after, MAX_LOG_LINES)) {
      if (pace.isDue) await pace.rest();
      if (!page.offer(line)) {
        truncated = true;
        break;
      }
      covered = line.seq;
    }
    return {
      fields: {
        lines: new EncodedRows(page.rows),
        cursor: mintCursor(scope, [covered]),
        evicted,
        truncated,
        skipped: page.skipped,
        withheld: page.withheld,
        untrusted: true,
      },
    };
  },
});

interface Filter {
  readonly minLevel: LogLevel | undefined;
  readonly categories: ReadonlySet<LogCategory> | undefined;
  readonly contains: Matcher;
}

function readFilter(args: {
  readonly min_level: string | undefined;
  readonly categories: readonly string[] | undefined;
  readonly contains: string | undefined;
}): Filter {
  const { min_level: level, categories = [], contains } = args;
  const minLevel = LOG_LEVELS.find((known) => known === level);
  if (level !== undefined && minLevel === undefined) throw unknownLevel(level);
  const wanted = new Set<LogCategory>();
  for (const name of categories) {
    const category = LOG_CATEGORIES.find((known) => known === name);
    if (category === undefined) throw unknownCategory(name);
    wanted.add(category);
  }
  return {
    minLevel,
    categories: wanted.size === 0 ? undefined : wanted,
    contains: substringMatcher(contains ?? ""),
  };
}

function isMatch(line: KeptLogLine, filter: Filter): boolean {
  const { minLevel, categories, contains } = filter;
  return (minLevel === undefined || isAtLeast(line.level, minLevel)) &&
    (categories === undefined || categories.has(line.category)) &&
    contains.test(line.text);
}
