/**
 * A connection to a server on loopback that is this user's own: opened, and
 * handed on only once the kernel has said whose the other end is. A port that
 * nobody holds may be anyone's the next moment, so whoever is about to send a
 * secret asks here first; until the answer nothing is written.
 *
 * Spec: "The port-squat risk".
 *
 * @module
 */

import type { PeerCheck } from "./owner.ts";

/** The kernel names the owner once the server has accepted: soon, or never. */
const OWNER_WAIT_MS = 2_000;
const OWNER_RETRY_MS = 5;
const CHUNK_BYTES = 65_536;

/** An open connection to a server of the same user. */
export interface OwnServer {
  /** Writes all of `bytes`. @throws when the connection is gone. */
  write(bytes: Uint8Array): Promise<void>;
  /** The next bytes; null at the end, or when the connection broke. */
  read(): Promise<Uint8Array | null>;
  /** Closes it; reads and writes that wait end. May be called again. */
  close(): void;
}

/** How dialling went; only for `own` is anything left open. */
export type Dialled =
  | { readonly kind: "own"; readonly server: OwnServer }
  /** Nothing listens there. */
  | { readonly kind: "nobody" }
  /** A program of another user listens there. Nothing was written. */
  | { readonly kind: "other-user" }
  /** Whose it is cannot be told. Nothing was written. */
  | { readonly kind: "unknown" }
  /** It hung up at once. Nothing was written, so dialling again is safe. */
  | { readonly kind: "closed" };

/** Connects to `port` of 127.0.0.1. Never throws for what is there. */
export async function dialOwnServer(
  port: number,
  peer: PeerCheck,
  signal?: AbortSignal,
): Promise<Dialled> {
  let conn: Deno.TcpConn;
  try {
    conn = await Deno.connect({ hostname: "127.0.0.1", port });
  } catch {
    return { kind: "nobody" };
  }
  const server = new Connection(conn);
  const owner = await ownerOf(conn, { server, peer, signal });
  if (owner === "same-user") return { kind: "own", server };
  server.close();
  return { kind: owner };
}

async function ownerOf(
  conn: Deno.TcpConn,
  { server, peer, signal }: {
    readonly server: Connection;
    readonly peer: PeerCheck;
    readonly signal: AbortSignal | undefined;
  },
): Promise<"same-user" | "other-user" | "unknown" | "closed"> {
  const deadline = performance.now() + OWNER_WAIT_MS;
  while (true) {
    const owner = peer.judge(conn);
    if (owner !== "unknown") return owner;
    // A socket that was closed is nobody's any more.
    if (server.isEnded) return "closed";
    if (signal?.aborted || performance.now() > deadline) return owner;
    await new Promise((resume) => setTimeout(resume, OWNER_RETRY_MS));
  }
}

class Connection implements OwnServer {
  readonly #conn: Deno.TcpConn;
  /** Read ahead, since only a read shows that the other end hung up. */
  #ahead: Promise<Uint8Array | null>;
  #isClosed = false;
  isEnded = false;

  constructor(conn: Deno.TcpConn) {
    this.#conn = conn;
    this.#ahead = this.#readChunk();
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let done = 0; done < bytes.length;) {
      done += await this.#conn.write(bytes.subarray(done));
    }
  }

  async read(): Promise<Uint8Array | null> {
    const chunk = await this.#ahead;
    if (chunk !== null) this.#ahead = this.#readChunk();
    return chunk;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#conn.close();
  }

  async #readChunk(): Promise<Uint8Array | null> {
    const chunk = new Uint8Array(CHUNK_BYTES);
    const count = await this.#conn.read(chunk).catch(() => null);
    if (count === null) {
      this.isEnded = true;
      return null;
    }
    return chunk.subarray(0, count);
  }
}
