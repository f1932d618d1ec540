/**
 * The operator inside the running service: what is changed is saved first and
 * takes effect at once. Settings that were not saved are not applied, but for
 * `control.send`, which is never saved.
 *
 * @module
 */

import type { AccessLog } from "../control/access_log.ts";
import { formatAccessRow } from "../control/access_log.ts";
import type { AccessAnswer, ControlAccess } from "../control/access.ts";
import {
  findSetting,
  parseSetting,
  type SettingKey,
  SETTINGS,
  showSetting,
  unknownSetting,
} from "../settings.ts";
import type { EnvelopeAnswers } from "./envelope_answers.ts";
import type { LiveSettings } from "./live_settings.ts";
import type { LiveSessions } from "./live_sessions.ts";
import type { LiveTail } from "./live_tail.ts";
import { answering, describeSecretChange } from "./offline_operator.ts";
import {
  type Answer,
  done,
  type EnvelopeTail,
  type EnvelopeToSend,
  failed,
  type LineTarget,
  type MessageTail,
  misused,
  type NewSession,
  type Operator,
  type SecretChange,
} from "./operator.ts";
import { isForPerson } from "./session_files.ts";
import { formatStatus, type StatusReport } from "./status_report.ts";
import {
  findBuffer,
  noBuffer,
  runSlashCommand,
  sendTyped,
  SLASH_COMMANDS,
} from "./slash_commands.ts";
import { visibleJson } from "../visible_text.ts";

/** What {@link LiveOperator} is built from. */
export interface LiveParts {
  readonly settings: LiveSettings;
  readonly access: ControlAccess;
  readonly accessLog: AccessLog;
  readonly sessions: LiveSessions;
  readonly envelopes: EnvelopeAnswers;
  readonly messages: LiveTail;
  readonly status: () => Promise<StatusReport>;
}

/** Under the 25 s within which the door answers. */
const FOLLOW_WAIT_MS = 15_000;

/** See the module doc. */
export class LiveOperator implements Operator {
  readonly #parts: LiveParts;

  constructor(parts: LiveParts) {
    this.#parts = parts;
  }

  showSettings(): Promise<Answer> {
    const { values } = this.#parts.settings;
    const lines = SETTINGS.map(({ key }) => showSetting(key, values));
    return Promise.resolve(done(lines.join("\n")));
  }

