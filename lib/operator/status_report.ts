/**
 * What `reterm status` shows: how everything stands at one glance, as values
 * for a script and as lines for a person. Names and reasons are strangers'
 * text; whoever prints the lines escapes what cannot be seen.
 *
 * @module
 */

import type { SessionState } from "../engine/reader.ts";
import { LAG_WAIT_MS } from "../irc/lag.ts";

/** How one session stands. */
export interface SessionStatus {
  readonly id: string;
  readonly name: string;
  readonly network: string;
  readonly state: SessionState;
  readonly nick: string;
  /** Why it is not connected, `""` for no reason. */
  readonly lastError: string;
  /** Null when it is not connected, or the server does not answer in time. */
  readonly lagMs: number | null;
  /** Channels that it is in. */
  readonly channels: number;
  readonly buffers: number;
  /** Messages held, over all buffers. */
  readonly messages: number;
}

/** How everything stands. Times are ISO 8601. */
export interface StatusReport {
  readonly version: string;
  readonly home: string;
  readonly since: string;
  readonly access: {
    readonly serving: boolean;
    /** The port that is served on, or would be. */
    readonly port: number;
    readonly debug: boolean;
    readonly send: boolean;
    /** In the words of `reterm control status`. */
    readonly text: string;
  };
  readonly agents: {
    readonly waitingCalls: number;
    readonly subscriptions: number;
    /** The newest call of a tool, as the access log has it. */
    readonly lastCall: { readonly time: string; readonly text: string } | null;
  };
  readonly memoryBytes: number;
  readonly sessions: readonly SessionStatus[];
}

/** The report as lines. */
export function formatStatus(report: StatusReport): string {
  const { access, agents, sessions } = report;
  const messages = sessions.reduce((sum, { messages }) => sum + messages, 0);
  const call = agents.lastCall;
  const lines = [
    `reterm ${report.version} on ${report.home}, since ${report.since}`,
    access.text,
    `agents: ${counted(agents.waitingCalls, "waiting call")}, ` +
    `${counted(agents.subscriptions, "subscription")}, last call ` +
    (call === null ? "none" : `${call.time} ${call.text}`),
    `memory: ${Math.round(report.memoryBytes / 1_048_576)} MiB, ` +
    `${counted(messages, "message")} held`,
  ];
  if (sessions.length === 0) {
    lines.push("no session runs: reterm session add");
  }
  const width = Math.max(...sessions.map(({ name }) => name.length), 0);
  for (const session of sessions) {
    lines.push(`${session.name.padEnd(width)}  ${describe(session)}`);
  }
  return lines.join("\n");
}

function describe(session: SessionStatus): string {
  const { state, nick, lagMs, lastError } = session;
  const held = [
    counted(session.channels, "channel"),
    counted(session.messages, "message"),
  ];
  if (state !== "connected") {
    const why = lastError === "" ? "" : ` (${lastError})`;
    return [`${state}${why}`, ...held].join(", ");
  }
  const lag = lagMs === null
    ? `lag over ${LAG_WAIT_MS / 1_000} s`
    : `lag ${Math.round(lagMs)} ms`;
  return [`connected as ${nick}`, lag, ...held].join(", ");
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
