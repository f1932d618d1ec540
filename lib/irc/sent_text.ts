/**
 * Rows for what we sent ourselves. With echo-message the server sends our own
 * text back and that makes the row, with its msgid and time; without it nothing
 * would, so the row is made from the line that was written.
 *
 * @module
 */

import type { Buffer } from "../buffers/buffer.ts";
import type { Payload } from "../buffers/message.ts";
import { withEnvelope } from "./envelope_row.ts";
import { parseLine } from "./parse.ts";
import type { SessionState } from "./session_state.ts";

/** Targets of one line that get a row; networks allow fewer. */
const MAX_TARGETS = 16;

const ACTION_START = "\x01ACTION ";
const ACTION_END = "\x01";

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
  const { target, statusPrefix } = takeStatusPrefix(state, sent.target);
  const payload = readPayload(sent, target, statusPrefix);
  const buffer = findBuffer(state, target, sent.kind);
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

function readPayload(
  sent: Sent,
  target: string,
  statusPrefix: string,
): SentPayload {
  const { kind, text } = sent;
  const prefix = statusPrefix === "" ? {} : { statusPrefix };
  if (kind === "privmsg" && text.startsWith(ACTION_START)) {
    const end = text.endsWith(ACTION_END) ? -1 : undefined;
    const body = text.slice(ACTION_START.length, end);
    return { caseName: "action", text: body, target, ...prefix };
  }
  return withEnvelope({ caseName: kind, text, target, ...prefix });
}

function takeStatusPrefix(
  state: SessionState,
  target: string,
): { target: string; statusPrefix: string } {
  const { isupport } = state.link;
  const rest = target.slice(1);
  const isPrefixed = isupport.statusPrefixes.includes(target.charAt(0)) &&
    isupport.isChannel(rest) && state.buffers.channel(target) === undefined;
  return isPrefixed
    ? { target: rest, statusPrefix: target.charAt(0) }
    : { target, statusPrefix: "" };
}

function findBuffer(
  state: SessionState,
  target: string,
  kind: "privmsg" | "notice",
): Buffer {
  const { buffers } = state;
  if (state.link.isupport.isChannel(target)) {
    return buffers.channel(target) ?? buffers.server;
  }
  return buffers.query(target) ??
    (kind === "privmsg" ? state.openQuery(target) : buffers.server);
}
