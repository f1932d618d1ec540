/**
 * The command line: words in, an exit code out. Commands that act on the
 * program's state go through the operator's door to the service that runs on
 * this home, or to the files when none runs; never to both.
 *
 * @module
 */

import { ConfigFile } from "../config/config_file.ts";
import { SecretsFile } from "../config/secrets_file.ts";
import {
  createHome,
  findHome,
  type Home,
  HomeError,
  lockHome,
} from "../home.ts";
import { AGENT_WORD } from "../operator/agent_door.ts";
import { askDoor } from "../operator/door_client.ts";
import type { DoorRequest } from "../operator/door.ts";
import { readDoorFile } from "../operator/door_file.ts";
import { OfflineOperator } from "../operator/offline_operator.ts";
import {
  type Answer,
  done,
  failed,
  misused,
  type Operator,
} from "../operator/operator.ts";
import { SessionFiles } from "../operator/session_files.ts";
import { openLibc } from "../peer/libc.ts";
import { openPeerCheck } from "../peer/owner.ts";
import { runAgentCommand } from "./agent_command.ts";
import { runBridgeCommand } from "./bridge_command.ts";
import {
  type Call,
  flagValue,
  parseCommand,
  type Parsed,
  UsageError,
} from "./command.ts";
import { COMMANDS } from "./command_table.ts";
import { runDoctorCommand } from "./doctor_command.ts";
import { commandHelp, familyHelp, programHelp } from "./help.ts";
import type { Output } from "./output.ts";
import {
  readSecret,
  SecretInputError,
  type SecretSource,
} from "./secret_input.ts";
import { launchdAgent, ownBinary, systemdUnit } from "./service_units.ts";
import { PROGRAM_NAME, VERSION } from "../version.ts";

/** What the program touches outside of its home. */
export interface ProgramContext {
  readonly output: Output;
  readonly input: SecretSource;
  /** Runs the service until it is stopped. */
  readonly serve: (options: ServeRequest) => Promise<Answer>;
}

/** What `reterm serve` hands to the service. */
export interface ServeRequest {
  readonly home: Home;
  readonly logLevel: string | undefined;
  /** Whether a service runs on this home already. */
  readonly isServed: () => Promise<boolean>;
  readonly run: typeof runForDoor;
}

/** Runs the command that `words` name. Resolves its exit code. */
export async function runProgram(
  words: readonly string[],
  context: ProgramContext,
): Promise<number> {
  let asked = words;
  while (true) {
    const answer = await answerOf(asked, context);
    const isRead = context.output.out(answer.out);
    context.output.err(answer.err);
    if (answer.next === undefined || !isRead) return answer.exit;
    asked = [...words, "--after", answer.next];
  }
}

async function answerOf(
  words: readonly string[],
  context: ProgramContext,
): Promise<Answer> {
  try {
    const parsed = parseCommand(COMMANDS, words);
    switch (parsed.kind) {
      case "help":
        return help(parsed, words);
      case "family-help":
        return done(familyHelp(parsed.family));
      case "version":
        return done(`${PROGRAM_NAME} ${VERSION}`);
      case "call":
        return await runCall(parsed.call, words, context);
      default:
        return parsed satisfies never;
    }
  } catch (error) {
    if (error instanceof UsageError) return misused(error.message);
    if (error instanceof SecretInputError) return failed(error.message);
    if (error instanceof HomeError) {
      return error.kind === "cannot-create" || error.kind === "cannot-open"
        ? failed(error.message)
        : misused(error.message);
    }
    // No stack: it says nothing to the person, and the message names the act.
    return failed(
      error instanceof Error
        ? `reterm failed: ${error.name}: ${error.message}`
        : "reterm failed.",
    );
  }
}

function help(
  parsed: Extract<Parsed, { kind: "help" }>,
  words: readonly string[],
): Answer {
  if (parsed.command !== undefined) return done(commandHelp(parsed.command));
  const text = programHelp(COMMANDS);
  return words.length === 0 ? misused(text) : done(text);
}

async function runCall(
  call: Call,
  words: readonly string[],
  context: ProgramContext,
): Promise<Answer> {
  const { act, local } = call.command;
  switch (call.command.words[0]) {
    case "serve":
      return await serve(call, context);
    case "service":
      return await printUnit(call);
    case "bridge":
      return await runBridgeCommand((text) => context.output.err(text));
    case "doctor":
      return await runDoctorCommand();
    case "agent": {
      const { err } = context.output;
      return await runAgentCommand(call, (text) => err(text));
    }
  }
  if (local !== undefined) {
    const input = await readInput(call, context);
    return local(input === undefined ? call : { ...call, input });
  }
  if (act === undefined) throw new UsageError("Nothing to do.");
  const home = findHome();
  const input = await readInput(call, context);
  const request = input === undefined
    ? { command: words }
    : { command: words, input };
  return await askService(home, request) ?? await actOffline(home, request);
}

