/**
 * What one MCP request costs inside the process: `tools/call list_sessions`
 * through the endpoint, HTTP values in and out, no socket.
 *
 * @module
 */

import { systemClock } from "../lib/clock.ts";
import { admitRequest } from "../lib/http/admitted_request.ts";
import type { RequestHead } from "../lib/http/request.ts";
import { LogWriter } from "../lib/log.ts";
import { createEndpoint } from "../lib/mcp/endpoint.ts";
import { FakeEngine } from "../tests/tools/fake_engine.ts";

const CALL = new TextEncoder().encode(JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "list_sessions", arguments: {} },
}));

const HEAD: RequestHead = {
  method: "POST",
  target: "/mcp",
  minorVersion: 1,
  fields: [
    ["host", "127.0.0.1:7422"],
    ["accept", "application/json"],
    ["content-type", "application/json"],
  ],
  bodyBytes: CALL.length,
};

/** The request as the gate hands it over. */
function callRequest(signal: AbortSignal): Request {
  return admitRequest({ head: HEAD, body: CALL, port: 7422, signal });
}

/** Microseconds a call, the median of `rounds` rounds of `calls` calls. */
export async function measureEndpoint(
  { rounds = 20, calls = 1000 } = {},
): Promise<number> {
  const engine = new FakeEngine();
  engine.start("Libera").open("server", "Libera");
  const endpoint = createEndpoint({
    reader: engine,
    switches: () => ({ debug: false, send: false }),
    name: "reterm",
    version: "0.0.0",
    clock: systemClock,
    log: new LogWriter(() => Date.now()),
  });
  const { signal } = new AbortController();
  const figures: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const start = performance.now();
    for (let call = 0; call < calls; call++) {
      const response = await endpoint.handle(callRequest(signal));
      await response.bytes();
    }
    // The first round compiles the code; it is not counted.
    if (round > 0) figures.push((performance.now() - start) * 1000 / calls);
  }
  await endpoint.close();
  figures.sort((a, b) => a - b);
  return figures[figures.length >> 1] ?? Infinity;
}

if (import.meta.main) {
  const microseconds = await measureEndpoint();
  const line = `list_sessions through the endpoint: ${
    microseconds.toFixed(1)
  } µs a call\n`;
  Deno.stdout.writeSync(new TextEncoder().encode(line));
}
