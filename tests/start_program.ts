/**
 * The program from source as a process of its own, under the permission list it
 * ships with, in a home of its own. Started by root it becomes an ordinary
 * user, since the program does not serve as root.
 *
 * @module
 */

const ROOT = new URL("../", import.meta.url).pathname;
/** Who the program runs as when the tests are run by root. */
const ORDINARY_UID = 65_534;

/** How a command ended. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** What differs from an ordinary start. */
export interface StartOptions {
  /** The folder to start in; the user's home when absent. */
  readonly cwd?: string;
  /** The home that the flags allow; `.rete` of the folder when absent. */
  readonly allowed?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** As root: the caller's own, or one of a user namespace. */
  readonly asRoot?: boolean;
  /** Run under the permissions of a worker. */
  readonly isAgent?: boolean;
}

/** A user's home folder with the program to be run in it. */
export class ProgramHome {
  /** The user's home; `.rete` below it is the program's. */
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async make(): Promise<ProgramHome> {
    const folder = await Deno.makeTempDir();
    if (Deno.uid() === 0) {
      await Deno.chown(folder, ORDINARY_UID, ORDINARY_UID);
    }
    return new ProgramHome(folder);
  }

  async remove(): Promise<void> {
    await Deno.remove(this.folder, { recursive: true });
  }

  /** A file of the program's home. */
  path(name: string): string {
    return `${this.folder}/.rete/${name}`;
  }

  /** Writes a file of the program's home, as its user's own. */
  async write(name: string, text: string, mode = 0o600): Promise<void> {
    const rete = `${this.folder}/.rete`;
    await Deno.mkdir(rete, { recursive: true, mode: 0o700 });
    await Deno.writeTextFile(this.path(name), text);
    await Deno.chmod(this.path(name), mode);
    if (Deno.uid() === 0) {
      await Deno.chown(rete, ORDINARY_UID, ORDINARY_UID);
      await Deno.chown(this.path(name), ORDINARY_UID, ORDINARY_UID);
    }
  }

  /** Runs a command to its end. */
  async run(
    words: readonly string[],
    options: StartOptions = {},
  ): Promise<Ended> {
    const child = (await this.#command(words, options)).spawn();
    const writer = child.stdin.getWriter();
    // A command that does not read closes its end first.
    await writer.write(new TextEncoder().encode(options.input ?? ""))
      .catch(() => {});
    await writer.close().catch(() => {});
    const { code, stdout, stderr } = await child.output();
    const decoder = new TextDecoder();
    return { code, out: decoder.decode(stdout), err: decoder.decode(stderr) };
  }

  /** Starts the service and waits for the line that says it is up. */
  async serve(): Promise<ServedProgram> {
    const child = (await this.#command(["serve"], {})).spawn();
    await child.stdin.close();
    const served = new ServedProgram(child);
    await served.logged(/AI access/);
    return served;
  }

  /** Starts a command that goes on. */
  async start(
    words: readonly string[],
    options: StartOptions = {},
  ): Promise<ServedProgram> {
    const child = (await this.#command(words, options)).spawn();
    await child.stdin.close();
    return new ServedProgram(child);
  }

  async #command(
    words: readonly string[],
    options: StartOptions,
  ): Promise<Deno.Command> {
    const permissions = await new Deno.Command(`${ROOT}scripts/permissions`, {
      args: [
        ...(options.isAgent ? ["--agent"] : []),
        options.allowed ?? ".rete",
      ],
    }).output();
    const flags = new TextDecoder().decode(permissions.stdout).trim();
    const deno = [
      Deno.execPath(),
      "run",
      "--quiet",
      "--cached-only",
      "--frozen",
      "--config",
      `${ROOT}deno.json`,
      ...flags.split("\n"),
      `${ROOT}main.ts`,
      ...words,
    ];
    const become = becoming(options.asRoot === true);
    const [program = "", ...args] = [...become, ...deno];
    return new Deno.Command(program, {
      args,
      cwd: options.cwd ?? this.folder,
      clearEnv: true,
      env: {
        HOME: this.folder,
        PATH: Deno.env.get("PATH") ?? "",
        DENO_DIR: Deno.env.get("DENO_DIR") ?? "",
        DENO_NO_UPDATE_CHECK: "1",
        NO_COLOR: "1",
        ...options.env,
      },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    });
  }
}

/** A program that goes on, such as the service. */
export class ServedProgram {
  readonly #child: Deno.ChildProcess;
  readonly #reading: Promise<void>;
  readonly #printing: Promise<void>;
  readonly #waiting = new Set<() => void>();
  #log = "";
  #out = "";
  #isOver = false;

  constructor(child: Deno.ChildProcess) {
    this.#child = child;
    this.#printing = this.#readOutput();
    this.#reading = this.#readLog();
  }

  /** Its process; the one that became an ordinary user is the same. */
  get pid(): number {
    return this.#child.pid;
  }

  /** What it logged so far. */
  get log(): string {
    return this.#log;
  }

  /** The whole lines that it printed so far. */
  lines(): string[] {
    return this.#out.split("\n").slice(0, -1);
  }

  /** Waits until it has printed `text`; false when it has not in time. */
  printed(text: string, patienceMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (found: boolean) => {
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve(found);
      };
      const look = () => {
        if (this.lines().some((line) => line.includes(text))) end(true);
      };
      const timer = setTimeout(() => end(false), patienceMs);
      this.#waiting.add(look);
      look();
    });
  }

  /** Waits until the log matches; throws when the service ends first. */
  logged(pattern: RegExp): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        if (pattern.test(this.#log)) resolve();
        else if (this.#isOver) reject(new Error(`it ended:\n${this.#log}`));
        else return;
        this.#waiting.delete(look);
      };
      this.#waiting.add(look);
      look();
    });
  }

  kill(signal: Deno.Signal): void {
    this.#child.kill(signal);
  }

  /** Waits for its end. Gives the exit code, and what it printed and logged. */
  async ended(): Promise<Ended> {
    const { code } = await this.#child.status;
    await this.#reading;
    await this.#printing;
    return { code, out: this.#out, err: this.#log };
  }

  async #readOutput(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of this.#child.stdout) {
      this.#out += decoder.decode(chunk, { stream: true });
      for (const look of [...this.#waiting]) look();
    }
  }

  async #readLog(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of this.#child.stderr) {
      this.#log += decoder.decode(chunk, { stream: true });
      for (const look of [...this.#waiting]) look();
    }
    this.#isOver = true;
    for (const look of [...this.#waiting]) look();
  }
}

/** The command that runs another as root, or as an ordinary user. */
function becoming(asRoot: boolean): readonly string[] {
  const isRoot = Deno.uid() === 0;
  if (isRoot === asRoot) return [];
  if (asRoot) return ["unshare", "--user", "--map-root-user"];
  return [
    "setpriv",
    `--reuid=${ORDINARY_UID}`,
    `--regid=${ORDINARY_UID}`,
    "--clear-groups",
  ];
}
