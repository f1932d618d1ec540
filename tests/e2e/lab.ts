/**
 * The real IRC servers of tests/lab, started for a test and stopped after it.
 * Each lab has a folder and eight ports of its own.
 *
 * @module
 */

const SCRIPTS = new URL("../lab/", import.meta.url).pathname;

/** What `up` can start. */
export type ServerName = "inspircd" | "leaf" | "ngircd" | "znc";
/** What `down` can stop. */
export type StoppableName = ServerName | "atheme";

/** Ports of one lab, from its base on. */
const PORTS = 8;

/** See the module doc. */
export class Lab {
  readonly folder: string;
  readonly #portBase: number;
  #values = new Map<string, string>();

  private constructor(folder: string, portBase: number) {
    this.folder = folder;
    this.#portBase = portBase;
  }

  /** Starts the servers; throws with the scripts' words when one does not come up. */
  static async start(...names: ServerName[]): Promise<Lab> {
    const folder = await Deno.makeTempDir({ prefix: "lab" });
    const lab = new Lab(folder, findPorts());
    try {
      await lab.up(...names);
    } catch (error) {
      await lab.stop();
      throw error;
    }
    return lab;
  }

  /** Starts servers that are not running; the others go on. */
  async up(...names: ServerName[]): Promise<void> {
    const out = await this.#run("up", names);
    this.#values = new Map(
      out.trimEnd().split("\n").map((line) => {
        const at = line.indexOf("=");
        return [line.slice(0, at), line.slice(at + 1)];
      }),
    );
  }

  /** Stops servers, cleanly as far as they can. */
  async down(...names: StoppableName[]): Promise<void> {
    await this.#run("down", names);
  }

  /** A value of `lab.env`. */
  get(name: string): string {
    const value = this.#values.get(name);
    if (value === undefined) throw new Error(`The lab has no ${name}`);
    return value;
  }

  port(name: string): number {
    return Number(this.get(`${name}_PORT`));
  }

  /** Signals a server by its pid. */
  signal(name: StoppableName, signal: Deno.Signal): void {
    Deno.kill(Number(this.get(`${name.toUpperCase()}_PID`)), signal);
  }

  /** Stops everything and removes the folder. */
  async stop(): Promise<void> {
    await this.down();
    await Deno.remove(this.folder, { recursive: true });
  }

  async #run(script: string, args: readonly string[]): Promise<string> {
    const { success, stdout, stderr } = await new Deno.Command(
      SCRIPTS + script,
      {
        args: [this.folder, ...args],
        env: { LAB_PORT_BASE: String(this.#portBase) },
      },
    ).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    return new TextDecoder().decode(stdout);
  }
}

/** The first of eight ports that are free now. */
function findPorts(): number {
  for (let tries = 0; tries < 100; tries++) {
    const listeners: Deno.Listener[] = [];
    try {
      // Below the range that the system hands out by itself.
      const base = 20_000 + Math.floor(Math.random() * 1_500) * PORTS;
      for (let port = base; port < base + PORTS; port++) {
        listeners.push(Deno.listen({ hostname: "127.0.0.1", port }));
      }
      return base;
    } catch {
      continue;
    } finally {
      for (const listener of listeners) listener.close();
    }
  }
  throw new Error("No eight free ports in a row were found");
}

/** Runs `use` with a lab, and stops it whatever happens. */
export async function withLab(
  names: readonly ServerName[],
  use: (lab: Lab) => Promise<void>,
): Promise<void> {
  const lab = await Lab.start(...names);
  try {
    await use(lab);
  } finally {
    await lab.stop();
  }
}
