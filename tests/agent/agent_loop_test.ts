import assert from "node:assert/strict";
import { runAgent } from "../../lib/agent/agent.ts";
import type { Envelope } from "../../lib/envelope/envelope.ts";
import type { Heard, HearRequest } from "../../lib/operator/agent_door.ts";

const HEARD: Heard = {
  cursor: "c1",
  nick: "codex-7",
  presence: "p1",
  now: 1_000,
  isGap: false,
  envelopes: [],
};

/** Runs a worker over these answers; after the last one it is stopped. */
async function runOver(answers: (Partial<Heard> | undefined)[]) {
  const asked: Omit<HearRequest, "channel" | "session">[] = [];
  const said: Envelope[] = [];
  const logged: string[] = [];
  const stop = new AbortController();
  const unsaid = await runAgent({
    role: "worker",
    commands: new Map(),
    maxParallel: 1,
    timeoutMs: 1_000,
  }, {
    door: {
      hear: (request) => {
        asked.push(request);
        if (answers.length === 0) {
          stop.abort();
          return Promise.resolve(undefined);
        }
        const answer = answers.shift();
        return Promise.resolve(answer && { ...HEARD, ...answer });
      },
      send: (envelope) => {
        said.push(envelope);
        return Promise.resolve({ kind: "sent", envelope });
      },
    },
    stop: stop.signal,
    kill: new AbortController().signal,
    log: (text) => logged.push(text),
  });
  return {
    asked,
    said: said.map(({ type, from }) => `${type} ${from}`),
    logged,
    unsaid,
  };
}

Deno.test("runAgent() says hello at each join and after a gap, and bye at its end [ENV-025 ENV-027]", async () => {
  // Guards that who hands out tasks learns when some may have been missed.
  const { asked, said, logged, unsaid } = await runOver([
    { presence: "" },
    { cursor: "c2" },
    { cursor: "c3" },
    undefined,
    { cursor: "c4", nick: "codex-8", presence: "p2" },
    { cursor: "c5", nick: "codex-8", presence: "p2", isGap: true },
  ]);
  assert.deepEqual(said, [
    "agent.hello codex-7",
    "agent.hello codex-8",
    "agent.hello codex-8",
    "agent.bye codex-8",
  ]);
  assert.deepEqual(
    asked.slice(0, 7).map(({ cursor, presence }) => [cursor, presence]),
    [
      [undefined, ""],
      ["c1", ""],
      ["c2", "p1"],
      ["c3", "p1"],
      ["c3", "p1"],
      ["c4", "p2"],
      ["c5", "p2"],
    ],
  );
  assert.ok(logged.includes("messages may have been missed"));
  assert.equal(unsaid, 0);
});

Deno.test("runAgent() says neither where it never came to be", async () => {
  // Guards against a bye of somebody who was not there.
  const { said, unsaid } = await runOver([{ presence: "" }]);
  assert.deepEqual([said, unsaid], [[], 0]);
});
