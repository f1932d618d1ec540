/**
 * SIGKILL at random moments while settings, token and sessions change.
 *
 * @module
 */

import assert from "node:assert/strict";
import { seededRandom } from "../tools/tool_calls.ts";
import { type FaultyHome, withFaultyHome } from "./faulty_home.ts";

/** A start takes most of a round: few here, many with KILL_ROUNDS. */
const ROUNDS = Number(Deno.env.get("KILL_ROUNDS") ?? 4);
const SEED = 20_260;
/** Well below the 64 that the settings may name. */
const MOST_SESSIONS = 30;
/** From when the changes begin; the last of a round is under way then. */
const LATEST_KILL_MS = 400;

/** What the service said was done, and what it was asked when it died. */
interface Promised {
  bufferLimit: number;
  askedBufferLimit: number;
  token: string;
  readonly oldTokens: Set<string>;
  readonly sessions: string[];
  readonly removed: string[];
  readonly secrets: Map<string, string>;
}

/** Makes changes until the service is gone. */
async function change(
  faulty: FaultyHome,
  promised: Promised,
  round: number,
): Promise<void> {
  const until = async (step: (count: number) => Promise<boolean>) => {
    for (let count = 0; await step(count); count++);
  };
  const done = async (...words: string[]) => {
    const reply = await faulty.ask(...words);
    if (reply.kind !== "answered") return undefined;
    assert.equal(reply.answer.exit, 0, reply.answer.err);
    return reply.answer.out;
  };
  await Promise.all([
    until(async (count) => {
      const limit = 1_000 + round * 1_000 + count;
      promised.askedBufferLimit = limit;
      const out = await done("set", "buffer_limit", `${limit}`);
      if (out === undefined) return false;
      promised.bufferLimit = limit;
      return true;
    }),
    until(async () => {
      const out = await done("control", "token", "regenerate");
      if (out === undefined) return false;
      promised.oldTokens.add(promised.token);
      promised.token = /Bearer ([\w-]{43})/.exec(out)?.[1] ?? "";
      return true;
    }),
    until(async (count) => {
      const name = `s${round}-${count}`;
      const flags = ["--host", "127.0.0.1", "--nick", "n", "--no-autoconnect"];
      const out = await done("session", "add", name, ...flags);
      if (out === undefined) return false;
      promised.sessions.push(name);
      if (promised.sessions.length > MOST_SESSIONS) {
        const oldest = promised.sessions.shift() ?? "";
        promised.secrets.delete(oldest);
        if (await done("session", "remove", oldest) === undefined) return false;
        promised.removed.push(oldest);
      }
      const secret = `secret of ${name}`;
      const words = ["session", "secret", name, "password"];
      const reply = await faulty.askWith(secret, ...words);
      if (reply.kind !== "answered") return false;
      assert.equal(reply.answer.exit, 0, reply.answer.err);
      promised.secrets.set(name, secret);
      return true;
    }),
  ]);
}

/** Whether something of each kind was acknowledged. */
function hasChanged({ oldTokens, secrets }: Promised): boolean {
  return oldTokens.size > 0 && secrets.size > 0;
}

async function hold(faulty: FaultyHome, promised: Promised): Promise<void> {
  const config = JSON.parse(
    await Deno.readTextFile(faulty.home.path("config.json")),
  );
  const { bufferLimit, askedBufferLimit } = promised;
  // None is in the file until one was set.
  const { buffer_limit: held = 0 } = config;
  assert.ok([bufferLimit, askedBufferLimit].includes(held), `${held}`);
  promised.bufferLimit = held;
  const names = config.sessions.map(({ name }: { name: string }) => name);
  assert.deepEqual(
    promised.sessions.filter((name) => !names.includes(name)),
    [],
  );
  assert.deepEqual(
    promised.removed.filter((name) => names.includes(name)),
    [],
  );
  const secretsFile = faulty.home.path("secrets.json");
  assert.equal(((await Deno.stat(secretsFile)).mode ?? 0) & 0o777, 0o600);
  const secrets = JSON.parse(await Deno.readTextFile(secretsFile));
  const values = Object.values(secrets).map((value) => atob(value as string));
  for (const secret of promised.secrets.values()) {
    assert.ok(values.includes(secret), secret);
  }
  assert.ok(!values.some((value) => promised.oldTokens.has(value)));
  assert.equal(values.filter((value) => /^[\w-]{43}$/.test(value)).length, 1);
}

Deno.test(`files are whole, and what was acknowledged is there, after ${ROUNDS} kills at random moments`, async () => {
  // Guards what a person was told is saved: no power cut or out-of-memory
  // killer may leave half a file, an old token, or a session forgotten.
  const random = seededRandom(SEED);
  await withFaultyHome(async (faulty) => {
    const promised: Promised = {
      bufferLimit: 0,
      askedBufferLimit: 0,
      token: (await faulty.address()).token,
      oldTokens: new Set(),
      sessions: [],
      removed: [],
      secrets: new Map(),
    };
    for (let round = 0; round < ROUNDS; round++) {
      const changing = change(faulty, promised, round);
      do {
        await new Promise((resolve) =>
          setTimeout(resolve, random(LATEST_KILL_MS))
        );
        // On a busy machine the first changes take their time.
      } while (round === ROUNDS - 1 && !hasChanged(promised));
      await faulty.killed();
      await changing;
      await hold(faulty, promised);
      await faulty.serveAgain();
      promised.token = (await faulty.address()).token;
    }
    assert.ok(hasChanged(promised));
    assert.equal(await faulty.stop(), 0);
  });
});
