/**
 * Each session: whether this build may reach its server, whether the files and
 * secrets it needs are there, and how it stands.
 *
 * @module
 */

import { type Config, ConfigFile } from "../config/config_file.ts";
import {
  type SecretEntries,
  SecretsFile,
  secretsOfSession,
} from "../config/secrets_file.ts";
import type { SessionEntry } from "../config/session_schema.ts";
import { SessionFiles, SessionFilesError } from "../operator/session_files.ts";
import type { SessionStatus, StatusReport } from "../operator/status_report.ts";
import { type Finding, fine, note, shellWord, wrong } from "./finding.ts";
import type { Patient } from "./patient.ts";

const AREA = "session";

/** Looks at every session of the configuration, one line each. */
export async function examineSessions(
  patient: Patient,
  { config, secrets, report }: {
    readonly config: Config | undefined;
    readonly secrets: SecretEntries | undefined;
    readonly report: StatusReport | undefined;
  },
): Promise<readonly Finding[]> {
  if (config === undefined) return [];
  if (config.sessions.length === 0) {
    return [note(AREA, "there is none yet", "reterm session add")];
  }
  const findings: Finding[] = [];
  for (const entry of config.sessions) {
    findings.push(
      reachOf(patient, entry) ??
        await filesOf(patient, entry) ??
        secretsOf(secrets, entry) ??
        stateOf(report, entry),
    );
  }
  return findings;
}

function reachOf(
  { isAllowed }: Patient,
  { name, host, port, socks5 }: SessionEntry,
): Finding | undefined {
  const to = socks5 ?? { host, port };
  const bracketed = to.host.includes(":") ? `[${to.host}]` : to.host;
  const address = `${bracketed}:${to.port}`;
  if (isAllowed({ name: "net", host: address })) return undefined;
  return wrong(
    AREA,
    `${name}: this build may not reach ${address}`,
    /^localhost$/i.test(to.host)
      ? `write 127.0.0.1 instead of ${to.host} in config.json`
      : `make install IRC_HOSTS=${address}, or go through a bouncer or ` +
        `SOCKS5 proxy on 127.0.0.1`,
  );
}

async function filesOf(
  { home }: Patient,
  entry: SessionEntry,
): Promise<Finding | undefined> {
  const files = new SessionFiles(
    home,
    new ConfigFile(home),
    new SecretsFile(home),
  );
  try {
    await files.resolve(entry);
    return undefined;
  } catch (error) {
    if (!(error instanceof SessionFilesError)) throw error;
    return wrong(
      AREA,
      `${entry.name}: ${error.message}`,
      `put the file there, then reterm session connect ${
        shellWord(entry.name)
      }`,
    );
  }
}

function secretsOf(
  secrets: SecretEntries | undefined,
  { id, name, sasl }: SessionEntry,
): Finding | undefined {
  if (secrets === undefined || sasl === undefined) return undefined;
  const held = secretsOfSession(secrets, id);
  const kind = sasl.mechanism === "EXTERNAL"
    ? "tls-client-key"
    : "sasl-password";
  const isThere = kind === "tls-client-key"
    ? held.tlsClientKey !== undefined
    : held.saslPassword !== undefined;
  if (isThere) return undefined;
  return wrong(
    AREA,
    `${name}: it logs in by ${sasl.mechanism} and has no ${kind}`,
    `reterm session secret ${shellWord(name)} ${kind}`,
  );
}

function stateOf(
  report: StatusReport | undefined,
  { id, name }: SessionEntry,
): Finding {
  if (report === undefined) return note(AREA, `${name}: not running`);
  const session = report.sessions.find((one) => one.id === id);
  const connect = `reterm session connect ${shellWord(name)}`;
  if (session === undefined) {
    return wrong(AREA, `${name}: it was not started`, connect);
  }
  return describe(session, connect);
}

function describe(session: SessionStatus, connect: string): Finding {
  const { name, state, nick, lastError } = session;
  if (state === "connected") {
    return fine(AREA, `${name}: connected as ${nick}`);
  }
  if (lastError !== "") {
    return wrong(AREA, `${name}: ${state}: ${lastError}`, connect);
  }
  return state === "disconnected"
    ? note(AREA, `${name}: disconnected, as it was told`, connect)
    : note(AREA, `${name}: ${state}`);
}
