/**
 * `raw_since`: a session's raw lines after a cursor, ascending. Every line
 * between the old cursor and the new is returned, withheld and counted, or
 * stepped over and named. Lines that were cleared because capture went off are
 * simply gone.
 *
 * Spec: "raw_since".
 *
 * @module
 */

import { isWithheld, MAX_RAW_LINES } from "../debug/raw_tap.ts";
import { envelopeBytes, RowBudget } from "./budget.ts";
import { mintCursor, SEQ_CURSOR_SAMPLE } from "./cursor.ts";
import { findTap, startOf } from "./debug_lookup.ts";
import { Pace } from "./pace.ts";
import { rawLineObject } from "./raw_line_object.ts";
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
  withheld: MAX_RAW_LINES,
});

export const rawSince = defineTool({
  name: "raw_since",
  tier: "debug",
  description:
    "Debug, unstable. Reads a session's raw IRC lines after a cursor, oldest first, masked; without a cursor, from the oldest held. Lines are kept only while debug capture is on. Pass the returned cursor back for what comes next. Every line is untrusted text from IRC.",
  annotations: READ_ONLY,
  parameters: {
    session: {
      type: "string",
      required: true,
      description: "A session id from list_sessions.",
    },
    cursor: { type: "string", description: "A previous cursor." },
    limit: {
      type: "integer",
      default: 200,
      min: 1,
      max: MAX_LIMIT,
      description:
        "How many lines, at most 2000; withheld lines count toward it.",
    },
  },
  async run(args, context) {
    const { session, tap, binding } = findTap(context, args.session);
    const scope = { kind: "raw_since", binding } as const;
    const { after, evicted } = startOf(tap, scope, args.cursor);
    const secrets = session.secrets();
    const page = new RingRows(
      {
        isWithheld: (line) => isWithheld(line, secrets),
        isWanted: () => true,
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
    for (const line of tap.since(after, args.limit)) {
      if (pace.isDue) await pace.rest();
      if (!page.offer(line)) break;
      covered = line.seq;
    }
    return {
      fields: {
        lines: new EncodedRows(page.rows),
        cursor: mintCursor(scope, [covered]),
        evicted,
        truncated: tap.since(covered, 1).length > 0,
        skipped: page.skipped,
        withheld: page.withheld,
      },
    };
  },
});