async function readInput(
  call: Call,
  context: ProgramContext,
): Promise<string | undefined> {
  const kind = call.command.input?.(call);
  if (kind === undefined) return undefined;
  return await readSecret(
    kind,
    context.input,
    (text) => context.output.err(text),
  );
}

/** Runs a command that came through the door, inside the service. */
export async function runForDoor(
  operator: Operator,
  request: DoorRequest,
  signal?: AbortSignal,
): Promise<Answer> {
  if (request.command[0] === KNOCK) return done();
  if (request.command[0] === AGENT_WORD) {
    return await operator.serveAgent(request.input ?? "", signal);
  }
  try {
    const parsed = parseCommand(COMMANDS, request.command);
    if (parsed.kind !== "call" || parsed.call.command.act === undefined) {
      return misused("The service takes no such command.");
    }
    const call = {
      ...parsed.call,
      ...(request.input !== undefined && { input: request.input }),
      ...(signal !== undefined && { signal }),
    };
    return await parsed.call.command.act(operator, call);
  } catch (error) {
    if (error instanceof UsageError) return misused(error.message);
    throw error;
  }
}

/** Asks through the door whether a service is there; no command has its name. */
const KNOCK = "knock";

/** The answer of the running service; undefined when none runs. */
async function askService(
  home: Home,
  request: DoorRequest,
): Promise<Answer | undefined> {
  const address = await readDoorFile(home);
  if (address === undefined) return undefined;
  const reply = await askDoor(address, request, { peer: openPeerCheck() });
  switch (reply.kind) {
    case "answered":
      return reply.answer;
    case "nobody":
      return undefined;
    case "silent":
      return failed(
        `The service on ${home.folder} does not answer: ${reply.reason}.`,
      );
    default:
      return reply satisfies never;
  }
}

/** Whether a service runs on this home, or something that may be one. */
async function isServed(home: Home): Promise<boolean> {
  return await askService(home, { command: [KNOCK] }) !== undefined;
}

async function actOffline(home: Home, request: DoorRequest): Promise<Answer> {
  const lock = await lockIfThere(home);
  if (lock === "held") {
    // A service may have opened its door since it was looked for.
    return await askService(home, request) ?? failed(
      `Another reterm is starting, stopping or editing on ${home.folder}: ` +
        `nothing was changed, try again.`,
    );
  }
  try {
    const files = new SessionFiles(
      home,
      new ConfigFile(home),
      new SecretsFile(home),
    );
    return await runForDoor(new OfflineOperator(files), request);
  } finally {
    lock?.release();
  }
}

async function lockIfThere(home: Home) {
  try {
    return await lockHome(home) ?? "held";
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

async function serve(call: Call, context: ProgramContext): Promise<Answer> {
  const home = findHome();
  return await context.serve({
    home,
    logLevel: flagValue(call, "log-level"),
    isServed: () => isServed(home),
    run: runForDoor,
  });
}

function hasLibc(): boolean {
  const library = openLibc();
  library?.close();
  return library !== undefined;
}

async function printUnit(call: Call): Promise<Answer> {
  const home = findHome();
  const named = flagValue(call, "binary");
  if (named !== undefined && !named.startsWith("/")) {
    throw new UsageError("--binary takes an absolute path.");
  }
  const binary = named ?? ownBinary({
    standalone: Deno.build.standalone,
    execPath: Deno.execPath(),
    mainModule: Deno.mainModule,
  });
  // A unit that names a folder as writable fails to start where there is none.
  await createHome(home);
  const parts = {
    binary,
    home,
    isDefaultHome: !Deno.env.get("RETE_SECRETS_FILE"),
  };
  const unit = call.command.words[1] === "systemd"
    ? systemdUnit({
      ...parts,
      canNotify: hasLibc(),
      namespaces: flagValue(call, "namespaces") !== "off",
    })
    : launchdAgent(parts);
  const guessed = named === undefined && !Deno.build.standalone;
  return {
    exit: 0,
    out: unit,
    err: guessed
      ? `The unit starts ${binary}: give --binary PATH if reterm is elsewhere.`
      : "",
  };
}
