/**
 * The files of a home: whether they are there, are this user's alone, and can
 * be read.
 *
 * @module
 */

import { type Config, ConfigError, ConfigFile } from "../config/config_file.ts";
import {
  type SecretEntries,
  SecretsError,
  SecretsFile,
  TOKEN_ENTRY,
} from "../config/secrets_file.ts";
import { isUsableToken } from "../control/token.ts";
import { type Finding, fine, note, shellWord, wrong } from "./finding.ts";
import type { Patient } from "./patient.ts";

/** Group and others. */
const MODE_OF_OTHERS = 0o077;

/** What the files hold, as far as they can be read. */
export interface Files {
  readonly findings: readonly Finding[];
  readonly config: Config | undefined;
  readonly secrets: SecretEntries | undefined;
}

/** Looks at the folder, then at each file. */
export async function examineFiles(patient: Patient): Promise<Files> {
  const folder = await examineFolder(patient);
  const config = await examineConfig(patient);
  const secrets = await examineSecrets(patient);
  return {
    findings: [folder, config.finding, ...secrets.findings],
    config: config.value,
    secrets: secrets.value,
  };
}

async function examineFolder({ home, uid }: Patient): Promise<Finding> {
  const { folder } = home;
  let info: Deno.FileInfo;
  try {
    info = await Deno.stat(folder);
  } catch (error) {
    return error instanceof Deno.errors.NotFound
      ? note("home", `${folder} is not there yet`, "reterm session add")
      : wrong(
        "home",
        `${folder} cannot be looked at: the system denies it`,
        `ls -ld ${shellWord(folder)}, and see who owns it`,
      );
  }
  if (!info.isDirectory) {
    return wrong(
      "home",
      `${folder} is not a folder`,
      `mv ${shellWord(folder)} ${shellWord(`${folder}.old`)}`,
    );
  }
  return examineOwner("home", folder, { info, uid, mode: "700" }) ??
    fine("home", folder);
}

function examineOwner(
  area: string,
  path: string,
  { info, uid, mode }: {
    readonly info: Deno.FileInfo;
    readonly uid: number | null;
    readonly mode: string;
  },
): Finding | undefined {
  if (uid !== null && info.uid !== null && info.uid !== uid) {
    return wrong(
      area,
      `${path} belongs to another user`,
      `sudo chown ${uid} ${shellWord(path)}`,
    );
  }
  if (info.mode !== null && (info.mode & MODE_OF_OTHERS) !== 0) {
    const now = (info.mode & 0o777).toString(8);
    return wrong(
      area,
      `${path} is open to others (mode ${now})`,
      `chmod ${mode} ${shellWord(path)}`,
    );
  }
  return undefined;
}

async function examineConfig(
  { home, uid }: Patient,
): Promise<{ readonly finding: Finding; readonly value: Config | undefined }> {
  const path = home.configFile;
  let value: Config;
  try {
    value = await new ConfigFile(home).read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const mend = error.kind === "syntax" || error.kind === "schema"
      ? `edit ${shellWord(path)} there`
      : `ls -l ${shellWord(path)}, and see who owns it`;
    return { finding: wrong("config", error.message, mend), value: undefined };
  }
  const info = await Deno.stat(path).catch(() => undefined);
  if (info === undefined) {
    return { finding: note("config", `no ${path} yet: defaults hold`), value };
  }
  const open = examineOwner("config", path, { info, uid, mode: "600" });
  if (open !== undefined) return { finding: open, value };
  const [warning] = value.warnings;
  return {
    finding: warning === undefined
      ? fine("config", path)
      : note("config", warning),
    value,
  };
}

async function examineSecrets(
  { home, uid }: Patient,
): Promise<
  {
    readonly findings: readonly Finding[];
    readonly value: SecretEntries | undefined;
  }
> {
  const path = home.secretsFile;
  let value: SecretEntries;
  try {
    value = await new SecretsFile(home, () => uid).read();
  } catch (error) {
    if (!(error instanceof SecretsError)) throw error;
    const finding = wrong("secrets", ...describeSecrets(error, { path, uid }));
    return { findings: [finding], value: undefined };
  }
  const token = value.get(TOKEN_ENTRY);
  const isThere = value.size > 0;
  return {
    value,
    findings: [
      isThere ? fine("secrets", path) : note("secrets", `none in ${path} yet`),
      token === undefined
        ? note("token", "none yet: it is made when AI access first starts")
        : isUsableToken(token)
        ? fine("token", "there")
        : wrong(
          "token",
          "the token is not one that reterm can use",
          `take its entry out of ${shellWord(path)}, then start reterm again`,
        ),
    ],
  };
}

function describeSecrets(
  { kind, message }: SecretsError,
  { path, uid }: { readonly path: string; readonly uid: number | null },
): [string, string] {
  const file = shellWord(path);
  switch (kind) {
    case "exposed": {
      // The text ends in the command; it is said once.
      const [text = message, command] = message.split(": run ");
      return [text, command ?? `chmod 600 ${file}`];
    }
    case "owner":
      return [message, `sudo chown ${uid ?? "$USER"} ${file}`];
    case "damaged":
      return [
        message,
        `mv ${file} ${shellWord(`${path}.damaged`)}, then store each secret ` +
        `again with reterm session secret`,
      ];
    case "unreadable":
    case "unwritable":
      return [message, `ls -l ${file}, and see who owns it`];
    default:
      return kind satisfies never;
  }
}
