/**
 * Two workers and who hands out a hundred tasks, on InspIRCd: one worker's
 * process is killed in the middle, the other's session is killed by an
 * operator and comes back. Every task is run at most once, and of each it is
 * known how it ended.
 *
 * @module
 */

import assert from "node:assert/strict";
import { parseEnvelope } from "../../lib/envelope/parse_envelope.ts";
import { ChannelPeer, statusOf } from "../agent/channel_peer.ts";
import { PlainClient } from "../plain_client.ts";
import { type Lab, withLab } from "./lab.ts";
import {
  type Service,
  type SessionEntry,
  until,
  withService,
} from "./service.ts";

const CHANNEL = "#agents";
const TASKS = 100;
/** Tasks handed out, and not known to have ended, at once. */
const OPEN_AT_ONCE = 12;
/** The tasks at which a worker and a session are killed. */
const KILL_WORKER_AT = 30;
const KILL_SESSION_AT = 60;

function session(lab: Lab, nick: string, digit: string): SessionEntry {
  return {
    id: `${digit}B7D6E0C-6B0E-4C6F-8E58-0D5A3C1B2F01`,
    name: nick,
    host: lab.get("HOST"),
    port: lab.port("INSPIRCD"),
    tls: false,
    nick,
    channels: [CHANNEL],
  };
}

/** What is known of a task by who handed it out. */
interface Task {
  readonly id: string;
  worker: string;
  state: "open" | "begun" | "complete" | "failed" | "unknown";
}

/** Hands out tasks, and keeps the book on them. */
class Orchestrator {
  readonly tasks = new Map<string, Task>();
  readonly workers = new Set<string>();
  readonly hellos: string[] = [];
  readonly #envelopes = new Map<string, ReturnType<ChannelPeer["make"]>>();
  #turn = 0;

  constructor(readonly peer: ChannelPeer) {}

  openCount(): number {
    return [...this.tasks.values()].filter(({ state }) =>
      state === "open" || state === "begun"
    ).length;
  }

  async handOut(n: number): Promise<void> {
    const worker = this.#nextWorker();
    const envelope = this.peer.make("task.create", { n }, [worker]);
    this.#envelopes.set(envelope.id, envelope);
    this.tasks.set(envelope.id, { id: envelope.id, worker, state: "open" });
    await this.peer.say(envelope);
  }

  /** Takes one envelope into the book. */
  async take(): Promise<void> {
    const { from, envelope } = await this.peer.next();
    if (envelope.type === "agent.hello") {
      this.hellos.push(from);
      this.workers.add(from);
      await this.#sayAgain(from);
      return;
    }
    const task = this.tasks.get(String(envelope.payload?.["task_id"]));
    // What a killed worker had no time to begin is another's by now.
    if (task === undefined || from !== task.worker) return;
    const status = statusOf(envelope, task.id);
    switch (status) {
      case "in_progress":
        if (task.state === "open") task.state = "begun";
        break;
      case "complete":
      case "failed":
        task.state = status;
        break;
      default:
        assert.fail(`a worker said ${status}`);
    }
  }

  /** Takes what a session has said until an envelope of this type of its. */
  async takeUntil(type: string, nick: string): Promise<void> {
    let isThere = false;
    while (!isThere) {
      await this.take();
      const last = this.peer.came.at(-1);
      isThere = last?.envelope.type === type && last.from === nick;
    }
  }

  /**
   * A worker is gone for good: what it has not begun goes to the other, and
   * what it had begun may or may not have been done. That is known, and told.
   */
  async workerIsGone(gone: string): Promise<void> {
    this.workers.delete(gone);
    for (const task of [...this.tasks.values()]) {
      if (task.worker !== gone) continue;
      if (task.state === "begun") task.state = "unknown";
      else if (task.state === "open") {
        this.tasks.delete(task.id);
        await this.handOut(
          Number(this.#envelopes.get(task.id)?.payload?.["n"]),
        );
      }
    }
  }

  /** A worker is back: tasks whose end is not known go out again as they were. */
  async #sayAgain(worker: string): Promise<void> {
    for (const task of this.tasks.values()) {
      const isOpen = task.state === "open" || task.state === "begun";
      const envelope = this.#envelopes.get(task.id);
      if (task.worker === worker && isOpen && envelope !== undefined) {
        await this.peer.say(envelope);
      }
    }
  }

  #nextWorker(): string {
    const all = [...this.workers].sort();
    const worker = all[this.#turn++ % all.length];
    assert.ok(worker !== undefined);
    return worker;
  }
}

async function operator(lab: Lab): Promise<PlainClient> {
  const client = await PlainClient.connect(lab.port("INSPIRCD"));
  await client.register("overseer");
  await client.send(`OPER ${lab.get("OPER")} ${lab.get("OPER_PASSWORD")}`);
  await client.until(/ 381 /);
  return client;
}

/** A program that goes on, and what it printed. */
class Started {
  readonly #reading: Promise<unknown>;
  out = "";

  constructor(readonly process: Deno.ChildProcess) {
    const read = async () => {
      const decoder = new TextDecoder();
      for await (const chunk of process.stdout) {
        this.out += decoder.decode(chunk, { stream: true });
      }
    };
    this.#reading = Promise.all([read(), new Response(process.stderr).text()]);
  }

  /** Ends it, if it has not. */
  async kill(): Promise<void> {
    try {
      this.process.kill("SIGKILL");
    } catch {
      // It has ended.
    }
    await this.process.status;
    await this.#reading;
  }
}

