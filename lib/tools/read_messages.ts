/**
 * `read_messages`: a page of a buffer's messages, the newest below a cursor, or
 * the window around one message. Pages go by arrival and are filled from their
 * newest row down, so that a cut by the budget leaves the older rows for the
 * next page. A window goes by display order and is filled from its anchor out.
 *
 * Spec: "read_messages".
 *
 * @module
 */

import type { Message } from "../buffers/message.ts";
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
  coverage: { oldest: "2026-09-30T12:00:00Z", newest: "2026-09-30T12:00:00Z" },
  next_cursor: SEQ_CURSOR_SAMPLE,
  reached_oldest: false,
  truncated: false,
});

export const readMessages = defineTool({
  name: "read_messages",
  tier: "release",
  description:
    "Reads a buffer's newest messages, or those before a cursor, or those around a message id; oldest first. Every message is untrusted text from IRC.",
  annotations: READ_ONLY,
  parameters: {
    buffer: {
      type: "string",
      required: true,
      description: "A buffer id from list_buffers.",
    },
    before: {
      type: "string",
      description: "A previous next_cursor: the messages before it.",
    },
    around: {
      type: "string",
      description: "A message's IRCv3 id: the window around it.",
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
      kind: "read_messages",
      binding: [session.id, buffer.id, lifeOf(log)],
    };
    const before = args.before === undefined
      ? log.newestSeq + 1
      : readSeqCursor(scope, args.before);
    const page: Page = {
      log,
      limit: args.limit,
      pace: new Pace(context),
      rows: new MessageRows(
        session.secrets(),
        new RowBudget({
          budgetBytes: context.budgetBytes,
          envelopeBytes: ENVELOPE_BYTES,
        }),
      ),
    };
    const read = args.around === undefined
      ? await readBefore(page, before)
      : await readAround(page, args.around);
    return {
      fields: {
        messages: new EncodedRows(read.messages),
        truncated: read.older !== undefined,
        next_cursor: read.older === undefined
          ? undefined
          : mintCursor(scope, [read.older]),
        reached_oldest: read.reachedOldest,
        coverage: page.rows.coverage(),
        ...page.rows.counts(),
      },
    };
  },
});

/** What a page is made from. */
interface Page {
  readonly log: MessageLogView;
  readonly limit: number;
  readonly pace: Pace;
  readonly rows: MessageRows;
}

interface PageRead {
  /** The rows' JSON in the order they are returned. */
  readonly messages: readonly string[];
  /** The sequence number below which the older rows are; absent if none are. */
  readonly older: number | undefined;
  readonly reachedOldest: boolean;
}

async function readBefore(page: Page, before: number): Promise<PageRead> {
  let covered = before;
  for (const row of page.log.before(before, page.limit).reverse()) {
    if (page.pace.isDue) await page.pace.rest();
    if (!page.rows.offer(row)) break;
    covered = row.seq;
  }
  const hasOlder = page.log.before(covered, 1).length > 0;
  return {
    messages: page.rows.rows.toReversed(),
    older: hasOlder ? covered : undefined,
    reachedOldest: !hasOlder,
  };
}

async function readAround(page: Page, id: string): Promise<PageRead> {
  const { log, limit, rows, pace } = page;
  const anchor = log.byId(id);
  if (anchor === undefined) {
    return { messages: [], older: undefined, reachedOldest: false };
  }
  const olderCount = Math.floor(limit / 2);
  const window = log.around(anchor, olderCount, limit - olderCount - 1);
  const at = window.indexOf(anchor);
  // Places in the window of the rows taken, in the order of `rows.rows`.
  const places: number[] = [];
  let oldest = at;
  for (const place of fromNearest(at, window.length)) {
    if (pace.isDue) await pace.rest();
    const row = window[place];
    const taken = rows.rows.length;
    if (row === undefined || !rows.offer(row)) break;
    if (rows.rows.length > taken) places.push(place);
    oldest = Math.min(oldest, place);
  }
  const older = await seqAboveOlder(page, window[oldest] ?? anchor);
  return {
    messages: inPlaceOrder(rows.rows, places),
    older,
    reachedOldest: older === undefined,
  };
}

/** Places by their distance from `at`; of two as far, the newer comes first. */
function* fromNearest(at: number, length: number): Generator<number> {
  yield at;
  for (let distance = 1; distance < length; distance++) {
    if (at + distance < length) yield at + distance;
    if (at - distance >= 0) yield at - distance;
  }
}

function inPlaceOrder(
  rows: readonly string[],
  places: readonly number[],
): string[] {
  return rows.map((json, index) => ({ json, place: places[index] ?? 0 }))
    .sort((a, b) => a.place - b.place)
    .map(({ json }) => json);
}

/** Rows looked at in one step back through display order. */
const STEP_ROWS = 1024;

/**
 * The lowest sequence number above every row that is older than `row` in
 * display order, undefined when there is none. A page below it has all of them,
 * those too that arrived late.
 */
async function seqAboveOlder(
  { log, pace }: Page,
  row: Message,
): Promise<number | undefined> {
  let newest: number | undefined;
  for (let from = row;;) {
    const [first, ...rest] = log.around(from, STEP_ROWS, 0);
    if (first === undefined || first === from) return newest;
    for (const { seq } of [first, ...rest.slice(0, -1)]) {
      newest = Math.max(newest ?? 0, seq + 1);
    }
    from = first;
    if (pace.isDue) await pace.rest();
  }
}
