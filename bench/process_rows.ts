/**
 * What the running program costs its user: the time from its start to the
 * first answer, and the processor it takes while nothing happens. Both are of
 * the program as it is shipped, from source, under its permission list.
 *
 * @module
 */

import { FaultyHome } from "../tests/faults/faulty_home.ts";
import { PlainServer } from "../tests/faults/plain_server.ts";
import { postMcp } from "../tests/mcp_post.ts";
import { type BenchRow, median } from "./row.ts";

const STARTS = 7;
const SESSIONS = 5;
const IDLE_SECONDS = 60;
/** From the last join: what follows a connection is over. */
const SETTLE_MS = 10_000;
/** The kernel counts processor time in hundredths of a second. */
const TICKS_A_SECOND = 100;

async function removed(faulty: FaultyHome): Promise<void> {
  await faulty.stop();
  await faulty.home.remove();
}

export const startToFirstAnswer: BenchRow = {
  name: "start_to_first_answer_ms",
  target: { op: "<=", number: 1_000 },
  async measure(note) {
    const took: number[] = [];
    // The first is for the disk.
    for (let round = -1; round < STARTS; round++) {
      const faulty = await FaultyHome.serve();
      const address = await faulty.address();
      await faulty.stop();
      const start = performance.now();
      await faulty.serveAgain();
      const { status } = await postMcp(address, "tools/list");
      if (status !== 200) throw new Error(`answered ${status}`);
      if (round >= 0) took.push(performance.now() - start);
      await removed(faulty);
    }
    note(`median of ${STARTS} starts: ${took.map(Math.round).join(", ")} ms`);
    return median(took);
  },
};

export const idleProcessor: BenchRow = {
  name: "idle_cpu_percent",
  target: { op: "<=", number: 1 },
  async measure(note) {
    const servers = Array.from(
      { length: SESSIONS },
      () => PlainServer.listen(),
    );
    const faulty = await FaultyHome.serve(
      servers.map(({ port }, number) => ({
        id: `6F1C3B1E-2F0B-4C53-9D0F-2F6B7A1C9E1${number}`,
        host: "127.0.0.1",
        port,
        tls: false,
        nick: "alice",
        channels: ["#r"],
      })),
    );
    try {
      await Promise.all(servers.map((server) => server.joined("#r")));
      await pause(SETTLE_MS);
      const before = await ticksOf(faulty.served.pid);
      await pause(IDLE_SECONDS * 1_000);
      const ticks = await ticksOf(faulty.served.pid) - before;
      note(
        `${ticks / TICKS_A_SECOND} s of processor in ${IDLE_SECONDS} s with ` +
          `${SESSIONS} sessions`,
      );
      return ticks / TICKS_A_SECOND / IDLE_SECONDS * 100;
    } finally {
      await removed(faulty);
      for (const server of servers) await server.close();
    }
  },
};

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function ticksOf(pid: number): Promise<number> {
  // Deno shows /proc to nobody who is not allowed everything.
  const { stdout } = await new Deno.Command("cat", {
    args: [`/proc/${pid}/stat`],
  }).output();
  const stat = new TextDecoder().decode(stdout);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(fields[11]) + Number(fields[12]);
}
