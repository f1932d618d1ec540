/**
 * The worker's process: hears what is said in a channel, gives it to the
 * {@link Worker}, and says hello whenever it came to be in the channel and bye
 * when it stops. It goes on from its place in the channel across restarts of
 * the service and of the connection.
 *
 * Spec: message types, "agent.hello", "agent.bye".
 *
 * @module
 */

import { EnvelopeMaker } from "../envelope/envelope.ts";
import type { Role } from "../envelope/recipients.ts";
import { PROGRAM_NAME, VERSION } from "../version.ts";
import { Outbox } from "./outbox.ts";
import { runCommand } from "./run_command.ts";
import type { ServiceDoor } from "./service_door.ts";
import { CUT_FIELD, Worker } from "./worker.ts";

/** How long one request waits for something to hear. */
const HEAR_WAIT_MS = 15_000;
/** Between two tries while the service cannot be asked. */
const RETRY_MS = 500;
/** What is left to say at the end may take so long, flood protection included. */
const LAST_WORDS_MS = 60_000;

/** What a worker is told when it is started. */
export interface AgentOptions {
  readonly role: Role;
  /** The words of a command by the type it is for. */
  readonly commands: ReadonlyMap<string, readonly string[]>;
  readonly maxParallel: number;
  readonly timeoutMs: number;
}

/** What a worker stands in. */
export interface AgentSurroundings {
  readonly door: ServiceDoor;
  /** Aborted to stop it: what runs may end. */
  readonly stop: AbortSignal;
  /** Aborted to end what runs as well. */
  readonly kill: AbortSignal;
  /** A line for the operator. */
  readonly log: (text: string) => void;
}

/** Works until stopped. Returns how many envelopes never went out. */
export async function runAgent(
  options: AgentOptions,
  { door, stop, kill, log }: AgentSurroundings,
): Promise<number> {
  const maker = new EnvelopeMaker();
  let nick = "";
  let presence = "";
  const outbox = new Outbox({
    send: (envelope) => door.send(envelope, CUT_FIELD),
    wait,
    log,
  });
  const worker = new Worker({
    ...options,
    say: (saying) => outbox.put(maker.make({ ...saying, from: nick })),
    run: runCommand,
    log,
  });
  kill.addEventListener("abort", () => worker.kill());
  const stopped = new Promise<undefined>((resolve) => {
    stop.addEventListener("abort", () => resolve(undefined));
  });
  let cursor: string | undefined;
  let since = 0;
  while (!stop.aborted) {
    const heard = await Promise.race([
      door.hear({
        ...(cursor !== undefined && { cursor }),
        presence,
        waitMs: HEAR_WAIT_MS,
      }),
      stopped,
    ]);
    if (heard === undefined) {
      await Promise.race([wait(RETRY_MS), stopped]);
      continue;
    }
    if (cursor === undefined) since = heard.now;
    cursor = heard.cursor;
    nick = heard.nick;
    if (heard.isGap) log("messages may have been missed");
    if (heard.presence !== presence) {
      presence = heard.presence;
      log(presence === "" ? "not in the channel" : `in the channel as ${nick}`);
      if (presence !== "") {
        outbox.put(maker.make({
          type: "agent.hello",
          from: nick,
          payload: {
            runtime: PROGRAM_NAME,
            version: VERSION,
            role: options.role,
          },
        }));
      }
    }
    for (const envelope of heard.envelopes) {
      await Promise.race([outbox.room(), stopped]);
      worker.take(envelope, { nick, presence, since });
    }
  }
  log("stopping");
  worker.stop();
  await worker.idle();
  if (presence !== "") {
    outbox.put(maker.make({ type: "agent.bye", from: nick }));
  }
  return await outbox.close(LAST_WORDS_MS);
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
