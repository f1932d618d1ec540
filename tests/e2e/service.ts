/**
 * The program itself, started as its users start it, under the permission list
 * it ships with, in a home of its own; and an MCP client of the official SDK
 * that talks to it. `BINARY` names a compiled program to drive instead of the
 * launcher: a portable one, since the home is a temporary folder.
 *
 * @module
 */

import { freePort } from "../free_port.ts";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const ROOT = new URL("../../", import.meta.url).pathname;

/** How long the service, or a state, is waited for. */
const PATIENCE_MS = 30_000;
/** Between two looks at a state that no event tells of. */
const LOOK_EVERY_MS = 50;

/** A message as tools return it. */
export interface Row {
  readonly seq: number;
  readonly id?: string;
  readonly time: string;
  readonly from: string;
  readonly kind: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly untrusted: true;
}

/** What is in `config.json` for one session. */
export type SessionEntry = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly name: string;
};

export interface ServiceOptions {
  readonly sessions: readonly SessionEntry[];
  /** Secrets by session name and kind, given to `session secret`. */
  readonly secrets?: readonly {
    readonly session: string;
    readonly kind: string;
    readonly value: string;
  }[];
  /** Further fields of `config.json`. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Files to put into home, by name. */
  readonly files?: Readonly<Record<string, string>>;
}

/** See the module doc. */
export class Service {
  readonly #folder: string;
  readonly #program: string;
  readonly #process: Deno.ChildProcess;
  readonly #log: Promise<string>;
  #client: Client | undefined;
  /** How to reach it; from `control token`. */
  url = "";
  token = "";

  private constructor(
    folder: string,
    program: string,
    process: Deno.ChildProcess,
  ) {
    this.#folder = folder;
    this.#program = program;
    this.#process = process;
    this.#log = new Response(process.stderr).text();
  }

