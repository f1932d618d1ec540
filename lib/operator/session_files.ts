/**
 * Sessions as the files of home have them: looked up by name or id, added,
 * removed, given secrets, and resolved into what the engine is handed, with
 * the certificate files they name read. Both operators stand on it.
 *
 * @module
 */

import {
  type Config,
  ConfigError,
  type ConfigFile,
} from "../config/config_file.ts";
import {
  SecretsError,
  type SecretsFile,
  secretsOfSession,
  sessionEntryName,
} from "../config/secrets_file.ts";
import type {
  SessionConfig,
  SessionSecrets,
} from "../config/session_config.ts";
import type { SessionEntry } from "../config/session_schema.ts";
import { readTextFile, TextFileError } from "../config/text_file.ts";
import type { Home } from "../home.ts";
import type { NewSession, SecretChange } from "./operator.ts";

/** A secret is at most this long; a TLS key of 8,192 bits fits twice. */
export const MAX_SECRET_BYTES = 16_384;

/** What a person asked of a session cannot be done; `message` says why. */
export class SessionFilesError extends Error {
  override readonly name = "SessionFilesError";
}

/** Whether `error` is one whose message is for the person. */
export function isForPerson(error: unknown): error is Error {
  return error instanceof SessionFilesError || error instanceof ConfigError ||
    error instanceof SecretsError;
}

/** See the module doc. */
export class SessionFiles {
  readonly #home: Home;
  readonly config: ConfigFile;
  readonly secrets: SecretsFile;

  constructor(home: Home, config: ConfigFile, secrets: SecretsFile) {
    this.#home = home;
    this.config = config;
    this.secrets = secrets;
  }

  /** The entry with this name or id. @throws {SessionFilesError} */
  async find(named: string): Promise<SessionEntry> {
    return findEntry((await this.config.read()).sessions, named);
  }

  /** Adds a session. @throws {SessionFilesError} | {ConfigError} */
  async add({ name, fields }: NewSession): Promise<SessionEntry> {
    const before = await this.config.read();
    if (before.sessions.some((entry) => sameName(entry.name, name))) {
      throw new SessionFilesError(
        `There is a session called "${name}" already, nothing changed.`,
      );
    }
    const id = typeof fields["id"] === "string"
      ? fields["id"]
      : crypto.randomUUID().toUpperCase();
    const config = await this.config.addSession({ id, name, ...fields });
    return findEntry(config.sessions, id);
  }

  /** Removes a session and its secrets. @throws as {@link add} */
  async remove(named: string): Promise<SessionEntry> {
    const entry = await this.find(named);
    await this.secrets.forgetSession(entry.id);
    await this.config.removeSession(entry.id);
    return entry;
  }

  /** Sets or removes a secret. @throws as {@link add}, and {SecretsError} */
  async changeSecret(change: SecretChange): Promise<SessionEntry> {
    const entry = await this.find(change.session);
    checkSecret(change);
    const name = sessionEntryName(entry.id, change.kind, change.channel);
    await this.secrets.change(new Map([[name, change.value]]));
    return entry;
  }

  /** The session's secrets as the file has them now. @throws {SecretsError} */
  async secretsOf(id: string): Promise<SessionSecrets> {
    return secretsOfSession(await this.secrets.read(), id);
  }

  /**
   * The entry with its certificate files read.
   *
   * @throws {SessionFilesError} when one cannot be.
   */
  async resolve(entry: SessionEntry): Promise<SessionConfig> {
    const { tlsCaPath, tlsClientCertPath, ...config } = entry;
    const tlsCa = await this.#pem(entry, "tls_ca", tlsCaPath);
    const tlsClientCert = await this.#pem(
      entry,
      "tls_client_cert",
      tlsClientCertPath,
    );
    return {
      ...config,
      ...(tlsCa !== undefined && { tlsCa }),
      ...(tlsClientCert !== undefined && { tlsClientCert }),
    };
  }

  async #pem(
    entry: SessionEntry,
    field: string,
    path: string | undefined,
  ): Promise<string | undefined> {
    if (path === undefined) return undefined;
    const whole = path.startsWith("/") ? path : `${this.#home.folder}/${path}`;
    const where = `${field} of session "${entry.name}"`;
    let text: string | undefined;
    try {
      text = (await readTextFile(whole))?.text;
    } catch (error) {
      if (!(error instanceof TextFileError)) throw error;
      throw new SessionFilesError(
        `${error.message} It is the ${where}: put it into ${this.#home.folder}.`,
      );
    }
    if (text === undefined) {
      throw new SessionFilesError(`No file ${whole}, the ${where}.`);
    }
    if (!text.includes("-----BEGIN CERTIFICATE-----")) {
      throw new SessionFilesError(
        `${whole}, the ${where}, holds no PEM certificate.`,
      );
    }
    return text;
  }
}

