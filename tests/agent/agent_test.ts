/**
 * Workers as people start them: a process of its own (`Deno.Command`) under its
 * own permissions, beside a service on the embedded network.
 *
 * @module
 */

import assert from "node:assert/strict";
import { type Server, startServer } from "../../fixtures/ircd/server.ts";
import { ProgramHome, type ServedProgram } from "../start_program.ts";
import { ChannelPeer } from "./channel_peer.ts";

const ID = "6F1C3B1E-2F0B-4C53-9D0F-2F6B7A1C9E10";

interface Stage {
  readonly home: ProgramHome;
  readonly server: Server;
  readonly boss: ChannelPeer;
  /** Stops the service and starts another. */
  restart(): Promise<void>;
  /** Starts a worker, and waits until it is in the channel. */
  work(...words: string[]): Promise<ServedProgram>;
}

async function withStage(use: (stage: Stage) => Promise<void>): Promise<void> {
  const server = startServer();
  const home = await ProgramHome.make();
  const started: ServedProgram[] = [];
  const boss = await ChannelPeer.join(server.port, "boss", "#agents");
  try {
    await home.write(
      "config.json",
      JSON.stringify({
        flood_throttle: false,
        sessions: [{
          id: ID,
          name: "Net",
          host: "127.0.0.1",
          port: server.port,
          tls: false,
          nick: "codex-7",
          channels: ["#agents"],
        }],
      }),
    );
    const serve = async () => {
      const served = await home.serve();
      started.push(served);
      return served;
    };
    let service = await serve();
    await use({
      home,
      server,
      boss,
      restart: async () => {
        service.kill("SIGTERM");
        await service.ended();
        service = await serve();
      },
      work: async (...words) => {
        const worker = await home.start(
          ["agent", "--session", "net", "--channel", "#agents", ...words],
          { isAgent: true },
        );
        started.push(worker);
        await worker.logged(/in the channel as codex-7/);
        return worker;
      },
    });
  } catch (error) {
    const logs = started.map(({ log }) => log).join("\n--\n");
    throw new Error(`${(error as Error).stack}\nLogs:\n${logs}`);
  } finally {
    for (const program of started.reverse()) {
      try {
        program.kill("SIGKILL");
      } catch {
        // It has ended.
      }
      await program.ended();
    }
    boss.close();
    await server.close();
    await home.remove();
  }
}

Deno.test("a worker says hello, runs what it is given, answers and says bye [ENV-021 ENV-025 ENV-026 ENV-027 ENV-028]", async () => {
  // Guards the whole way of a task, from the channel to a process and back.
  await withStage(async ({ boss, work }) => {
    const worker = await work("--on", "task.create=cat");
    const { from, envelope: hello } = await boss.next();
    assert.equal(from, "codex-7");
    assert.equal(hello.type, "agent.hello");
    assert.equal(hello.from, "codex-7");
    assert.equal(hello.to, undefined);
    assert.equal(hello.payload?.["runtime"], "reterm");
    assert.match(String(hello.payload?.["version"]), /^\d+\.\d+\.\d+$/);
    const task = await boss.say(
      boss.make("task.create", { title: "Ünïcode 'and' \"quotes\"" }),
    );
    const done = await boss.answered(task.id, "complete");
    assert.deepEqual(boss.statuses(task.id), ["in_progress", "complete"]);
    assert.deepEqual(done.envelope.to, ["boss"]);
    // The command was given the envelope on standard input, and nothing else.
    assert.deepEqual(
      JSON.parse(String(done.envelope.payload?.["summary"])),
      task,
    );
    worker.kill("SIGTERM");
    const { envelope: bye } = await boss.until(({ envelope }) =>
      envelope.type === "agent.bye"
    );
    assert.equal("payload" in bye, false);
    assert.equal((await worker.ended()).code, 0);
  });
});

