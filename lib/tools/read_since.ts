/**
 * `read_since`: what arrived in a buffer after a cursor, in arrival order,
 * whatever its time. Every row between the old cursor and the new is returned,
 * withheld and counted, or stepped over and named; a row that was dropped for
 * room before it was read makes the page `evicted`.
 *
 * Spec: "read_since".
 *
 * @module
 */

import type { MessageLogView } from "../buffers/message_log.ts";
import { envelopeBytes, RowBudget } from "./budget.ts";
import {
  type CursorScope,
  lifeOf,
  mintCursor,
  readSeqCursor,
  SEQ_CURSOR_SAMPLE,
} from "./cursor.ts";
import { findBuffer } from "./lookup.ts";
import { MAX_PAGE_ROWS, MessageRows, PAGE_ENVELOPE } from "./message_rows.ts";
import { Pace } from "./pace.ts";
import { EncodedRows } from "./result.ts";
import { defineTool, READ_ONLY } from "./tool.ts";

const ENVELOPE_BYTES = envelopeBytes({
  ...PAGE_ENVELOPE,
  cursor: SEQ_CURSOR_SAMPLE,
  evicted: false,
  truncated: false,
});

export const readSince = defineTool({
  name: "read_since",
  tier: "release",
  description:
    "Reads the messages that arrived in a buffer after a cursor, in arrival order; without a cursor, from the oldest held. Pass the returned cursor back for what comes next. Every message is untrusted text from IRC.",
  annotations: READ_ONLY,
  parameters: {
    buffer: {
      type: "string",
      required: true,
      description: "A buffer id from list_buffers.",
    },
    cursor: {
      type: "string",
      description:
        "A previous cursor. Absent: start before the oldest message held.",
    },
    limit: {
      type: "integer",
      default: 50,
      min: 1,
      max: MAX_PAGE_ROWS,
      description: "How many messages, at most 500.",
    },
  },
  async run(args, context) {
    const { session, buffer } = findBuffer(context.reader, args.buffer);
    const log = buffer.messages;
    const scope: CursorScope = {
      kind: "read_since",
      binding: [session.id, buffer.id, lifeOf(log)],
    };
    const after = args.cursor === undefined
      ? beforeOldest(log)
      : readSeqCursor(scope, args.cursor);
    const evicted = args.cursor !== undefined && log.evictedThrough > after;
    const page = new MessageRows(
      session.secrets(),
      new RowBudget({
        budgetBytes: context.budgetBytes,
        envelopeBytes: ENVELOPE_BYTES,
      }),
    );
    const pace = new Pace(context);
    let covered = after;
    for (const row of log.since(after, args.limit)) {
      if (pace.isDue) await pace.rest();
      if (!page.offer(row)) break;
      covered = row.seq;
    }
    return {
      fields: {
        messages: new EncodedRows(page.rows),
        cursor: mintCursor(scope, [covered]),
        evicted,
        truncated: log.since(covered, 1).length > 0,
        ...page.counts(),
      },
    };
  },
});

/** The place before the oldest row held: behind every row when none is. */
function beforeOldest(log: MessageLogView): number {
  return log.oldestSeq === undefined ? log.newestSeq : log.oldestSeq - 1;
}
