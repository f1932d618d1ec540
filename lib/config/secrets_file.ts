/**
 * `secrets.json`: one flat object from an entry's name to its value in base64.
 * Holds the control token and each session's secrets. A file that others can
 * read or write is refused before its content is read, and nothing is written
 * over a file that was refused. No error shows a value or a part of one.
 *
 * Spec: "Where the token is kept".
 *
 * @module
 */

import { replaceFile } from "../atomic_file.ts";
import { createHome, type Home } from "../home.ts";
import { JsonSyntaxError, lineOf, parseJson } from "./json_text.ts";
import type { SessionSecrets } from "./session_config.ts";
import { readTextFile, TextFileError } from "./text_file.ts";

/** The entry of the control token. */
export const TOKEN_ENTRY = "Rete Control/mcp-token-reterm";

/** Group and others: any of these bits and the file is no secret. */
const MODE_OF_OTHERS = 0o077;
/** A folder that anyone writes, without the sticky bit: files in it swap. */
const ANYONE_WRITES = 0o002;
const STICKY = 0o1000;

/** The kinds of secret a session has, as the command line names them. */
export const SECRET_KINDS = [
  "password",
  "sasl-password",
  "channel-key",
  "tls-client-key",
] as const;
export type SecretKind = typeof SECRET_KINDS[number];

/** Why the file cannot be used; `message` names it and never a value. */
export class SecretsError extends Error {
  override readonly name = "SecretsError";
  constructor(
    readonly kind:
      | "exposed"
      | "owner"
      | "damaged"
      | "unreadable"
      | "unwritable",
    message: string,
  ) {
    super(message);
  }
}

/** Entry names and decoded values. */
export type SecretEntries = ReadonlyMap<string, string>;

/** The entry that holds a session's secret. `channel` for a channel key. */
export function sessionEntryName(
  id: string,
  kind: SecretKind,
  channel?: string,
): string {
  const base = `Rete Session ${id}/${kind}`;
  return channel === undefined ? base : `${base} ${channel}`;
}

/** Picks the secrets of the session with this upper-case id. */
export function secretsOfSession(
  entries: SecretEntries,
  id: string,
): SessionSecrets {
  const password = entries.get(sessionEntryName(id, "password"));
  const saslPassword = entries.get(sessionEntryName(id, "sasl-password"));
  const tlsClientKey = entries.get(sessionEntryName(id, "tls-client-key"));
  const keyPrefix = sessionEntryName(id, "channel-key", "");
  const channelKeys = new Map<string, string>();
  for (const [name, value] of entries) {
    if (name.startsWith(keyPrefix)) {
      channelKeys.set(name.slice(keyPrefix.length), value);
    }
  }
  return {
    ...(password !== undefined && { password }),
    ...(saslPassword !== undefined && { saslPassword }),
    channelKeys,
    ...(tlsClientKey !== undefined && { tlsClientKey }),
  };
}

/** One home's secrets file. Changes are made one after another. */
export class SecretsFile {
  readonly #home: Home;
  readonly #ownUid: () => number | null;
  #changes: Promise<unknown> = Promise.resolve();

  constructor(home: Home, ownUid: () => number | null = () => Deno.uid()) {
    this.#home = home;
    this.#ownUid = ownUid;
  }

  get path(): string {
    return this.#home.secretsFile;
  }

  /** Every entry; none when there is no file. @throws {SecretsError} */
  async read(): Promise<SecretEntries> {
    await this.#judgeFolder();
    let text: string | undefined;
    try {
      text = (await readTextFile(this.path, (info) => this.#judge(info)))?.text;
    } catch (error) {
      if (error instanceof TextFileError) {
        throw new SecretsError("unreadable", error.message);
      }
      throw error;
    }
    return text === undefined ? new Map() : this.#parse(text);
  }

  /**
   * Sets some entries and removes those given as undefined, in one replacement
   * of the file. @throws {SecretsError} and nothing is changed.
   */
  change(
    entries: ReadonlyMap<string, string | undefined>,
  ): Promise<SecretEntries> {
    const change = this.#changes.then(async () => {
      const values = new Map(await this.read());
      for (const [name, value] of entries) {
        if (value === undefined) values.delete(name);
        else values.set(name, value);
      }
      await this.#write(values);
      return values;
    });
    this.#changes = change.catch(() => undefined);
    return change;
  }

  /** Removes every secret of a session. @throws {SecretsError} */
  async forgetSession(id: string): Promise<void> {
    const prefix = `Rete Session ${id}/`;
    const names = [...(await this.read()).keys()]
      .filter((name) => name.startsWith(prefix));
    if (names.length === 0) return;
    await this.change(new Map(names.map((name) => [name, undefined])));
  }

  #judge(info: Deno.FileInfo): void {
    const own = this.#ownUid();
    if (own !== null && info.uid !== null && info.uid !== own) {
      throw new SecretsError(
        "owner",
        `${this.path} belongs to another user: it must be your own`,
      );
    }
    if (info.mode !== null && (info.mode & MODE_OF_OTHERS) !== 0) {
      throw new SecretsError(
        "exposed",
        `${this.path} can be read or written by others: ` +
          `run chmod 600 ${quoted(this.path)}`,
      );
    }
  }

  async #judgeFolder(): Promise<void> {
    const info = await Deno.stat(this.#home.folder).catch(() => undefined);
    const mode = info?.mode ?? 0;
    if ((mode & ANYONE_WRITES) !== 0 && (mode & STICKY) === 0) {
      throw new SecretsError(
        "exposed",
        `anyone can replace the files in ${this.#home.folder}: ` +
          `run chmod 700 ${quoted(this.#home.folder)}`,
      );
    }
  }

  #parse(text: string): SecretEntries {
    let node;
    try {
      node = parseJson(text);
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error;
      throw new SecretsError("damaged", `${this.path}, ${error.message}`);
    }
    if (node.kind !== "object") {
      throw new SecretsError(
        "damaged",
        `${this.path}, line 1: expected an object in { }`,
      );
    }
    const entries = new Map<string, string>();
    for (const { name, start, value } of node.members) {
      const decoded = value.kind === "string"
        ? fromBase64(value.value)
        : undefined;
      if (decoded === undefined) {
        throw new SecretsError(
          "damaged",
          `${this.path}, line ${lineOf(text, start)}: ` +
            `expected base64 of UTF-8 text in double quotes`,
        );
      }
      entries.set(name, decoded);
    }
    return entries;
  }

  async #write(values: SecretEntries): Promise<void> {
    const encoded = [...values].map(([name, value]) => [name, toBase64(value)]);
    const text = JSON.stringify(Object.fromEntries(encoded), null, 2) + "\n";
    try {
      await createHome(this.#home);
      await replaceFile(this.path, text);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new SecretsError(
        "unwritable",
        `cannot write ${this.path}: ${why}`,
      );
    }
  }
}

function toBase64(text: string): string {
  return new TextEncoder().encode(text).toBase64();
}

function fromBase64(text: string): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
      .decode(Uint8Array.fromBase64(text));
  } catch {
    return undefined;
  }
}

/** The path as a shell takes it. */
function quoted(path: string): string {
  return /^[\w./+@:-]+$/.test(path)
    ? path
    : `'${path.replaceAll("'", `'\\''`)}'`;
}
