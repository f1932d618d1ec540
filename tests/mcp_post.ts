/**
 * One MCP request over a connection of its own, for tests that hold the whole
 * service and want what came back as it came.
 *
 * @module
 */

/** Where the server is and how it is entered. */
export interface McpAddress {
  readonly port: number;
  readonly token: string;
}

/** An answer; status 0 when the connection was closed without one. */
export interface McpReply {
  readonly status: number;
  readonly body: string;
}

/** The address in the connect command that `/control token` prints. */
export function addressIn(command: string): McpAddress {
  const [, port = "", token = ""] =
    /:(\d+)\/mcp --header "Authorization: Bearer ([^"]+)"$/.exec(command) ?? [];
  return { port: Number(port), token };
}

/** Sends one JSON-RPC request and reads to the end of the connection. */
export async function postMcp(
  { port, token }: McpAddress,
  method: string,
  params: Record<string, unknown> = {},
): Promise<McpReply> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const request = [
    "POST /mcp HTTP/1.1",
    `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${token}`,
    "Content-Type: application/json",
    "Accept: application/json",
    `Content-Length: ${new TextEncoder().encode(body).length}`,
    "",
    body,
  ].join("\r\n");
  const conn = await Deno.connect({ hostname: "127.0.0.1", port });
  try {
    await conn.write(new TextEncoder().encode(request));
    return parseReply(await readAll(conn));
  } finally {
    conn.close();
  }
}

/** Calls a tool and gives its parsed result; throws its error text. */
export async function callTool(
  address: McpAddress,
  name: string,
  args: Record<string, unknown> = {},
): Promise<Record<string, unknown>> {
  const params = { name, arguments: args };
  const { status, body } = await postMcp(address, "tools/call", params);
  if (status !== 200) throw new Error(`answered ${status}`);
  const { result } = JSON.parse(body);
  const text = result.content[0].text;
  if (result.isError) throw new Error(text);
  return JSON.parse(text);
}

function parseReply(text: string): McpReply {
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1] ?? 0);
  return { status, body: text.slice(text.indexOf("\r\n\r\n") + 4) };
}

async function readAll(conn: Deno.TcpConn): Promise<string> {
  const decoder = new TextDecoder();
  const chunk = new Uint8Array(65_536);
  let text = "";
  while (true) {
    // A server that drops the connection may reset it.
    const count = await conn.read(chunk).catch(() => null);
    if (count === null) return text;
    text += decoder.decode(chunk.subarray(0, count), { stream: true });
  }
}
