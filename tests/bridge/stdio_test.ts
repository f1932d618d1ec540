/**
 * `reterm bridge` as a harness has it: a process of its own behind the
 * launcher, under the bridge's permissions, driven by the official client;
 * and, when the tests are run by root, against a squatter who is truly another
 * user.
 *
 * @module
 */

import assert from "node:assert/strict";
// @ts-types="@modelcontextprotocol/sdk/client/index"
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
// @ts-types="@modelcontextprotocol/sdk/client/stdio"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
// @ts-types="@modelcontextprotocol/sdk/client/streamableHttp"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { freePort } from "../free_port.ts";
import { addressIn } from "../mcp_post.ts";
import { ProgramHome, type ServedProgram } from "../start_program.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const USER = ["--reuid=65534", "--regid=65534", "--clear-groups"];
/** Another user than the one that the program runs as. */
const STRANGER = ["--reuid=65533", "--regid=65533", "--clear-groups"];

/** A home with the launcher that a harness starts. */
class BridgedHome {
  readonly #services: ServedProgram[] = [];

  private constructor(readonly home: ProgramHome) {}

  static async make(config: unknown): Promise<BridgedHome> {
    const home = await ProgramHome.make();
    const { code } = await new Deno.Command(`${ROOT}scripts/launcher`, {
      args: [`${home.folder}/reterm`],
      stdout: "null",
    }).output();
    assert.equal(code, 0);
    await home.write("config.json", JSON.stringify(config));
    return new BridgedHome(home);
  }

  async serve(): Promise<ServedProgram> {
    const service = await this.home.serve();
    this.#services.push(service);
    return service;
  }

  /** The words that start the bridge, as its user. */
  get words(): [string, ...string[]] {
    const bridge = [`${this.home.folder}/reterm`, "bridge"] as const;
    return Deno.uid() === 0 ? ["setpriv", ...USER, ...bridge] : [...bridge];
  }

  get env(): Record<string, string> {
    return { HOME: this.home.folder, PATH: Deno.env.get("PATH") ?? "" };
  }

  /** The official client on a bridge of its own. */
  async client(): Promise<BridgedClient> {
    const [command, ...args] = this.words;
    const transport = new StdioClientTransport({
      command,
      args,
      env: this.env,
      // Any folder will do: the launcher knows the home.
      cwd: "/",
      stderr: "pipe",
    });
    let log = "";
    transport.stderr?.on("data", (bytes) => {
      log += new TextDecoder().decode(bytes);
    });
    const client = new Client({ name: "test", version: "1" });
    await client.connect(transport);
    const closed = new Promise<void>((resolve) => {
      client.onclose = resolve;
    });
    return {
      client,
      log: () => log,
      // The transport's own close() leaves a timer behind.
      async close() {
        Deno.kill(transport.pid ?? 0, "SIGTERM");
        await closed;
      },
    };
  }

  /** The words of a command run on this home. */
  async command(...words: string[]): Promise<string> {
    const { code, out, err } = await this.home.run(words);
    assert.equal(code, 0, err);
    return out.trimEnd();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const service of this.#services) {
      try {
        service.kill("SIGKILL");
      } catch {
        // It has ended.
      }
      await service.ended();
    }
    await this.home.remove();
  }
}

interface BridgedClient {
  readonly client: Client;
  readonly log: () => string;
  close(): Promise<void>;
}

function serving() {
  return { control: { enabled: true, port: freePort() } };
}

async function toolNames(client: Client): Promise<string[]> {
  return (await client.listTools()).tools.map(({ name }) => name);
}

Deno.test("official client is served alike through the bridge and directly", async () => {
  // Guards that a harness loses nothing by keeping the token out of its files.
  await using bridged = await BridgedHome.make(serving());
  await bridged.serve();
  const { client, log, close } = await bridged.client();
  const direct = new Client({ name: "test", version: "1" });
  const { port, token } = addressIn(await bridged.command("control", "token"));
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  await direct.connect(
    new StreamableHTTPClientTransport(url, {
      requestInit: { headers: { Authorization: `Bearer ${token}` } },
    }),
  );
  try {
    assert.deepEqual(client.getServerVersion(), direct.getServerVersion());
    assert.equal(client.getInstructions(), direct.getInstructions());
    const names = await toolNames(client);
    assert.equal(names.length, 12);
    assert.deepEqual(names, await toolNames(direct));
    const call = { name: "list_sessions", arguments: {} };
    assert.deepEqual(await client.callTool(call), await direct.callTool(call));
    const wrong = { name: "list_buffers", arguments: { session: "?" } };
    const refused = await client.callTool(wrong);
    assert.equal(refused.isError, true);
    assert.deepEqual(refused, await direct.callTool(wrong));
    assert.equal(log(), "");
  } finally {
    await close();
    await direct.close();
  }
});

