/**
 * From the arguments of `search_messages` to what is searched for, where and
 * among which rows, or the first thing that is wrong with them. What is wrong
 * with an argument's form is told first (match, since, until, kinds), then a
 * regular expression, then an id that names nothing; the cursor comes last,
 * since what it must fit is all the others.
 *
 * Spec: "search_messages", "Tool results and tool errors".
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { Message, MessageKind } from "../buffers/message.ts";
import type { BufferView, Reader, SessionView } from "../engine/reader.ts";
import { foldCase } from "../search/casefold.ts";
import { compileIcu } from "../search/icu/mod.ts";
import { globMatcher, substringMatcher } from "../search/matchers.ts";
import {
  RegexRowSearch,
  type RowSearch,
  TextRowSearch,
} from "../search/row_search.ts";
import { badArguments, failure, unknownKind } from "./failures.ts";
import { parseIsoTime } from "./iso_time.ts";
import { findBuffer, findSession } from "./lookup.ts";
import { utf8Length } from "./result.ts";

/** Kinds that can be asked for: all but raw lines, which are never searched. */
const KINDS = {
  privmsg: true,
  notice: true,
  action: true,
  join: true,
  part: true,
  quit: true,
  kick: true,
  nick: true,
  topic: true,
  mode: true,
  invite: true,
  away: true,
  chghost: true,
  account: true,
  setname: true,
  ctcp: true,
  server: true,
  audit: true,
} as const satisfies Record<Exclude<MessageKind, "raw">, true>;

/** The longest regular expression, in UTF-8 bytes (spec). */
const MAX_REGEX_BYTES = 256;

/** The arguments that say what to search, checked for their types. */
export interface QueryArguments {
  readonly query: string;
  readonly match: string;
  readonly sessions: readonly string[] | undefined;
  readonly buffers: readonly string[] | undefined;
  readonly from: string | undefined;
  readonly kinds: readonly string[] | undefined;
  readonly since: string | undefined;
  readonly until: string | undefined;
  readonly context: number;
}

/** A buffer to search. */
export interface Place {
  readonly session: SessionView;
  readonly buffer: BufferView;
}

/** See the module doc. */
export interface SearchQuery {
  readonly search: RowSearch;
  readonly filter: RowFilter;
  /** The buffers to search, in search order. */
  readonly places: readonly Place[];
  /** What a cursor is bound to: the same for the same question. */
  readonly digest: string;
}

/** The query of `args`. Throws a ToolFailure; see the module doc. */
export function readQuery(args: QueryArguments, reader: Reader): SearchQuery {
  if (!isMatchMode(args.match)) throw badArguments("badMatch");
  const since = readTime(args.since, "badSince");
  const until = readTime(args.until, "badUntil");
  const unknown = args.kinds?.find((kind) => !Object.hasOwn(KINDS, kind));
  if (unknown !== undefined) throw unknownKind(unknown);
  const search = rowSearch(args.match, args.query);
  const sessions = listed(
    args.sessions?.map((id) => findSession(reader, id).id),
  );
  const buffers = listed(
    args.buffers?.map((id) => findBuffer(reader, id).buffer.id),
  );
  const kinds = listed(args.kinds);
  const from = args.from === undefined ? undefined : foldCase(args.from);
  return {
    search,
    filter: new RowFilter({ from, kinds, since, until }),
    places: placesOf(reader, sessions, buffers),
    digest: digestOf([
      args.query,
      args.match,
      sessions,
      buffers,
      from,
      kinds,
      since,
      until,
      args.context,
    ]),
  };
}

type MatchMode = "substring" | "glob" | "regex";

function isMatchMode(match: string): match is MatchMode {
  return match === "substring" || match === "glob" || match === "regex";
}

function readTime(
  text: string | undefined,
  detail: "badSince" | "badUntil",
): number | undefined {
  if (text === undefined) return undefined;
  const time = parseIsoTime(text);
  if (time === undefined) throw badArguments(detail);
  return time;
}

function rowSearch(match: MatchMode, query: string): RowSearch {
  switch (match) {
    case "substring":
      return new TextRowSearch(substringMatcher(query), query.length);
    case "glob":
      return new TextRowSearch(
        globMatcher(query),
        query.replaceAll("*", "").length,
      );
    case "regex": {
      if (utf8Length(query) > MAX_REGEX_BYTES) throw failure("patternTooLong");
      const program = compileIcu(query);
      if (program === undefined) throw failure("patternInvalid");
      return new RegexRowSearch(program);
    }
    default:
      return match satisfies never;
  }
}

/** Sorted, each once; an empty list asks for nothing and is none. */
function listed(entries: readonly string[] | undefined): string[] | undefined {
  if (entries === undefined || entries.length === 0) return undefined;
  return [...new Set(entries)].sort();
}

function placesOf(
  reader: Reader,
  sessions: readonly string[] | undefined,
  buffers: readonly string[] | undefined,
): Place[] {
  const isWanted = (wanted: ReadonlySet<string> | undefined, id: string) =>
    wanted === undefined || wanted.has(id);
  const wantedSessions = sessions && new Set(sessions);
  const wantedBuffers = buffers && new Set(buffers);
  const places: Place[] = [];
  for (const session of reader.sessions()) {
    if (!isWanted(wantedSessions, session.id)) continue;
    for (const buffer of session.buffers()) {
      if (isWanted(wantedBuffers, buffer.id)) places.push({ session, buffer });
    }
  }
  return places;
}

function digestOf(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}

/** Which rows a query is asked of. */
export class RowFilter {
  readonly #from: string | undefined;
  readonly #kinds: ReadonlySet<string> | undefined;
  readonly #since: number;
  readonly #until: number;

  constructor(options: {
    readonly from: string | undefined;
    readonly kinds: readonly string[] | undefined;
    readonly since: number | undefined;
    readonly until: number | undefined;
  }) {
    this.#from = options.from;
    this.#kinds = options.kinds && new Set(options.kinds);
    this.#since = options.since ?? -Infinity;
    this.#until = options.until ?? Infinity;
  }

  /** Whether the row is of a time and kind asked for. */
  covers(row: Message): boolean {
    if (this.#kinds !== undefined && !this.#kinds.has(row.kind)) return false;
    // Agents read times cut to the second: the row that they saw at that time
    // is not after it.
    return row.time >= this.#since &&
      Math.floor(row.time / 1000) * 1000 <= this.#until;
  }

  /** Whether the row is from the nick asked for. */
  isFrom(row: Message): boolean {
    return this.#from === undefined || foldCase(row.from) === this.#from;
  }
}
