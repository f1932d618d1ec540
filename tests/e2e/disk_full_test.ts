/**
 * The program with its home on a disk of a few kilobytes: a file system in
 * memory that only it sees, mounted in a user namespace of its own.
 *
 * @module
 */

import assert from "node:assert/strict";
import { askDoor } from "../../lib/operator/door_client.ts";
import { freePort } from "../free_port.ts";
import { addressIn, callTool } from "../mcp_post.ts";
import { ANYONE } from "../running_service.ts";
import { ServedProgram } from "../start_program.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const DISK = "size=64k,mode=0700";

Deno.test("a full disk refuses changes, loses none, and is got over", async () => {
  // Guards the files against a write that the disk cuts short.
  const folder = await Deno.makeTempDir({ prefix: "home" });
  const program = `${folder}/reterm`;
  await new Deno.Command(`${ROOT}scripts/launcher`, { args: [program] })
    .output();
  await Deno.mkdir(`${folder}/.rete`, { mode: 0o700 });
  const config = JSON.stringify({
    control: { enabled: true, port: freePort() },
  });
  const script = `mount -t tmpfs -o ${DISK} tmpfs .rete && umask 077 &&
    printf %s "$1" >.rete/config.json && exec "$2" serve`;
  const served = new ServedProgram(
    new Deno.Command("unshare", {
      args: [
        ...["--user", "--map-current-user", "--keep-caps", "--mount"],
        ...["sh", "-c", script, "sh", config, program],
      ],
      cwd: folder,
      env: { HOME: folder, RETE_SECRETS_FILE: "" },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn(),
  );
  try {
    await served.logged(/AI access on/);
    // Its own view of the folder, through the process.
    const home = `/proc/${served.pid}/root${folder}/.rete`;
    const door = JSON.parse(await Deno.readTextFile(`${home}/operator.json`));
    const ask = async (...command: string[]) => {
      const reply = await askDoor(door, { command }, { peer: ANYONE });
      if (reply.kind !== "answered") throw new Error(reply.kind);
      return reply.answer;
    };
    const address = addressIn((await ask("control", "token")).out);
    await fill(`${home}/filler`);
    const before = await Deno.readTextFile(`${home}/config.json`);
    const secrets = await Deno.readTextFile(`${home}/secrets.json`);
    for (const limit of ["2000", "3000"]) {
      const { exit, err } = await ask("set", "buffer_limit", limit);
      assert.equal(exit, 1);
      assert.match(err, /Nothing was changed/);
    }
    const { exit } = await ask("control", "token", "regenerate");
    assert.equal(exit, 1);
    assert.equal(await Deno.readTextFile(`${home}/config.json`), before);
    assert.equal(await Deno.readTextFile(`${home}/secrets.json`), secrets);
    await Deno.remove(`${home}/filler`);
    assert.equal((await ask("set", "buffer_limit", "2000")).exit, 0);
    assert.equal((await ask("set", "control.enabled", "on")).exit, 0);
    const again = addressIn((await ask("control", "token")).out);
    assert.equal(again.token, address.token);
    assert.deepEqual((await callTool(again, "list_sessions")).sessions, []);
    served.kill("SIGTERM");
    assert.equal((await served.ended()).code, 0);
  } finally {
    try {
      served.kill("SIGKILL");
    } catch {
      // Ended.
    }
    await served.ended();
    await Deno.remove(folder, { recursive: true });
  }
});

/** Writes until nothing more fits. */
async function fill(path: string): Promise<void> {
  const file = await Deno.open(path, { write: true, create: true });
  try {
    const chunk = new Uint8Array(4_096);
    for (let i = 0; i < 1_000; i++) await file.write(chunk);
    assert.fail("the disk has no end");
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error;
  } finally {
    file.close();
  }
}