  showSetting(name: string): Promise<Answer> {
    const setting = findSetting(name);
    return Promise.resolve(
      setting === undefined
        ? failed(unknownSetting(name))
        : done(showSetting(setting.key, this.#parts.settings.values)),
    );
  }

  async changeSetting(name: string, typed: string): Promise<Answer> {
    const setting = findSetting(name);
    if (setting === undefined) return failed(unknownSetting(name));
    const parsed = parseSetting(setting, typed);
    if (parsed.kind === "refused") return failed(parsed.words);
    const changed = await answering(async () => {
      await this.#parts.settings.change(setting, parsed.value);
      return showSetting(setting.key, this.#parts.settings.values);
    });
    if (changed.exit !== 0) return changed;
    return await this.#apply(setting.key, changed.out);
  }

  /** Acts on a changed setting; the answer tells when access did not start. */
  async #apply(key: SettingKey, out: string): Promise<Answer> {
    const { access, settings, sessions } = this.#parts;
    switch (key) {
      case "control.enabled":
        await (settings.values[key] ? access.enable() : access.disable());
        break;
      case "control.port":
        await access.movePort(settings.values[key]);
        break;
      case "buffer_limit":
        sessions.setBufferLimit(settings.values[key]);
        return done(out);
      // Read anew by whoever goes by them: the next request, the next line.
      case "control.debug":
      case "control.send":
      case "flood_throttle":
        return done(out);
      default:
        return key satisfies never;
    }
    return access.failure === undefined
      ? done(out)
      : failed(access.failure, out);
  }

  async status(form: "text" | "json"): Promise<Answer> {
    const report = await this.#parts.status();
    return done(
      form === "json"
        ? visibleJson(JSON.stringify(report))
        : formatStatus(report),
    );
  }

  tailMessages(request: MessageTail, signal?: AbortSignal): Promise<Answer> {
    return this.#parts.messages.tail(request, signal);
  }

  controlStatus(): Promise<Answer> {
    return Promise.resolve(answerOf(this.#parts.access.status()));
  }

  controlToken(): Promise<Answer> {
    return Promise.resolve(answerOf(this.#parts.access.tokenCommand()));
  }

  async regenerateToken(): Promise<Answer> {
    return answerOf(await this.#parts.access.regenerate());
  }

  accessLog(): Promise<Answer> {
    const rows = this.#parts.accessLog.rows();
    return Promise.resolve(done(rows.map(formatAccessRow).join("\n")));
  }

  async followAccessLog(
    after: string | undefined,
    signal?: AbortSignal,
  ): Promise<Answer> {
    const { accessLog } = this.#parts;
    const seen = Number(after ?? 0);
    if (!Number.isSafeInteger(seen) || seen < 0) {
      return misused("--after takes the number of a row.");
    }
    if (after !== undefined) {
      const waited = AbortSignal.timeout(FOLLOW_WAIT_MS);
      await accessLog.waitBeyond(
        seen,
        signal === undefined ? waited : AbortSignal.any([signal, waited]),
      );
    }
    const rows = accessLog.rows().filter(({ number }) => number > seen);
    const lost = (rows[0]?.number ?? seen + 1) - seen - 1;
    const lines = rows.map(formatAccessRow);
    if (lost > 0 && after !== undefined) {
      lines.unshift(`(${lost} rows came and went before they could be shown)`);
    }
    return { ...done(lines.join("\n")), next: String(accessLog.newest) };
  }

  listSessions(): Promise<Answer> {
    return answering(() => this.#parts.sessions.describe());
  }

  addSession(session: NewSession): Promise<Answer> {
    return answering(async () => {
      const { name, id } = await this.#parts.sessions.add(session);
      return `Added session ${name} (${id}).`;
    });
  }

  removeSession(session: string): Promise<Answer> {
    return answering(async () => {
      const { name } = await this.#parts.sessions.remove(session);
      return `Removed session ${name} and its secrets.`;
    });
  }

  connectSession(session: string): Promise<Answer> {
    return answering(async () => {
      const { name } = await this.#parts.sessions.connect(session);
      return `Connecting ${name}.`;
    });
  }

  disconnectSession(session: string, reason: string): Promise<Answer> {
    return answering(async () => {
      const { name } = await this.#parts.sessions.disconnect(session, reason);
      return `Disconnected ${name}.`;
    });
  }

  changeSecret(change: SecretChange): Promise<Answer> {
    return answering(async () => {
      const { name } = await this.#parts.sessions.changeSecret(change);
      return describeSecretChange(change, name);
    });
  }

  async typeLine(line: string, target: LineTarget): Promise<Answer> {
    if (/[\r\n\0]/.test(line)) {
      return failed("One line at a time: there is a line break or NUL in it.");
    }
    if (line.trim() === "") return misused("There is nothing to send.");
    const typed = /^\/([A-Za-z]+)(?: +(.*))?$/.exec(line.trim());
    const name = typed?.[1]?.toLowerCase();
    const rest = typed?.[2]?.trim() ?? "";
    switch (name) {
      case "set":
        return await this.#typedSet(rest);
      case "control":
        return await this.#typedControl(rest);
      case "connect":
        return await this.#typedConnect(target);
      case "help":
        return done(SLASH_HELP);
      default:
        return await this.#typedToSession(line, target, { name, rest });
    }
  }

  sendEnvelope(request: EnvelopeToSend): Promise<Answer> {
    return this.#parts.envelopes.send(request);
  }

  tailEnvelopes(request: EnvelopeTail, signal?: AbortSignal): Promise<Answer> {
    return this.#parts.envelopes.tail(request, signal);
  }

  serveAgent(request: string, signal?: AbortSignal): Promise<Answer> {
    return this.#parts.envelopes.serveAgent(request, signal);
  }

  async #typedToSession(
    line: string,
    target: LineTarget,
    { name, rest }: { name: string | undefined; rest: string },
  ): Promise<Answer> {
    const command = SLASH_COMMANDS.find((row) => row.name === name);
    const isText = !line.startsWith("/") || line.startsWith("//");
    if (command === undefined && !isText) {
      return misused(`No command "${line.trim().split(" ")[0]}": see /help.`);
    }
    try {
      const session = this.#parts.sessions.pick(target.session);
      const buffer = target.buffer === undefined
        ? undefined
        : findBuffer(session, target.buffer);
      if (target.buffer !== undefined && buffer === undefined) {
        return noBuffer(session, target.buffer);
      }
      if (command !== undefined) {
        return await runSlashCommand(command, { session, buffer, rest });
      }
      const text = line.startsWith("//") ? line.slice(1) : line;
      return await sendTyped(session, buffer, text);
    } catch (error) {
      if (isForPerson(error)) return failed(error.message);
      throw error;
    }
  }

  // Not an act of the session alone: its secrets are read anew, and while their
  // file is refused it must not connect without them.
  async #typedConnect({ session }: LineTarget): Promise<Answer> {
    return await answering(async () => {
      const { id } = this.#parts.sessions.pick(session);
      const { name } = await this.#parts.sessions.connect(id);
      return `Connecting ${name}.`;
    });
  }

  #typedSet(rest: string): Promise<Answer> {
    const [key, ...value] = rest.split(/ +/);
    if (!key) return this.showSettings();
    return value.length === 0
      ? this.showSetting(key)
      : this.changeSetting(key, value.join(" "));
  }

  #typedControl(rest: string): Promise<Answer> {
    switch (rest.replace(/ +/g, " ").toLowerCase()) {
      case "status":
        return this.controlStatus();
      case "token":
        return this.controlToken();
      case "token regenerate":
        return this.regenerateToken();
      case "log":
        return this.accessLog();
      default:
        return Promise.resolve(
          misused("Usage: /control status | token | token regenerate | log"),
        );
    }
  }
}

const SLASH_HELP = [
  ...SLASH_COMMANDS.map(({ name, args, about }) =>
    `/${name} ${args}`.trimEnd().padEnd(44) + about
  ),
  "/connect".padEnd(44) + "connect the session",
  "/set [key [value]]".padEnd(44) + "show or change a setting",
  "/control status | token | token regenerate | log".padEnd(44) +
  "  AI access",
  "Anything else is sent to the buffer; //text sends a leading slash.",
].join("\n");

function answerOf({ ok, text }: AccessAnswer): Answer {
  return { exit: ok ? 0 : 1, out: text, err: "" };
}
