/**
 * What a search costs over 10,000 and 100,000 messages, in turns in one run: the
 * comparing of each message, sender and text, against a plain loop of
 * `String.includes` over the same, case told apart; and a whole call of `search_messages` that
 * counts, with its copies and rests, against grep on a file of them. And how
 * long a call holds the event loop, as a timer of one millisecond sees it.
 *
 * @module
 */

import type { Message } from "../lib/buffers/message.ts";
import { systemClock } from "../lib/clock.ts";
import { LogWriter } from "../lib/log.ts";
import { Dispatcher } from "../lib/tools/dispatcher.ts";
import { type QueryArguments, readQuery } from "../lib/tools/search_query.ts";
import type { FakeEngine } from "../tests/tools/fake_engine.ts";
import {
  type BenchRow,
  median,
  type Note,
  pairedRatio,
  Skipped,
} from "./row.ts";
import { engineOf, lines, NEEDLE } from "./search_texts.ts";

const ROUNDS = 15;
/** Rows searched before a figure is taken: enough for both to be compiled. */
const WARM_UP_ROWS = 500_000;

type Match = "substring" | "glob" | "regex";

/** The same question in each of the languages. */
const QUERIES: Readonly<Record<Match, string>> = {
  substring: NEEDLE.toUpperCase(),
  glob: `*${NEEDLE.toUpperCase().replace(" ", "?")}*`,
  regex: "\\bRoll\\w+ (finished|done)\\b",
};

/** What is searched, and by whom. */
class Rig {
  readonly texts: readonly string[];
  readonly #rows: readonly Message[];
  readonly #engine: FakeEngine;
  readonly #dispatcher: Dispatcher;

  constructor(count: number) {
    this.texts = lines(count);
    this.#engine = engineOf(this.texts);
    this.#rows = this.#engine.list.flatMap(({ list }) =>
      list.flatMap(({ messages }) => messages.since(0, count))
    );
    this.#dispatcher = new Dispatcher({
      reader: this.#engine,
      switches: () => ({ debug: false, send: false }),
      clock: systemClock,
      log: new LogWriter(() => Date.now()),
    });
  }

  /** Milliseconds of comparing every message; it must find each needle. */
  compare(query: string, match: Match, expected: number): Promise<number> {
    const { search } = readQuery(queryOf(query, match), this.#engine);
    const started = performance.now();
    let found = 0;
    for (const row of this.#rows) {
      let verdict = search.begin(row);
      while (verdict === "more") verdict = search.resume();
      if (verdict === "match") found++;
    }
    const ms = performance.now() - started;
    if (found !== expected) throw new Error(`found ${found} of ${expected}`);
    return Promise.resolve(ms);
  }

  /** Milliseconds of a call that counts; it must find each needle. */
  async search(query: string, match: Match, expected?: number) {
    const started = performance.now();
    const { text } = await this.#dispatcher.call({
      name: "search_messages",
      arguments: { query, match, count_only: true },
      signal: new AbortController().signal,
    });
    const ms = performance.now() - started;
    const { counts, stopped } = JSON.parse(text);
    const found = Object.values(counts as Record<string, number>)
      .reduce((sum, count) => sum + count, 0);
    if (expected !== undefined && found !== expected) {
      throw new Error(`found ${found} of ${expected}: ${stopped ?? text}`);
    }
    return ms;
  }

  /** Milliseconds until `list_sessions` answers. */
  async listSessions(): Promise<number> {
    const started = performance.now();
    await this.#dispatcher.call({
      name: "list_sessions",
      arguments: {},
      signal: new AbortController().signal,
    });
    return performance.now() - started;
  }

  /** Milliseconds of the plain loop. */
  loop(): Promise<number> {
    const started = performance.now();
    let found = 0;
    for (const { payload, from } of this.#rows) {
      if (payload.caseName !== "privmsg") continue;
      if (payload.text.includes(NEEDLE) || from.includes(NEEDLE)) found++;
    }
    const ms = performance.now() - started;
    if (found === 0) throw new Error("The loop found nothing");
    return Promise.resolve(ms);
  }
}

function queryOf(query: string, match: Match): QueryArguments {
  return {
    query,
    match,
    sessions: undefined,
    buffers: undefined,
    from: undefined,
    kinds: undefined,
    since: undefined,
    until: undefined,
    context: 0,
  };
}

const rigs = new Map<number, Rig>();

function rigOf(count: number): Rig {
  const rig = rigs.get(count) ?? new Rig(count);
  rigs.set(count, rig);
  return rig;
}

