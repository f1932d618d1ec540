import assert from "node:assert/strict";
// @ts-types="@modelcontextprotocol/sdk/types"
import { JSONRPCRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { decodeMessage } from "../../lib/mcp/json_rpc.ts";

const REQUEST = { jsonrpc: "2.0", id: 1, method: "ping" };

Deno.test("decodeMessage() takes for a request just what the SDK's schema does", () => {
  // Guards that the look at a glance lets nothing in that the SDK would drop.
  const rows: unknown[] = [
    REQUEST,
    { ...REQUEST, id: "a" },
    { ...REQUEST, id: "" },
    { ...REQUEST, id: -1 },
    { ...REQUEST, id: 1.5 },
    { ...REQUEST, id: 2 ** 53 },
    { ...REQUEST, id: null },
    { ...REQUEST, id: true },
    { ...REQUEST, jsonrpc: "1.0" },
    { ...REQUEST, method: 1 },
    { ...REQUEST, method: "" },
    { ...REQUEST, extra: 1 },
    { ...REQUEST, params: {} },
    { ...REQUEST, params: null },
    { ...REQUEST, params: [] },
    { ...REQUEST, params: "x" },
    { ...REQUEST, params: { arguments: null, name: 7 } },
    { ...REQUEST, params: { _meta: {} } },
    { ...REQUEST, params: { _meta: 1 } },
    { ...REQUEST, params: { _meta: { progressToken: true } } },
    { ...REQUEST, params: { _meta: { progressToken: 1 } } },
    [REQUEST],
    null,
    1,
    {},
  ];
  for (const row of rows) {
    const text = JSON.stringify(row);
    const { kind } = decodeMessage(new TextEncoder().encode(text));
    const isRequest = JSONRPCRequestSchema.safeParse(JSON.parse(text)).success;
    assert.equal(kind === "request", isRequest, text);
  }
});