Deno.test("reterm agent refuses what it may not or cannot do, before anything starts", async () => {
  // Guards that the service's permissions never run a program, and that a
  // mistake in the words is told at once.
  const home = await ProgramHome.make();
  const on = ["--on", "a=cat"];
  const rows: [string[], RegExp][] = [
    [[...on], /^--channel is missing/],
    [["--channel", "#c"], /^--on is missing/],
    [["--channel", "#c", "--on", "cat"], /^--on takes TYPE=COMMAND/],
    [["--channel", "#c", "--on", "a="], /^The command for a: it names no/],
    [["--channel", "#c", ...on, ...on], /^--on says twice what to run for a/],
    [["--channel", "#c", ...on, "--timeout", "0"], /^--timeout takes a number/],
    [
      ["--channel", "#c", ...on, "--max-parallel", "65"],
      /^--max-parallel takes a number from 1 to 64/,
    ],
    [["--channel", "#c", ...on, "--role", "boss"], /^--role is one of worker/],
  ];
  try {
    for (const [words, err] of rows) {
      const ended = await home.run(["agent", ...words], { isAgent: true });
      assert.equal(ended.code, 2, ended.err);
      assert.match(ended.err, err);
    }
    const { code, err } = await home.run(["agent", "--channel", "#c", ...on]);
    assert.equal(code, 2);
    assert.match(err, /^This reterm may not run cat: .*reterm-agent/);
  } finally {
    await home.remove();
  }
});

Deno.test("a worker acts on nothing but new envelopes of others that are meant for it [ENV-046 ENV-049]", async () => {
  // Guards against work that nobody ordered, or not from this worker.
  await withStage(async ({ boss, work, home }) => {
    await work("--on", "task.create=cat", "--on", "task.update=cat");
    const stranger = { ...boss.make("task.create"), from: "mallory" };
    await boss.say(stranger);
    await boss.say(boss.make("task.create"), "NOTICE");
    await boss.say(boss.make("task.create", {}, ["codex-77", "@operators"]));
    await boss.say(boss.make("myorg.unknown"));
    await boss.line("PRIVMSG #agents :{not json");
    // Its own, sent by the person through the same session.
    const own = await home.run([
      "envelope",
      "send",
      "--channel",
      "#agents",
      "task.create",
    ]);
    assert.equal(own.code, 0, own.err);
    // A type that workers answer with is acted on but never answered.
    await boss.say(boss.make("task.update", { status: "x" }));
    const task = await boss.say(
      boss.make("task.create", {}, ["@workers", "nobody"]),
    );
    await boss.answered(task.id, "complete");
    await boss.say(task);
    const last = await boss.say(boss.make("task.create", {}, ["codex-7"]));
    await boss.answered(last.id, "complete");
    assert.deepEqual(
      boss.came.filter(({ envelope }) => envelope.type !== "agent.hello")
        .map(({ envelope: { type, payload } }) =>
          `${type} ${payload?.["task_id"]}`
        ),
      [
        "task.create undefined",
        `task.update ${task.id}`,
        `task.complete ${task.id}`,
        `task.update ${last.id}`,
        `task.complete ${last.id}`,
      ],
    );
  });
});

Deno.test("a worker tells of commands that fail, take too long or cannot be started", async () => {
  // Guards that no task is lost in silence, whatever its command does.
  await withStage(async ({ boss, work }) => {
    await work(
      "--timeout",
      "1",
      "--on",
      "a=sh -c 'echo out; echo \"bad news\" >&2; exit 3'",
      "--on",
      "b=sh -c 'trap \"\" TERM; sleep 30 & sleep 30; echo never'",
      "--on",
      "c=/no/such/program",
      "--on",
      "d=sh -c 'exec <&-; yes | head -c 100000'",
      "--on",
      "e=true",
    );
    const summaries: Record<string, string> = {
      a: "exit code 3: bad news",
      b: "it was ended after its 1 s",
      c: "its command could not be started",
    };
    for (const [type, summary] of Object.entries(summaries)) {
      const task = await boss.say(boss.make(type));
      const { envelope } = await boss.answered(task.id, "failed");
      assert.equal(envelope.payload?.["summary"], summary);
    }
    const long = await boss.say(boss.make("d"));
    const { envelope } = await boss.answered(long.id, "complete");
    assert.match(String(envelope.payload?.["summary"]), /^(y\n){50,}y?\n?…$/);
    const silent = await boss.say(boss.make("e"));
    const { envelope: done } = await boss.answered(silent.id, "complete");
    assert.equal(done.payload?.["summary"], "done");
  });
});

Deno.test("a worker masks the secrets of the home in what it answers", async () => {
  // Guards that a command which reads a secret does not publish it.
  await withStage(async ({ boss, work, home }) => {
    const stored = await home.run(["session", "secret", "Net", "password"], {
      input: "hunter22secret\n",
    });
    assert.equal(stored.code, 0, stored.err);
    await work("--on", "a=echo the hunter22secret is out");
    const task = await boss.say(boss.make("a"));
    const { envelope } = await boss.answered(task.id, "complete");
    assert.equal(envelope.payload?.["summary"], "the ******** is out");
  });
});

