/**
 * The rows that one call of `search_messages` looks at: each buffer's newest
 * 10,000, copied in search order until 100,000 are, from where a cursor says on.
 * Copies are made before the search begins, so that what arrives meanwhile
 * moves nothing.
 *
 * A cursor keeps the lowest row of the window it was cut in: the window of a
 * walk does not slide down as messages arrive between its pages.
 *
 * Spec: "search_messages" (the window, the row bound, "Paging").
 *
 * @module
 */

import type { Message } from "../buffers/message.ts";
import { type CursorScope, lifeOf, mintCursor, readCursor } from "./cursor.ts";
import { failure } from "./failures.ts";
import type { Pace } from "./pace.ts";
import type { Place } from "./search_query.ts";

/** Newest messages of a buffer that are searched (spec). */
export const WINDOW_ROWS = 10_000;
/** Messages that one call copies, over all buffers (spec). */
export const MAX_COPIED_ROWS = 100_000;

/** A search cursor at its longest. */
export const SEARCH_CURSOR_SAMPLE = "x".repeat(256);

/** A buffer's rows to search, ascending. */
export interface Window {
  readonly place: Place;
  readonly rows: readonly Message[];
  /** The lowest `seq` searched. */
  readonly floor: number;
  /** Whether the buffer holds older rows than are searched. */
  readonly isTruncated: boolean;
}

/** Where a walk goes on. */
export interface WalkPoint {
  readonly place: Place;
  /** Rows below this are left; absent for the whole window. */
  readonly below?: number;
  readonly floor?: number;
}

/** The cursor that continues at `point`. */
export function mintSearchCursor(scope: CursorScope, point: WalkPoint): string {
  const { id, messages } = point.place.buffer;
  return mintCursor(scope, [
    id,
    lifeOf(messages),
    point.below ?? -1,
    point.floor ?? -1,
  ]);
}

/**
 * The point of a cursor among `places`. Throws `invalid cursor`, also when its
 * buffer is listed no more or has been opened anew.
 */
export function readSearchCursor(
  scope: CursorScope,
  cursor: string,
  places: readonly Place[],
): WalkPoint {
  const [id, life, below, floor] = readCursor(scope, cursor);
  const place = places.find(({ buffer }) => buffer.id === id);
  if (place === undefined || lifeOf(place.buffer.messages) !== life) {
    throw failure("invalidCursor");
  }
  if (Number(below) < 0) return { place };
  return { place, below: Number(below), floor: Number(floor) };
}

/**
 * Copies the windows of `places` from `start` on. `next` is the first place not
 * copied, when the row bound was spent before it.
 */
export async function copyWindows(
  places: readonly Place[],
  start: WalkPoint | undefined,
  pace: Pace,
): Promise<{ windows: Window[]; next: Place | undefined }> {
  const windows: Window[] = [];
  let left = MAX_COPIED_ROWS;
  const first = start === undefined ? 0 : places.indexOf(start.place);
  for (const [i, place] of places.slice(first).entries()) {
    if (left === 0) return { windows, next: place };
    if (pace.isDue) await pace.rest();
    const window = copyWindow(i === 0 && start ? start : { place }, left);
    left -= window.rows.length;
    windows.push(window);
  }
  return { windows, next: undefined };
}

function copyWindow(point: WalkPoint, left: number): Window {
  const log = point.place.buffer.messages;
  const below = point.below ?? log.newestSeq + 1;
  const newest = log.before(below, Math.min(WINDOW_ROWS, left));
  const rows = point.floor === undefined
    ? newest
    : newest.filter(({ seq }) => seq >= (point.floor ?? 0));
  const floor = point.floor ?? rows[0]?.seq ?? 0;
  return {
    place: point.place,
    rows,
    floor,
    isTruncated: (log.oldestSeq ?? floor) < floor,
  };
}
