/**
 * The official MCP Inspector, as a person debugs a server with it: its command
 * line on the bridge, and on the port itself.
 *
 * @module
 */

import assert from "node:assert/strict";
import { type Service, withService } from "./service.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const INSPECTOR =
  `${ROOT}.tools/inspector/node_modules/@modelcontextprotocol/inspector/clients/cli/build/index.js`;

/** Runs it with these words and gives the result that it prints. */
async function inspect(
  { started }: Service,
  words: readonly string[],
): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    // It asks for a Node newer than many have; Deno runs it as well.
    args: [
      ...["run", "--allow-all", "--quiet", "--no-config", "--no-lock"],
      ...["--node-modules-dir=manual", INSPECTOR, ...words],
    ],
    cwd: started.cwd,
    env: { ...started.env, NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  const said = decoder.decode(stdout);
  assert.equal(code, 0, said + decoder.decode(stderr));
  return JSON.parse(said);
}

Deno.test("Inspector lists and calls tools alike through the bridge and directly", async () => {
  // Guards the clients that others wrote, on both ways to connect.
  await withService({ sessions: [] }, async (service) => {
    const ways = [
      [service.started.program, "bridge"],
      [
        service.url,
        ...["--transport", "http"],
        ...["--header", `Authorization: Bearer ${service.token}`],
      ],
    ];
    const call = ["--method", "tools/call", "--tool-name", "list_sessions"];
    for (const way of ways) {
      const { tools } = await inspect(service, [
        ...way,
        ...["--method", "tools/list"],
      ]);
      const names = (tools as { name: string }[]).map(({ name }) => name);
      assert.equal(names.length, 12);
      assert.ok(names.includes("wait_for_updates"));
      assert.deepEqual((await inspect(service, [...way, ...call])).content, [
        { type: "text", text: '{"sessions":[],"untrusted":true}' },
      ]);
    }
  });
});
