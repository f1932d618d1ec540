/**
 * The demonstration as a newcomer runs it: what it prints works when pasted,
 * and it leaves nothing behind.
 *
 * @module
 */

import assert from "node:assert/strict";

const ROOT = new URL("../../", import.meta.url).pathname;

/** Runs a line of text as a person pastes it into a shell. */
async function paste(line: string): Promise<string> {
  const { stdout } = await new Deno.Command("bash", { args: ["-c", line] })
    .output();
  return new TextDecoder().decode(stdout);
}

Deno.test("demo prints lines that work when pasted, and cleans up", async () => {
  // Guards the first minute with the program: make demo, paste, read.
  const folder = await Deno.makeTempDir();
  const process = new Deno.Command("scripts/demo", {
    cwd: ROOT,
    // Pasted by the user that the test runs as, whoever started the tests.
    env: { TMPDIR: folder, RETERM_BECOME: "" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const log = new Response(process.stderr).text();
  const reader = process.stdout.pipeThrough(new TextDecoderStream())
    .getReader();
  try {
    let shown = "";
    while (!shown.includes("Ctrl-C stops it.")) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`it ended:\n${shown}\n${await log}`);
      shown += value;
    }
    assert.match(shown, /^claude mcp add --transport http rete http:\/\//m);
    const [sessions = "", messages = ""] = shown.split("\n")
      .filter((line) => line.includes("curl -s "));
    assert.match(await paste(sessions), /\\"name\\":\\"Demo\\".*alice/);
    const read = await paste(messages);
    assert.match(read, /\\"kind\\":\\"privmsg\\"/);
    assert.match(read, /\\"untrusted\\":true/);
  } finally {
    process.kill("SIGINT");
    await reader.cancel();
  }
  const { code } = await process.status;
  await log;
  assert.equal(code, 0);
  const left: string[] = [];
  for await (const { name } of Deno.readDir(folder)) left.push(name);
  assert.deepEqual(left, []);
  await Deno.remove(folder);
});
