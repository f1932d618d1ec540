/**
 * How the running service stands, read for `reterm status`. Each connected
 * server is asked how long it takes to answer, all at once.
 *
 * @module
 */

import type { AccessLog } from "../control/access_log.ts";
import type { ControlAccess } from "../control/access.ts";
import type { SessionView } from "../engine/reader.ts";
import type { Home } from "../home.ts";
import type { SettingValues } from "../settings.ts";
import { VERSION } from "../version.ts";
import type { SessionStatus, StatusReport } from "./status_report.ts";

/** A session, as far as it is shown. */
export interface ShownSession extends SessionView {
  readonly lastError: string;
  measureLag(): Promise<number | undefined>;
  presence(channel: string): { readonly isIn: boolean };
}

/** What a report is read from. */
export interface StatusParts {
  readonly home: Home;
  /** When the service started, Unix milliseconds. */
  readonly startedAt: number;
  readonly settings: () => SettingValues;
  readonly access: ControlAccess;
  readonly accessLog: AccessLog;
  readonly sessions: () => readonly ShownSession[];
  readonly waitingCalls: () => number;
  readonly subscriptions: () => number;
  readonly memoryBytes: () => number;
}

/** Reads the report. Takes as long as the slowest server, within its bound. */
export async function readStatus(parts: StatusParts): Promise<StatusReport> {
  const settings = parts.settings();
  const { lastCall } = parts.accessLog;
  return {
    version: VERSION,
    home: parts.home.folder,
    since: isoTime(parts.startedAt),
    access: {
      serving: parts.access.isServing,
      port: settings["control.port"],
      debug: settings["control.debug"],
      send: settings["control.send"],
      text: parts.access.status().text,
    },
    agents: {
      waitingCalls: parts.waitingCalls(),
      subscriptions: parts.subscriptions(),
      lastCall: lastCall === undefined
        ? null
        : { time: isoTime(lastCall.time), text: lastCall.text },
    },
    memoryBytes: parts.memoryBytes(),
    sessions: await Promise.all(parts.sessions().map(readSession)),
  };
}

async function readSession(session: ShownSession): Promise<SessionStatus> {
  const lagMs = await session.measureLag();
  const buffers = session.buffers();
  const channels = buffers.filter(({ kind, name }) =>
    kind === "channel" && session.presence(name).isIn
  );
  return {
    id: session.id,
    name: session.name,
    network: session.network,
    state: session.state,
    nick: session.nick,
    lastError: session.lastError,
    lagMs: lagMs ?? null,
    channels: channels.length,
    buffers: buffers.length,
    messages: buffers.reduce((sum, { messages }) => sum + messages.size, 0),
  };
}

function isoTime(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+Z$/, "Z");
}
