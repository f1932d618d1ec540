/**
 * A gate on a port of its own for tests, and a client that speaks raw bytes
 * to it. Nothing here knows HTTP: what is sent and what is asserted are the
 * bytes on the wire.
 *
 * @module
 */

import type { Listener, ListenOptions } from "../../lib/http/listener.ts";
import { listen } from "../../lib/http/listener.ts";
import type { RefusalNotice } from "../../lib/http/refusal_log.ts";
import { type LogLine, LogWriter } from "../../lib/log.ts";

/** The token of every gate made here. */
export const TOKEN = "kZ3fT0u-R1vXy7_QwErTyUiOpAsDfGhJkLzXcVbNm42";

/** A running gate and what it said. */
export interface TestGate extends AsyncDisposable {
  readonly listener: Listener;
  readonly port: number;
  readonly lines: LogLine[];
  readonly notices: RefusalNotice[];
  /** How many requests reached the handler. */
  readonly calls: Request[];
}

/** Opens a gate; its handler answers 200 `ok` unless given another. */
export function openGate(options: Partial<ListenOptions> = {}): TestGate {
  const lines: LogLine[] = [];
  const notices: RefusalNotice[] = [];
  const calls: Request[] = [];
  const handler = options.handler ??
    (() => Promise.resolve(new Response("ok")));
  const listener = listen({
    port: 0,
    token: TOKEN,
    path: "/mcp",
    log: new LogWriter(() => 0, [(line) => lines.push(line)]),
    onRefused: (notice) => notices.push(notice),
    ...options,
    handler: (request) => {
      calls.push(request);
      return handler(request);
    },
  });
  return {
    listener,
    port: listener.port,
    lines,
    notices,
    calls,
    [Symbol.asyncDispose]: () => listener.close(),
  };
}

/** A request as a client would send it, with any line replaced or added. */
export function post(
  port: number,
  options: {
    method?: string;
    target?: string;
    token?: string;
    extra?: string;
    body?: string;
  } = {},
): string {
  const { method = "POST", target = "/mcp", token = TOKEN } = options;
  const { extra = "", body = "{}" } = options;
  return `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n` +
    `Authorization: Bearer ${token}\r\n${extra}` +
    `Content-Length: ${body.length}\r\n\r\n${body}`;
}

/** The exact bytes of an answer without a body. */
export function emptyAnswer(statusLine: string, extra = ""): string {
  return `HTTP/1.1 ${statusLine}\r\n${extra}` +
    "Content-Length: 0\r\nConnection: close\r\n\r\n";
}

/** What the default handler's answer looks like on the wire. */
export const OK_ANSWER =
  "HTTP/1.1 200 OK\r\ncontent-type: text/plain;charset=UTF-8\r\n" +
  "Content-Length: 2\r\nConnection: close\r\n\r\nok";

export const FORBIDDEN = emptyAnswer("403 Forbidden");

/** A connection that a test drives byte by byte. */
export class RawClient {
  readonly conn: Deno.TcpConn;

  private constructor(conn: Deno.TcpConn) {
    this.conn = conn;
  }

  static async connect(port: number): Promise<RawClient> {
    return new RawClient(await Deno.connect({ hostname: "127.0.0.1", port }));
  }

  async send(text: string): Promise<void> {
    const bytes = latin1(text);
    let sent = 0;
    while (sent < bytes.length) {
      sent += await this.conn.write(bytes.subarray(sent));
    }
  }

  /** Everything until the server closes; a reset counts as closing. */
  async readToEnd(): Promise<string> {
    let text = "";
    const buffer = new Uint8Array(65_536);
    try {
      while (true) {
        const count = await this.conn.read(buffer);
        if (count === null) return text;
        text += fromLatin1(buffer.subarray(0, count));
      }
    } catch (cause) {
      if (cause instanceof Deno.errors.ConnectionReset) return text;
      throw cause;
    }
  }

  /** Reads on until `marker` has come. */
  async readUntil(marker: string): Promise<string> {
    let text = "";
    const buffer = new Uint8Array(4_096);
    while (!text.includes(marker)) {
      const count = await this.conn.read(buffer);
      if (count === null) throw new Error(`closed before "${marker}"`);
      text += fromLatin1(buffer.subarray(0, count));
    }
    return text;
  }

  close(): void {
    this.conn.close();
  }
}

/** Sends `text` on a connection of its own; everything until it is closed. */
export async function roundTrip(port: number, text: string): Promise<string> {
  const client = await RawClient.connect(port);
  try {
    // A connection turned away may be closed before the request is written.
    await client.send(text).catch(() => {});
    return await client.readToEnd();
  } finally {
    client.close();
  }
}

/** Resolves once `holds` does; fails after five seconds. */
export async function until(holds: () => boolean): Promise<void> {
  const end = Date.now() + 5_000;
  while (!holds()) {
    if (Date.now() > end) throw new Error(`never came to hold: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

export function latin1(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}

function fromLatin1(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}