Deno.test("bridge outlives a new token, a moved port and a restart", async () => {
  // Guards that a client that was added once never has to be added again.
  await using bridged = await BridgedHome.make(serving());
  const service = await bridged.serve();
  const { client, log, close } = await bridged.client();
  try {
    assert.equal((await toolNames(client)).length, 12);
    await bridged.command("control", "token", "regenerate");
    assert.equal((await toolNames(client)).length, 12);
    await bridged.command("set", "control.port", String(freePort()));
    assert.equal((await toolNames(client)).length, 12);
    assert.equal(log(), "");
    service.kill("SIGTERM");
    await service.ended();
    const down = `No reterm service runs on ${bridged.home.folder}/.rete, ` +
      `nothing was relayed: start it with reterm serve.`;
    await assert.rejects(toolNames(client), {
      code: -32_000,
      message: `MCP error -32000: ${down}`,
    });
    await bridged.serve();
    assert.equal((await toolNames(client)).length, 12);
    await bridged.command("set", "control.enabled", "off");
    await assert.rejects(toolNames(client), /AI access is off/);
    await bridged.command("set", "control.enabled", "on");
    assert.equal((await toolNames(client)).length, 12);
    assert.deepEqual(log().split("\n"), [
      `reterm bridge: ${down}`,
      "reterm bridge: AI access is off, nothing was relayed: " +
      "reterm set control.enabled on",
      "",
    ]);
  } finally {
    await close();
  }
});

Deno.test("bridge answers what is in flight when its input ends, then ends", async () => {
  // Guards that no answer is cut off, and no process stays behind.
  await using bridged = await BridgedHome.make(serving());
  await bridged.serve();
  const [command, ...args] = bridged.words;
  const child = new Deno.Command(command, {
    args,
    cwd: "/",
    clearEnv: true,
    env: bridged.env,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const call = (id: number, name: string, values: unknown) =>
    JSON.stringify({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name, arguments: values },
    }) + "\n";
  const writer = child.stdin.getWriter();
  const text = call(1, "subscribe", { match: "s3cret" }) +
    call(2, "list_sessions", { a: "s3cret".repeat(11_000) }) +
    call(3, "wait_for_updates", { timeout: 1 });
  await writer.write(new TextEncoder().encode(text));
  await writer.close();
  const { code, stdout, stderr } = await child.output();
  assert.equal(code, 0);
  const answers = new TextDecoder().decode(stdout).trimEnd().split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(answers.map(({ id }) => id).sort(), [1, 2, 3]);
  assert.match(
    answers.find(({ id }) => id === 2).error.message,
    /takes at most 65536/,
  );
  const log = new TextDecoder().decode(stderr);
  assert.match(log, /^reterm bridge: The message has \d+ bytes/);
  assert.ok(!log.includes("s3cret"));
});

/** A program of another user that keeps what it is sent. */
class Stranger {
  private constructor(
    readonly port: number,
    readonly folder: string,
    readonly child: Deno.ChildProcess,
  ) {}

  static async on(port: number): Promise<Stranger> {
    const folder = await Deno.makeTempDir();
    await Deno.chmod(folder, 0o777);
    const code = `
      const listener = Deno.listen({ hostname: "127.0.0.1", port: ${port} });
      await Deno.stdout.write(new TextEncoder().encode("up"));
      for await (const conn of listener) {
        Deno.writeTextFileSync("seen", "+", { append: true });
        (async () => {
          const chunk = new Uint8Array(4096);
          let count;
          while ((count = await conn.read(chunk).catch(() => null)) !== null) {
            Deno.writeFileSync("bytes", chunk.subarray(0, count), { append: true });
          }
        })();
      }`;
    const child = new Deno.Command("setpriv", {
      args: [
        ...STRANGER,
        Deno.execPath(),
        ...["run", "--allow-all", "--no-config", "--ext=js"],
        `data:text/javascript,${encodeURIComponent(code)}`,
      ],
      cwd: folder,
      clearEnv: true,
      env: { HOME: folder, DENO_DIR: `${folder}/deno` },
      stdout: "piped",
    }).spawn();
    const reader = child.stdout.getReader();
    assert.equal(new TextDecoder().decode((await reader.read()).value), "up");
    reader.releaseLock();
    return new Stranger(port, folder, child);
  }

  /** How often it was connected to, and how many bytes it was sent. */
  async seen(): Promise<{ connections: number; bytes: number }> {
    const size = async (name: string) =>
      (await Deno.stat(`${this.folder}/${name}`).catch(() => undefined))
        ?.size ?? 0;
    return { connections: await size("seen"), bytes: await size("bytes") };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill("SIGKILL");
    await this.child.output();
    await Deno.remove(this.folder, { recursive: true });
  }
}

// An ordinary user cannot be two: relay_test.ts shows the same there with the
// uid that is compared with being another one.
if (Deno.uid() === 0) {
  Deno.test("bridge sends a squatter who is another user not one byte", async () => {
    // Guards the whole way: the kernel's word, the bridge's own flags, and a
    // squatter that takes the port between two requests.
    await using bridged = await BridgedHome.make(serving());
    const service = await bridged.serve();
    const { port } = addressIn(await bridged.command("control", "token"));
    const { client, log, close } = await bridged.client();
    try {
      assert.equal((await toolNames(client)).length, 12);
      service.kill("SIGTERM");
      await service.ended();
      await using stranger = await Stranger.on(port);
      for (let round = 1; round <= 3; round++) {
        await assert.rejects(
          toolNames(client),
          /held by a program of another user, which was sent nothing/,
        );
      }
      assert.deepEqual(await stranger.seen(), { connections: 3, bytes: 0 });
      assert.equal(log().split("\n").length, 4);
    } finally {
      await close();
    }
  });
}
