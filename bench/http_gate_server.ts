/**
 * The servers that `http_gate.ts` compares, as a worker of their own so that
 * they do not share a thread with their clients. Told which one to be, it
 * answers with its port.
 *
 * @module
 */

import { listen } from "../lib/http/listener.ts";
import { openPeerCheck } from "../lib/peer/owner.ts";

/** What the worker is told. */
export interface ServerOrder {
  readonly kind: "bare" | "gate";
  readonly token: string;
}

// As long as a small answer of list_sessions.
const BODY = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  result: { content: [{ type: "text", text: "x".repeat(300) }] },
});
const JSON_TYPE = { "content-type": "application/json" };

function serveBare(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const answer = new TextEncoder().encode(
    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n" +
      `Content-Length: ${BODY.length}\r\nConnection: close\r\n\r\n${BODY}`,
  );
  const serve = async (conn: Deno.Conn) => {
    await conn.read(new Uint8Array(8_192));
    await conn.write(answer);
    conn.close();
  };
  (async () => {
    for await (const conn of listener) serve(conn);
  })();
  return listener.addr.port;
}

function serveGate(token: string): number {
  const { port } = listen({
    port: 0,
    token,
    path: "/mcp",
    peer: openPeerCheck(),
    log: { write() {} },
    handler: async (request) => {
      await request.text();
      return new Response(BODY, { headers: JSON_TYPE });
    },
  });
  return port;
}

const scope = self as unknown as {
  onmessage: (event: MessageEvent<ServerOrder>) => void;
  postMessage(port: number): void;
};
scope.onmessage = ({ data }) => {
  scope.postMessage(
    data.kind === "bare" ? serveBare() : serveGate(data.token),
  );
};
