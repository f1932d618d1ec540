/**
 * `reterm agent`: its row in the command table, and how its words become a
 * worker. It is a process of its own with a permission of its own, to run
 * commands, which the service does not have.
 *
 * @module
 */

import { findHome, readingSurroundings } from "../home.ts";
import { CommandWordsError, splitCommand } from "../agent/command_words.ts";
import { type AgentOptions, runAgent } from "../agent/agent.ts";
import { ServiceDoor } from "../agent/service_door.ts";
import { type Answer, done, failed, misused } from "../operator/operator.ts";
import { openPeerCheck } from "../peer/owner.ts";
import { type Call, type Command, flagValue, UsageError } from "./command.ts";
import { roleFlag, roleOf, WHERE_FLAGS, whereOf } from "./envelope_commands.ts";

const MAX_PARALLEL = 64;
/** A day. */
const MAX_TIMEOUT_S = 86_400;
const DEFAULT_TIMEOUT_S = 600;

/** The row. */
export const AGENT_COMMAND: Command = {
  words: ["agent"],
  about: "run commands for the envelopes that a channel sends to this worker",
  positionals: [],
  flags: [
    ...WHERE_FLAGS,
    roleFlag("role", "what it is registered as; worker when absent"),
    {
      name: "on",
      kind: "list",
      value: "TYPE=COMMAND",
      about: "command to run for a type (needed); may be given again",
    },
    {
      name: "max-parallel",
      kind: "text",
      value: "N",
      about: "commands at once, 1 when absent",
    },
    {
      name: "timeout",
      kind: "text",
      value: "S",
      about: `seconds a command may take, ${DEFAULT_TIMEOUT_S} when absent`,
    },
  ],
  notes: [
    "  reterm agent --channel '#agents' --on 'task.create=./work --fast'",
    "A command gets the envelope on standard input. It is started by its words,",
    "never through a shell: spaces part words, '…' and \"…\" quote them, and",
    "nothing is expanded. Exit code 0 answers task.complete with what it",
    "printed, any other task.update with the status failed.",
    "SIGTERM and SIGINT stop it once what runs has ended; a second one ends that",
    "as well. It needs the permission to run programs, which reterm-agent has.",
  ],
};

/** Works until a signal. */
export async function runAgentCommand(
  call: Call,
  log: (text: string) => void,
): Promise<Answer> {
  const place = whereOf(call);
  const options = optionsOf(call);
  for (const [program = ""] of options.commands.values()) {
    const { state } = Deno.permissions.querySync({
      name: "run",
      command: program,
    });
    if (state !== "granted") {
      return misused(
        `This reterm may not run ${program}: workers are a program of their ` +
          `own, reterm-agent, which stands beside it.`,
      );
    }
  }
  // The worker writes nothing: it has no permission to.
  const home = findHome(readingSurroundings);
  const peer = openPeerCheck();
  await Deno.permissions.revoke({ name: "ffi" });
  const unsaid = await runAgent(options, {
    door: new ServiceDoor({ home, peer, place, log }),
    ...stopSignals(),
    log,
  });
  return unsaid === 0
    ? done()
    : failed(`${unsaid} envelopes could not be sent any more.`);
}

/** @throws {UsageError} */
function optionsOf(call: Call): AgentOptions {
  const written = call.flags.get("on") ?? [];
  if (written.length === 0) {
    throw new UsageError("--on is missing: see reterm agent --help.");
  }
  const commands = new Map<string, readonly string[]>();
  for (const entry of written) {
    const cut = entry.indexOf("=");
    const type = entry.slice(0, Math.max(0, cut));
    if (type === "") throw new UsageError("--on takes TYPE=COMMAND.");
    if (commands.has(type)) {
      throw new UsageError(`--on says twice what to run for ${type}.`);
    }
    commands.set(type, wordsOf(type, entry.slice(cut + 1)));
  }
  const seconds = numberOf(call, "timeout", {
    absent: DEFAULT_TIMEOUT_S,
    most: MAX_TIMEOUT_S,
  });
  return {
    role: roleOf(call, "role") ?? "worker",
    commands,
    maxParallel: numberOf(call, "max-parallel", {
      absent: 1,
      most: MAX_PARALLEL,
    }),
    timeoutMs: seconds * 1_000,
  };
}

function wordsOf(type: string, command: string): string[] {
  try {
    return splitCommand(command);
  } catch (error) {
    if (!(error instanceof CommandWordsError)) throw error;
    throw new UsageError(`The command for ${type}: ${error.message}.`);
  }
}

function numberOf(
  call: Call,
  name: string,
  { absent, most }: { readonly absent: number; readonly most: number },
): number {
  const written = flagValue(call, name);
  if (written === undefined) return absent;
  const value = /^[0-9]{1,9}$/.test(written) ? Number(written) : 0;
  if (value < 1 || value > most) {
    throw new UsageError(`--${name} takes a number from 1 to ${most}.`);
  }
  return value;
}

/** The first signal stops, the second ends what runs, a third all. */
function stopSignals(): {
  readonly stop: AbortSignal;
  readonly kill: AbortSignal;
} {
  const stop = new AbortController();
  const kill = new AbortController();
  const onSignal = () => {
    if (kill.signal.aborted) Deno.exit(1);
    if (stop.signal.aborted) kill.abort();
    stop.abort();
  };
  Deno.addSignalListener("SIGTERM", onSignal);
  Deno.addSignalListener("SIGINT", onSignal);
  return { stop: stop.signal, kill: kill.signal };
}