  /** Starts the service and connects the MCP client. */
  static async start(
    options: ServiceOptions,
    logLevel = "debug",
  ): Promise<Service> {
    const folder = await Deno.makeTempDir({ prefix: "home" });
    const home = `${folder}/.rete`;
    await Deno.mkdir(home, { mode: 0o700 });
    const config = {
      control: { enabled: true, port: freePort() },
      sessions: options.sessions,
      ...options.settings,
    };
    await writePrivate(`${home}/config.json`, JSON.stringify(config, null, 2));
    for (const [name, text] of Object.entries(options.files ?? {})) {
      await writePrivate(`${home}/${name}`, text);
    }
    const program = Deno.env.get("BINARY") ?? `${folder}/reterm`;
    if (Deno.env.get("BINARY") === undefined) {
      await new Deno.Command(`${ROOT}scripts/launcher`, { args: [program] })
        .output();
    }
    for (const { session, kind, value } of options.secrets ?? []) {
      await runProgram(folder, program, [
        "session",
        "secret",
        session,
        kind,
      ], value);
    }
    const process = new Deno.Command(program, {
      args: ["serve", "--log-level", logLevel],
      cwd: folder,
      env: surroundings(folder),
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const service = new Service(folder, program, process);
    try {
      await service.#connect();
    } catch (error) {
      const log = await service.stop();
      throw new Error(`${(error as Error).message}\nIts log:\n${log}`);
    }
    return service;
  }

  async #connect(): Promise<void> {
    const command = await until("the token", async () => {
      const { code, out } = await this.run("control", "token");
      return code === 0 && out.includes("Bearer") ? out : undefined;
    });
    this.url = /http:\S+\/mcp/.exec(command)?.[0] ?? "";
    this.token = /Bearer ([\w-]{43})/.exec(command)?.[1] ?? "";
    const client = new Client({ name: "e2e", version: "1" });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(this.url), {
        requestInit: { headers: { Authorization: `Bearer ${this.token}` } },
        // The SDK's declarations do not allow for exactOptionalPropertyTypes.
      }) as Parameters<Client["connect"]>[0],
    );
    this.#client = client;
  }

  /** How another process starts this program on this home. */
  get started(): {
    readonly program: string;
    readonly cwd: string;
    readonly env: Record<string, string>;
  } {
    const cwd = this.#folder;
    return { program: this.#program, cwd, env: surroundings(cwd) };
  }

  /** The MCP client. */
  get client(): Client {
    if (this.#client === undefined) throw new Error("There is no client");
    return this.#client;
  }

  /** Runs a command of the program against this service. */
  run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
    return runProgram(this.#folder, this.#program, args);
  }

  /** Starts a command that goes on; ending it is up to the caller. */
  start(...args: string[]): Deno.ChildProcess {
    return new Deno.Command(this.#program, {
      args,
      cwd: this.#folder,
      env: surroundings(this.#folder),
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  }

  /** Calls a tool; throws its error text when it failed. */
  async call<T>(
    name: string,
    args: Record<string, unknown> = {},
  ): Promise<T> {
    const result = await this.client.callTool({ name, arguments: args });
    const [item] = result.content as { type: string; text: string }[];
    const text = item?.text ?? "";
    if (result.isError) throw new Error(text);
    return JSON.parse(text) as T;
  }

  /** The state and nick of a session, by its name. */
  async session(name: string): Promise<{
    readonly id: string;
    readonly state: string;
    readonly nick: string;
    readonly network: string;
  }> {
    const { sessions } = await this.call<
      {
        sessions: {
          id: string;
          name: string;
          state: string;
          nick: string;
          network: string;
        }[];
      }
    >("list_sessions");
    const found = sessions.find((session) => session.name === name);
    if (found === undefined) throw new Error(`No session is named ${name}`);
    return found;
  }

  /** Waits until a session is in `state`. */
  async sessionIs(
    name: string,
    state: string,
    patienceMs = PATIENCE_MS,
  ): Promise<void> {
    await until(`${name} to be ${state}`, async () => {
      return (await this.session(name)).state === state || undefined;
    }, patienceMs);
  }

  /** The id of a buffer, waiting until it is listed. */
  async buffer(session: string, name: string): Promise<string> {
    const { id } = await this.session(session);
    return await until(`buffer ${name}`, async () => {
      const { buffers } = await this.call<
        { buffers: { id: string; name: string }[] }
      >("list_buffers", { session: id });
      return buffers.find((buffer) => buffer.name === name)?.id;
    });
  }

  /** All rows of a buffer that are held, in arrival order. */
  async rows(buffer: string): Promise<Row[]> {
    const rows: Row[] = [];
    let cursor: string | undefined;
    for (let isMore = true; isMore;) {
      const page: { messages: Row[]; cursor: string; truncated: boolean } =
        await this.call("read_since", {
          buffer,
          limit: 500,
          ...(cursor !== undefined && { cursor }),
        });
      rows.push(...page.messages);
      cursor = page.cursor;
      isMore = page.truncated;
    }
    return rows;
  }

  /** Waits until a buffer holds a row that `matches`. */
  async rowThat(
    buffer: string,
    what: string,
    matches: (row: Row) => boolean,
    patienceMs = PATIENCE_MS,
  ): Promise<Row> {
    return await until(
      what,
      async () => (await this.rows(buffer)).find(matches),
      patienceMs,
    );
  }

  /** Waits for a line of talk. */
  async said(buffer: string, text: string): Promise<Row> {
    return await this.rowThat(
      buffer,
      `"${text}"`,
      (row) => row.payload.text === text,
    );
  }

  /** The nicks in a channel. */
  async nicks(buffer: string): Promise<string[]> {
    const { members } = await this.call<{ members: { nick: string }[] }>(
      "list_members",
      { buffer },
    );
    return members.map(({ nick }) => nick);
  }

  /** Stops the service as a service manager does; settles its log. */
  async stop(): Promise<string> {
    await this.#client?.close();
    try {
      this.#process.kill("SIGTERM");
    } catch {
      // It ended by itself.
    }
    await this.#process.status;
    const log = await this.#log;
    await Deno.remove(this.#folder, { recursive: true });
    return log;
  }
}

/** Runs `use` with a service; a failure shows the end of its log. */
export async function withService(
  options: ServiceOptions,
  use: (service: Service) => Promise<void>,
): Promise<void> {
  const service = await Service.start(options);
  try {
    await use(service);
  } catch (error) {
    const log = (await service.stop()).split("\n").slice(-40).join("\n");
    throw new Error(`${(error as Error).stack}\nIts log ends:\n${log}`);
  }
  await service.stop();
}

/**
 * Asks again and again until there is an answer.
 *
 * A real server, in another process, sends no event to wait on.
 */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined>,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  const end = Date.now() + patienceMs;
  while (true) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > end) {
      throw new Error(`Waited ${patienceMs} ms for ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

async function runProgram(
  folder: string,
  program: string,
  args: readonly string[],
  input?: string,
): Promise<{ code: number; out: string; err: string }> {
  const child = new Deno.Command(program, {
    args: [...args],
    cwd: folder,
    env: surroundings(folder),
    stdin: input === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  if (input !== undefined) {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(input + "\n"));
    await writer.close();
  }
  const { code, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  return { code, out: decoder.decode(stdout), err: decoder.decode(stderr) };
}

/** Home by HOME alone: a portable program is started in the home folder. */
function surroundings(folder: string): Record<string, string> {
  return { HOME: folder, RETE_SECRETS_FILE: "" };
}

async function writePrivate(path: string, text: string): Promise<void> {
  await Deno.writeTextFile(path, text, { mode: 0o600 });
}
