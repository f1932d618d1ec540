import assert from "node:assert/strict";
import type { Saying } from "../../lib/agent/known_tasks.ts";
import type { CommandEnd, CommandRun } from "../../lib/agent/run_command.ts";
import { MAX_QUEUED, Worker } from "../../lib/agent/worker.ts";
import { type Envelope, EnvelopeMaker } from "../../lib/envelope/envelope.ts";

const SELF = { nick: "codex-7", presence: "1", since: 1_000 };
const maker = new EnvelopeMaker();

/** A worker whose commands end, and whose sayings are sent, when told to. */
function makeRig(options: { maxParallel?: number; sent?: boolean } = {}) {
  const said: string[] = [];
  const runs: { run: CommandRun; end: (end: CommandEnd) => void }[] = [];
  const worker = new Worker({
    role: "worker",
    commands: new Map([
      ["task.create", ["work", "--fast"]],
      ["task.complete", ["note"]],
    ]),
    maxParallel: options.maxParallel ?? 1,
    timeoutMs: 5_000,
    say: ({ type, to, payload = {} }: Saying) => {
      const { task_id: id, status, summary } = payload;
      said.push([type, to, id, status, summary].filter(Boolean).join(" "));
      return Promise.resolve(options.sent ?? true);
    },
    run: (_argv, run) =>
      new Promise((end) => {
        runs.push({ run, end });
      }),
    log: () => {},
  });
  const take = (
    envelope: Envelope,
    more: { from?: string; history?: boolean; time?: number } = {},
    self = SELF,
  ) =>
    worker.take({
      from: envelope.from,
      time: 2_000,
      history: false,
      envelope,
      ...more,
    }, self);
  return { worker, take, said, runs };
}

function task(changes: Partial<Envelope> = {}): Envelope {
  return {
    ...maker.make({ type: "task.create", from: "boss" }),
    ...changes,
  };
}

/** Lets everything that is due happen. */
async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}

const DONE: CommandEnd = { kind: "exited", code: 0, out: " ok\n", err: "" };

Deno.test("Worker says that a task begins, runs it, and says how it ended", async () => {
  // Guards the order: who hands out tasks must know that one may have begun.
  const { take, said, runs } = makeRig();
  const envelope = task({ to: ["@workers"] });
  take(envelope);
  assert.equal(runs.length, 0);
  await settle();
  assert.deepEqual(said, [`task.update boss ${envelope.id} in_progress`]);
  assert.equal(JSON.parse(runs[0]?.run.input ?? "").id, envelope.id);
  assert.equal(runs[0]?.run.timeoutMs, 5_000);
  runs[0]?.end(DONE);
  await settle();
  assert.equal(said[1], `task.complete boss ${envelope.id} ok`);
});

Deno.test("Worker runs nothing that it could not announce", async () => {
  // Guards that a task is never done without a trace in the channel.
  const { take, runs } = makeRig({ sent: false });
  take(task());
  await settle();
  assert.equal(runs.length, 0);
});

Deno.test("Worker ignores what is not another's, not meant for it, old or known", async () => {
  // Guards against work that nobody ordered from this worker now.
  const { take, said, runs } = makeRig();
  take(task({ from: "codex-7" }));
  take(task(), { from: "mallory" });
  take(task(), { from: "BOSS" });
  take(task({ to: ["@operators", "codex-77", "@claude-*"] }));
  take(task({ type: "task.created" }));
  take(task(), { history: true, time: 1_000 });
  await settle();
  assert.equal(runs.length, 0);
  const missed = task();
  take(missed, { history: true, time: 1_001 });
  take(missed);
  await settle();
  assert.equal(runs.length, 1);
  runs[0]?.end(DONE);
  await settle();
  take(missed);
  await settle();
  assert.equal(runs.length, 1);
  assert.equal(said.length, 2);
});

