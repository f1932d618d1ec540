/**
 * Texts like those of a busy channel, the same in every run: a fixed seed, a
 * vocabulary of which one word in forty is not ASCII, links now and then, and
 * a needle in one line of a hundred.
 *
 * @module
 */

import { FakeEngine } from "../tests/tools/fake_engine.ts";

/** In one line of a hundred, in this case. */
export const NEEDLE = "Rollback finished";

const WORDS =
  ("the build failed again on main please restart worker seven after deploy " +
    "who has the keys for staging it works here naïve idea thanks will look " +
    "https://example.org/t/4711?x=1 merged reverted flaky test timeout in ci " +
    "Привет strasse deploy done ok lgtm ship it tomorrow maybe")
    .split(" ");
const NICKS = ["alice", "bob", "carol", "dave", "erin", "[afk]frank"];

function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 2 ** 32 * below);
  };
}

/** `count` lines. */
export function lines(count: number): string[] {
  const random = randomNumbers(4711);
  return Array.from({ length: count }, (_, i) => {
    const words = Array.from(
      { length: 3 + random(14) },
      () => WORDS[random(WORDS.length)],
    );
    if (i % 100 === 50) words.splice(random(words.length), 0, NEEDLE);
    return words.join(" ");
  });
}

/** An engine whose buffers hold the lines, 10,000 each. */
export function engineOf(texts: readonly string[]): FakeEngine {
  const engine = new FakeEngine();
  const session = engine.start("bench");
  for (let from = 0; from < texts.length; from += 10_000) {
    const buffer = session.open("channel", `#${from}`);
    for (const [i, text] of texts.slice(from, from + 10_000).entries()) {
      buffer.add({ text, from: NICKS[i % NICKS.length] ?? "" });
    }
  }
  return engine;
}
