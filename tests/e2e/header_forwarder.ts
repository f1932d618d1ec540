/**
 * A loopback forwarder for clients that cannot send a token: it adds the
 * Authorization header to each request, names the service in Host and Origin
 * where the client named the forwarder, and passes everything else on as it
 * came, so that the service judges what the client sent.
 *
 * @module
 */

const HEAD_END = "\r\n\r\n";

/** See the module doc. */
export class HeaderForwarder {
  readonly #listener: Deno.TcpListener;
  readonly #target: { readonly port: number; readonly token: string };
  readonly #open = new Set<Promise<void>>();
  readonly #accepting: Promise<void>;

  constructor(target: { readonly port: number; readonly token: string }) {
    this.#target = target;
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    this.#accepting = this.#accept();
  }

  /** What the client is given. */
  get url(): string {
    return `http://127.0.0.1:${this.#listener.addr.port}/mcp`;
  }

  async close(): Promise<void> {
    this.#listener.close();
    await this.#accepting;
    await Promise.all(this.#open);
  }

  async #accept(): Promise<void> {
    try {
      for await (const conn of this.#listener) {
        const forwarded = this.#forward(conn).catch(() => {});
        this.#open.add(forwarded);
        void forwarded.finally(() => this.#open.delete(forwarded));
      }
    } catch (error) {
      if (!(error instanceof Deno.errors.BadResource)) throw error;
    }
  }

  async #forward(client: Deno.TcpConn): Promise<void> {
    let service: Deno.TcpConn | undefined;
    try {
      const held = await this.#readHead(client);
      if (held === undefined) return;
      service = await Deno.connect({
        hostname: "127.0.0.1",
        port: this.#target.port,
      });
      await writeAll(service, held);
      // The service answers one request and closes: its end is the end.
      const rest = pass(client, service);
      await pass(service, client);
      client.close();
      await rest;
    } finally {
      for (const conn of [client, service]) {
        try {
          conn?.close();
        } catch {
          // Closed already.
        }
      }
    }
  }

  /** The head, changed, and what of the body came with it. */
  async #readHead(client: Deno.TcpConn): Promise<Uint8Array | undefined> {
    const chunk = new Uint8Array(16_384);
    let text = "";
    while (!text.includes(HEAD_END)) {
      const count = await client.read(chunk);
      if (count === null) return undefined;
      text += latin1Of(chunk.subarray(0, count));
    }
    const end = text.indexOf("\r\n");
    const own = `:${this.#listener.addr.port}\r\n`;
    const head = text.slice(end, text.indexOf(HEAD_END) + 2)
      .replace(/\r\n(host|origin):[^\r]*/gi, (line) => {
        const whole = `${line}\r\n`;
        return whole.endsWith(own)
          ? `${whole.slice(0, -own.length)}:${this.#target.port}`
          : line;
      });
    const changed = `${text.slice(0, end)}\r\n` +
      `Authorization: Bearer ${this.#target.token}${head}` +
      text.slice(text.indexOf(HEAD_END) + 2);
    return Uint8Array.from(changed, (char) => char.charCodeAt(0));
  }
}

function latin1Of(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}

async function pass(from: Deno.TcpConn, to: Deno.TcpConn): Promise<void> {
  const chunk = new Uint8Array(65_536);
  try {
    while (true) {
      const count = await from.read(chunk);
      if (count === null) return;
      await writeAll(to, chunk.subarray(0, count));
    }
  } catch {
    // One of the two is gone, and with it the reason to go on.
  }
}

async function writeAll(conn: Deno.TcpConn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    at += await conn.write(bytes.subarray(at));
  }
}
