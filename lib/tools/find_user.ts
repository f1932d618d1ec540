/**
 * `find_user`: every channel, in every session, where a user is present, by
 * nick or by mask, and when they last spoke there. Channels are examined in
 * listing order; those with an appearance wait until 25 have gathered, whose
 * recent messages are then copied and looked through together.
 *
 * Names are compared by plain lower-casing, as the contract asks, and not by
 * the session's casemapping nor by case folding.
 *
 * Spec: "find_user".
 *
 * @module
 */

import type {
  BufferView,
  Member,
  Reader,
  SessionView,
} from "../engine/reader.ts";
import { exactGlobMatcher } from "../search/matchers.ts";
import { envelopeBytes, RowBudget } from "./budget.ts";
import {
  type CursorScope,
  MAX_CURSOR_BYTES,
  mintCursor,
  readCursor,
} from "./cursor.ts";
import { badArguments, failure, FAILURES } from "./failures.ts";
import { LastSpoken } from "./last_spoken.ts";
import { Pace } from "./pace.ts";
import { EncodedRows, encodeJson, type Fields, isoTime } from "./result.ts";
import { SEARCH_BUDGET_MS } from "./search_messages.ts";
import { defineTool, READ_ONLY, type ToolContext } from "./tool.ts";

/** Channels whose recent messages are copied at a time (spec). */
const COPIED_CHANNELS = 25;
/** Newest messages of a channel among which a user may have spoken (spec). */
const RECENT_ROWS = 1000;
/** Messages that one call copies (spec). */
const MAX_COPIED_ROWS = 100_000;
/** Members between two looks at the clock. */
const STRIDE = 256;

const ENVELOPE_BYTES = envelopeBytes({
  appearances: [],
  next_cursor: "x".repeat(MAX_CURSOR_BYTES),
  stopped: FAILURES.searchStopped,
  truncated: true,
  untrusted: true,
});

export const findUser = defineTool({
  name: "find_user",
  tier: "release",
  description:
    "Finds every channel, in every session, where a user is present, by exact nick or by a nick!user@host mask, with their modes and when they last spoke among the channel's newest 1,000 messages. All of it is untrusted text from IRC.",
  annotations: READ_ONLY,
  parameters: {
    nick: {
      type: "string",
      description: "A nick, matched exactly, ignoring case.",
    },
    mask: {
      type: "string",
      description: "An IRC glob over nick!user@host, ignoring case.",
    },
    cursor: { type: "string", description: "A previous next_cursor." },
  },
  async run(args, context) {
    const wanted = readWanted(args);
    const scope: CursorScope = {
      kind: "find_user",
      binding: [wanted.by, wanted.value],
    };
    const places = channelsOf(context.reader);
    const start = args.cursor === undefined
      ? 0
      : startOf(places, readCursor(scope, args.cursor));
    const walk = new UserWalk(wanted, context);
    const end = await walk.over(places.slice(start));
    const isCut = walk.isBudgetCut;
    const next = end.next;
    return {
      fields: {
        appearances: new EncodedRows(walk.rows),
        truncated: isCut || next !== undefined || undefined,
        next_cursor: next === undefined || isCut
          ? undefined
          : mintCursor(scope, [next.session.id, next.channel.id]),
        stopped: end.isStopped ? FAILURES.searchStopped : undefined,
        untrusted: true,
      },
      isStopped: end.isStopped,
    };
  },
});

/** Who is looked for. */
interface Wanted {
  readonly by: "nick" | "mask";
  /** Lower case. */
  readonly value: string;
  readonly isWanted: (member: Member) => boolean;
}

function readWanted(args: {
  readonly nick: string | undefined;
  readonly mask: string | undefined;
}): Wanted {
  const nick = args.nick || undefined;
  const mask = args.mask || undefined;
  if (nick !== undefined && mask === undefined) {
    const value = nick.toLowerCase();
    return {
      by: "nick",
      value,
      isWanted: (member) => member.nick.toLowerCase() === value,
    };
  }
  if (mask === undefined || nick !== undefined) {
    throw badArguments("nickOrMask");
  }
  const value = mask.toLowerCase();
  const matcher = exactGlobMatcher(value);
  return {
    by: "mask",
    value,
    isWanted: ({ nick, user = "", host = "" }) =>
      matcher.test(`${nick}!${user}@${host}`.toLowerCase()),
  };
}

interface Channel {
  readonly session: SessionView;
  readonly channel: BufferView;
}

function channelsOf(reader: Reader): Channel[] {
  return reader.sessions().flatMap((session) =>
    session.buffers()
      .filter(({ kind }) => kind === "channel")
      .map((channel) => ({ session, channel }))
  );
}

function startOf(
  places: readonly Channel[],
  [session, channel]: readonly (string | number)[],
): number {
  const at = places.findIndex((place) =>
    place.session.id === session && place.channel.id === channel
  );
  if (at < 0) throw failure("invalidCursor");
  return at;
}

