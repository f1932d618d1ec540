/**
 * How long the read tools hold the event loop at a stretch, on buffers far
 * larger than the default: a timer that should fire every millisecond tells.
 *
 * @module
 */

import { systemClock } from "../lib/clock.ts";
import { LogWriter } from "../lib/log.ts";
import { Dispatcher } from "../lib/tools/dispatcher.ts";
import { oneChannel } from "../tests/tools/fake_engine.ts";

const ROWS = 1_000_000;
const MEMBERS = 100_000;

/** The longest stretch in milliseconds, by call. */
export async function measureHolds(
  { rows = ROWS, members = MEMBERS, rounds = 5 } = {},
): Promise<Map<string, number>> {
  const { engine, buffer } = oneChannel(rows);
  for (let i = 0; i < rows; i++) buffer.add({ id: `m${i}`, text: "hello" });
  for (let i = 0; i < members; i++) {
    const nick = `n${(i * 7919) % members}`;
    buffer.list.push({ nick, modes: "", away: false });
  }
  const dispatcher = new Dispatcher({
    reader: engine,
    switches: () => ({ debug: false, send: false }),
    clock: systemClock,
    log: new LogWriter(() => Date.now()),
  });
  const id = buffer.id;
  const calls: [string, Record<string, unknown>][] = [
    ["read_since", { buffer: id, limit: 500 }],
    ["read_messages", { buffer: id, limit: 500 }],
    ["read_messages", { buffer: id, limit: 500, around: `m${rows - 300}` }],
    ["list_members", { buffer: id, limit: 2000 }],
  ];
  const holds = new Map<string, number>();
  for (const [name, args] of calls) {
    const key = "around" in args ? `${name} around` : name;
    const longest: number[] = [];
    for (let round = 0; round < rounds; round++) {
      longest.push(
        await longestHold(() =>
          dispatcher.call({
            name,
            arguments: args,
            signal: new AbortController().signal,
          })
        ),
      );
    }
    // The first rounds also compile; the best shows what the code needs.
    holds.set(key, Math.min(...longest));
  }
  return holds;
}

async function longestHold(run: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }, 1);
  // Let the timer get going before the work starts.
  await new Promise((resolve) => setTimeout(resolve, 5));
  last = performance.now();
  longest = 0;
  await run();
  await new Promise((resolve) => setTimeout(resolve, 2));
  clearInterval(timer);
  return longest;
}

if (import.meta.main) {
  for (const [name, ms] of await measureHolds()) {
    const line = `${name}: longest hold ${ms.toFixed(1)} ms\n`;
    Deno.stdout.writeSync(new TextEncoder().encode(line));
  }
}
