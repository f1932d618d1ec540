/**
 * `make soak`: the program as its users start it, under everything at once for
 * some minutes: a flood of numbered lines, readers, searches, waits, churning
 * subscriptions, reconnects and new tokens. Afterwards what the process holds
 * is compared with what it held once warm, and what the readers were given
 * with what the server had said. Prints a line for each; exits 1 when one does
 * not hold.
 *
 * Below three minutes it is not warm when first looked at, and memory may not hold.
 *
 *     tests/soak/main.ts MINUTES
 *
 * @module
 */

import { postMcp } from "../mcp_post.ts";
import { FaultyHome } from "../faults/faulty_home.ts";
import { PlainServer } from "../faults/plain_server.ts";
import { SoakAgent, type Tally } from "./soak_agent.ts";

const MINUTES = Number(Deno.args[0] ?? 10);
/** Rows a buffer: few, so that it is full, and evicting, once warm. */
const BUFFER_LIMIT = 10_000;
/** Lines said at once, and the pause between: some 1,500 a second. */
const LINES_A_BURST = 15;
const BURST_EVERY_MS = 10;
const RECONNECT_EVERY_MS = 13_000;
const REGENERATE_EVERY_MS = 17_000;
/** A garbage collection that comes when the process has nothing to do. */
const SETTLE_MS = 5_000;
const SAMPLE_EVERY_MS = 1_000;
/** What may have grown: a tenth. */
const TOLERANCE = 1.1;
const SESSION = {
  id: "6F1C3B1E-2F0B-4C53-9D0F-2F6B7A1C9E10",
  name: "Net",
  host: "127.0.0.1",
  tls: false,
  nick: "alice",
  channels: ["#r"],
};

const pause = (ms: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, ms));

/** What a process holds, from /proc. */
async function holdings(pid: number) {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  const number = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1]);
  let descriptors = 0;
  for await (const _ of Deno.readDir(`/proc/${pid}/fd`)) descriptors++;
  return {
    memory_kib: number("VmRSS"),
    threads: number("Threads"),
    descriptors,
  };
}

let failed = 0;

function print(text: string, isOk = true): void {
  if (!isOk) failed++;
  Deno.stdout.writeSync(
    new TextEncoder().encode(`soak ${text} ${isOk ? "ok" : "FAILED"}\n`),
  );
}

/** Says numbered lines until told to stop; all that was said was received. */
class Flood {
  said = 0;
  #isPaused = false;
  #isOver = false;
  #idle = Promise.resolve();
  readonly #server: PlainServer;

  constructor(server: PlainServer) {
    this.#server = server;
    this.#idle = this.#run();
  }

  async #run(): Promise<void> {
    while (!this.#isPaused && !this.#isOver) {
      const texts = Array.from(
        { length: LINES_A_BURST },
        () => `soak ${++this.said}`,
      );
      await this.#server.say("#r", ...texts);
      await pause(BURST_EVERY_MS);
    }
  }

  /** Runs `act` while nothing is said and all that was said has come. */
  async quiet(act: () => Promise<void>): Promise<void> {
    this.#isPaused = true;
    await this.#idle;
    await this.#server.answered();
    await act();
    this.#isPaused = false;
    this.#idle = this.#run();
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#idle;
    await this.#server.answered();
  }
}

async function every(ms: number, end: number, act: () => Promise<void>) {
  let next = performance.now() + ms;
  while (performance.now() < end) {
    await pause(50);
    if (performance.now() < next) continue;
    await act();
    next = performance.now() + ms;
  }
}

async function soak(faulty: FaultyHome, server: PlainServer): Promise<void> {
  const { pid } = faulty.served;
  await faulty.out("set", "buffer_limit", `${BUFFER_LIMIT}`);
  await server.joined("#r");
  const flood = new Flood(server);
  const agent = await SoakAgent.start(faulty);
  const load = async (minutes: number) => {
    const end = performance.now() + minutes * 60_000;
    let regenerated = 0, reconnected = 0;
    await Promise.all([
      agent.run(end),
      every(REGENERATE_EVERY_MS, end, async () => {
        await agent.regenerate();
        regenerated++;
      }),
      every(RECONNECT_EVERY_MS, end, () =>
        flood.quiet(async () => {
          server.drop();
          while (true) {
            await faulty.ask("session", "connect", "Net");
            const joined = server.joined("#r").then(() => true);
            if (
              await Promise.race([
                joined,
                pause(1_000).then(() => false),
              ])
            ) break;
          }
          reconnected++;
        })),
    ]);
    return { regenerated, reconnected };
  };
  // Half of the time to become warm: buffers full, code compiled.
  // Memory that the system gave is given back when it likes, so the most that
  // was held by then is what a leak has to outgrow.
  let peak = 0;
  const end = performance.now() + MINUTES / 2 * 60_000;
  await Promise.all([
    load(MINUTES / 2),
    every(SAMPLE_EVERY_MS, end, async () => {
      peak = Math.max(peak, (await holdings(pid)).memory_kib);
    }),
  ]);
  await agent.clear();
  await flood.quiet(() => pause(SETTLE_MS));
  const atRest = await holdings(pid);
  const memory_kib = Math.max(peak, atRest.memory_kib);
  const before = { ...atRest, memory_kib };
  const { regenerated, reconnected } = await load(MINUTES / 2);
  await flood.end();
  await agent.catchUp();
  await agent.clear();
  await pause(SETTLE_MS);
  const after = await holdings(pid);
  for (const name of ["memory_kib", "descriptors", "threads"] as const) {
    print(
      `${name} ${before[name]} then ${after[name]}`,
      after[name] <= before[name] * TOLERANCE,
    );
  }
  report(agent.tally, flood.said);
  print(
    `${regenerated} new tokens, ${reconnected} reconnects, ${server.connections} connections to the server`,
    reconnected > 0,
  );
  const faults = faulty.served.log.split("\n").filter((line) =>
    / (error|fault) /.test(line)
  );
  print(`${faults.length} errors and faults in its log`, faults.length === 0);
  if (faults.length > 0) print(faults.slice(0, 5).join("\n"), false);
}

function report(tally: Tally, said: number): void {
  const { answers, malformed, dropped, read, lost, doubled } = tally;
  print(`${answers} answers, ${malformed} malformed`, malformed === 0);
  print(`${tally.stopped} searches stopped by their time`);
  const refusals = [...tally.refusals];
  print(
    `${refusals.length} kinds of refusal ${refusals.slice(0, 3).join("; ")}`,
    refusals.length === 0,
  );
  print(
    `${dropped} requests dropped, each by a new token`,
    dropped < answers / 50,
  );
  print(
    `${said} messages said, ${read} read, ${lost} lost, ${doubled} doubled`,
    read === said && lost === 0 && doubled === 0,
  );
  print(
    `${tally.events} events delivered, ${tally.eventsDoubled} doubled`,
    tally.events > 0 && tally.eventsDoubled === 0,
  );
}

const server = PlainServer.listen();
const faulty = await FaultyHome.serve([{ ...SESSION, port: server.port }]);
try {
  await soak(faulty, server);
  const isAlive =
    (await postMcp(await faulty.address(), "ping")).status === 200;
  print("it still answers", isAlive);
  print("it stops cleanly", await faulty.stop() === 0);
} finally {
  await faulty.killed().catch(() => {});
  await server.close();
  await faulty.home.remove().catch(() => {});
}
Deno.exit(failed === 0 ? 0 : 1);
