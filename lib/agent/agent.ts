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
import type { Heard } from "../operator/agent_door.ts";
import type { Saying } from "./known_tasks.ts";
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
  readonly door: Pick<ServiceDoor, "hear" | "send">;
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
  surroundings: AgentSurroundings,
): Promise<number> {
  return await new Agent(options, surroundings).run();
}

class Agent {
  readonly #options: AgentOptions;
  readonly #around: AgentSurroundings;
  readonly #maker = new EnvelopeMaker();
  readonly #outbox: Outbox;
  readonly #worker: Worker;
  readonly #stopped: Promise<undefined>;
  #nick = "";
  #presence = "";
  #cursor: string | undefined;
  #since = 0;

  constructor(options: AgentOptions, around: AgentSurroundings) {
    const { door, stop, kill, log } = around;
    this.#options = options;
    this.#around = around;
    this.#outbox = new Outbox({
      send: (envelope) => door.send(envelope, CUT_FIELD),
      wait,
      log,
    });
    this.#worker = new Worker({
      ...options,
      say: (saying) => this.#say(saying),
      run: runCommand,
      log,
    });
    kill.addEventListener("abort", () => this.#worker.kill());
    this.#stopped = new Promise((resolve) => {
      stop.addEventListener("abort", () => resolve(undefined));
    });
  }

  async run(): Promise<number> {
    const { stop, log } = this.#around;
    while (!stop.aborted) {
      const heard = await Promise.race([
        this.#hear(HEAR_WAIT_MS),
        this.#stopped,
      ]);
      if (heard === undefined) {
        await this.#pause(RETRY_MS);
      } else await this.#take(heard);
    }
    log("stopping");
    this.#worker.stop();
    // What was sent before anybody could know is answered too.
    await this.#takeTheRest();
    await this.#worker.idle();
    await this.#takeTheRest();
    if (this.#presence !== "") this.#say({ type: "agent.bye" });
    return await this.#outbox.close(LAST_WORDS_MS);
  }

  /** Waits, unless it is told to stop. */
  async #pause(ms: number): Promise<void> {
    if (this.#around.stop.aborted) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await Promise.race([over, this.#stopped]);
    clearTimeout(timer);
  }

  #hear(waitMs: number): Promise<Heard | undefined> {
    return this.#around.door.hear({
      ...(this.#cursor !== undefined && { cursor: this.#cursor }),
      presence: this.#presence,
      waitMs,
    });
  }

  async #takeTheRest(): Promise<void> {
    const heard = await this.#hear(0);
    if (heard !== undefined) await this.#take(heard);
  }

  async #take(heard: Heard): Promise<void> {
    const { log } = this.#around;
    // What was said before is for who listened then.
    if (this.#cursor === undefined) this.#since = heard.now;
    this.#cursor = heard.cursor;
    this.#nick = heard.nick;
    if (heard.isGap) log("messages may have been missed");
    // A new hello is the sign to say again what may have been missed.
    if (heard.isGap || heard.presence !== this.#presence) {
      this.#arrive(heard.presence);
    }
    const { nick, presence } = heard;
    const since = this.#since;
    for (const envelope of heard.envelopes) {
      // No more is asked for while there is no room to answer.
      await Promise.race([this.#outbox.room(), this.#stopped]);
      this.#worker.take(envelope, { nick, presence, since });
    }
  }

  #arrive(presence: string): void {
    const { log, stop } = this.#around;
    this.#presence = presence;
    if (presence === "") {
      log("not in the channel");
      return;
    }
    log(`in the channel as ${this.#nick}`);
    if (stop.aborted) return;
    const { role } = this.#options;
    this.#say({
      type: "agent.hello",
      payload: { runtime: PROGRAM_NAME, version: VERSION, role },
    });
  }

  #say(saying: Saying): Promise<boolean> {
    return this.#outbox.put(this.#maker.make({ ...saying, from: this.#nick }));
  }
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
