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
import type { Payload, TextFields } from "../../buffers/message.ts";
import { readCtcp } from "../ctcp.ts";
import { withEnvelope } from "../envelope_row.ts";
import type { Line } from "../line.ts";
import type { SessionState } from "../session_state.ts";
import { readTarget, type Target } from "../target.ts";
import { type HandlerTable, optional, param } from "./handler.ts";

export const TEXT_HANDLERS: HandlerTable = {
  PRIVMSG: { minParams: 2, run: take("privmsg") },
  NOTICE: { minParams: 2, run: take("notice") },
};

/** ZNC's module that we ask for playback: what we tell it is no conversation. */
const PLAYBACK_MODULE = "*playback";

/** A text on its way to a row. */
interface Said {
  readonly line: Line;
  readonly kind: "privmsg" | "notice";
  readonly text: string;
  readonly target: Target;
  /** We said it, here or on another client of our bouncer. */
  readonly isOwn: boolean;
}

type TextPayload = Extract<
  Payload,
  { caseName: "privmsg" | "notice" | "action" | "ctcp" }
>;

function take(kind: Said["kind"]): (state: SessionState, line: Line) => void {
  return (state, line) => {
    const target = readTarget(state, param(line, 0));
    const isOwn = state.isOwn(line.from);
    if (isOwn && target.name === PLAYBACK_MODULE) return;
    noteAccount(state, line);
    const text = state.shown.rowText(param(line, 0), param(line, 1), isOwn);
    const said: Said = { line, kind, text, target, isOwn };
    const payload = readPayload(state, said);
    state.add(findBuffer(state, said, payload), line, payload);
  };
}

function findBuffer(
  state: SessionState,
  said: Said,
  { caseName }: TextPayload,
): Buffer {
  const { buffers } = state;
  const { target } = said;
  if (target.isChannel) return buffers.channel(target.name) ?? buffers.server;
  // A server's own words open no query, whatever command carries them.
  if (said.line.message.nick === "") return buffers.server;
  const peer = findPeer(state, said);
  if (peer === "") return buffers.server;
  const opens = caseName === "privmsg" || caseName === "action";
  return buffers.query(peer) ??
    (opens ? state.openQuery(peer) : buffers.server);
}

/** The other side of a private text. */
function findPeer(state: SessionState, { line, target, isOwn }: Said): string {
  if (isOwn) return target.name;
  const replayed = line.replay?.params[0] ?? "";
  // In old history our own lines carry a nick that is ours no more; the batch
  // still says whose conversation it is.
  const isOfBatch = replayed !== "" &&
    state.names.same(replayed, target.name) &&
    !state.isOwn(target.name) && !state.link.isupport.isChannel(replayed);
  return isOfBatch ? target.name : line.from;
}

function readPayload(state: SessionState, said: Said): TextPayload {
  const { kind, text } = said;
  const ctcp = readCtcp(text);
  if (ctcp === undefined) {
    return withEnvelope({ caseName: kind, ...fields(state, said, text) });
  }
  if (ctcp.command === "ACTION" && kind === "privmsg") {
    return { caseName: "action", ...fields(state, said, ctcp.text) };
  }
  return {
    caseName: "ctcp",
    command: state.interner.intern(ctcp.command),
    text: detach(ctcp.text),
  };
}

function fields(state: SessionState, said: Said, text: string): TextFields {
  const { interner } = state;
  const { target, isOwn } = said;
  const account = accountOf(said.line) ?? "";
  const plain = { text: detach(text), target: interner.intern(target.name) };
  // Nearly all rows are of these two shapes.
  if (target.statusPrefix === "" && !isOwn) {
    return account === ""
      ? plain
      : { ...plain, account: interner.intern(account) };
  }
  return {
    ...plain,
    ...optional("statusPrefix", interner.intern(target.statusPrefix)),
    ...optional("account", interner.intern(account)),
    ...(isOwn ? { isEcho: true as const } : {}),
  };
}

function noteAccount(state: SessionState, line: Line): void {
  const account = accountOf(line);
  if (account === undefined || line.replay !== undefined) return;
  const user = state.users.get(line.from);
  if (user !== undefined && user.account !== account) {
    user.account = state.interner.intern(account);
  }
}

/** The account tag; `*` is none, as in every other place that names one. */
function accountOf(line: Line): string | undefined {
  const { account } = line.message.tags;
  return account === "*" ? "" : account;
}
