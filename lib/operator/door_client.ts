/**
 * The other side of the operator's door: how a command reaches the running
 * service. The key and the command leave only once the kernel has said that
 * the port is held by the same user: a dead service's port may be anyone's by
 * now, and a command may carry a password.
 *
 * @module
 */

import { type PostAnswer, sendPost } from "../http/post.ts";
import { dialOwnServer, type OwnServer } from "../peer/own_server.ts";
import type { PeerCheck } from "../peer/owner.ts";
import { DOOR_PATH, type DoorRequest } from "./door.ts";
import type { DoorAddress } from "./door_file.ts";
import type { Answer } from "./operator.ts";

/** The door answers within 25 s or not at all. */
export const ANSWER_WAIT_MS = 30_000;

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
  const dialled = await dialOwnServer(address.port, peer);
  switch (dialled.kind) {
    case "nobody":
    case "other-user":
      return { kind: "nobody" };
    case "unknown":
      return silent("who listens on its port could not be checked");
    case "closed":
      return silent("the connection was closed unanswered");
    case "own":
      return await ask(dialled.server, { address, request, waitMs });
    default:
      return dialled satisfies never;
  }
}

async function ask(
  server: OwnServer,
  { address, request, waitMs }: {
    readonly address: DoorAddress;
    readonly request: DoorRequest;
    readonly waitMs: number;
  },
): Promise<DoorReply> {
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    server.close();
  }, waitMs);
  try {
    const answer = await sendPost(server, {
      port: address.port,
      path: DOOR_PATH,
      token: address.key,
      body: new TextEncoder().encode(JSON.stringify(request)),
    });
    return timedOut ? silent("no answer in time") : readReply(answer);
  } finally {
    clearTimeout(timer);
    server.close();
  }
}

function readReply(reply: PostAnswer | undefined): DoorReply {
  if (reply === undefined) {
    return silent("the connection was closed unanswered");
  }
  // A door that does not know the key is another program's, or a later
  // service's whose file is not there yet.
  if (reply.status === 403) return { kind: "nobody" };
  const answer = parseAnswer(new TextDecoder().decode(reply.body));
  return reply.status === 200 && answer !== undefined
    ? { kind: "answered", answer }
    : silent(`it answered ${reply.status}`);
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
