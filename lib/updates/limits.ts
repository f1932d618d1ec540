/**
 * The fixed limits of live updates, in one place.
 *
 * Spec: "Live updates", the table of limits.
 *
 * @module
 */

/** Subscriptions at once, across all clients. */
export const MAX_SUBSCRIPTIONS = 16;

/** Events one inbox holds; the oldest go first. */
export const MAX_INBOX_EVENTS = 500;

/** Bytes of events one inbox holds, as each encodes; the oldest go first. */
export const MAX_INBOX_BYTES = 262_144;

/** Milliseconds an event stays in an inbox. */
export const MAX_EVENT_AGE_MS = 3_600_000;

/** Seconds without a touch after which a subscription is removed. */
export const IDLE_EXPIRY_SECONDS = 900;

/** Milliseconds between sweeps for idle subscriptions. */
export const SWEEP_EVERY_MS = 60_000;

/** Milliseconds of rest between one batch of messages and the next. */
export const BATCH_PAUSE_MS = 20;

/** Changes kept apart for one session; past that a buffer's are merged. */
export const MAX_PENDING_CHANGES = 256;

/** `wait_for_updates` calls at once, across all clients. */
export const MAX_WAITING_CALLS = 2;

/** Distinct senders that a digest names for one buffer. */
export const MAX_DIGEST_SENDERS = 10;

/**
 * Buffers one subscription keeps counters for between two reads. Anyone on IRC
 * can open queries without end, so the oldest counters give way.
 */
export const MAX_COUNTED_BUFFERS = 1_000;

/** Milliseconds between one look at the debug rings and the next. */
export const LINE_POLL_MS = 1_000;

/** Raw and log events stored for one subscription in {@link LINE_WINDOW_MS}. */
export const MAX_LINES_PER_WINDOW = 200;

/** Milliseconds: a rolling minute. */
export const LINE_WINDOW_MS = 60_000;

/**
 * Sessions whose taps one subscription remembers its place in. More than
 * anyone runs; places of sessions that ended give way first.
 */
export const MAX_TAP_PLACES = 256;