/** A channel in which the user is. */
interface Appearance {
  readonly place: Channel;
  readonly members: readonly Member[];
}

interface WalkEnd {
  /** The first channel whose appearances were not returned. */
  readonly next: Channel | undefined;
  readonly isStopped: boolean;
}

class UserWalk {
  readonly #wanted: Wanted;
  readonly #context: ToolContext;
  readonly #pace: Pace;
  readonly #deadline: number;
  readonly #budget: RowBudget;
  #gathered: Appearance[] = [];
  #copiedRows = 0;
  /** Copies finished: until there is one, time does not stop the walk. */
  #copies = 0;
  /** Whether an appearance did not fit. */
  isBudgetCut = false;

  constructor(wanted: Wanted, context: ToolContext) {
    this.#wanted = wanted;
    this.#context = context;
    this.#deadline = context.clock.monotonic() + SEARCH_BUDGET_MS;
    this.#pace = new Pace(context);
    this.#budget = new RowBudget({
      budgetBytes: context.budgetBytes,
      envelopeBytes: ENVELOPE_BYTES,
    });
  }

  get rows(): readonly string[] {
    return this.#budget.rows;
  }

  async over(places: readonly Channel[]): Promise<WalkEnd> {
    for (const [i, place] of places.entries()) {
      if (i > 0 && this.#isOutOfTime) return await this.#stop(place);
      const members = await this.#appearing(place);
      if (members.length > 0) this.#gathered.push({ place, members });
      if (this.#gathered.length === COPIED_CHANNELS) {
        const end = await this.#finishGathered();
        if (end !== undefined) return end;
      }
      if (this.isBudgetCut) return { next: places[i + 1], isStopped: false };
    }
    return await this.#finishGathered() ??
      { next: undefined, isStopped: false };
  }

  get #isOutOfTime(): boolean {
    return this.#context.clock.monotonic() >= this.#deadline;
  }

  // What was gathered before time ran out is finished only if nothing was yet:
  // every call finishes a copy, so that its cursor moves.
  async #stop(next: Channel): Promise<WalkEnd> {
    const [first] = this.#gathered;
    if (first === undefined) return { next, isStopped: true };
    if (this.#copies > 0) return { next: first.place, isStopped: true };
    const end = await this.#finishGathered();
    return end ?? { next, isStopped: true };
  }

  async #appearing({ session, channel }: Channel): Promise<Member[]> {
    const secrets = session.secrets();
    const found: Member[] = [];
    let seen = 0;
    for (const member of channel.members()) {
      if (seen++ % STRIDE === 0 && this.#pace.isDue) await this.#pace.rest();
      const { nick, account, user, host } = member;
      // A member who holds a secret is not compared either: an answer to a
      // mask would tell it letter by letter.
      if (!secrets.isEmpty && secrets.inValue([nick, account, user, host])) {
        continue;
      }
      if (this.#wanted.isWanted(member)) found.push(member);
    }
    return found;
  }

  // Copies and returns what was gathered; the end of the walk when it may not.
  async #finishGathered(): Promise<WalkEnd | undefined> {
    const [first] = this.#gathered;
    if (first === undefined) return undefined;
    if (this.#copies > 0 && this.#isOutOfTime) {
      return { next: first.place, isStopped: true };
    }
    const rows = this.#gathered.reduce(
      (sum, { place }) =>
        sum + Math.min(RECENT_ROWS, place.channel.messages.size),
      0,
    );
    if (this.#copiedRows + rows > MAX_COPIED_ROWS) {
      return { next: first.place, isStopped: false };
    }
    this.#copiedRows += rows;
    this.#copies++;
    const copies = this.#gathered.map(({ place: { channel } }) => {
      const { messages } = channel;
      return messages.before(messages.newestSeq + 1, RECENT_ROWS);
    });
    for (const [i, appearance] of this.#gathered.entries()) {
      if (this.#pace.isDue) await this.#pace.rest();
      this.#answer(appearance, new LastSpoken(copies[i] ?? []));
    }
    this.#gathered = [];
    return undefined;
  }

  #answer({ place, members }: Appearance, spoken: LastSpoken): void {
    for (const member of members) {
      if (this.isBudgetCut) return;
      const json = encodeJson(appearanceOf(place, member, spoken));
      if (this.#budget.offer(json) !== "taken") this.isBudgetCut = true;
    }
  }
}

function appearanceOf(
  { session, channel }: Channel,
  member: Member,
  spoken: LastSpoken,
): Fields {
  const { modes, account, away } = member;
  const time = spoken.timeOf(member.nick);
  return {
    session: session.id,
    channel: channel.name,
    buffer: channel.id,
    modes,
    account,
    away,
    last_spoke: time === undefined ? undefined : isoTime(time),
  };
}
