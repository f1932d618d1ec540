/**
 * One pass over one debug ring for all who follow it: each line is read once,
 * screened once and encoded once at most. The pass ends past the line that
 * was the newest when it began, and lets the event loop go on between slices; what
 * it read stays read when it ends early.
 *
 * A line withheld for a secret is counted before its text meets a filter: a
 * count that changed with the filter would tell whether a part of the secret
 * matched.
 *
 * Spec: "Raw and log subscriptions".
 *
 * @module
 */

import type { Clock } from "../clock.ts";
import type { SeqRingView } from "../debug/seq_ring.ts";
import type { EncodedEvent } from "./inbox.ts";
import type { LineFollower, RingPlace } from "./line_follower.ts";
import { once } from "./once.ts";
import { LINES_PER_TURN, type Turn } from "./turn.ts";

/** Who follows a ring, and with what. */
export interface RingReader<T> {
  readonly follower: LineFollower;
  readonly place: RingPlace;
  /** Whether what is known of a line beside its text fits. */
  readonly covers: (line: T) => boolean;
  /** Whether its text fits. */
  readonly takes: (line: T) => boolean;
}

/** How the lines of a ring are judged and shown. */
export interface RingPassOptions<T> {
  readonly type: "raw" | "log";
  readonly readers: readonly RingReader<T>[];
  /** Asked for each slice: which lines must not leave; undefined: no reading. */
  readonly screen: () => ((line: T) => boolean) | undefined;
  readonly encode: (line: T) => EncodedEvent;
  /** Asked before each slice: whether the pass may go on. */
  readonly isValid: () => boolean;
  /** Whether someone still follows. */
  readonly isFollowing: (follower: LineFollower) => boolean;
  readonly stored: (follower: LineFollower) => void;
  readonly clock: Clock;
  readonly turn: Turn;
}

/** See the module doc. False when the ring could not be screened. */
export async function passRing<T extends { readonly seq: number }>(
  ring: SeqRingView<T>,
  options: RingPassOptions<T>,
): Promise<boolean> {
  const { readers, screen, turn, isValid } = options;
  const end = ring.newestSeq;
  let after = Math.min(...readers.map(({ place }) => place.through));
  while (after < end) {
    if (turn.isOver) await turn.rest();
    if (!isValid()) return true;
    const isWithheld = screen();
    if (isWithheld === undefined) return false;
    after = readSlice(ring, { ...options, isWithheld, after, end });
  }
  return true;
}

interface Slice<T> extends RingPassOptions<T> {
  readonly isWithheld: (line: T) => boolean;
  readonly after: number;
  readonly end: number;
}

/** Reads on from `after`, and gives how far it came. */
function readSlice<T extends { readonly seq: number }>(
  ring: SeqRingView<T>,
  slice: Slice<T>,
): number {
  const { readers, turn, after, end, isFollowing } = slice;
  const following = readers.filter(({ follower }) => isFollowing(follower));
  for (const { follower, place } of following) {
    if (ring.evictedThrough > place.through) {
      follower.subscription.inbox.lineCounters().evicted = true;
    }
  }
  const limit = Math.min(LINES_PER_TURN, end - after);
  const lines = following.length === 0 ? [] : ring.since(after, limit);
  // Numbers without a line were cleared: there is nothing there to read.
  let through = lines.length < limit ? end : lines.at(-1)?.seq ?? end;
  for (const line of lines) {
    offer(line, following, slice);
    turn.noteLine();
    if (turn.isOver) {
      through = line.seq;
      break;
    }
  }
  for (const { place } of following) {
    place.through = Math.max(place.through, through);
  }
  return through;
}

function offer<T extends { readonly seq: number }>(
  line: T,
  readers: readonly RingReader<T>[],
  options: Slice<T>,
): void {
  const isWithheld = once(() => options.isWithheld(line));
  const encode = once(() => options.encode(line));
  for (const { follower, place, covers, takes } of readers) {
    if (line.seq <= place.through) continue;
    // First, so that a line that fails is not offered again.
    place.through = line.seq;
    if (!covers(line)) continue;
    if (isWithheld()) {
      follower.subscription.inbox.lineCounters().withheld++;
    } else if (takes(line)) {
      const now = options.clock.monotonic();
      if (follower.store(options.type, encode, now)) options.stored(follower);
    }
  }
}
