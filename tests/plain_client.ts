/**
 * A client of plain IRC lines over loopback, for the other people of a test:
 * it sends what it is told and reads until a line matches. It answers PING by
 * itself while it reads, and shares no code with the client in lib/irc.
 *
 * @module
 */

/** A read that finds nothing in this time fails its test. */
const PATIENCE_MS = 30_000;

/** See the module doc. */
export class PlainClient {
  readonly #conn: Deno.TcpConn;
  readonly #decoder = new TextDecoder();
  readonly #chunk = new Uint8Array(16_384);
  #held = "";

  private constructor(conn: Deno.TcpConn) {
    this.#conn = conn;
  }

  static async connect(port: number): Promise<PlainClient> {
    return new PlainClient(
      await Deno.connect({ hostname: "127.0.0.1", port }),
    );
  }

  async send(...lines: string[]): Promise<void> {
    const bytes = new TextEncoder().encode(lines.join("\r\n") + "\r\n");
    for (let at = 0; at < bytes.length;) {
      at += await this.#conn.write(bytes.subarray(at));
    }
  }

  /** The next line. Throws when the connection ends, or none comes. */
  async line(): Promise<string> {
    while (!this.#held.includes("\r\n")) {
      const count = await this.#read();
      if (count === null) {
        throw new Error(`closed after ${JSON.stringify(this.#held)}`);
      }
      this.#held += this.#decoder.decode(this.#chunk.subarray(0, count), {
        stream: true,
      });
    }
    const end = this.#held.indexOf("\r\n");
    const line = this.#held.slice(0, end);
    this.#held = this.#held.slice(end + 2);
    const [, token] = /^(?::\S+ )?PING (.*)$/.exec(line) ?? [];
    if (token !== undefined) await this.send(`PONG ${token}`);
    return line;
  }

  async #read(): Promise<number | null> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.close();
        reject(new Error(`no line came within ${PATIENCE_MS} ms`));
      }, PATIENCE_MS);
    });
    try {
      return await Promise.race([this.#conn.read(this.#chunk), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The lines up to and with the first that matches. */
  async until(pattern: RegExp): Promise<string[]> {
    const lines: string[] = [];
    while (!lines.some((line) => pattern.test(line))) {
      lines.push(await this.line());
    }
    return lines;
  }

  /** Registers with capabilities; settles at the end of the greeting. */
  async register(nick: string, capabilities = ""): Promise<void> {
    await this.send("CAP LS 302", `NICK ${nick}`, `USER ${nick} 0 * :${nick}`);
    if (capabilities !== "") await this.send(`CAP REQ :${capabilities}`);
    await this.send("CAP END");
    await this.until(/ (376|422) /);
  }

  close(): void {
    try {
      this.#conn.close();
    } catch {
      // Closed already.
    }
  }
}
