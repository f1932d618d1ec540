/**
 * The least of an IRC server: it lets one client at a time in, into any
 * channel, and says what a test tells it. It numbers nothing and keeps nothing.
 *
 * @module
 */

/** See the module doc. */
export class PlainServer {
  readonly #listener: Deno.TcpListener;
  readonly #serving: Promise<void>;
  readonly #waiting = new Set<() => void>();
  readonly #channels = new Set<string>();
  #conn: Deno.TcpConn | undefined;
  #pongs = new Set<string>();
  #connections = 0;

  private constructor(listener: Deno.TcpListener) {
    this.#listener = listener;
    this.#serving = this.#serve();
  }

  static listen(): PlainServer {
    return new PlainServer(Deno.listen({ hostname: "127.0.0.1", port: 0 }));
  }

  get port(): number {
    return this.#listener.addr.port;
  }

  /** How many times a client came. */
  get connections(): number {
    return this.#connections;
  }

  /** Waits until the client is in a channel. */
  joined(channel: string): Promise<void> {
    return this.#until(() => this.#channels.has(channel));
  }

  /** Says lines in a channel, as bob. */
  async say(channel: string, ...texts: string[]): Promise<void> {
    const lines = texts.map((text) =>
      `:bob!b@host PRIVMSG ${channel} :${text}\r\n`
    );
    await this.#write(lines.join(""));
  }

  /** Waits until the client has answered: it has read all that was said. */
  async answered(): Promise<void> {
    const token = crypto.randomUUID();
    await this.#write(`PING :${token}\r\n`);
    await this.#until(() => this.#pongs.delete(token));
  }

  /** Drops the client, which may come again. */
  drop(): void {
    this.#channels.clear();
    this.#conn?.close();
    this.#conn = undefined;
  }

  async close(): Promise<void> {
    this.#listener.close();
    try {
      this.#conn?.close();
    } catch {
      // It left by itself.
    }
    await this.#serving;
  }

  async #serve(): Promise<void> {
    try {
      while (true) {
        const conn = await this.#listener.accept();
        this.#conn = conn;
        this.#connections++;
        await this.#read(conn).catch(() => {});
        try {
          conn.close();
        } catch {
          // Dropped.
        }
      }
    } catch {
      // Closed.
    }
  }

  async #read(conn: Deno.TcpConn): Promise<void> {
    const decoder = new TextDecoder();
    const chunk = new Uint8Array(16_384);
    let held = "";
    while (true) {
      const count = await conn.read(chunk);
      if (count === null) return;
      held += decoder.decode(chunk.subarray(0, count), { stream: true });
      const lines = held.split("\r\n");
      held = lines.pop() ?? "";
      for (const line of lines) await this.#answer(line);
      for (const look of [...this.#waiting]) look();
    }
  }

  async #answer(line: string): Promise<void> {
    const [command = "", first = "", ...rest] = line.split(" ");
    switch (command) {
      case "USER":
        await this.#write(
          ":srv 001 alice :Welcome\r\n:srv 422 alice :none\r\n",
        );
        break;
      case "JOIN":
        for (const channel of first.split(",")) {
          await this.#write(
            `:alice!a@host JOIN ${channel}\r\n` +
              `:srv 353 alice = ${channel} :alice bob\r\n` +
              `:srv 366 alice ${channel} :end\r\n`,
          );
          this.#channels.add(channel);
        }
        break;
      case "PING":
        await this.#write(`:srv PONG srv ${first}\r\n`);
        break;
      case "PONG":
        this.#pongs.add([first, ...rest].join(" ").replace(/^:/, ""));
        break;
    }
  }

  async #write(text: string): Promise<void> {
    const bytes = new TextEncoder().encode(text);
    for (let at = 0; at < bytes.length;) {
      at += await this.#conn?.write(bytes.subarray(at)) ?? bytes.length;
    }
  }

  #until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!holds()) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }
}