/** The ids of the envelopes that a tail printed. */
function printedIds({ out }: Started): string[] {
  return out.split("\n").slice(0, -1).map((line) => JSON.parse(line).id);
}

Deno.test("two workers do a hundred tasks, one killed and one cut off: none is run twice, none is lost in silence [ENV-001 ENV-012 ENV-025 ENV-047]", async () => {
  // Guards what agents are for: work that is handed out is accounted for,
  // whatever dies on the way.
  await withLab(["inspircd"], async (lab) => {
    const sessions = [
      session(lab, "worker-a", "A"),
      session(lab, "worker-b", "B"),
      session(lab, "watcher", "C"),
    ];
    const settings = { flood_throttle: false };
    await withService({ sessions, settings }, async (service) => {
      for (const { name } of sessions) await service.buffer(name, CHANNEL);
      const folder = await Deno.makeTempDir();
      const peer = await ChannelPeer.join(
        lab.port("INSPIRCD"),
        "orchestrator",
        CHANNEL,
      );
      const overseer = await operator(lab);
      const started: Started[] = [];
      const start = (...args: string[]) => {
        const program = new Started(service.start(...args));
        started.push(program);
        return program;
      };
      try {
        await runTasks({ service, folder, peer, overseer, start });
      } finally {
        for (const program of started) await program.kill();
        peer.close();
        overseer.close();
        await Deno.remove(folder, { recursive: true });
      }
    });
  });
});

async function runTasks({ service, folder, peer, overseer, start }: {
  service: Service;
  folder: string;
  peer: ChannelPeer;
  overseer: PlainClient;
  start: (...args: string[]) => Started;
}): Promise<void> {
  const runs = `${folder}/runs`;
  const script = `${folder}/work.sh`;
  await Deno.writeTextFile(runs, "");
  // The command writes the task down, then takes a moment.
  await Deno.writeTextFile(script, 'cat >>"$1"\nsleep 0.1\necho done\n');
  const tail = start(
    ...["envelope", "tail", "--session", "watcher", "--channel", CHANNEL],
  );
  await until("the tail to follow", async () => {
    const mark = await peer.say(peer.make("mark"));
    await new Promise((resolve) => setTimeout(resolve, 100));
    return printedIds(tail).includes(mark.id) || undefined;
  });
  const work = (name: string) =>
    start(
      ...["agent", "--session", name, "--channel", CHANNEL],
      ...["--max-parallel", "2", "--on", `task.create=sh ${script} ${runs}`],
    );
  const workerA = work("worker-a");
  const workerB = work("worker-b");
  const orchestrator = new Orchestrator(peer);
  while (orchestrator.workers.size < 2) await orchestrator.take();
  for (let n = 0; n < TASKS; n++) {
    if (n === KILL_WORKER_AT) {
      await workerA.kill();
      // Behind all that the worker was told is sent.
      const { code, err } = await service.run(
        ...["envelope", "send", "--session", "worker-a"],
        ...["--channel", CHANNEL, "over"],
      );
      assert.equal(code, 0, err);
      await orchestrator.takeUntil("over", "worker-a");
      await orchestrator.workerIsGone("worker-a");
    }
    if (n === KILL_SESSION_AT) await overseer.send("KILL worker-b :begone");
    while (orchestrator.openCount() >= OPEN_AT_ONCE) await orchestrator.take();
    await orchestrator.handOut(n);
  }
  while (orchestrator.openCount() > 0) await orchestrator.take();
  workerB.process.kill("SIGTERM");
  await orchestrator.takeUntil("agent.bye", "worker-b");
  assert.equal((await workerB.process.status).code, 0);
  await assertAccounts(orchestrator, runs);
  const last = peer.came.at(-1)?.envelope.id ?? "";
  await until(
    "the tail to print all",
    () => Promise.resolve(printedIds(tail).includes(last) || undefined),
  );
  // Each line once, those that were said again as often as they were said.
  const marks = new Set(
    peer.said.filter(({ type }) => type === "mark").map(({ id }) => id),
  );
  assert.deepEqual(
    printedIds(tail).filter((id) => !marks.has(id)).sort(),
    [...peer.said, ...peer.came.map(({ envelope }) => envelope)]
      .map(({ id }) => id).filter((id) => !marks.has(id)).sort(),
  );
}

async function assertAccounts(
  { tasks, hellos }: Orchestrator,
  runs: string,
): Promise<void> {
  const ran = (await Deno.readTextFile(runs)).trim().split("\n")
    .map((line) => parseEnvelope(line).envelope?.id ?? "");
  assert.equal(new Set(ran).size, ran.length, "a task was run twice");
  const byState = (state: Task["state"]) =>
    [...tasks.values()].filter((task) => task.state === state)
      .map(({ id }) => id);
  assert.equal(tasks.size, TASKS);
  const complete = byState("complete");
  const unknown = byState("unknown");
  assert.equal(complete.length + unknown.length, TASKS);
  // What a killed worker had begun: as many as it runs at once, at most.
  assert.ok(unknown.length <= 2, `${unknown.length} of unknown end`);
  for (const id of complete) assert.ok(ran.includes(id), `${id} was not run`);
  for (const id of ran) {
    assert.ok(complete.includes(id) || unknown.includes(id), id);
  }
  assert.ok(hellos.filter((nick) => nick === "worker-b").length >= 2);
}
