/**
 * The operator while no service runs: settings and sessions are edited in the
 * files of home, and what needs a running service says so. Its caller holds
 * the lock of home.
 *
 * @module
 */

import type { ConfigFile } from "../config/config_file.ts";
import {
  findSetting,
  parseSetting,
  SETTINGS,
  settingsOf,
  showSetting,
  unknownSetting,
} from "../settings.ts";
import {
  type Answer,
  done,
  failed,
  type LineTarget,
  type NewSession,
  type Operator,
  type SecretChange,
} from "./operator.ts";
import {
  describeAll,
  isForPerson,
  type SessionFiles,
} from "./session_files.ts";

/** What every act that needs a service answers. */
export const NOT_RUNNING =
  "No service is running on this home: start it with reterm serve.";

const SEND_NEEDS_SERVICE =
  "control.send needs the running service: it is never saved. " +
  "Start it with reterm serve.";

/** See the module doc. */
export class OfflineOperator implements Operator {
  readonly #config: ConfigFile;
  readonly #files: SessionFiles;

  constructor(files: SessionFiles) {
    this.#config = files.config;
    this.#files = files;
  }

  showSettings(): Promise<Answer> {
    return answering(async () => {
      const values = settingsOf(await this.#config.read());
      return SETTINGS.map(({ key }) => showSetting(key, values)).join("\n");
    });
  }

  async showSetting(name: string): Promise<Answer> {
    const setting = findSetting(name);
    if (setting === undefined) return failed(unknownSetting(name));
    if (setting.path === undefined) return failed(SEND_NEEDS_SERVICE);
    return await answering(async () =>
      showSetting(setting.key, settingsOf(await this.#config.read()))
    );
  }

  async changeSetting(name: string, typed: string): Promise<Answer> {
    const setting = findSetting(name);
    if (setting === undefined) return failed(unknownSetting(name));
    const { key, path } = setting;
    if (path === undefined) return failed(SEND_NEEDS_SERVICE);
    const parsed = parseSetting(setting, typed);
    if (parsed.kind === "refused") return failed(parsed.words);
    return await answering(async () =>
      showSetting(key, settingsOf(await this.#config.set(path, parsed.value)))
    );
  }

  status(): Promise<Answer> {
    return Promise.resolve(failed(NOT_RUNNING));
  }

  tailMessages(): Promise<Answer> {
    return Promise.resolve(failed(NOT_RUNNING));
  }

  controlStatus(): Promise<Answer> {
    return Promise.resolve(failed(NOT_RUNNING));
  }

  controlToken(): Promise<Answer> {
    return Promise.resolve(failed(NOT_RUNNING));
  }

  regenerateToken(): Promise<Answer> {
    return Promise.resolve(failed(NOT_RUNNING));
  }

  followAccessLog(): Promise<Answer> {
    return this.accessLog();
  }

  accessLog(): Promise<Answer> {
    return Promise.resolve(failed(NOT_RUNNING));
  }

  listSessions(): Promise<Answer> {
    return answering(async () =>
      describeAll(await this.#config.read(), () => "not running")
    );
  }

  addSession(session: NewSession): Promise<Answer> {
    return answering(async () => {
      const entry = await this.#files.add(session);
      return `Added session ${entry.name} (${entry.id}).`;
    });
  }

  removeSession(session: string): Promise<Answer> {
    return answering(async () => {
      const entry = await this.#files.remove(session);
      return `Removed session ${entry.name} and its secrets.`;
    });
  }

  connectSession(): Promise<Answer> {
    return Promise.resolve(failed(NOT_RUNNING));
  }

  disconnectSession(): Promise<Answer> {
    return Promise.resolve(failed(NOT_RUNNING));
  }

  changeSecret(change: SecretChange): Promise<Answer> {
    return answering(async () => {
      const entry = await this.#files.changeSecret(change);
      return describeSecretChange(change, entry.name);
    });
  }

  typeLine(_line: string, _target: LineTarget): Promise<Answer> {
    return Promise.resolve(failed(NOT_RUNNING));
  }

  sendEnvelope(): Promise<Answer> {
    return Promise.resolve(failed(NOT_RUNNING));
  }

  tailEnvelopes(): Promise<Answer> {
    return Promise.resolve(failed(NOT_RUNNING));
  }

  serveAgent(): Promise<Answer> {
    return Promise.resolve(failed(NOT_RUNNING));
  }
}

/** What setting or removing a secret answers: never its value. */
export function describeSecretChange(
  { kind, channel, value }: SecretChange,
  sessionName: string,
): string {
  const what = channel === undefined ? kind : `${kind} for ${channel}`;
  return value === undefined
    ? `Removed the ${what} of ${sessionName}.`
    : `Stored the ${what} of ${sessionName}.`;
}

/** The text as an answer; an error that is for the person as a failed one. */
export async function answering(
  act: () => Promise<string>,
): Promise<Answer> {
  try {
    return done(await act());
  } catch (error) {
    if (isForPerson(error)) return failed(error.message);
    throw error;
  }
}
