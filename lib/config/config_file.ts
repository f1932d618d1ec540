/**
 * `config.json`: settings and sessions, never a secret. Reads it whole or
 * reports what is wrong with it, and changes one place of it at a time. A file
 * that does not parse or fits no schema is left as it is, whatever was asked:
 * every edit starts from a file that is right and must end in one.
 *
 * @module
 */

import { replaceFile } from "../atomic_file.ts";
import { createHome, type Home } from "../home.ts";
import type { Rule } from "./schema.ts";
import {
  boolean,
  list,
  object,
  refuse,
  SchemaError,
  wholeNumber,
} from "./schema.ts";
import { JsonSyntaxError, memberOf, parseJson } from "./json_text.ts";
import type { JsonValue } from "./json_edit.ts";
import { appendItem, removeItem, setMember } from "./json_edit.ts";
import { type SessionEntry, sessionEntry } from "./session_schema.ts";
import { readTextFile, TextFileError } from "./text_file.ts";

/** The contract's range of `control.port`. */
export const MIN_PORT = 1_024;
export const MAX_PORT = 65_535;
/** The default port of this frontend. */
export const DEFAULT_PORT = 7_422;
/** Messages a buffer may hold. */
export const MIN_BUFFER_LIMIT = 1_000;
export const MAX_BUFFER_LIMIT = 1_000_000;
export const DEFAULT_BUFFER_LIMIT = 20_000;
/** Each session is a connection and its buffers. */
export const MAX_SESSIONS = 64;

/** What the file says, checked and with defaults. */
export interface Config {
  readonly enabled: boolean;
  readonly debug: boolean;
  readonly port: number;
  readonly floodThrottle: boolean;
  readonly bufferLimit: number;
  readonly sessions: readonly SessionEntry[];
  /** What the person should know though it is no error. */
  readonly warnings: readonly string[];
}

/** What is wrong with the file; `message` names it and shows no stack. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  constructor(
    readonly kind: "unreadable" | "syntax" | "schema" | "unwritable",
    message: string,
  ) {
    super(message);
  }
}

const EMPTY = "{}\n";

// control.send is read by no one: an earlier build may have saved it, and it
// must not come back at a launch.
const ignored: Rule<undefined> = () => undefined;

const control = object({
  enabled: boolean,
  debug: boolean,
  send: ignored,
  port: wholeNumber(MIN_PORT, MAX_PORT),
});

const sessions: Rule<SessionEntry[]> = (node, at) => {
  const entries = list(sessionEntry, MAX_SESSIONS)(node, at);
  const seen = new Set<string>();
  for (const [index, { id }] of entries.entries()) {
    if (seen.has(id)) {
      refuse(
        node.kind === "array" ? node.items[index] ?? node : node,
        { ...at, path: `${at.path}[${index}].id` },
        "an id that no other session has",
      );
    }
    seen.add(id);
  }
  return entries;
};

const file = object({
  control,
  flood_throttle: boolean,
  buffer_limit: wholeNumber(MIN_BUFFER_LIMIT, MAX_BUFFER_LIMIT),
  sessions,
});

/** One home's `config.json`. Edits are made one after another. */
export class ConfigFile {
  readonly #home: Home;
  #edits: Promise<unknown> = Promise.resolve();

  constructor(home: Home) {
    this.#home = home;
  }

  get path(): string {
    return this.#home.configFile;
  }

  /** What the file says; the defaults when there is none. @throws {ConfigError} */
  async read(): Promise<Config> {
    return this.#check(await this.#text() ?? EMPTY);
  }

  /** Sets one value, such as `["control", "port"]`. @throws {ConfigError} */
  set(path: readonly string[], value: JsonValue): Promise<Config> {
    return this.#edit((text) => setMember(text, path, value));
  }

  /** Adds an entry to `sessions`. @throws {ConfigError} */
  addSession(entry: { readonly [name: string]: JsonValue }): Promise<Config> {
    return this.#edit((text) => appendItem(text, ["sessions"], entry));
  }

  /** Takes the entry with this upper-case id out. @throws {ConfigError} */
  removeSession(id: string): Promise<Config> {
    return this.#edit((text) => {
      const index = this.#check(text).sessions.findIndex((entry) =>
        entry.id === id
      );
      return index < 0 ? text : removeItem(text, ["sessions"], index);
    });
  }

  #edit(change: (text: string) => string): Promise<Config> {
    const edit = this.#edits.then(async () => {
      const old = await this.#text() ?? EMPTY;
      this.#check(old);
      const text = change(old);
      const config = this.#check(text);
      if (text !== old) await this.#write(text);
      return config;
    });
    this.#edits = edit.catch(() => undefined);
    return edit;
  }

  async #text(): Promise<string | undefined> {
    try {
      return (await readTextFile(this.path))?.text;
    } catch (error) {
      if (!(error instanceof TextFileError)) throw error;
      throw new ConfigError("unreadable", error.message);
    }
  }

  async #write(text: string): Promise<void> {
    try {
      await createHome(this.#home);
      await replaceFile(this.path, text);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new ConfigError(
        "unwritable",
        `Cannot write ${this.path}: ${why.replace(/\.$/, "")}. ` +
          `Nothing was changed.`,
      );
    }
  }

  #check(text: string): Config {
    try {
      const node = parseJson(text);
      const found = file(node, { text, path: "" });
      const held = memberOf(node, "control");
      const send = held && memberOf(held.value, "send");
      return {
        enabled: found.control?.enabled ?? false,
        debug: found.control?.debug ?? false,
        port: found.control?.port ?? DEFAULT_PORT,
        floodThrottle: found.flood_throttle ?? true,
        bufferLimit: found.buffer_limit ?? DEFAULT_BUFFER_LIMIT,
        sessions: found.sessions ?? [],
        warnings: send === undefined ? [] : [
          `${this.path}: control.send is ignored: it is never saved, and is ` +
          `off until reterm set control.send on`,
        ],
      };
    } catch (error) {
      if (error instanceof JsonSyntaxError) {
        throw new ConfigError("syntax", `${this.path}, ${error.message}`);
      }
      if (error instanceof SchemaError) {
        throw new ConfigError("schema", `${this.path}: ${error.message}`);
      }
      throw error;
    }
  }
}
