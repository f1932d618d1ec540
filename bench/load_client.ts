/**
 * The client of the gate's rows, in a process of its own and the same for
 * every server: some connections at once, one request each, for some seconds.
 * Prints JSON: how many answers came, in how many seconds, how many
 * connections were closed unanswered.
 *
 *     load_client.ts PORT TOKEN CLIENTS WARM-SECONDS SECONDS
 *
 * @module
 */

const [port, token, clients, warmSeconds, seconds] = Deno.args;
const BODY =
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_sessions","arguments":{}}}';
const REQUEST = new TextEncoder().encode(
  `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n` +
    `Authorization: Bearer ${token}\r\nContent-Type: application/json\r\n` +
    "Accept: application/json, text/event-stream\r\nConnection: close\r\n" +
    `Content-Length: ${BODY.length}\r\n\r\n${BODY}`,
);
/** The answer must be a result with sessions in it. */
const EXPECTED = "sessions";

/** Bytes of an answer, once one has been read to its end; all are alike. */
let answerLength = Infinity;
let answered = 0;
let refused = 0;
let isOver = false;

async function ask(chunk: Uint8Array): Promise<void> {
  const conn = await Deno.connect({
    hostname: "127.0.0.1",
    port: Number(port),
  });
  let length = 0;
  try {
    await conn.write(REQUEST);
    while (length < answerLength) {
      const count = await conn.read(chunk.subarray(length));
      if (count === null) break;
      length += count;
    }
  } catch {
    // Closed unanswered, with a reset.
    length = 0;
  } finally {
    conn.close();
  }
  if (length === 0) {
    refused++;
    return;
  }
  answerLength = length;
  answered++;
  // Decoding every answer would measure the client.
  if (answered % 100 !== 1) return;
  const text = new TextDecoder().decode(chunk.subarray(0, length));
  if (!text.startsWith("HTTP/1.1 200 ") || !text.includes(EXPECTED)) {
    throw new Error(`Unexpected answer: ${text}`);
  }
}

async function loop(): Promise<void> {
  const chunk = new Uint8Array(65_536);
  while (!isOver) await ask(chunk);
}

const loops = Array.from({ length: Number(clients) }, loop);
await new Promise((done) => setTimeout(done, Number(warmSeconds) * 1000));
answered = refused = 0;
const start = performance.now();
await new Promise((done) => setTimeout(done, Number(seconds) * 1000));
const figures = {
  answered,
  refused,
  seconds: (performance.now() - start) / 1000,
};
isOver = true;
await Promise.all(loops);
Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(figures)));
