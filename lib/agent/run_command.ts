/**
 * Runs one command for one envelope: the envelope goes in on standard input and
 * nowhere else, the start of what it prints comes out. The program is started
 * by its words, never through a shell, as the leader of a process group, so
 * that at its time limit what it started ends with it.
 *
 * @module
 */

/** Kept of each output; the rest is read and dropped. */
const MAX_OUTPUT_BYTES = 8_192;
/** From the first, polite signal to the one that cannot be refused. */
const KILL_AFTER_MS = 2_000;
/** An output that something else still holds open is not waited for longer. */
const OUTPUT_WAIT_MS = 500;

/** How a command ended. */
export type CommandEnd =
  | {
    readonly kind: "exited";
    readonly code: number;
    readonly out: string;
    readonly err: string;
  }
  | { readonly kind: "timed-out" }
  /** Ended because `signal` was aborted. */
  | { readonly kind: "stopped" }
  | { readonly kind: "not-started"; readonly reason: string };

/** What a command is given. */
export interface CommandRun {
  /** For its standard input. */
  readonly input: string;
  readonly timeoutMs: number;
  /** Ends it before its time. */
  readonly signal: AbortSignal;
}

/** Runs `argv`; never throws for what the command does. */
export async function runCommand(
  [program = "", ...args]: readonly string[],
  { input, timeoutMs, signal }: CommandRun,
): Promise<CommandEnd> {
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(program, {
      args,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
      detached: true,
    }).spawn();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { kind: "not-started", reason };
  }
  const out = new KeptOutput(child.stdout);
  const err = new KeptOutput(child.stderr);
  const written = writeInput(child.stdin, input);
  let ended: "timed-out" | "stopped" | undefined;
  const timers: ReturnType<typeof setTimeout>[] = [];
  const end = (why: typeof ended) => {
    ended ??= why;
    signalGroup(child, "SIGTERM");
    timers.push(
      setTimeout(() => signalGroup(child, "SIGKILL"), KILL_AFTER_MS),
    );
  };
  const onAbort = () => end("stopped");
  timers.push(setTimeout(() => end("timed-out"), timeoutMs));
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort);
  const { code } = await child.status;
  signal.removeEventListener("abort", onAbort);
  for (const timer of timers) clearTimeout(timer);
  // What it left behind when it was ended is not left running.
  if (ended !== undefined) signalGroup(child, "SIGKILL");
  await Promise.all([written, out.end(), err.end()]);
  return ended === undefined
    ? { kind: "exited", code, out: out.text, err: err.text }
    : { kind: ended };
}

function signalGroup(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    Deno.kill(-child.pid, signal);
  } catch {
    // The group is gone already.
  }
}

async function writeInput(
  stdin: WritableStream<Uint8Array<ArrayBuffer>>,
  input: string,
): Promise<void> {
  const writer = stdin.getWriter();
  try {
    await writer.write(new TextEncoder().encode(input));
    await writer.close();
  } catch {
    // A command need not read what it is given.
  }
}

/** Reads a stream to its end and keeps its start. */
class KeptOutput {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #kept = new Uint8Array(MAX_OUTPUT_BYTES);
  readonly #ended: Promise<void>;
  #size = 0;

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
    this.#ended = this.#read();
  }

  get text(): string {
    // A character that was cut at the bound is left out.
    return new TextDecoder().decode(this.#kept.subarray(0, this.#size), {
      stream: this.#size === MAX_OUTPUT_BYTES,
    });
  }

  /** Settles at the end of the stream, or after a moment without one. */
  async end(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, OUTPUT_WAIT_MS);
    });
    await Promise.race([this.#ended, late]);
    clearTimeout(timer);
    await this.#reader.cancel().catch(() => {});
  }

  async #read(): Promise<void> {
    try {
      while (true) {
        const { value, done } = await this.#reader.read();
        if (done) return;
        const part = value.subarray(0, MAX_OUTPUT_BYTES - this.#size);
        this.#kept.set(part, this.#size);
        this.#size += part.length;
      }
    } catch {
      // What was read until then is what there is.
    }
  }
}
