/**
 * From the arguments of `subscribe` to normalised filters, or the first thing
 * that is wrong with them: entry counts first, then entry lengths, then each
 * entry's meaning, so that an over-long id is told as long and not as unknown.
 *
 * Spec: "subscribe", "What a subscription matches", the `invalid arguments`
 * details.
 *
 * @module
 */

import { LOG_CATEGORIES, LOG_LEVELS } from "../log.ts";
import { upperCase } from "../redact/wire_words.ts";
import {
  type Filters,
  type LogFilter,
  type RawFilter,
  SUBSCRIBABLE_KINDS,
} from "../updates/filters.ts";
import {
  badArguments,
  entryTooLong,
  failure,
  tooManyEntries,
  unknownCategory,
  unknownKind,
  unknownLevel,
} from "./failures.ts";
import { canonicalId, isWellFormedId } from "./lookup.ts";
import type { ArgumentsOf } from "./parameters.ts";
import { utf8Length } from "./result.ts";
import type { SUBSCRIBE_PARAMETERS } from "./subscribe.ts";

/** Entries of one list filter, counted as sent (spec). */
const MAX_ENTRIES = 50;

/** UTF-8 bytes of `match` (spec). */
const MAX_MATCH_BYTES = 256;

/** Arguments of `subscribe` after the type checks. */
export type SubscribeArguments = ArgumentsOf<typeof SUBSCRIBE_PARAMETERS>;

/** The filters asked for. Throws a ToolFailure; see the module doc. */
export function normaliseFilters(args: SubscribeArguments): Filters {
  checkBounds(args);
  const { match, match_mode } = args;
  if (match !== undefined && utf8Length(match) > MAX_MATCH_BYTES) {
    throw badArguments("matchTooLong");
  }
  if (match_mode !== "substring" && match_mode !== "glob") {
    throw badArguments("badMatchMode");
  }
  const unknown = args.kinds?.find((kind) => !SUBSCRIBABLE.has(kind));
  if (unknown !== undefined) throw unknownKind(unknown);
  const filters: Filters = {
    ...listed("sessions", args.sessions?.map(sessionId)),
    ...listed("buffers", args.buffers?.map(bufferId)),
    ...(args.mentions && { mentions: true }),
    ...(args.queries && { queries: true }),
    ...listed("from", nonEmpty(args.from)?.map((nick) => nick.toLowerCase())),
    ...listed("kinds", args.kinds),
    ...(match !== undefined && match !== "" && { match }),
    ...(args.raw && { raw: rawFilter(args.raw) }),
    ...(args.log && { log: logFilter(args.log) }),
  };
  if (Object.keys(filters).length === 0) throw badArguments("noFilter");
  return match_mode === "glob" ? { ...filters, match_mode } : filters;
}

const SUBSCRIBABLE: ReadonlySet<string> = new Set(SUBSCRIBABLE_KINDS);
const LEVELS: ReadonlySet<string> = new Set(LOG_LEVELS);
const CATEGORIES: ReadonlySet<string> = new Set(LOG_CATEGORIES);

function checkBounds(args: SubscribeArguments): void {
  const lists = [
    ["sessions", args.sessions, 64],
    ["buffers", args.buffers, 64],
    ["from", args.from, 64],
    ["raw.sessions", args.raw?.sessions, 64],
    ["commands", args.raw?.commands, 32],
    ["categories", args.log?.categories, 64],
  ] as const;
  for (const [name, entries] of lists) {
    if ((entries?.length ?? 0) > MAX_ENTRIES) throw tooManyEntries(name);
  }
  for (const [name, entries, maxBytes] of lists) {
    if (entries?.some((entry) => utf8Length(entry) > maxBytes)) {
      throw entryTooLong(name, maxBytes);
    }
  }
}

function rawFilter(raw: NonNullable<SubscribeArguments["raw"]>): RawFilter {
  const { direction } = raw;
  const sessions = raw.sessions?.map(sessionId);
  if (direction !== undefined && direction !== "in" && direction !== "out") {
    throw failure("invalidDirection");
  }
  return {
    ...listed("sessions", sessions),
    ...listed("commands", nonEmpty(raw.commands)?.map(upperCase)),
    ...(direction !== undefined && { direction }),
  };
}

function logFilter(log: NonNullable<SubscribeArguments["log"]>): LogFilter {
  const { min_level } = log;
  if (!LEVELS.has(min_level)) throw unknownLevel(min_level);
  const unknown = log.categories?.find((entry) => !CATEGORIES.has(entry));
  if (unknown !== undefined) throw unknownCategory(unknown);
  return {
    ...(min_level !== "warning" && { min_level }),
    ...listed("categories", log.categories),
  };
}

function sessionId(id: string): string {
  if (!isWellFormedId(id)) throw failure("unknownSession");
  return canonicalId(id);
}

function bufferId(id: string): string {
  if (!isWellFormedId(id)) throw failure("unknownBuffer");
  return canonicalId(id);
}

function nonEmpty(entries: readonly string[] | undefined) {
  return entries?.filter((entry) => entry !== "");
}

/** `{ [name]: entries }`, deduplicated and sorted; nothing for an empty list. */
function listed<K extends string>(
  name: K,
  entries: readonly string[] | undefined,
): { readonly [P in K]?: readonly string[] } {
  if (entries === undefined || entries.length === 0) return {};
  const sorted = [...new Set(entries)].sort();
  const filter: { [P in K]?: readonly string[] } = {};
  filter[name] = sorted;
  return filter;
}
