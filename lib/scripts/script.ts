/**
 * One script of the person's: JavaScript source enters a worker of its own with
 * no permission at all, and a verdict on each outgoing line leaves, in time or
 * not at all. A script that throws, takes too long or floods is ended for good,
 * once, and says so through one callback.
 *
 * @module
 */

import type { CancelTimer, Clock } from "../clock.ts";
import workerSource from "./worker_source.js" with { type: "text" };

/** Milliseconds a script may take to load. Workers start in about 25 ms. */
export const LOAD_DEADLINE_MS = 5_000;

/** Milliseconds a script may take over one line before it is ended. */
export const VERDICT_DEADLINE_MS = 250;

/** Lines a script may log in any ten seconds before it is ended. */
export const MAX_LOG_LINES = 100;

const LOG_WINDOW_MS = 10_000;

/** UTF-16 units of a script's log line that are kept. */
const MAX_LOG_LENGTH = 500;

/** What a script said of a line: `ended` when it can say nothing any more. */
export type Verdict = "pass" | "veto" | "ended";

/** What a script may know of the session that sends. */
export interface ScriptSession {
  readonly id: string;
  readonly name: string;
  readonly nick: string;
}

/** How a script tells what happens to it. */
export interface ScriptOptions {
  /** The file's name, for logs. */
  readonly name: string;
  readonly clock: Clock;
  /** A line the script logged, cut to a bound. */
  readonly onLog: (text: string) => void;
  /** The script was ended, and why; called once, never after `close()`. */
  readonly onEnded: (reason: string) => void;
}

type Reply =
  | { readonly kind: "ready"; readonly callbacks: number }
  | {
    readonly kind: "verdict";
    readonly id: number;
    readonly isVetoed: boolean;
  }
  | { readonly kind: "failed"; readonly text: string }
  | { readonly kind: "log"; readonly text: string };

interface PendingVerdict {
  readonly resolve: (verdict: Verdict) => void;
  readonly cancel: CancelTimer;
}

/** See the module doc. */
export class Script {
  readonly #options: ScriptOptions;
  readonly #worker: Worker;
  readonly #pending = new Map<number, PendingVerdict>();
  #loaded: ((isLoaded: boolean) => void) | undefined;
  #callbacks = 0;
  #lastId = 0;
  #isEnded = false;
  #logWindowEnd = 0;
  #logLines = 0;

  private constructor(options: ScriptOptions) {
    this.#options = options;
    this.#worker = new Worker(
      `data:text/javascript,${encodeURIComponent(workerSource)}`,
      { type: "module", deno: { permissions: "none" } } as WorkerOptions,
    );
    this.#worker.onmessage = (event) => this.#take(event.data);
    this.#worker.onmessageerror = () => this.#end("sent what cannot be read");
    this.#worker.onerror = (event) => {
      // Unhandled, the error would end the program.
      event.preventDefault();
      this.#end(`threw: ${cut(event.message)}`);
    };
  }

  /**
   * Starts `source`. Resolves the script once it ran to its end, undefined when
   * it failed: `onEnded` has then told why.
   */
  static async load(
    source: string,
    options: ScriptOptions,
  ): Promise<Script | undefined> {
    const script = new Script(options);
    const cancel = options.clock.after(
      LOAD_DEADLINE_MS,
      () => script.#end(`did not load within ${LOAD_DEADLINE_MS} ms`),
    );
    const isLoaded = await new Promise<boolean>((resolve) => {
      script.#loaded = resolve;
      script.#worker.postMessage({ code: encodeURIComponent(source) });
    });
    cancel();
    return isLoaded ? script : undefined;
  }

  get name(): string {
    return this.#options.name;
  }

  /** Callbacks the script bound. */
  get callbacks(): number {
    return this.#isEnded ? 0 : this.#callbacks;
  }

  /** Shows the script a line as it goes on the wire. Never rejects. */
  judge(line: string, session: ScriptSession): Promise<Verdict> {
    if (this.#isEnded) return Promise.resolve("ended");
    if (this.#callbacks === 0) return Promise.resolve("pass");
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(
        VERDICT_DEADLINE_MS,
        () => this.#end(`took over ${VERDICT_DEADLINE_MS} ms for a line`),
      );
      this.#pending.set(id, { resolve, cancel });
      this.#worker.postMessage({ id, line, session });
    });
  }

  /** Ends the script without a word. */
  close(): void {
    this.#stop();
  }

  #take(reply: Reply): void {
    if (this.#isEnded) return;
    switch (reply.kind) {
      case "ready":
        this.#callbacks = reply.callbacks;
        this.#loaded?.(true);
        return;
      case "verdict":
        this.#settle(reply.id, reply.isVetoed ? "veto" : "pass");
        return;
      case "failed":
        return this.#end(`threw: ${cut(reply.text)}`);
      case "log":
        return this.#takeLog(reply.text);
      default:
        return reply satisfies never;
    }
  }

  #takeLog(text: string): void {
    const now = this.#options.clock.monotonic();
    if (now >= this.#logWindowEnd) {
      this.#logWindowEnd = now + LOG_WINDOW_MS;
      this.#logLines = 0;
    }
    if (++this.#logLines > MAX_LOG_LINES) {
      return this.#end(`logged over ${MAX_LOG_LINES} lines in 10 s`);
    }
    this.#options.onLog(cut(text));
  }

  #settle(id: number, verdict: Verdict): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    pending.cancel();
    pending.resolve(verdict);
  }

  #end(reason: string): void {
    if (this.#isEnded) return;
    this.#stop();
    this.#options.onEnded(reason);
  }

  #stop(): void {
    this.#isEnded = true;
    this.#worker.terminate();
    for (const id of [...this.#pending.keys()]) this.#settle(id, "ended");
    this.#loaded?.(false);
  }
}

function cut(text: string): string {
  return text.length <= MAX_LOG_LENGTH
    ? text
    : `${text.slice(0, MAX_LOG_LENGTH)}…`;
}
