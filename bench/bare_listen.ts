/**
 * The least a loopback server can do: read one request, answer a constant,
 * close. What the gate adds is measured against it. Prints its port.
 *
 *     bare_listen.ts ANSWER-TEXT
 *
 * @module
 */

const BODY = Deno.args[0] ?? "";
const ANSWER = new TextEncoder().encode(
  "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" +
    `Content-Length: ${new TextEncoder().encode(BODY).length}\r\n` +
    `Connection: close\r\n\r\n${BODY}`,
);
const HEAD_END = /\r\n\r\n/;
const LENGTH = /\r\nContent-Length: (\d+)/;

async function serve(conn: Deno.Conn): Promise<void> {
  const chunk = new Uint8Array(16_384);
  const decoder = new TextDecoder();
  let text = "";
  try {
    while (true) {
      const count = await conn.read(chunk);
      if (count === null) return;
      text += decoder.decode(chunk.subarray(0, count));
      const head = text.search(HEAD_END);
      const length = Number(LENGTH.exec(text)?.[1]);
      if (head >= 0 && text.length >= head + 4 + length) break;
    }
    await conn.write(ANSWER);
  } catch {
    // The client is gone.
  } finally {
    conn.close();
  }
}

const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
Deno.stdout.writeSync(new TextEncoder().encode(`${listener.addr.port}\n`));
for await (const conn of listener) void serve(conn);
