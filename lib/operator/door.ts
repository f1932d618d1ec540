/**
 * The operator's door: a loopback port of its own, picked by the system,
 * behind the same gate as the control surface and with a key of its own, made
 * anew at each start. It takes the commands of `reterm` itself and is never
 * MCP; no agent's token opens it.
 *
 * A Unix socket lost: listening on one needs its absolute path in the
 * permission list, and so a build for each user.
 *
 * @module
 */

import { type Clock, systemClock } from "../clock.ts";
import { generateToken } from "../control/token.ts";
import type { Home } from "../home.ts";
import { listen } from "../http/listener.ts";
import type { Log } from "../log.ts";
import type { PeerCheck } from "../peer/owner.ts";
import { removeDoorFile, writeDoorFile } from "./door_file.ts";
import type { Answer } from "./operator.ts";

/** Workers and those who follow something hold one each while they wait. */
const MAX_DOOR_CONNECTIONS = 32;

/** The one path of the door. */
export const DOOR_PATH = "/operator";

/** Under the 25 s after which the gate answers, and says nothing. */
export const COMMAND_WAIT_MS = 20_000;

const GOES_ON: Answer = {
  exit: 1,
  out: "",
  err: `Not done within ${COMMAND_WAIT_MS / 1_000} s, and not given up: ` +
    `it goes on in the service. Look before doing it again.`,
};

/** A command as it comes through the door. */
export interface DoorRequest {
  /** The words after `reterm`. */
  readonly command: readonly string[];
  /** What the command read from standard input. */
  readonly input?: string;
}

/** What {@link openDoor} needs. */
export interface DoorOptions {
  readonly home: Home;
  readonly peer: PeerCheck;
  readonly log: Log;
  readonly clock?: Clock;
  /** Runs a command, until who asked is gone. What it throws is logged. */
  readonly run: (
    request: DoorRequest,
    signal: AbortSignal,
  ) => Promise<Answer>;
}

/** An open door. */
export interface Door {
  readonly port: number;
  /** The key, so that it can be kept out of what is shown. */
  readonly key: string;
  /** Closes the port and removes `operator.json`. */
  close(): Promise<void>;
}

/** The door cannot be opened; `message` is for the person. */
export class DoorError extends Error {
  override readonly name = "DoorError";
}

/** Opens the door, then writes `operator.json`. @throws {DoorError} */
export async function openDoor(options: DoorOptions): Promise<Door> {
  const { home, peer, log } = options;
  const key = generateToken();
  const listener = listen({
    port: 0,
    token: key,
    path: DOOR_PATH,
    maxConnections: MAX_DOOR_CONNECTIONS,
    peer,
    log,
    handler: (request) => answerRequest(request, options),
  });
  try {
    await writeDoorFile(home, { port: listener.port, key });
  } catch (error) {
    await listener.close();
    const why = error instanceof Error ? error.message : String(error);
    throw new DoorError(
      `Cannot start: ${home.operatorFile} cannot be written: ${why}`,
    );
  }
  return {
    port: listener.port,
    key,
    async close() {
      await removeDoorFile(home, key);
      await listener.close();
    },
  };
}

async function answerRequest(
  request: Request,
  { run, log, clock = systemClock }: DoorOptions,
): Promise<Response> {
  const command = parseDoorRequest(await request.text());
  if (command === undefined) return new Response(null, { status: 400 });
  const ran = run(command, request.signal).catch((error) => {
    const text = error instanceof Error
      ? `${error.name}: ${error.message}`
      : String(error);
    log.write("error", "app", `A command failed: ${text}`);
    const answer: Answer = {
      exit: 1,
      out: "",
      err: "The service could not do that: its log says why.",
    };
    return answer;
  });
  const late = Promise.withResolvers<Answer>();
  const stopWaiting = clock.after(
    COMMAND_WAIT_MS,
    () => late.resolve(GOES_ON),
  );
  const answer = await Promise.race([ran, late.promise]);
  stopWaiting();
  return Response.json(answer);
}

function parseDoorRequest(text: string): DoorRequest | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { command, input } = value as { command?: unknown; input?: unknown };
  if (!Array.isArray(command)) return undefined;
  if (!command.every((word) => typeof word === "string")) return undefined;
  if (input !== undefined && typeof input !== "string") return undefined;
  return input === undefined ? { command } : { command, input };
}
