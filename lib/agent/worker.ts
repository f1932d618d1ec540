/**
 * A worker: which envelopes it acts on, in which order and how many at once,
 * and what it answers. It knows no IRC and starts no process: both are handed
 * in. A command runs only once `task.update` with `in_progress` has been sent,
 * so that whoever handed out a task knows whether it may have begun.
 *
 * It never answers the types that workers answer with, or two of them could
 * talk to each other for ever.
 *
 * Spec: message types, "Built-in types", "Group addressing", "Custom types".
 *
 * @module
 */

import { type Envelope, serialiseEnvelope } from "../envelope/envelope.ts";
import { matchesRecipient, type Role } from "../envelope/recipients.ts";
import type { HeardEnvelope } from "../operator/agent_door.ts";
import { KnownTasks, type Saying } from "./known_tasks.ts";
import type { CommandEnd, CommandRun } from "./run_command.ts";

/** Tasks that wait for their turn; one more is turned away. */
export const MAX_QUEUED = 64;

/** The field of an answer that may be cut to fit one line. */
export const CUT_FIELD = "summary";

/** Types that are never answered. */
const UNANSWERED: ReadonlySet<string> = new Set([
  "task.update",
  "task.complete",
  "agent.hello",
  "agent.bye",
]);

/** What a worker is built from. */
export interface WorkerOptions {
  readonly role: Role;
  /** The words of a command by the type it is for. */
  readonly commands: ReadonlyMap<string, readonly string[]>;
  readonly maxParallel: number;
  readonly timeoutMs: number;
  /** Sends an envelope; settles once it is sent, false when it never will be. */
  readonly say: (saying: Saying) => Promise<boolean>;
  readonly run: (
    argv: readonly string[],
    options: CommandRun,
  ) => Promise<CommandEnd>;
  /** A line for the operator. */
  readonly log: (text: string) => void;
}

/** Who the worker is while it hears something. */
export interface Self {
  readonly nick: string;
  /** Another text after each time it joined. */
  readonly presence: string;
  /** When it began to listen: what is older is not its to do. */
  readonly since: number;
}

interface Task {
  readonly envelope: Envelope;
  readonly argv: readonly string[];
}

/** See the module doc. */
export class Worker {
  readonly #options: WorkerOptions;
  readonly #known = new KnownTasks();
  readonly #stopping = new AbortController();
  #queue: Task[] = [];
  #running = new Set<Promise<void>>();
  #isStopped = false;
  #presence = "";

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  /** Takes an envelope that was heard: runs, queues, answers or ignores it. */
  take(heard: HeardEnvelope, self: Self): void {
    this.#presence = self.presence;
    const { envelope } = heard;
    const argv = this.#options.commands.get(envelope.type);
    if (argv === undefined || !isMeant(heard, self, this.#options.role)) return;
    if (heard.history && heard.time <= self.since) return;
    if (this.#known.has(envelope.id)) {
      this.#repeat(envelope, self);
      return;
    }
    if (this.#isStopped) {
      this.#answer(envelope, failure("the worker is stopping"));
      return;
    }
    const task = { envelope, argv };
    if (this.#running.size < this.#options.maxParallel) this.#begin(task);
    else if (this.#queue.length < MAX_QUEUED) {
      this.#known.add(envelope.id);
      this.#queue.push(task);
    } else {
      // Not remembered: it may be sent again.
      this.#answer(envelope, {
        status: "rejected",
        [CUT_FIELD]: `${MAX_QUEUED} tasks wait already: send it again later`,
      });
    }
  }

  /** Begins nothing more, and answers what waits. What runs goes on. */
  stop(): void {
    this.#isStopped = true;
    for (const { envelope } of this.#queue.splice(0)) {
      this.#answer(envelope, failure("the worker stopped before it began"));
    }
  }

  /** Ends what runs. */
  kill(): void {
    this.#stopping.abort();
  }

  /** Settles once nothing runs. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  // An answer given before the last join may have been lost with the
  // connection: who asks again is told again. Nothing is run again.
  #repeat({ id }: Envelope, { presence }: Self): void {
    const given = this.#known.answer(id);
    if (given === undefined || given.presence === presence) return;
    this.#known.setAnswer(id, { ...given, presence });
    this.#say(given.saying);
  }

  #begin(task: Task): void {
    this.#known.add(task.envelope.id);
    const running = this.#work(task).finally(() => {
      this.#running.delete(running);
      const next = this.#isStopped ? undefined : this.#queue.shift();
      if (next !== undefined) this.#begin(next);
    });
    this.#running.add(running);
  }

  async #work({ envelope, argv }: Task): Promise<void> {
    const { log, run, timeoutMs } = this.#options;
    const about = `${envelope.id} ${envelope.type} from ${envelope.from}`;
    if (!await this.#answer(envelope, { status: "in_progress" })) {
      log(`not run: ${about}: it could not be said that it begins`);
      return;
    }
    if (this.#stopping.signal.aborted) {
      this.#answer(envelope, failure("the worker stopped before it began"));
      return;
    }
    log(`running: ${about}`);
    const end = await run(argv, {
      input: serialiseEnvelope(envelope) + "\n",
      timeoutMs,
      signal: this.#stopping.signal,
    });
    const outcome = this.#outcome(end);
    log(`${outcome.status ?? "complete"}: ${about}`);
    this.#answer(envelope, outcome);
  }

  #outcome(end: CommandEnd): Outcome {
    switch (end.kind) {
      case "exited":
        return end.code === 0
          ? { [CUT_FIELD]: end.out.trim() || "done" }
          : failure(
            [`exit code ${end.code}`, end.err.trim() || end.out.trim()]
              .filter((part) => part !== "").join(": "),
          );
      case "timed-out":
        return failure(
          `it was ended after its ${this.#options.timeoutMs / 1_000} s`,
        );
      case "stopped":
        return failure("it was ended because the worker was");
      case "not-started":
        // The reason names paths of this machine: it is for the log.
        this.#options.log(`cannot start: ${end.reason}`);
        return failure("its command could not be started");
      default:
        return end satisfies never;
    }
  }

  /** Tells the sender how a task stands; a task without a status is complete. */
  #answer(envelope: Envelope, outcome: Outcome): Promise<boolean> {
    if (UNANSWERED.has(envelope.type)) return Promise.resolve(true);
    const saying: Saying = {
      type: outcome.status === undefined ? "task.complete" : "task.update",
      to: [envelope.from],
      payload: { task_id: envelope.id, ...outcome },
    };
    if (outcome.status !== "in_progress" && this.#known.has(envelope.id)) {
      const presence = this.#presence;
      this.#known.setAnswer(envelope.id, { saying, presence });
    }
    return this.#say(saying);
  }

  async #say(saying: Saying): Promise<boolean> {
    return await this.#options.say(saying);
  }
}

/** Fields of an answer beside the id of its task. */
interface Outcome {
  readonly status?: "in_progress" | "failed" | "rejected";
  readonly [CUT_FIELD]?: string;
}

function failure(summary: string): Outcome {
  return { status: "failed", [CUT_FIELD]: summary };
}

/** Whether an envelope is another's, truly, and meant for this worker. */
function isMeant(
  { from, envelope }: HeardEnvelope,
  { nick }: Self,
  role: Role,
): boolean {
  return from !== nick && envelope.from === from &&
    matchesRecipient(envelope, { nick, role });
}