Deno.test("Worker repeats an answer that may have been lost, once a join, and runs nothing again", async () => {
  // Guards that a lost connection neither doubles a task nor hides its end.
  const { take, said, runs } = makeRig();
  const envelope = task();
  take(envelope);
  await settle();
  const rejoined = { ...SELF, presence: "2" };
  take(envelope, {}, rejoined);
  await settle();
  assert.equal(said.length, 1);
  runs[0]?.end(DONE);
  await settle();
  for (let i = 0; i < 3; i++) take(envelope, {}, { ...SELF, presence: "3" });
  await settle();
  const complete = `task.complete boss ${envelope.id} ok`;
  assert.deepEqual(said.slice(1), [complete, complete]);
  assert.equal(runs.length, 1);
});

Deno.test("Worker answers nothing to what workers answer with", async () => {
  // Guards against two workers that answer each other for ever.
  const { take, said, runs } = makeRig();
  take(task({ type: "task.complete" }));
  await settle();
  runs[0]?.end({ kind: "exited", code: 1, out: "", err: "" });
  await settle();
  assert.equal(runs.length, 1);
  assert.deepEqual(said, []);
});

Deno.test("Worker queues in order, turns away what is too much, and answers it all when stopped", async () => {
  // Guards memory under a flood, and that nothing is lost in silence.
  const { worker, take, said, runs } = makeRig({ maxParallel: 2 });
  const tasks = Array.from({ length: MAX_QUEUED + 3 }, () => task());
  for (const envelope of tasks) take(envelope);
  await settle();
  assert.equal(runs.length, 2);
  const over = tasks.at(-1);
  assert.ok(over !== undefined);
  assert.deepEqual(said.filter((text) => text.includes("rejected")), [
    `task.update boss ${over.id} rejected 64 tasks wait already: send it again later`,
  ]);
  runs[0]?.end(DONE);
  await settle();
  assert.equal(JSON.parse(runs[2]?.run.input ?? "").id, tasks[2]?.id);
  take(over);
  await settle();
  assert.equal(said.filter((text) => text.includes("rejected")).length, 1);
  worker.stop();
  const late = task();
  take(late);
  await settle();
  const failed = said.filter((text) => text.includes(" failed "));
  assert.equal(failed.length, MAX_QUEUED + 1);
  assert.equal(
    failed.at(-1),
    `task.update boss ${late.id} failed the worker is stopping`,
  );
  assert.ok(
    failed[0]?.endsWith(
      `${tasks[3]?.id} failed the worker stopped before it began`,
    ),
  );
  let isIdle = false;
  const idle = worker.idle().then(() => isIdle = true);
  worker.kill();
  assert.equal(runs[1]?.run.signal.aborted, true);
  await settle();
  assert.equal(isIdle, false);
  for (const { end } of runs.slice(1)) end({ kind: "stopped" });
  await idle;
  assert.equal(runs.length, 3);
});

Deno.test("Worker tells each way a command can end", async () => {
  // Guards that the words about a failure hold what its command said, and no
  // path of this machine.
  const rows: [CommandEnd, string][] = [
    [{ kind: "exited", code: 0, out: "\n", err: "x" }, "done"],
    [
      { kind: "exited", code: 2, out: "out", err: "" },
      "failed exit code 2: out",
    ],
    [
      { kind: "exited", code: 1, out: "out", err: "e\n" },
      "failed exit code 1: e",
    ],
    [{ kind: "exited", code: 1, out: "", err: "" }, "failed exit code 1"],
    [{ kind: "timed-out" }, "failed it was ended after its 5 s"],
    [{ kind: "stopped" }, "failed it was ended because the worker was"],
    [
      { kind: "not-started", reason: "/secret/path" },
      "failed its command could not be started",
    ],
  ];
  for (const [end, words] of rows) {
    const { take, said, runs } = makeRig();
    const envelope = task();
    take(envelope);
    await settle();
    runs[0]?.end(end);
    await settle();
    assert.equal(said[1]?.split(` ${envelope.id} `)[1], words);
  }
});
