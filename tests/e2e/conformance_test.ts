/**
 * The service under what others wrote: the official conformance suite, with the
 * scenarios that are not served named in a baseline; the official client in
 * every protocol version it knows; and curl, as a script's author uses it.
 *
 * @module
 */

import assert from "node:assert/strict";
// @ts-types="@modelcontextprotocol/sdk/client/index"
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
// @ts-types="@modelcontextprotocol/sdk/client/streamableHttp"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
// @ts-types="@modelcontextprotocol/sdk/types"
import {
  type JSONRPCMessage,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/sdk/types.js";
import { HeaderForwarder } from "./header_forwarder.ts";
import { type Service, withService } from "./service.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const SUITE =
  `${ROOT}.tools/conformance/node_modules/@modelcontextprotocol/conformance/dist/index.js`;
const BASELINE = `${ROOT}fixtures/conformance/baseline.yml`;
/** What the suite shall find: scenarios left out of it prove nothing. */
const SERVED = [
  "dns-rebinding-protection",
  "ping",
  "server-initialize",
  "tools-call-error",
  "tools-call-simple-text",
  "tools-list",
];
const SCENARIOS = 32;

function addressOf(service: Service): { port: number; token: string } {
  return { port: Number(new URL(service.url).port), token: service.token };
}

/** Runs the official suite and gives what it printed, with its exit code. */
async function runSuite(url: string): Promise<{ code: number; text: string }> {
  const results = await Deno.makeTempDir();
  try {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      // The suite asks for a Node newer than many have; Deno runs it as well.
      args: [
        ...["run", "--allow-all", "--quiet", "--cached-only"],
        ...["--no-config", "--no-lock", "--node-modules-dir=manual"],
        ...[SUITE, "server", "--url", url, "--suite", "all"],
        ...["--expected-failures", BASELINE, "--output-dir", results],
      ],
      env: { NO_COLOR: "1" },
    }).output();
    const decoder = new TextDecoder();
    return { code, text: decoder.decode(stdout) + decoder.decode(stderr) };
  } finally {
    await Deno.remove(results, { recursive: true });
  }
}

Deno.test("service passes the official conformance suite, but for its baseline", async () => {
  // Guards against an idea of the protocol that only our own tests share.
  await withService({ sessions: [] }, async (service) => {
    const forwarder = new HeaderForwarder(addressOf(service));
    try {
      const { code, text } = await runSuite(forwarder.url);
      assert.equal(code, 0, text);
      const ran = text.matchAll(/^[✓✗] ([\w-]+): /gm)
        .map(([, name = ""]) => name).toArray();
      assert.equal(ran.length, SCENARIOS, text);
      const baseline = await Deno.readTextFile(BASELINE);
      const served = ran.filter((name) => !baseline.includes(`  - ${name}\n`));
      assert.deepEqual(served.sort(), SERVED);
    } finally {
      await forwarder.close();
    }
  });
});

/** The official client's transport, asking for another protocol version. */
class VersionTransport extends StreamableHTTPClientTransport {
  readonly #version: string;

  constructor(service: Service, version: string) {
    super(new URL(service.url), {
      requestInit: { headers: { Authorization: `Bearer ${service.token}` } },
    });
    this.#version = version;
  }

  override send(
    message: JSONRPCMessage | JSONRPCMessage[],
    options?: Parameters<StreamableHTTPClientTransport["send"]>[1],
  ): Promise<void> {
    if (!Array.isArray(message) && "method" in message) {
      if (message.method === "initialize") {
        const params = { ...message.params, protocolVersion: this.#version };
        return super.send({ ...message, params }, options);
      }
    }
    return super.send(message, options);
  }
}

Deno.test("the official client is served in every protocol version it knows", async () => {
  // Guards clients that were written for an older protocol, or know a newer.
  await withService({ sessions: [] }, async (service) => {
    assert.ok(SUPPORTED_PROTOCOL_VERSIONS.length >= 4);
    for (const version of SUPPORTED_PROTOCOL_VERSIONS) {
      const client = new Client({ name: "versions", version: "1" });
      const transport = new VersionTransport(service, version);
      await client.connect(
        // The SDK's declarations do not allow for exactOptionalPropertyTypes.
        transport as Parameters<Client["connect"]>[0],
      );
      assert.equal(transport.protocolVersion, version);
      const { tools } = await client.listTools();
      assert.ok(tools.some(({ name }) => name === "list_sessions"), version);
      const result = await client.callTool({ name: "list_sessions" });
      assert.deepEqual(result.content, [
        { type: "text", text: '{"sessions":[],"untrusted":true}' },
      ]);
      await client.ping();
      await client.close();
    }
  });
});

Deno.test("curl is answered by the two lines of a script", async () => {
  // Guards whoever has no MCP client: no handshake, no session, no stream.
  await withService({ sessions: [] }, async (service) => {
    const curl = async (...args: string[]) => {
      const { code, stdout } = await new Deno.Command("curl", {
        args: ["-sS", "--max-time", "10", ...args, service.url],
      }).output();
      return { code, text: new TextDecoder().decode(stdout) };
    };
    const call = {
      jsonrpc: "2.0",
      id: 7,
      method: "tools/call",
      params: { name: "list_sessions" },
    };
    const { code, text } = await curl(
      "--json",
      JSON.stringify(call),
      "-H",
      `Authorization: Bearer ${service.token}`,
    );
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(text), {
      jsonrpc: "2.0",
      id: 7,
      result: {
        content: [{ type: "text", text: '{"sessions":[],"untrusted":true}' }],
      },
    });
    const refused = await curl("--json", "{}", "-w", "%{http_code}");
    assert.deepEqual(refused, { code: 0, text: "403" });
  });
});
