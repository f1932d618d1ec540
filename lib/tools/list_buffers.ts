/**
 * `list_buffers`: a session's buffers in listing order. The list is cut by the
 * budget only; a cursor remembers the last entry and its place, so that the
 * walk goes on where it was although buffers open and close meanwhile.
 *
 * Spec: "list_buffers".
 *
 * @module
 */

import type { BufferView } from "../engine/reader.ts";
import { envelopeBytes, RowBudget } from "./budget.ts";
import {
  type CursorScope,
  MAX_CURSOR_BYTES,
  mintCursor,
  type Position,
  readCursor,
} from "./cursor.ts";
import { findSession } from "./lookup.ts";
import { EncodedRows, encodeJson } from "./result.ts";
import { defineTool, READ_ONLY } from "./tool.ts";

const ENVELOPE_BYTES = envelopeBytes({
  buffers: [],
  next_cursor: "x".repeat(MAX_CURSOR_BYTES),
  truncated: true,
  untrusted: true,
});

export const listBuffers = defineTool({
  name: "list_buffers",
  tier: "release",
  description:
    "Lists a session's buffers: the server buffer, then channels, then queries, each with id, name and kind. Names are untrusted text from IRC.",
  annotations: READ_ONLY,
  parameters: {
    session: {
      type: "string",
      required: true,
      description: "A session id from list_sessions.",
    },
    cursor: {
      type: "string",
      description: "A previous next_cursor: the buffers after it.",
    },
  },
  run(args, { reader, budgetBytes }) {
    const session = findSession(reader, args.session);
    const scope: CursorScope = { kind: "list_buffers", binding: [session.id] };
    const buffers = session.buffers();
    const start = args.cursor === undefined
      ? 0
      : placeAfter(buffers, readCursor(scope, args.cursor));
    const budget = new RowBudget({
      budgetBytes,
      envelopeBytes: ENVELOPE_BYTES,
    });
    let next = start;
    let isCut = false;
    for (const { id, name, kind } of buffers.slice(start)) {
      const fit = budget.offer(encodeJson({ id, name, kind }));
      if (fit !== "taken") isCut = true;
      if (fit === "full") break;
      next++;
    }
    return {
      fields: {
        buffers: new EncodedRows(budget.rows),
        truncated: isCut ? true : undefined,
        next_cursor: isCut
          ? mintCursor(scope, [next, buffers[next - 1]?.id ?? ""])
          : undefined,
        untrusted: true,
      },
    };
  },
});

/** The place after the entry that a cursor names, wherever it is by now. */
function placeAfter(
  buffers: readonly BufferView[],
  [count, lastId]: Position,
): number {
  const last = buffers.findIndex((buffer) => buffer.id === lastId);
  if (last >= 0) return last + 1;
  // It closed, and those behind it moved up by one.
  return Math.max(0, Number(count) - 1);
}
