/**
 * The endpoint behind the real gate, over sockets: what only the two together
 * can show.
 *
 * @module
 */

import assert from "node:assert/strict";
import { listen } from "../../lib/http/listener.ts";
import { LogWriter } from "../../lib/log.ts";
import { createEndpoint } from "../../lib/mcp/endpoint.ts";
import { defineTool, READ_ONLY, type Tool } from "../../lib/tools/tool.ts";
import { systemClock } from "../../lib/clock.ts";
import { oneChannel } from "../tools/fake_engine.ts";

const TOKEN = "t".repeat(43);

/** Serves an endpoint on a port of its own, and one raw request at a time. */
function serve(options: { tools?: readonly Tool[]; answerMs?: number } = {}) {
  const log = new LogWriter(() => Date.now());
  const { engine, buffer } = oneChannel();
  const endpoint = createEndpoint({
    reader: engine,
    switches: () => ({ debug: false, send: false }),
    name: "reterm",
    version: "1.2.3",
    clock: systemClock,
    log,
    ...(options.tools ? { tools: options.tools } : {}),
  });
  const listener = listen({
    port: 0,
    token: TOKEN,
    path: "/mcp",
    handler: (request) => endpoint.handle(request),
    log,
    deadlines: options.answerMs === undefined
      ? {}
      : { answerMs: options.answerMs },
  });
  const open = async (message: unknown, method = "POST") => {
    const body = message === undefined ? "" : JSON.stringify(message);
    const conn = await Deno.connect({
      hostname: "127.0.0.1",
      port: listener.port,
    });
    const bytes = new TextEncoder().encode(body);
    await conn.write(
      new TextEncoder().encode(
        `${method} /mcp HTTP/1.1\r\nHost: 127.0.0.1:${listener.port}\r\n` +
          `Authorization: Bearer ${TOKEN}\r\nAccept: application/json\r\n` +
          `Content-Type: application/json\r\n` +
          `Content-Length: ${bytes.length}\r\n\r\n${body}`,
      ),
    );
    return conn;
  };
  return {
    buffer,
    open,
    request: async (message: unknown, method = "POST") =>
      await readAll(await open(message, method)),
    close: async () => {
      await listener.close();
      await endpoint.close();
    },
  };
}

async function readAll(conn: Deno.Conn): Promise<string> {
  let text = "";
  for await (const chunk of conn.readable) {
    text += new TextDecoder().decode(chunk);
  }
  return text;
}

function call(name: string, args: unknown = {}) {
  return {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name, arguments: args },
  };
}

/** A tool that ends only when its request is cancelled. */
function patientTool() {
  const started = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const tool = defineTool({
    name: "find_user",
    tier: "release",
    description: "d",
    annotations: READ_ONLY,
    parameters: {},
    async run(_args, { signal }) {
      started.resolve();
      await new Promise<void>((resolve) =>
        signal.addEventListener("abort", () => resolve())
      );
      ended.resolve();
      return { fields: {} };
    },
  });
  return { tool, started: started.promise, ended: ended.promise };
}

Deno.test("the gate hands a call to the endpoint and its answer back [MCP-001 MCP-015 MCP-022]", async () => {
  // Guards the whole way of a byte: head, token, JSON-RPC, tool and back.
  const server = serve();
  server.buffer.add({ text: "hello" });
  const text = await server.request(
    call("read_since", { buffer: server.buffer.id }),
  );
  const [head = "", body = ""] = text.split("\r\n\r\n");
  assert.match(head, /^HTTP\/1\.1 200 /);
  assert.match(head, /^content-type: application\/json$/im);
  assert.match(head, /^connection: close$/im);
  assert.doesNotMatch(head, /mcp-session-id/i);
  const result = JSON.parse(JSON.parse(body).result.content[0].text);
  assert.equal(result.messages[0].payload.text, "hello");
  await server.close();
});

Deno.test("the gate answers a notification with 202 and nothing [MCP-014]", async () => {
  // Guards that an empty answer is a whole answer on the wire too.
  const server = serve();
  const text = await server.request({
    jsonrpc: "2.0",
    method: "notifications/initialized",
  });
  assert.match(text, /^HTTP\/1\.1 202 /);
  assert.match(text, /content-length: 0\r\n/i);
  assert.ok(text.endsWith("\r\n\r\n"));
  await server.close();
});

Deno.test("the gate has no stream to GET [MCP-016]", async () => {
  // Guards that there is no channel on which a server could push.
  const server = serve();
  const text = await server.request(undefined, "GET");
  assert.match(text, /^HTTP\/1\.1 405 /);
  assert.match(text, /allow: POST\r\n/i);
  await server.close();
});

Deno.test("the gate answers 504 once the cancelled call has stopped", async () => {
  // Guards that a call out of time is told so, and answered after it ended.
  const { tool, ended } = patientTool();
  const server = serve({ tools: [tool], answerMs: 40 });
  const text = await server.request(call("find_user"));
  await ended;
  assert.match(text, /^HTTP\/1\.1 504 /);
  assert.ok(text.endsWith("\r\n\r\n"));
  await server.close();
});

Deno.test("a client that leaves cancels its call", async () => {
  // Guards that nothing works on for nobody.
  const { tool, started, ended } = patientTool();
  const server = serve({ tools: [tool] });
  const conn = await server.open(call("find_user"));
  await started;
  conn.close();
  await ended;
  await server.close();
});

Deno.test("closing the port cancels the calls in flight", async () => {
  // Guards a regenerated token: no call of the old one goes on.
  const { tool, started, ended } = patientTool();
  const server = serve({ tools: [tool] });
  const conn = await server.open(call("find_user"));
  await started;
  const closed = server.close();
  await ended;
  await closed;
  conn.close();
});
