/**
 * One read of inboxes: subscriptions enter, the contract's `updates` list
 * leaves, and what it reported is taken out unless the read only peeks. A page
 * never passes its budget; what does not fit stays for the next read.
 *
 * Spec: "read_updates".
 *
 * @module
 */

import type { BufferCounters, InboxEvent } from "./inbox.ts";
import { MAX_DIGEST_SENDERS } from "./limits.ts";
import type { Subscription } from "./subscriptions.ts";

/** How to read. */
export interface ReadOptions {
  readonly detail: "digest" | "full";
  readonly peek: boolean;
  /** Full mode: events for each subscription. */
  readonly limit: number;
  /** Bytes of JSON the whole result may take. */
  readonly budgetBytes: number;
  /** UTF-8 bytes of a value as the result encodes it. */
  readonly measure: (value: unknown) => number;
  /** A buffer's name, `""` when none is known. */
  readonly bufferName: (bufferId: string) => string;
}

/** One subscription's entry: its fields, and its events when it is a full one. */
export interface UpdateEntry {
  readonly fields: Readonly<Record<string, unknown>>;
  /** The event objects as JSON; undefined in a digest. */
  readonly events?: readonly string[];
}

/** The result of a read, before `timed_out`. */
export interface ReadPage {
  readonly updates: readonly UpdateEntry[];
  readonly truncated?: true;
  readonly untrusted: true;
}

/** What one subscription's entry says and which events it used up. */
interface Entry extends UpdateEntry {
  readonly bytes: number;
  /** Events it summarised, returned or stepped over, oldest first. */
  readonly consumed: number;
  /** Buffers whose counters it reported. */
  readonly reported: readonly string[];
}

/** Reads `subscriptions` in order; see the module doc. */
export function readPage(
  subscriptions: readonly Subscription[],
  options: ReadOptions,
): ReadPage {
  const frame = options.measure({
    timed_out: true,
    truncated: true,
    untrusted: true,
    updates: [],
  });
  const pageBytes = options.budgetBytes - frame;
  let left = pageBytes;
  const updates: UpdateEntry[] = [];
  let isCut = false;
  for (const subscription of subscriptions) {
    if (!hasReport(subscription)) continue;
    const room = { left: left - 1, page: pageBytes - 1 };
    const entry = options.detail === "full"
      ? fullEntry(subscription, options, room)
      : digestEntry(subscription, options, room);
    if (entry === undefined) {
      isCut = true;
      continue;
    }
    left = room.left - entry.bytes;
    const { fields, events } = entry;
    updates.push(events === undefined ? { fields } : { fields, events });
    if (!options.peek) remove(subscription, entry);
  }
  return { updates, untrusted: true, ...(isCut && { truncated: true }) };
}

/** Whether a read of this subscription has anything to say. */
export function hasReport(subscription: Subscription): boolean {
  const { inbox, stalled } = subscription;
  return inbox.events.length > 0 || inbox.hasCounts || stalled;
}

function remove(subscription: Subscription, entry: Entry): void {
  subscription.inbox.take(entry.consumed);
  subscription.inbox.clearCounters(entry.reported);
  subscription.inbox.clearLineCounters();
}

/** Bytes left on this page, and bytes an empty page would offer. */
interface Room {
  readonly left: number;
  readonly page: number;
}

function fullEntry(
  subscription: Subscription,
  options: ReadOptions,
  room: Room,
): Entry | undefined {
  const { inbox, id, stalled } = subscription;
  const lines = inbox.lines;
  let { withheld, evicted } = lines;
  let backfilled = 0;
  for (const counters of inbox.counters.values()) {
    backfilled += counters.backfilled;
    withheld += counters.withheld;
    evicted ||= counters.evicted;
  }
  const counts = {
    ...(lines.dropped > 0 && { dropped: lines.dropped }),
    ...(lines.suppressed > 0 && { suppressed: lines.suppressed }),
    ...(backfilled > 0 && { backfilled }),
    ...(evicted && { evicted }),
    ...(withheld > 0 && { withheld }),
    ...(stalled && { stalled }),
  };
  const frame = options.measure({
    subscription: id,
    events: [],
    truncated: false,
    skipped: inbox.events.length,
    ...counts,
  });
  if (frame > room.left) return undefined;
  const events: string[] = [];
  let bytes = frame;
  let consumed = 0;
  let skipped = 0;
  for (const event of inbox.events) {
    if (events.length === options.limit) break;
    if (frame + event.bytes > room.page) skipped++;
    else if (bytes + event.bytes + 1 > room.left) break;
    else {
      events.push(event.json);
      bytes += event.bytes + 1;
    }
    consumed++;
  }
  if (consumed === 0 && inbox.events.length > 0) return undefined;
  const isCut = consumed < inbox.events.length ||
    (options.peek && skipped > 0);
  const fields = {
    subscription: id,
    truncated: isCut,
    ...(skipped > 0 && { skipped }),
    ...counts,
  };
  const reported = [...inbox.counters.keys()];
  return { fields, events, bytes, consumed, reported };
}

