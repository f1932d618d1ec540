/**
 * The client of the gate's rows, in a process of its own and the same for
 * every server: some connections at once, one request each, for some seconds.
 * Prints JSON: how many answers came, in how many seconds, how many
 * connections were closed unanswered, and how long half and all but a hundredth
 * of the answers took at most, in milliseconds from before the connect.
 *
 * It calls the C library's sockets itself, and blocks: through Deno's own
 * connections the client would cost more than the server, and the row would
 * measure the client. While it waits for the oldest connection, the servers
 * have all the others.
 *
 *     load_client.ts PORT TOKEN CLIENTS WARM-SECONDS SECONDS
 *
 * @module
 */

import { LIBC_PATHS } from "../lib/peer/libc.ts";

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
/** Answers between two that are decoded: decoding all measures the client. */
const LOOK_EVERY = 100;

const SYMBOLS = {
  socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
  connect: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  send: { parameters: ["i32", "buffer", "usize", "i32"], result: "i32" },
  recv: { parameters: ["i32", "buffer", "usize", "i32"], result: "i32" },
  setsockopt: {
    parameters: ["i32", "i32", "i32", "buffer", "u32"],
    result: "i32",
  },
  close: { parameters: ["i32"], result: "i32" },
} as const satisfies Deno.ForeignLibraryInterface;

const AF_INET = 2;
const SOCK_STREAM = 1;
const SOL_SOCKET = 1;
const SO_RCVTIMEO = 20;

const { socket, connect, send, recv, setsockopt, close } = openLibc().symbols;

function openLibc(): Deno.DynamicLibrary<typeof SYMBOLS> {
  for (const path of LIBC_PATHS) {
    try {
      return Deno.dlopen(path, SYMBOLS);
    } catch {
      // Another distribution's place.
    }
  }
  throw new Error("No C library was found");
}

/** `sockaddr_in` of 127.0.0.1 at the port. */
const ADDRESS = new Uint8Array(16);
const view = new DataView(ADDRESS.buffer);
view.setUint16(0, AF_INET, true);
view.setUint16(2, Number(port));
view.setUint32(4, 0x7f000001);

/** `timeval` of 10 s: a server that hangs must not hang the bench. */
const TIMEOUT = new Uint8Array(16);
TIMEOUT[0] = 10;

const chunk = new Uint8Array(65_536);
let answered = 0;
let refused = 0;
let waits: number[] = [];

/** A connection with its request on the way; -1 when none could be made. */
function ask(): number {
  const fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0) throw new Error("No socket could be made");
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, TIMEOUT, TIMEOUT.length);
  const isOpen = connect(fd, ADDRESS, ADDRESS.length) === 0 &&
    send(fd, REQUEST, BigInt(REQUEST.length), 0) === REQUEST.length;
  if (isOpen) return fd;
  close(fd);
  return -1;
}

/** Reads an answer to its end and closes. */
function take(fd: number): void {
  let length = 0;
  while (fd >= 0) {
    const count = recv(
      fd,
      chunk.subarray(length),
      BigInt(chunk.length - length),
      0,
    );
    if (count <= 0) break;
    length += count;
  }
  if (fd >= 0) close(fd);
  if (length === 0) {
    refused++;
    return;
  }
  if (answered++ % LOOK_EVERY !== 0) return;
  const text = new TextDecoder().decode(chunk.subarray(0, length));
  if (!text.startsWith("HTTP/1.1 200 ") || !text.includes(EXPECTED)) {
    throw new Error(`Unexpected answer: ${text}`);
  }
}

/** Keeps all connections busy for so long; how long it was in seconds. */
function run(fds: number[], runSeconds: number): number {
  const start = performance.now();
  answered = refused = 0;
  waits = [];
  const asked = fds.map(() => start);
  while (performance.now() - start < runSeconds * 1000) {
    for (let i = 0; i < fds.length; i++) {
      take(fds[i] ?? -1);
      const now = performance.now();
      waits.push(now - (asked[i] ?? now));
      asked[i] = now;
      fds[i] = ask();
    }
  }
  return (performance.now() - start) / 1000;
}

const fds = Array.from({ length: Number(clients) }, ask);
run(fds, Number(warmSeconds));
const measured = run(fds, Number(seconds));
waits.sort((a, b) => a - b);
const quantile = (share: number) => waits[Math.floor(waits.length * share)];
const [p50, p99] = [quantile(0.5), quantile(0.99)];
const figures = { answered, refused, seconds: measured, p50, p99 };
for (const fd of fds) take(fd);
Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(figures)));
