/**
 * The capture rows' process: two engines on one feeder, one of which feeds a
 * debug capture. They take the same lines in turns, many times, the capture off
 * and on, so that what disturbs the machine disturbs all three alike. Prints
 * JSON: the medians, and the medians of the ratios within a round.
 *
 *     capture_side.ts PORT ROUNDS LINES
 *
 * @module
 */

import { systemClock } from "../lib/clock.ts";
import { createCapture, feedCapture } from "../lib/debug/live_capture.ts";
import type { Engine } from "../lib/engine/engine.ts";
import { LogWriter } from "../lib/log.ts";
import { median } from "./row.ts";
import { makeEngine, Taker } from "./taker.ts";

const SIDES = ["none", "off", "on"] as const;
type Rates = Record<typeof SIDES[number], number>;

export interface CaptureFigures {
  readonly linesPerSecond: Rates;
  readonly onVsOff: number;
  readonly offVsNone: number;
}

const ORDERS: readonly (readonly (keyof Rates)[])[] = [
  ["none", "off", "on"],
  ["on", "off", "none"],
  ["off", "on", "none"],
  ["none", "on", "off"],
  ["on", "none", "off"],
  ["off", "none", "on"],
];

async function measure(
  port: number,
  rounds: number,
  lines: number,
): Promise<CaptureFigures> {
  const log = new LogWriter(() => Date.now());
  const capture = createCapture({ clock: systemClock, engine: () => fed });
  const fed: Engine = makeEngine(log, capture);
  feedCapture(capture, { engine: fed, log });
  const plain = new Taker(makeEngine(new LogWriter(() => Date.now())), port);
  const captured = new Taker(fed, port);
  await Promise.all([plain.joined(), captured.joined()]);
  const all: Rates[] = [];
  for (let round = -2; round < rounds; round++) {
    const rates: Rates = { none: 0, off: 0, on: 0 };
    // Every order equally often: a side pays for the garbage of the one before.
    for (const side of ORDERS[(round + 2) % ORDERS.length] ?? SIDES) {
      capture.switchTo(side === "on");
      rates[side] = await (side === "none" ? plain : captured).take(lines);
    }
    // The first two are for the compiler.
    if (round >= 0) all.push(rates);
  }
  const middle = (of: (rates: Rates) => number) => median(all.map(of));
  return {
    linesPerSecond: {
      none: middle(({ none }) => none),
      off: middle(({ off }) => off),
      on: middle(({ on }) => on),
    },
    onVsOff: middle(({ on, off }) => on / off),
    offVsNone: middle(({ off, none }) => off / none),
  };
}

if (import.meta.main) {
  const [port, rounds, lines] = Deno.args.map(Number);
  const figures = await measure(port ?? 0, rounds ?? 1, lines ?? 1);
  Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(figures)));
  Deno.exit(0);
}
