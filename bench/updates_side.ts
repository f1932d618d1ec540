/**
 * The live-updates row's process: one engine on a feeder takes the same lines
 * in turns, without a subscription and with sixteen on the channel it fills.
 * Prints JSON: the medians, and the median of the ratios within a round.
 *
 *     updates_side.ts PORT ROUNDS LINES
 *
 * @module
 */

import { systemClock } from "../lib/clock.ts";
import { LogWriter } from "../lib/log.ts";
import { lineEvents } from "../lib/tools/line_events.ts";
import { messageEvent } from "../lib/tools/message_events.ts";
import type { Filters } from "../lib/updates/filters.ts";
import { MAX_SUBSCRIPTIONS } from "../lib/updates/limits.ts";
import { LiveUpdates } from "../lib/updates/live_updates.ts";
import { pairedRatio } from "./row.ts";
import { makeEngine, Taker } from "./taker.ts";

export interface UpdatesFigures {
  readonly ratio: number;
  readonly ours: number;
  readonly theirs: number;
}

/** What agents ask for, in turns: a nick, a text, a sender, everything. */
const FILTERS: readonly Filters[] = [
  { mentions: true },
  { match: "deploy" },
  { from: ["nobody"] },
  { kinds: ["privmsg"] },
];

async function measure(
  port: number,
  rounds: number,
  lines: number,
): Promise<UpdatesFigures> {
  const log = new LogWriter(() => Date.now());
  const engine = makeEngine(log);
  const updates = new LiveUpdates({
    reader: engine,
    clock: systemClock,
    log,
    messageEvent,
    lineEvents,
  });
  const taker = new Taker(engine, port);
  await taker.joined();
  const plain = () => {
    updates.clear();
    return taker.take(lines);
  };
  const subscribed = () => {
    for (let i = 0; i < MAX_SUBSCRIPTIONS; i++) {
      updates.subscriptions.add(FILTERS[i % FILTERS.length] ?? {});
    }
    return taker.take(lines);
  };
  // The first rounds are for the compiler and to fill the buffer.
  for (let warm = 0; warm < 2; warm++) {
    await plain();
    await subscribed();
  }
  return await pairedRatio(rounds, async () => {
    updates.clear();
    return await subscribed();
  }, plain);
}

if (import.meta.main) {
  const [port, rounds, lines] = Deno.args.map(Number);
  const figures = await measure(port ?? 0, rounds ?? 1, lines ?? 1);
  Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(figures)));
  Deno.exit(0);
}
