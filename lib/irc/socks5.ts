/**
 * Asks a SOCKS5 proxy for a connection, over a socket that is open to it. The
 * name of the destination goes to the proxy unresolved, and no login is
 * offered: the proxies this is for are on loopback. Every way to fail ends in a
 * {@link LinkFailure} that says what the proxy answered.
 *
 * The package that irc-framework uses leaves a timer of 30 s behind each
 * connection and cannot be cancelled; this is smaller than working around it.
 *
 * Follows RFC 1928.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { Socket } from "node:net";
import { isIP } from "node:net";
import { LinkFailure } from "./failure.ts";

const VERSION = 5;
const NO_LOGIN = 0;
const CONNECT = 1;
const BY_IPV4 = 1;
const BY_NAME = 3;
const BY_IPV6 = 4;

const REPLIES: Readonly<Record<number, string>> = {
  1: "general failure",
  2: "not allowed by its rules",
  3: "network unreachable",
  4: "host unreachable",
  5: "connection refused",
  6: "time to live expired",
  7: "command not supported",
  8: "address type not supported",
};

/** Where the proxy is to connect to. */
export interface Destination {
  readonly host: string;
  readonly port: number;
}

/**
 * Resolves once the proxy has connected; the next byte of `socket` is the
 * destination's, and the socket is paused. Rejects with a
 * {@link LinkFailure}; the caller owns the socket either way, and ends the wait
 * by destroying it.
 */
export async function negotiateSocks5(
  socket: Socket,
  destination: Destination,
): Promise<void> {
  const input = new ProxyReader(socket);
  try {
    socket.write(Uint8Array.of(VERSION, 1, NO_LOGIN));
    const [version, method] = await input.take(2);
    if (version !== VERSION) throw failure("it does not speak SOCKS5");
    if (method !== NO_LOGIN) throw failure("it asks for a login");
    socket.write(connectRequest(destination));
    await readReply(input);
  } finally {
    input.release();
  }
}

async function readReply(input: ProxyReader): Promise<void> {
  const [version, reply = 0, , addressType] = await input.take(4);
  if (version !== VERSION) throw failure("it does not speak SOCKS5");
  if (reply !== 0) {
    throw failure(REPLIES[reply] ?? `unknown reply ${reply}`);
  }
  await input.take(await boundAddressLength(input, addressType) + 2);
}

async function boundAddressLength(
  input: ProxyReader,
  type: number | undefined,
): Promise<number> {
  switch (type) {
    case BY_IPV4:
      return 4;
    case BY_IPV6:
      return 16;
    case BY_NAME:
      return (await input.take(1))[0] ?? 0;
    default:
      throw failure("its answer is malformed");
  }
}

function connectRequest({ host, port }: Destination): Buffer {
  const head = [VERSION, CONNECT, 0];
  const tail = [port >> 8, port & 0xff];
  if (isIP(host) === 4) {
    const bytes = host.split(".").map(Number);
    return Buffer.from([...head, BY_IPV4, ...bytes, ...tail]);
  }
  const name = Buffer.from(host);
  if (name.length > 255) throw failure("the host name is too long for it");
  return Buffer.from([...head, BY_NAME, name.length, ...name, ...tail]);
}

function failure(what: string): LinkFailure {
  return new LinkFailure("unreachable", `SOCKS proxy: ${what}`);
}

/** Reads exact counts of bytes and gives back what it read too much. */
class ProxyReader {
  readonly #socket: Socket;
  #held: Buffer = Buffer.alloc(0);
  #wake: (() => void) | undefined;
  #ended = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", this.#onData);
    socket.on("end", this.#onEnd);
    socket.on("close", this.#onEnd);
    socket.resume();
  }

  async take(count: number): Promise<Buffer> {
    while (this.#held.length < count) {
      if (this.#ended) throw failure("it closed the connection");
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
    const bytes = this.#held.subarray(0, count);
    this.#held = this.#held.subarray(count);
    return bytes;
  }

  release(): void {
    this.#socket.off("data", this.#onData);
    this.#socket.off("end", this.#onEnd);
    this.#socket.off("close", this.#onEnd);
    this.#socket.pause();
    if (this.#held.length > 0) this.#socket.unshift(this.#held);
  }

  #onData = (chunk: Buffer) => {
    this.#held = Buffer.concat([this.#held, chunk]);
    // Answers are under 300 bytes; a proxy that says more is read no further
    // until it is asked for.
    if (this.#held.length > 1_024) this.#socket.pause();
    this.#wake?.();
  };

  #onEnd = () => {
    this.#ended = true;
    this.#wake?.();
  };
}
