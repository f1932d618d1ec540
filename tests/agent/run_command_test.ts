/**
 * Commands of a worker as the system sees them. They are real processes
 * (`Deno.Command`).
 *
 * @module
 */

import assert from "node:assert/strict";
import { type CommandEnd, runCommand } from "../../lib/agent/run_command.ts";

function run(
  script: string,
  { input = "", timeoutMs = 20_000, signal = new AbortController().signal } =
    {},
): Promise<CommandEnd> {
  return runCommand(["sh", "-c", script], { input, timeoutMs, signal });
}

Deno.test("runCommand() gives the input on standard input and nowhere else", async () => {
  // Guards that a stranger's text is in no argument and no environment, where
  // every user of the machine could read it, and a shell could act on it.
  const end = await run(
    "tr '\\0' '\\n' </proc/$$/cmdline; tr '\\0' '\\n' </proc/$$/environ; cat",
    { input: "st0len $(touch /tmp/x) `id`" },
  );
  assert.ok(end.kind === "exited");
  assert.equal(end.out.split("st0len").length, 2);
  assert.ok(end.out.endsWith("st0len $(touch /tmp/x) `id`"));
});

Deno.test("runCommand() keeps the start of each output, in whole characters", async () => {
  // Guards memory against a command that prints for ever.
  const end = await run(
    "printf x; yes é | head -c 300000 | tr -d '\\n'; echo no >&2; exit 7",
  );
  assert.ok(end.kind === "exited");
  assert.equal(end.code, 7);
  assert.equal(end.err, "no\n");
  assert.match(end.out, /^xé{4095}$/);
});

Deno.test("runCommand() ends all that a command started when its time is over", async () => {
  // Guards against processes that pile up behind commands that hang.
  const folder = await Deno.makeTempDir();
  try {
    const end = await run(
      `trap '' TERM; sleep 60 & echo $! >${folder}/pid; wait; sleep 60`,
      { timeoutMs: 300 },
    );
    assert.deepEqual(end, { kind: "timed-out" });
    const pid = (await Deno.readTextFile(`${folder}/pid`)).trim();
    await goes(pid);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("runCommand() ends a command that is to be stopped", async () => {
  // Guards that a worker can be ended before a command's time is over.
  const abort = new AbortController();
  const ending = run("sleep 60", { signal: abort.signal });
  abort.abort();
  assert.deepEqual(await ending, { kind: "stopped" });
  assert.deepEqual(await run("sleep 60", { signal: abort.signal }), {
    kind: "stopped",
  });
});

Deno.test("runCommand() waits for no output that something else holds open", async () => {
  // Guards that a command which leaves a server behind is still answered.
  const began = performance.now();
  const end = await run("sleep 20 & echo started");
  assert.deepEqual(end, {
    kind: "exited",
    code: 0,
    out: "started\n",
    err: "",
  });
  assert.ok(performance.now() - began < 15_000);
});

Deno.test("runCommand() says when a command cannot be started", async () => {
  // Guards that a mistyped program is no silence.
  for (const program of ["/no/such/program", "/etc/passwd"]) {
    const end = await runCommand([program], {
      input: "",
      timeoutMs: 1_000,
      signal: new AbortController().signal,
    });
    assert.equal(end.kind, "not-started", program);
  }
});

/** Settles when a process that was killed is gone, or nobody's child yet. */
async function goes(pid: string): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const stat = await Deno.readTextFile(`/proc/${pid}/stat`)
      .catch(() => undefined);
    if (stat === undefined || / [ZX] /.test(stat)) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.fail(`process ${pid} is still there`);
}