Deno.test("a worker runs so many at once, queues so many, and turns the rest away", async () => {
  // Guards the machine against a flood of tasks, and the sender against
  // silence about the ones that were too many.
  await withStage(async ({ boss, work, home }) => {
    const gate = `${home.folder}/.rete/gate`;
    await work(
      "--max-parallel",
      "2",
      "--on",
      `a=sh -c 'while [ ! -e ${gate} ]; do sleep 0.05; done'`,
    );
    const tasks = [];
    for (let i = 0; i < 67; i++) tasks.push(await boss.say(boss.make("a")));
    const [first, second, third] = tasks;
    const extra = tasks.at(-1);
    assert.ok(first && second && third && extra);
    const { envelope } = await boss.answered(extra.id, "rejected");
    assert.equal(
      envelope.payload?.["summary"],
      "64 tasks wait already: send it again later",
    );
    assert.deepEqual(boss.statuses(first.id), ["in_progress"]);
    assert.deepEqual(boss.statuses(second.id), ["in_progress"]);
    assert.deepEqual(boss.statuses(third.id), []);
    await home.write("gate", "");
    for (const { id } of tasks.slice(0, -1)) {
      if (boss.statuses(id).at(-1) !== "complete") {
        await boss.answered(id, "complete");
      }
    }
    // What was turned away may come again, under its id.
    await boss.say(extra);
    await boss.answered(extra.id, "complete");
    for (const { id } of tasks.slice(0, -1)) {
      assert.deepEqual(boss.statuses(id), ["in_progress", "complete"]);
    }
  });
});

Deno.test("a worker that is stopped ends what runs in its time, and answers what waits", async () => {
  // Guards that whoever handed out tasks learns what became of each.
  await withStage(async ({ boss, work }) => {
    const worker = await work("--on", "a=sleep 30", "--on", "b=sleep 0.5");
    const short = await boss.say(boss.make("b"));
    const waiting = await boss.say(boss.make("a"));
    await boss.answered(short.id, "in_progress");
    await worker.logged(/running: .* b from boss/);
    worker.kill("SIGTERM");
    const { envelope } = await boss.answered(waiting.id, "failed");
    assert.match(
      String(envelope.payload?.["summary"]),
      /^the worker (stopped before it began|is stopping)$/,
    );
    await boss.answered(short.id, "complete");
    await boss.until(({ envelope }) => envelope.type === "agent.bye");
    assert.equal((await worker.ended()).code, 0);

    const other = await work("--on", "a=sleep 30");
    const task = await boss.say(boss.make("a"));
    await boss.answered(task.id, "in_progress");
    await other.logged(/running: /);
    other.kill("SIGINT");
    await other.logged(/stopping/);
    other.kill("SIGINT");
    const { envelope: ended } = await boss.answered(task.id, "failed");
    assert.equal(
      ended.payload?.["summary"],
      "it was ended because the worker was",
    );
    await boss.until(({ envelope }) => envelope.type === "agent.bye");
    assert.equal((await other.ended()).code, 0);
  });
});

Deno.test("a worker goes on across a lost connection and a restarted service", async () => {
  // Guards that nothing is run twice and nothing that came is left out.
  await withStage(async ({ boss, work, server, home, restart }) => {
    const runs = home.path("runs");
    await home.write("runs", "");
    const worker = await work("--on", `a=tee -a ${runs}`);
    const first = await boss.say(boss.make("a", { n: 1 }));
    await boss.answered(first.id, "complete");
    server.drop("codex-7");
    await boss.until(({ envelope }) => envelope.type === "agent.hello");
    // Handed out again, since its answer might have been lost: it is told
    // again, and not run again.
    await boss.say(first);
    await boss.answered(first.id, "complete");
    const second = await boss.say(boss.make("a", { n: 2 }));
    await boss.answered(second.id, "complete");
    await home.run(["session", "disconnect", "Net"]);
    await worker.logged(/not in the channel/);
    const { code } = await home.run(["session", "connect", "Net"]);
    assert.equal(code, 0);
    await boss.until(({ envelope }) => envelope.type === "agent.hello");
    await restart();
    await worker.logged(/waiting: /);
    await boss.until(({ envelope }) => envelope.type === "agent.hello");
    await boss.say(second);
    const third = await boss.say(boss.make("a", { n: 3 }));
    await boss.answered(third.id, "complete");
    const ran = (await Deno.readTextFile(runs)).trim().split("\n")
      .map((line) => JSON.parse(line).payload.n);
    assert.deepEqual(ran, [1, 2, 3]);
  });
});
