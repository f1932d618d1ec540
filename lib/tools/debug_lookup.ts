/**
 * What the debug tools have in common before they read a ring: the session's
 * tap with what a cursor on it is bound to, and the place a reading starts at.
 *
 * Spec: "Debug tools", "Cursors".
 *
 * @module
 */

import type { DebugView } from "../debug/capture.ts";
import type { RawTapView } from "../debug/raw_tap.ts";
import type { SeqRingView } from "../debug/seq_ring.ts";
import type { SessionView } from "../engine/reader.ts";
import { type CursorScope, lifeOf, readSeqCursor } from "./cursor.ts";
import { failure } from "./failures.ts";
import { findSession } from "./lookup.ts";
import type { ToolContext } from "./tool.ts";

/** What debug tools read. Throws `debug tools are disabled` without it. */
export function findDebug({ debug }: Pick<ToolContext, "debug">): DebugView {
  if (debug === undefined) throw failure("debugDisabled");
  return debug;
}

/** A session's tap. Throws `unknown session`. */
export function findTap(
  context: ToolContext,
  sessionId: string,
): {
  readonly session: SessionView;
  readonly tap: RawTapView;
  /** A session started again has a new tap, which old cursors do not fit. */
  readonly binding: readonly string[];
} {
  const session = findSession(context.reader, sessionId);
  const tap = findDebug(context).tap(session.id);
  if (tap === undefined) throw failure("unknownSession");
  return { session, tap, binding: [session.id, lifeOf(tap)] };
}

/**
 * Where a reading of `ring` starts: after the cursor, or before the oldest
 * entry held; and whether entries between were dropped for room. Throws
 * `invalid cursor`.
 */
export function startOf(
  ring: SeqRingView<unknown>,
  scope: CursorScope,
  cursor: string | undefined,
): { readonly after: number; readonly evicted: boolean } {
  if (cursor === undefined) {
    return { after: ring.newestSeq - ring.size, evicted: false };
  }
  const after = readSeqCursor(scope, cursor);
  return { after, evicted: ring.evictedThrough > after };
}
