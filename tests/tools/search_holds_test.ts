import assert from "node:assert/strict";
import { systemClock } from "../../lib/clock.ts";
import { oneChannel } from "./fake_engine.ts";
import { Caller, type Result } from "./tool_calls.ts";

/** Never ends on the text below; what fails depends on more than the place. */
const CATASTROPHIC = "(?=(\\w+\\s?)+:$)\\w";

/** The longest time between two turns of the event loop while `run` runs. */
async function longestHold(run: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }, 1);
  await run();
  clearInterval(timer);
  return longest;
}

Deno.test("search_messages() lets others in while a pattern never ends [SRCH-052, SRCH-054]", async () => {
  // Guards that one agent's pattern does not stop the service for all: four in
  // a row each end in their time, and other calls are answered meanwhile.
  const { engine, buffer } = oneChannel();
  buffer.fill(200, "word ".repeat(40));
  const caller = new Caller(engine, { clock: systemClock });
  let isSearching = true;
  const texts: Result[] = [];
  const waits: number[] = [];
  const hold = await longestHold(async () => {
    const searches = (async () => {
      for (let i = 0; i < 4; i++) {
        const text = await caller.fail("search_messages", {
          query: CATASTROPHIC,
          match: "regex",
        });
        texts.push(JSON.parse(text));
      }
      isSearching = false;
    })();
    while (isSearching) {
      const asked = performance.now();
      await caller.call("list_sessions");
      waits.push(performance.now() - asked);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await searches;
  });
  for (const { stopped, truncated } of texts) {
    assert.equal(stopped, "search stopped: time budget exceeded");
    assert.equal(truncated, true);
  }
  waits.sort((a, b) => a - b);
  assert.ok((waits[waits.length >> 1] ?? 0) < 250, "list_sessions waits");
  // The bench holds it to 15 ms; a test shares its machine.
  assert.ok(hold < 1_000, `the loop was held ${hold} ms`);
});

Deno.test("search_messages() rests while it goes through 100,000 messages [SRCH-044]", async () => {
  // Guards that a long search of any mode is cut into short stretches.
  const { engine, session } = oneChannel();
  for (let i = 0; i < 10; i++) {
    session.open("channel", `#${i}`).fill(
      10_000,
      `line ${i} of a busy channel`,
    );
  }
  const caller = new Caller(engine, { clock: systemClock });
  for (const match of ["substring", "glob", "regex"]) {
    const hold = await longestHold(() =>
      caller.answer("search_messages", { query: "nothing.*", match })
    );
    assert.ok(hold < 1_000, `${match} held the loop ${hold} ms`);
  }
});
