/**
 * The other side of the operator's door: how a command reaches the running
 * service. The key and the command leave only once the kernel has said that
 * the port is held by the same user: a dead service's port may be anyone's by
 * now, and a command may carry a password.
 *
 * Speaks the little HTTP that the door does, on a connection of its own, since
 * `fetch` does not show whose connection it uses.
 *
 * @module
 */

import type { PeerCheck } from "../peer/owner.ts";
import { DOOR_PATH, type DoorRequest } from "./door.ts";
import type { DoorAddress } from "./door_file.ts";
import type { Answer } from "./operator.ts";

/** The door answers within 25 s or not at all. */
export const ANSWER_WAIT_MS = 30_000;
/** Far above any listing. */
const MAX_ANSWER_BYTES = 16_777_216;
/** The kernel names the owner once the service has accepted: soon, or never. */
const OWNER_WAIT_MS = 2_000;
const OWNER_RETRY_MS = 5;

/** How asking went. */
export type DoorReply =
  | { readonly kind: "answered"; readonly answer: Answer }
  /** Nothing listens there, or nothing that is this user's service. */
  | { readonly kind: "nobody" }
  /** Something of this user's listens there and did not answer. */
  | { readonly kind: "silent"; readonly reason: string };

/** What asking needs. */
export interface DoorClient {
  readonly peer: PeerCheck;
  readonly waitMs?: number;
}

/** Sends one command through the door at `address`. Never throws for the door. */
export async function askDoor(
  address: DoorAddress,
  request: DoorRequest,
  { peer, waitMs = ANSWER_WAIT_MS }: DoorClient,
): Promise<DoorReply> {
  let conn: Deno.TcpConn;
  try {
    conn = await Deno.connect({ hostname: "127.0.0.1", port: address.port });
  } catch {
    return { kind: "nobody" };
  }
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    closeQuietly(conn);
  }, waitMs);
  try {
    const owner = await ownerOf(conn, peer);
    if (owner === "other-user") return { kind: "nobody" };
    if (owner === "unknown") {
      return silent("who listens on its port could not be checked");
    }
    await writeAll(conn, encodeRequest(address, request));
    return readReply(await readAll(conn));
  } catch {
    return silent(timedOut ? "no answer in time" : "the connection was closed");
  } finally {
    clearTimeout(timer);
    closeQuietly(conn);
  }
}

async function ownerOf(conn: Deno.TcpConn, peer: PeerCheck) {
  const deadline = performance.now() + OWNER_WAIT_MS;
  while (true) {
    const owner = peer.judge(conn);
    if (owner !== "unknown" || performance.now() > deadline) return owner;
    await new Promise((resume) => setTimeout(resume, OWNER_RETRY_MS));
  }
}

function encodeRequest(
  { port, key }: DoorAddress,
  request: DoorRequest,
): Uint8Array {
  const body = new TextEncoder().encode(JSON.stringify(request));
  const head = new TextEncoder().encode(
    [
      `POST ${DOOR_PATH} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      `Authorization: Bearer ${key}`,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
      "",
      "",
    ].join("\r\n"),
  );
  const bytes = new Uint8Array(head.length + body.length);
  bytes.set(head);
  bytes.set(body, head.length);
  return bytes;
}

function readReply(text: string): DoorReply {
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1];
  // A door that does not know the key is another program's, or a later
  // service's whose file is not there yet.
  if (status === "403") return { kind: "nobody" };
  const answer = parseAnswer(text.slice(text.indexOf("\r\n\r\n") + 4));
  if (status === "200" && answer !== undefined) {
    return { kind: "answered", answer };
  }
  return silent(
    status === undefined
      ? "the connection was closed unanswered"
      : `it answered ${status}`,
  );
}

function parseAnswer(body: string): Answer | undefined {
  try {
    const { exit, out, err, next } = JSON.parse(body);
    const fits = Number.isInteger(exit) && typeof out === "string" &&
      typeof err === "string";
    if (!fits) return undefined;
    const answer = { exit, out, err };
    return typeof next === "string" ? { ...answer, next } : answer;
  } catch {
    return undefined;
  }
}

function silent(reason: string): DoorReply {
  return { kind: "silent", reason };
}

async function writeAll(conn: Deno.TcpConn, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    done += await conn.write(bytes.subarray(done));
  }
}

// The door closes after its answer, so the answer ends where the stream does.
async function readAll(conn: Deno.TcpConn): Promise<string> {
  const decoder = new TextDecoder();
  const chunk = new Uint8Array(65_536);
  let text = "";
  for (let size = 0; size <= MAX_ANSWER_BYTES;) {
    const count = await conn.read(chunk);
    if (count === null) break;
    size += count;
    text += decoder.decode(chunk.subarray(0, count), { stream: true });
  }
  return text;
}

function closeQuietly(conn: Deno.TcpConn): void {
  try {
    conn.close();
  } catch {
    // Closed already, by the timer.
  }
}
