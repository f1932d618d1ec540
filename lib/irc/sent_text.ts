/**
 * Rows for what we sent ourselves. With echo-message the server sends our own
 * text back and that makes the row, with its msgid and time; without it nothing
 * would, so the row is made from the line that was written.
 *
 * @module
 */

import type { Buffer } from "../buffers/buffer.ts";
import type { Payload } from "../buffers/message.ts";
import { readCtcp } from "./ctcp.ts";
import { withEnvelope } from "./envelope_row.ts";
import { parseLine } from "./parse.ts";
import type { SessionState } from "./session_state.ts";
import { readTarget, type Target } from "./target.ts";

/** Targets of one line that get a row; networks allow fewer. */
const MAX_TARGETS = 16;

/** See the module doc. Does nothing for a line that is no text. */
export function recordSent(state: SessionState, line: string): void {
  if (state.hasCapability("echo-message")) return;
  const message = parseLine(line);
  if (message === undefined) return;
  const { command, params } = message;
  const [targets, text] = params;
  if (targets === undefined || text === undefined) return;
  if (command !== "PRIVMSG" && command !== "NOTICE") return;
  const kind = command === "PRIVMSG" ? "privmsg" : "notice";
  for (const target of targets.split(",", MAX_TARGETS)) {
    if (target !== "") record(state, { kind, target, text });
  }
}

interface Sent {
  readonly kind: "privmsg" | "notice";
  readonly target: string;
  readonly text: string;
}

function record(state: SessionState, sent: Sent): void {
  const target = readTarget(state, sent.target);
  const payload = readPayload(sent, target);
  const buffer = findBuffer(state, target, payload);
  const row = state.addLocal(buffer, {
    from: state.link.nick,
    payload,
  });
  if (row !== undefined) state.replays.noteLocal(buffer, row);
}

type SentPayload = Extract<
  Payload,
  { caseName: "privmsg" | "notice" | "action" | "ctcp" }
>;

function readPayload({ kind, text }: Sent, target: Target): SentPayload {
  const { name, statusPrefix } = target;
  const to = statusPrefix === ""
    ? { target: name }
    : { target: name, statusPrefix };
  const ctcp = readCtcp(text);
  if (ctcp === undefined) {
    return withEnvelope({ caseName: kind, text, ...to });
  }
  if (ctcp.command === "ACTION" && kind === "privmsg") {
    return { caseName: "action", text: ctcp.text, ...to };
  }
  return { caseName: "ctcp", command: ctcp.command, text: ctcp.text };
}

// As for what is received: a notice or a CTCP request opens no query.
function findBuffer(
  state: SessionState,
  { name, isChannel }: Target,
  { caseName }: SentPayload,
): Buffer {
  const { buffers } = state;
  if (isChannel) return buffers.channel(name) ?? buffers.server;
  const opens = caseName === "privmsg" || caseName === "action";
  return buffers.query(name) ??
    (opens ? state.openQuery(name) : buffers.server);
}
