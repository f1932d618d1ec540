/**
 * An IRC server that does what a test tells it, line by line, over real
 * loopback sockets: `accept()` gives the peer, `expect()` and `until()` read
 * what the client sent, `send()` answers. It knows no IRC beyond
 * {@link ScriptedPeer.register}, so that it can be as wrong as a test needs.
 *
 * @module
 */

import assert from "node:assert/strict";

/** How long a read or an accept may take before the test fails. */
const PATIENCE_MS = 5_000;

/** PEM texts of a TLS server. */
export interface ServerIdentity {
  readonly cert: string;
  readonly key: string;
}

/** The committed test certificate for irc.test, localhost and 127.0.0.1. */
export function testIdentity(name = "server"): ServerIdentity {
  return {
    cert: readFixture(`${name}.pem`),
    key: readFixture(`${name}.key`),
  };
}

/** PEM text of a file in `fixtures/tls`. */
export function readFixture(name: string): string {
  return Deno.readTextFileSync(
    new URL(`../../fixtures/tls/${name}`, import.meta.url),
  );
}

/** See the module doc. */
export class ScriptedServer {
  readonly #listener: Deno.Listener;
  readonly #peers: ScriptedPeer[] = [];

  private constructor(listener: Deno.Listener) {
    this.#listener = listener;
  }

  /** Listens on a port of 127.0.0.1 that the system picks. */
  static listen(identity?: ServerIdentity): ScriptedServer {
    const address = { hostname: "127.0.0.1", port: 0 };
    return new ScriptedServer(
      identity === undefined
        ? Deno.listen(address)
        : Deno.listenTls({ ...address, ...identity }),
    );
  }

  get port(): number {
    return (this.#listener.addr as Deno.NetAddr).port;
  }

  /** The next client. */
  async accept(): Promise<ScriptedPeer> {
    const conn = await within("a connection", this.#listener.accept());
    const peer = new ScriptedPeer(conn);
    this.#peers.push(peer);
    return peer;
  }

  /** Closes the listener and every peer. */
  async close(): Promise<void> {
    this.#listener.close();
    for (const peer of this.#peers) await peer.close();
  }
}

/** What {@link ScriptedPeer.register} plays. */
export interface Welcome {
  /** The nick in 001; what the client asked for by default. */
  readonly nick?: string;
  /** The list of `CAP LS`, `""` for none. */
  readonly caps?: string;
  /** Tokens of one 005 line. */
  readonly isupport?: string;
}

/** One client of a {@link ScriptedServer}. */
export class ScriptedPeer {
  readonly #conn: Deno.Conn;
  readonly #decoder = new TextDecoder();
  #buffered = "";
  #ended = false;
  #closed = false;
  /** Every line the client sent and a test has read, in order. */
  readonly received: string[] = [];

  constructor(conn: Deno.Conn) {
    this.#conn = conn;
  }

  /** The next line, without its ending; undefined when the client is gone. */
  async readLine(): Promise<string | undefined> {
    while (!this.#buffered.includes("\n")) {
      if (this.#ended) return undefined;
      await this.#fill();
    }
    const end = this.#buffered.indexOf("\n");
    const line = this.#buffered.slice(0, end).replace(/\r$/, "");
    this.#buffered = this.#buffered.slice(end + 1);
    this.received.push(line);
    return line;
  }

  /** Waits until the client has sent anything, whole line or not. */
  async readSome(): Promise<void> {
    while (this.#buffered === "" && !this.#ended) await this.#fill();
  }

  /** Reads one line and fails unless it is `wanted` or matches it. */
  async expect(wanted: string | RegExp): Promise<string> {
    const line = await this.readLine();
    if (line === undefined) assert.fail(`client left, expected ${wanted}`);
    if (typeof wanted === "string") assert.equal(line, wanted);
    else assert.match(line, wanted);
    return line;
  }

  /** Reads up to the first line that is `wanted` or matches it. */
  async until(wanted: string | RegExp): Promise<string> {
    while (true) {
      const line = await this.readLine();
      if (line === undefined) {
        assert.fail(
          `client left before ${wanted}: ${JSON.stringify(this.received)}`,
        );
      }
      if (typeof wanted === "string" ? line === wanted : wanted.test(line)) {
        return line;
      }
    }
  }

  /** Reads until the client closes; the lines that came before. */
  async untilClosed(): Promise<string[]> {
    const lines: string[] = [];
    while (true) {
      const line = await this.readLine();
      if (line === undefined) return lines;
      lines.push(line);
    }
  }

  /** Sends lines, each ended by CRLF, as UTF-8. */
  send(...lines: string[]): Promise<void> {
    return this.sendBytes(
      new TextEncoder().encode(lines.map((line) => `${line}\r\n`).join("")),
    );
  }

  /** Sends bytes as they are. */
  async sendBytes(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      at += await this.#conn.write(bytes.subarray(at));
    }
  }

  /**
   * Plays a server's side of the registration up to 422. Returns what the
   * client asked for. The client's `CAP END` is awaited when `caps` is given.
   */
  async register(welcome: Welcome = {}): Promise<{ nick: string }> {
    await this.expect("CAP LS 302");
    const asked = await this.until(/^NICK /);
    await this.until(/^USER /);
    const caps = welcome.caps ?? "";
    await this.send(`:srv CAP * LS :${caps}`);
    await this.acknowledgeUntilEnd();
    const nick = welcome.nick ?? asked.slice("NICK ".length).replace(/^:/, "");
    await this.send(`:srv 001 ${nick} :Welcome`);
    if (welcome.isupport !== undefined) {
      await this.send(`:srv 005 ${nick} ${welcome.isupport} :are supported`);
    }
    await this.send(`:srv 422 ${nick} :MOTD File is missing`);
    return { nick };
  }

  /** Answers every `CAP REQ` with ACK until `CAP END`. */
  async acknowledgeUntilEnd(): Promise<void> {
    while (true) {
      const line = await this.until(/^CAP (END$|REQ )/);
      if (line === "CAP END") return;
      await this.send(
        `:srv CAP * ACK :${line.slice("CAP REQ ".length).replace(/^:/, "")}`,
      );
    }
  }

  /** Sends a PING and reads to its PONG: all sent before was processed. */
  async barrier(): Promise<void> {
    const token = crypto.randomUUID();
    await this.send(`PING :${token}`);
    await this.until(new RegExp(`^PONG :?${token}$`));
  }

  /** Ends the connection; the client sees the end of the stream. */
  close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true;
      try {
        this.#conn.close();
      } catch {
        // The client's end may have closed it already.
      }
    }
    return Promise.resolve();
  }

  async #fill(): Promise<void> {
    const chunk = new Uint8Array(65_536);
    let count: number | null;
    try {
      count = await within("a line", this.#conn.read(chunk));
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      count = null;
    }
    if (count === null) this.#ended = true;
    else {
      this.#buffered += this.#decoder.decode(chunk.subarray(0, count), {
        stream: true,
      });
    }
  }
}

/** `work`, or a failure when it takes longer than a test should wait. */
export async function within<T>(what: string, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () =>
        reject(
          new assert.AssertionError({
            message: `${what} did not come within ${PATIENCE_MS} ms`,
          }),
        ),
      PATIENCE_MS,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