function vsIncludes(match: Match, count: number, least: number): BenchRow {
  return {
    name: `search_${match}_${count}_vs_includes_loop`,
    target: { op: ">=", number: least },
    async measure(note) {
      const rig = rigOf(count);
      const search = () => rig.compare(QUERIES[match], match, count / 100);
      for (let i = 0; i < WARM_UP_ROWS / count; i++) {
        await search();
        await rig.loop();
      }
      const { ratio, ours, theirs } = await pairedRatio(
        ROUNDS,
        () => rig.loop(),
        search,
      );
      note(`search ${theirs.toFixed(2)} ms, loop ${ours.toFixed(2)} ms`);
      return ratio;
    },
  };
}

function vsGrep(
  match: Match,
  count: number,
  args: readonly string[],
): BenchRow {
  return {
    name: `search_${match}_${count}_vs_grep_${args[0]?.slice(1)}`,
    target: { op: ">=", number: 0 },
    async measure(note) {
      const rig = rigOf(count);
      const file = await Deno.makeTempFile();
      try {
        await Deno.writeTextFile(file, rig.texts.join("\n") + "\n");
        const search = () => rig.search(QUERIES[match], match, count / 100);
        const { ratio, ours, theirs } = await pairedRatio(
          ROUNDS,
          () => grep([...args, file], count / 100),
          search,
        );
        note(`call ${theirs.toFixed(2)} ms, grep ${ours.toFixed(2)} ms`);
        return ratio;
      } finally {
        await Deno.remove(file);
      }
    },
  };
}

async function grep(args: readonly string[], expected: number) {
  const started = performance.now();
  const command = new Deno.Command("grep", { args: ["-c", ...args] });
  const output = await command.output().catch(() => undefined);
  const ms = performance.now() - started;
  if (output === undefined) throw new Skipped("no grep");
  const found = Number(new TextDecoder().decode(output.stdout));
  if (found !== expected) throw new Error(`grep found ${found}`);
  return ms;
}

/** Searches that a timer watches: each mode, and a pattern that never ends. */
const HELD: readonly (readonly [Match, string])[] = [
  ["substring", "nothing has this"],
  ["substring", "e"],
  ["glob", "*e*e*e*"],
  ["regex", "(?i)e.*E.*x$"],
  ["regex", "(\\w+ )+\\w+!"],
  ["regex", "(?=(\\w+\\s?)+:$)\\w"],
];

const longestHold: BenchRow = {
  name: "search_100000_longest_hold_ms",
  target: { op: "<=", number: 15 },
  async measure(note) {
    const rig = rigOf(100_000);
    let longest = 0;
    for (const [match, query] of HELD) {
      const holds: number[] = [];
      for (let round = 0; round < 5; round++) {
        holds.push(await holdOf(() => rig.search(query, match)));
      }
      note(`${match} ${query}: ${holds.map((ms) => ms.toFixed(1)).join(" ")}`);
      // The machine itself holds the loop now and then: the middle is ours.
      longest = Math.max(longest, median(holds));
    }
    return longest;
  },
};

async function holdOf(run: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }, 1);
  await new Promise((resolve) => setTimeout(resolve, 5));
  longest = 0;
  last = performance.now();
  await run();
  await new Promise((resolve) => setTimeout(resolve, 2));
  clearInterval(timer);
  return longest;
}

const answersMeanwhile: BenchRow = {
  name: "list_sessions_median_ms_during_four_catastrophic_searches",
  target: { op: "<=", number: 50 },
  async measure(note: Note) {
    const rig = rigOf(100_000);
    let isSearching = true;
    const searches = (async () => {
      for (let i = 0; i < 4; i++) {
        await rig.search("(?=(\\w+\\s?)+:$)\\w", "regex");
      }
      isSearching = false;
    })();
    const waits: number[] = [];
    while (isSearching) {
      waits.push(await rig.listSessions());
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await searches;
    note(`${waits.length} calls, longest ${Math.max(...waits).toFixed(1)} ms`);
    return median(waits);
  },
};

/** Every row of the search. */
export const SEARCH_ROWS: readonly BenchRow[] = [
  vsIncludes("substring", 10_000, 0.5),
  vsIncludes("substring", 100_000, 0.5),
  vsIncludes("glob", 10_000, 0.3),
  vsIncludes("glob", 100_000, 0.3),
  vsIncludes("regex", 10_000, 0.1),
  vsIncludes("regex", 100_000, 0.1),
  // -F compares bytes, -iF asks what the search asks.
  vsGrep("substring", 10_000, ["-F", NEEDLE]),
  vsGrep("substring", 100_000, ["-F", NEEDLE]),
  vsGrep("substring", 10_000, ["-iF", NEEDLE]),
  vsGrep("substring", 100_000, ["-iF", NEEDLE]),
  vsGrep("regex", 10_000, ["-E", QUERIES.regex]),
  vsGrep("regex", 100_000, ["-E", QUERIES.regex]),
  longestHold,
  answersMeanwhile,
];
