/**
 * What the system does to a running service: its home taken away or made
 * read-only, no file descriptor left, all of it stopped for a while.
 *
 * @module
 */

import assert from "node:assert/strict";
import { callTool, type McpAddress, postMcp } from "../mcp_post.ts";
import { PlainServer } from "./plain_server.ts";
import { type FaultyHome, withFaultyHome } from "./faulty_home.ts";

const STOPPED_MS = 3_000;
const CONNECTIONS = 2_000;
/** Descriptors come and go: a log file, a socket that lingers. */
const DESCRIPTOR_SLACK = 4;

async function isServed(address: McpAddress): Promise<boolean> {
  const { sessions } = await callTool(address, "list_sessions");
  return Array.isArray(sessions);
}

async function descriptorsOf(pid: number): Promise<number> {
  let count = 0;
  for await (const _ of Deno.readDir(`/proc/${pid}/fd`)) count++;
  return count;
}

async function limitDescriptors(pid: number, soft: number): Promise<void> {
  const { success, stderr } = await new Deno.Command("prlimit", {
    args: [`--pid=${pid}`, `--nofile=${soft}:`],
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

Deno.test("a home that became read-only refuses changes and serves on", async () => {
  // Guards what was true before: a change that cannot be saved is not made.
  await withFaultyHome(async (faulty) => {
    const address = await faulty.address();
    await Deno.chmod(faulty.home.path(""), 0o500);
    const words = ["set", "buffer_limit", "2000"];
    assert.match(await faulty.complaint(...words), /Nothing was changed/);
    assert.ok(await isServed(address));
    const added = ["session", "add", "x", "--host", "127.0.0.1", "--nick", "n"];
    assert.match(await faulty.complaint(...added), /Nothing was changed/);
    assert.deepEqual((await callTool(address, "list_sessions")).sessions, []);
    // A token that cannot be stored may serve nobody, and neither may the old.
    await faulty.complaint("control", "token", "regenerate");
    await assert.rejects(postMcp(address, "ping"));
    await Deno.chmod(faulty.home.path(""), 0o700);
    await faulty.out(...words);
    await faulty.out("set", "control.enabled", "on");
    assert.ok(await isServed(await faulty.address()));
    assert.equal(await faulty.stop(), 0);
  });
});

Deno.test("a home that was removed is told of, and serving and stopping go on", async () => {
  // Guards that an `rm -r` of the wrong folder takes no conversation away.
  await withFaultyHome(async (faulty) => {
    const address = await faulty.address();
    await Deno.remove(faulty.home.path(""), { recursive: true });
    assert.ok(await isServed(address));
    // What is changed from now on is kept, in a home made anew, as private.
    await faulty.out("set", "buffer_limit", "2000");
    const { mode } = await Deno.stat(faulty.home.path(""));
    assert.equal((mode ?? 0) & 0o777, 0o700);
    const config = await Deno.readTextFile(faulty.home.path("config.json"));
    assert.equal(JSON.parse(config).buffer_limit, 2_000);
    assert.ok(await isServed(address));
    assert.equal(await faulty.stop(), 0);
    assert.doesNotMatch(faulty.served.log, / fault /);
  });
});

Deno.test("a service without descriptors waits for one, and serves again", async () => {
  // Guards against an end, or a loop that takes a whole processor.
  await withFaultyHome(async (faulty) => {
    const address = await faulty.address();
    const { pid } = faulty.served;
    const open = await descriptorsOf(pid);
    await limitDescriptors(pid, open);
    const before = await processorTicks(pid);
    const late = Array.from({ length: 4 }, () => isServed(address));
    // Time must pass for what is shown: that waiting costs nothing.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const ticks = await processorTicks(pid) - before;
    assert.ok(ticks < 30, `${ticks} hundredths of a second`);
    await limitDescriptors(pid, 1_024);
    // Who waited in the system's queue is served now.
    assert.deepEqual(await Promise.all(late), [true, true, true, true]);
    assert.doesNotMatch(faulty.served.log, / fault /);
    assert.equal(await faulty.stop(), 0);
  });
});

/** Hundredths of a second that a process has used. */
async function processorTicks(pid: number): Promise<number> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

Deno.test("a service that was stopped for a while goes on where it was", async () => {
  // Guards a laptop that slept: the session stays, what came meanwhile is
  // there, and who asked is answered.
  const server = PlainServer.listen();
  const session = {
    id: "6F1C3B1E-2F0B-4C53-9D0F-2F6B7A1C9E10",
    name: "Net",
    host: "127.0.0.1",
    port: server.port,
    tls: false,
    nick: "alice",
    channels: ["#r"],
  };
  try {
    await withFaultyHome(async (faulty: FaultyHome) => {
      const address = await faulty.address();
      await server.joined("#r");
      faulty.served.kill("SIGSTOP");
      await server.say("#r", "while it slept");
      const asked = isServed(address);
      await new Promise((resolve) => setTimeout(resolve, STOPPED_MS));
      faulty.served.kill("SIGCONT");
      // The question's own deadlines ran out in its sleep: it may be dropped.
      await asked.catch(() => {});
      await server.answered();
      assert.ok(await isServed(address));
      const found = await callTool(address, "search_messages", {
        query: "while it slept",
      });
      assert.equal((found.matches as unknown[]).length, 1);
      assert.equal(server.connections, 1);
      assert.equal(await faulty.stop(), 0);
    }, [session]);
  } finally {
    await server.close();
  }
});

Deno.test(`${CONNECTIONS} connections in a row leave no descriptor behind`, async () => {
  // Guards a service that runs for months under a client that polls.
  await withFaultyHome(async (faulty) => {
    const address = await faulty.address();
    const { pid } = faulty.served;
    for (let i = 0; i < 50; i++) await isServed(address);
    const before = await descriptorsOf(pid);
    for (let i = 0; i < CONNECTIONS; i++) {
      switch (i % 4) {
        case 0:
          assert.equal((await postMcp(address, "ping")).status, 200);
          break;
        case 1:
          await callTool(address, "list_sessions");
          break;
        case 2: {
          const wrong = { ...address, token: "x".repeat(43) };
          assert.equal((await postMcp(wrong, "ping")).status, 403);
          break;
        }
        default:
          // A port scan: connected and gone.
          (await Deno.connect({ hostname: "127.0.0.1", port: address.port }))
            .close();
      }
    }
    assert.ok(await isServed(address));
    const after = await descriptorsOf(pid);
    assert.ok(after <= before + DESCRIPTOR_SLACK, `${before}, then ${after}`);
    assert.doesNotMatch(faulty.served.log, / fault /);
    assert.equal(await faulty.stop(), 0);
  });
});
