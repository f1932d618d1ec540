/**
 * The person's scripts: the modules in `<home>/scripts/` are loaded once at
 * start, and each outgoing line is shown to all of them before it is written.
 * Any one may veto it. A script that fails is ended and logged; the line it
 * failed over counts as vetoed when an agent sent it, since a guard that broke
 * has not said yes, and goes out when a person or the protocol did, since a
 * script must not hold a connection.
 *
 * Spec: "Sending" (`bind RAW_OUT`), "engine_state" (`scripts`).
 *
 * @module
 */

import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { Script, type ScriptSession } from "./script.ts";

/** Scripts loaded at most; each is a worker of some megabytes. */
export const MAX_SCRIPTS = 16;

/** Bytes of one script at most. */
export const MAX_SCRIPT_BYTES = 262_144;

/** Counts for `engine_state`; a headless service has no menu and no button. */
export interface ScriptCounts {
  readonly inputCallbackCount: number;
  readonly menuItemCount: 0;
  readonly buttonCount: 0;
}

/** What scripts are loaded with. */
export interface ScriptsOptions {
  /** The folder of the scripts; it need not exist. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** See the module doc. */
export class Scripts {
  #scripts: Script[] = [];

  private constructor() {}

  /** Loads every `.js` file of the folder, in order of their names. */
  static async load(options: ScriptsOptions): Promise<Scripts> {
    const scripts = new Scripts();
    const names = await scriptNames(options);
    for (const name of names.slice(0, MAX_SCRIPTS)) {
      const script = await loadOne(name, options);
      if (script !== undefined) scripts.#scripts.push(script);
    }
    if (names.length > MAX_SCRIPTS) {
      options.log.write(
        "warning",
        "scripts",
        `only the first ${MAX_SCRIPTS} scripts are loaded`,
      );
    }
    return scripts;
  }

  get counts(): ScriptCounts {
    let inputCallbackCount = 0;
    for (const script of this.#scripts) inputCallbackCount += script.callbacks;
    return { inputCallbackCount, menuItemCount: 0, buttonCount: 0 };
  }

  /** Whether any script looks at lines: without one, nothing is asked. */
  get isWatching(): boolean {
    return this.#scripts.some((script) => script.callbacks > 0);
  }

  /**
   * Shows a line as it goes on the wire to every script at once; whether it may
   * go. Settles within the deadline of one line and never rejects.
   */
  async permit(
    line: string,
    options: { readonly session: ScriptSession; readonly isAgents: boolean },
  ): Promise<boolean> {
    const verdicts = await Promise.all(
      this.#scripts
        .filter((script) => script.callbacks > 0)
        .map((script) => script.judge(line, options.session)),
    );
    if (verdicts.includes("veto")) return false;
    return !(options.isAgents && verdicts.includes("ended"));
  }

  /** Ends all scripts. */
  close(): void {
    for (const script of this.#scripts) script.close();
    this.#scripts = [];
  }
}

async function scriptNames(options: ScriptsOptions): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const entry of Deno.readDir(options.folder)) {
      if (entry.isFile && entry.name.endsWith(".js")) names.push(entry.name);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) {
      options.log.write("error", "scripts", "the scripts cannot be listed");
    }
  }
  return names.sort();
}

async function loadOne(
  name: string,
  options: ScriptsOptions,
): Promise<Script | undefined> {
  const { clock, log } = options;
  const path = `${options.folder}/${name}`;
  try {
    const { size } = await Deno.stat(path);
    if (size > MAX_SCRIPT_BYTES) {
      log.write("error", "scripts", `script ${name} is too large`);
      return undefined;
    }
    return await Script.load(await Deno.readTextFile(path), {
      name,
      clock,
      onLog: (text) => log.write("scripts", "scripts", `${name}: ${text}`),
      onEnded: (reason) =>
        log.write("error", "scripts", `script ${name} was stopped: ${reason}`),
    });
  } catch {
    log.write("error", "scripts", `script ${name} cannot be read`);
    return undefined;
  }
}
