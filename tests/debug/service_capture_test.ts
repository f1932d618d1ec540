import assert from "node:assert/strict";
import type { LogLine } from "../../lib/log.ts";
import { done } from "../../lib/operator/operator.ts";
import { type Service, startService } from "../../lib/service.ts";
import { withHome } from "../temp_home.ts";

/** A service on a port that the system picks, with debug off. */
async function withService(
  test: (service: Service, logged: LogLine[]) => Promise<void>,
): Promise<void> {
  await withHome(async (home) => {
    await Deno.writeTextFile(home.configFile, "{}", { mode: 0o600 });
    const logged: LogLine[] = [];
    const service = await startService({
      home,
      config: {
        enabled: true,
        debug: false,
        port: 0,
        floodThrottle: true,
        bufferLimit: 1000,
        sessions: [],
        warnings: [],
      },
      run: () => Promise.resolve(done("")),
      sink: (line) => logged.push(line),
      peer: { judge: () => "same-user" },
      // Whoever runs the tests owns the home.
      uid: null,
    });
    try {
      service.engine.startSession({
        id: "6F1C3B1E-2F0B-4C53-9D0F-2F6B7A1C9E10",
        name: "Net",
        host: "127.0.0.1",
        port: 1,
        tls: false,
        tlsVerify: true,
        nick: "me",
        altNicks: [],
        username: "me",
        realname: "Me",
        channels: [],
        autoconnect: false,
      }, { password: "correct-horse", channelKeys: new Map() });
      await test(service, logged);
    } finally {
      await service.stop();
    }
  });
}

/** Calls a method of the running server as a client does. */
async function rpc(service: Service, method: string, params: unknown = {}) {
  const port = /port (\d+)/.exec(service.access.status().text)?.[1];
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
    method: "POST",
    headers: {
      "authorization": `Bearer ${service.access.token}`,
      "content-type": "application/json",
      "accept": "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const { result } = await response.json();
  return result;
}

async function readLog(service: Service): Promise<string[] | string> {
  const { content: [{ text }], isError } = await rpc(service, "tools/call", {
    name: "read_log",
    arguments: {},
  });
  if (isError) return text;
  return JSON.parse(text).lines.map((line: { text: string }) => line.text);
}

async function toolNames(service: Service): Promise<string[]> {
  const { tools } = await rpc(service, "tools/list");
  return tools.map(({ name }: { name: string }) => name);
}

Deno.test("control.debug serves the debug tools and starts capture at once [SET-004 SET-006 SET-062 MCP-004 MCP-007]", () =>
  withService(async (service) => {
    // Guards the switch on the running service: the next request sees it, and
    // the log of before is not there.
    const debug = ["raw_since", "search_raw", "engine_state", "read_log"];
    const served = async () => {
      const names = await toolNames(service);
      return debug.filter((name) => names.includes(name));
    };
    assert.deepEqual(await served(), []);
    assert.equal(await readLog(service), "debug tools are disabled");
    await service.operator.changeSetting("control.debug", "on");
    assert.deepEqual(await readLog(service), []);
    service.log.write("info", "app", "seen");
    assert.deepEqual(await readLog(service), ["seen"]);
    assert.deepEqual(await served(), debug);
    await service.operator.changeSetting("control.debug", "off");
    service.log.write("info", "app", "unseen");
    assert.equal(await readLog(service), "debug tools are disabled");
    assert.deepEqual(await served(), []);
    await service.operator.changeSetting("control.debug", "on");
    assert.deepEqual(await readLog(service), []);
  }));

Deno.test("stopping the server clears what was captured, starting it captures again [SET-063 SET-064]", () =>
  withService(async (service) => {
    // Guards that capture follows the server and not the setting alone.
    await service.operator.changeSetting("control.debug", "on");
    service.log.write("info", "app", "before");
    assert.deepEqual(await readLog(service), ["before"]);
    await service.operator.changeSetting("control.enabled", "off");
    service.log.write("info", "app", "while off");
    await service.operator.changeSetting("control.enabled", "on");
    service.log.write("info", "app", "after");
    const lines = await readLog(service);
    assert.match(lines[0] ?? "", /^AI access on, port \d+ · debug$/);
    assert.deepEqual(lines.slice(1), ["after"]);
  }));

Deno.test("standard error shows no secret of a session", () =>
  withService((service, logged) => {
    // Guards the exit of log lines that is not the control surface.
    service.log.write("warning", "network", "bad password: correct-horse");
    assert.doesNotMatch(JSON.stringify(logged), /correct-horse/);
    return Promise.resolve();
  }));
