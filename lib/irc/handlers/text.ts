/**
 * PRIVMSG and NOTICE: where a text goes and what row it makes. A private message
 * opens a query; a notice and a CTCP request never do, and go to the query that
 * is open or else to the server buffer. A text for a channel without a buffer
 * goes to the server buffer: nothing but our own JOIN opens a channel.
 *
 * @module
 */

import type { Buffer } from "../../buffers/buffer.ts";
import { detach } from "../../buffers/interner.ts";
import type { NewMessage, Payload, TextFields } from "../../buffers/message.ts";
import type { Line } from "../line.ts";
import type { SessionState } from "../session_state.ts";
import { masker } from "../../redact/masks.ts";
import { type HandlerTable, param } from "./handler.ts";

export const TEXT_HANDLERS: HandlerTable = {
  PRIVMSG: { minParams: 2, run: (state, line) => take(state, line, "privmsg") },
  NOTICE: { minParams: 2, run: (state, line) => take(state, line, "notice") },
};

const CTCP_MARK = "\x01";

/** A longer word after the mark is text and no CTCP command. */
const MAX_CTCP_COMMAND = 64;

/** ZNC's module that we ask for playback: what we tell it is no conversation. */
const PLAYBACK_MODULE = "*playback";

type TextKind = "privmsg" | "notice";

interface Target {
  readonly name: string;
  readonly statusPrefix: string;
  readonly isChannel: boolean;
}

function take(state: SessionState, line: Line, kind: TextKind): void {
  const target = readTarget(state, param(line, 0));
  const isOwn = state.isOwn(line.from);
  if (isOwn && target.name === PLAYBACK_MODULE) return;
  const { account } = line.message.tags;
  if (account !== undefined && line.replay === undefined) {
    noteAccount(state, line, account);
  }
  const row = readRow(state, line, kind, target, isOwn);
  const opens = row.kind === "privmsg" || row.kind === "action";
  const buffer = findBuffer(state, line, target, { isOwn, opens });
  state.insert(buffer, row);
}

/** Takes a STATUSMSG prefix off: `@#room` is `#room`, to its operators. */
function readTarget(state: SessionState, raw: string): Target {
  const { isupport } = state.link;
  if (raw === state.link.nick) {
    return { name: raw, statusPrefix: "", isChannel: false };
  }
  const isPlain = isupport.isChannel(raw) &&
    (!isStatusGlyph(state, raw.charAt(0)) ||
      state.buffers.channel(raw) !== undefined);
  if (isPlain) return { name: raw, statusPrefix: "", isChannel: true };
  let start = 0;
  while (isStatusGlyph(state, raw.charAt(start))) start++;
  const name = raw.slice(start);
  if (start > 0 && isupport.isChannel(name)) {
    return { name, statusPrefix: raw.slice(0, start), isChannel: true };
  }
  return { name: raw, statusPrefix: "", isChannel: isupport.isChannel(raw) };
}

function isStatusGlyph(state: SessionState, glyph: string): boolean {
  if (glyph === "") return false;
  const { statusPrefixes, prefixes } = state.link.isupport;
  // Servers are known to relay to operators without announcing STATUSMSG.
  return statusPrefixes === ""
    ? prefixes.some((prefix) => prefix.glyph === glyph)
    : statusPrefixes.includes(glyph);
}

function findBuffer(
  state: SessionState,
  line: Line,
  target: Target,
  how: { isOwn: boolean; opens: boolean },
): Buffer {
  const { buffers } = state;
  if (target.isChannel) return buffers.channel(target.name) ?? buffers.server;
  // A server's own words open no query, whatever command carries them.
  if (line.message.nick === "") return buffers.server;
  const peer = findPeer(state, line, target, how.isOwn);
  if (peer === "") return buffers.server;
  return buffers.query(peer) ??
    (how.opens ? state.openQuery(peer) : buffers.server);
}

/** The other side of a private text. */
function findPeer(
  state: SessionState,
  line: Line,
  target: Target,
  isOwn: boolean,
): string {
  if (isOwn) return target.name;
  const replayed = line.replay?.params[0] ?? "";
  // In old history our own lines carry a nick that is ours no more; the batch
  // still says whose conversation it is.
  const isOfBatch = replayed !== "" &&
    state.names.same(replayed, target.name) &&
    !state.isOwn(target.name) && !state.link.isupport.isChannel(replayed);
  return isOfBatch ? target.name : line.from;
}

function readRow(
  state: SessionState,
  line: Line,
  kind: TextKind,
  target: Target,
  isOwn: boolean,
): NewMessage {
  // What logs in to a service is ours, come back by an echo or a replay.
  const text = masker.text(target.name, param(line, 1));
  const payload = text.startsWith(CTCP_MARK)
    ? readCtcp(state, line, kind, target, isOwn)
    : {
      caseName: kind,
      ...fields(state, line, shownText(state, line, isOwn), target, isOwn),
    } as const;
  return {
    id: line.id,
    time: line.time,
    from: line.from,
    kind: payload.caseName === "ctcp"
      ? "ctcp"
      : payload.caseName === "action"
      ? "action"
      : kind,
    payload,
    replayed: line.replay !== undefined,
  };
}

// A login to a service, and the echo of a sensitive text, are kept masked.
function shownText(state: SessionState, line: Line, isOwn: boolean): string {
  return state.shown.rowText(param(line, 0), param(line, 1), isOwn);
}

type TextPayload = Extract<
  Payload,
  { caseName: "privmsg" | "notice" | "action" | "ctcp" }
>;

function readCtcp(
  state: SessionState,
  line: Line,
  kind: TextKind,
  target: Target,
  isOwn: boolean,
): TextPayload {
  const raw = param(line, 1);
  const end = raw.indexOf(CTCP_MARK, 1);
  const body = raw.slice(1, end < 0 ? raw.length : end);
  const space = body.indexOf(" ");
  const command = (space < 0 ? body : body.slice(0, space)).toUpperCase();
  const text = space < 0 ? "" : body.slice(space + 1);
  if (command === "" || command.length > MAX_CTCP_COMMAND) {
    return { caseName: kind, ...fields(state, line, raw, target, isOwn) };
  }
  if (command === "ACTION" && kind === "privmsg") {
    return { caseName: "action", ...fields(state, line, text, target, isOwn) };
  }
  return {
    caseName: "ctcp",
    command: state.interner.intern(command),
    text: detach(text),
  };
}

function fields(
  state: SessionState,
  line: Line,
  text: string,
  target: Target,
  isOwn: boolean,
): TextFields {
  const { account } = line.message.tags;
  const name = state.interner.intern(target.name);
  // Two shapes carry nearly all traffic; rows of one shape are smaller.
  if (target.statusPrefix === "" && !isOwn) {
    return account === undefined || account === ""
      ? { text: detach(text), target: name }
      : {
        text: detach(text),
        target: name,
        account: state.interner.intern(account),
      };
  }
  return {
    text: detach(text),
    target: name,
    ...(target.statusPrefix === ""
      ? {}
      : { statusPrefix: state.interner.intern(target.statusPrefix) }),
    ...(account === undefined || account === ""
      ? {}
      : { account: state.interner.intern(account) }),
    ...(isOwn ? { isEcho: true as const } : {}),
  };
}

function noteAccount(state: SessionState, line: Line, account: string): void {
  const user = state.users.get(line.from);
  if (user !== undefined && user.account !== account) {
    user.account = state.interner.intern(account);
  }
}