/** The entry with this name or id. @throws {SessionFilesError} */
export function findEntry<T extends { readonly id: string; name: string }>(
  entries: readonly T[],
  named: string,
): T {
  const found = entries.filter((entry) =>
    entry.id === named.toUpperCase() || sameName(entry.name, named)
  );
  const [only, another] = found;
  if (only !== undefined && another === undefined) return only;
  if (another !== undefined) {
    throw new SessionFilesError(
      `More than one session is called "${named}": give its id, ` +
        `which reterm session list shows.`,
    );
  }
  const names = entries.map(({ name }) => name).join(", ");
  throw new SessionFilesError(
    `No session "${named}": ` +
      (names === ""
        ? "there is none yet, add one with reterm session add."
        : `there are ${names}.`),
  );
}

/** The one session there is, for a person who named none. */
export function onlyEntry<T extends { readonly name: string }>(
  entries: readonly T[],
): T {
  const [only, another] = entries;
  if (only !== undefined && another === undefined) return only;
  throw new SessionFilesError(
    only === undefined
      ? "There is no session yet: add one with reterm session add."
      : `Say which session with --session NAME: there are ${
        entries.map(({ name }) => name).join(", ")
      }.`,
  );
}

function sameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function checkSecret({ kind, channel, value }: SecretChange): void {
  if (kind === "channel-key" && !channel) {
    throw new SessionFilesError(
      "A channel key needs its channel: " +
        "reterm session secret NAME channel-key '#channel'.",
    );
  }
  if (value === undefined) return;
  if (channel !== undefined && /[\0-\x20\x7f,]/.test(channel)) {
    throw new SessionFilesError(
      "A channel name has no space, comma or control character, " +
        "nothing changed.",
    );
  }
  if (value === "") {
    throw new SessionFilesError(
      "Standard input was empty, nothing changed. --remove takes a secret out.",
    );
  }
  if (new TextEncoder().encode(value).length > MAX_SECRET_BYTES) {
    throw new SessionFilesError(
      `The secret is over ${MAX_SECRET_BYTES} bytes, nothing changed.`,
    );
  }
  if (kind === "tls-client-key") {
    if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(value)) {
      throw new SessionFilesError(
        "Standard input held no PEM private key, nothing changed.",
      );
    }
  } else if (/[\r\n\0]/.test(value)) {
    throw new SessionFilesError(
      "The secret holds a line break or NUL, nothing changed.",
    );
  } else if (kind === "channel-key" && /[ ,]/.test(value)) {
    throw new SessionFilesError(
      "A channel key has no space or comma, nothing changed.",
    );
  }
}

/** One line a session, for a listing. */
export function describeEntry(entry: SessionEntry, state: string): string {
  const tls = entry.tls ? "tls" : "plain";
  return `${entry.name}  ${state}  ${entry.nick}  ` +
    `${entry.host}:${entry.port} ${tls}  ${entry.id}`;
}

/** What a listing says of no session. */
export const NO_SESSIONS =
  "There is no session yet: add one with reterm session add.";

/** The sessions of a configuration, described. */
export function describeAll(
  config: Config,
  state: (entry: SessionEntry) => string,
): string {
  if (config.sessions.length === 0) return NO_SESSIONS;
  return config.sessions.map((entry) => describeEntry(entry, state(entry)))
    .join("\n");
}