// A digest is cut where its entry would pass the room: it then speaks of the
// oldest events only. Its size grows with what it speaks of, so the cut is
// found by halving.
function digestEntry(
  subscription: Subscription,
  options: ReadOptions,
  room: Room,
): Entry | undefined {
  const { inbox } = subscription;
  let skipped = 0;
  while (skipped < inbox.events.length) {
    const one = digestOf(subscription, options, {
      skipped,
      events: 1,
      more: 0,
    });
    if (one.bytes <= room.page) break;
    skipped++;
  }
  const events = inbox.events.length - skipped;
  const total = events + countedOnly(subscription, skipped, events).length;
  const entryOf = (items: number) =>
    digestOf(subscription, options, {
      skipped,
      events: Math.min(items, events),
      more: Math.max(0, items - events),
    });
  let fits = 0;
  let tooMany = total + 1;
  while (fits + 1 < tooMany) {
    const middle = (fits + tooMany) >>> 1;
    if (entryOf(middle).bytes <= room.left) fits = middle;
    else tooMany = middle;
  }
  const entry = entryOf(fits);
  if (entry.bytes > room.left) return undefined;
  return fits === 0 && total > 0 && skipped === 0 ? undefined : entry;
}

/** Which of an inbox's events and counters a digest speaks of. */
interface DigestCut {
  /** The oldest events stepped over. */
  readonly skipped: number;
  /** How many events after those are summarised. */
  readonly events: number;
  /** How many buffers that have counters and no event are named. */
  readonly more: number;
}

interface BufferDigest {
  buffer: string;
  name: string;
  new: number;
  mentions: number;
  from: string[];
  backfilled?: number;
  evicted?: true;
  withheld?: number;
}

function digestOf(
  subscription: Subscription,
  options: ReadOptions,
  cut: DigestCut,
): Entry {
  const { inbox, id, stalled } = subscription;
  const end = cut.skipped + cut.events;
  const summarised = inbox.events.slice(cut.skipped, end);
  const buffers = new Map<string, BufferDigest>();
  const open = (bufferId: string): BufferDigest => {
    const known = buffers.get(bufferId);
    if (known !== undefined) return known;
    const digest = newDigest(bufferId, options, inbox.counters.get(bufferId));
    buffers.set(bufferId, digest);
    return digest;
  };
  let raw = 0;
  let log = 0;
  for (const event of summarised) {
    const { subject } = event;
    if (subject.type === "raw") raw++;
    else if (subject.type === "log") log++;
    else addToDigest(open(subject.bufferId), event);
  }
  const more = countedOnly(subscription, cut.skipped, cut.events);
  for (const bufferId of more.slice(0, cut.more)) open(bufferId);
  const lines = inbox.lines;
  const isCut = end < inbox.events.length || cut.more < more.length ||
    (options.peek && cut.skipped > 0);
  const fields = {
    subscription: id,
    buffers: [...buffers.values()],
    ...(raw > 0 && { raw }),
    ...(log > 0 && { log }),
    ...(lines.dropped > 0 && { dropped: lines.dropped }),
    ...(lines.suppressed > 0 && { suppressed: lines.suppressed }),
    ...(lines.withheld > 0 && { withheld: lines.withheld }),
    ...(lines.evicted && { evicted: true }),
    ...(stalled && { stalled }),
    ...(isCut && { truncated: true }),
    ...(cut.skipped > 0 && { skipped: cut.skipped }),
  };
  return {
    fields,
    bytes: options.measure(fields),
    consumed: end,
    reported: [...buffers.keys()],
  };
}

// Buffers that have counters and none of the events summarised.
function countedOnly(
  subscription: Subscription,
  skipped: number,
  events: number,
): string[] {
  const { inbox } = subscription;
  const named = new Set<string>();
  for (const { subject } of inbox.events.slice(skipped, skipped + events)) {
    if (subject.type === "message") named.add(subject.bufferId);
  }
  return [...inbox.counters.keys()].filter((id) => !named.has(id));
}

function newDigest(
  bufferId: string,
  options: ReadOptions,
  counters: Readonly<BufferCounters> | undefined,
): BufferDigest {
  return {
    buffer: bufferId,
    name: options.bufferName(bufferId),
    new: 0,
    mentions: 0,
    from: [],
    ...(counters && counters.backfilled > 0 &&
      { backfilled: counters.backfilled }),
    ...(counters?.evicted && { evicted: true as const }),
    ...(counters && counters.withheld > 0 && { withheld: counters.withheld }),
  };
}

function addToDigest(digest: BufferDigest, event: InboxEvent): void {
  digest.new++;
  if (event.mentioned) digest.mentions++;
  if (digest.from.length >= MAX_DIGEST_SENDERS) return;
  const folded = event.from.toLowerCase();
  if (digest.from.some((nick) => nick.toLowerCase() === folded)) return;
  digest.from.push(event.from);
}
