/**
 * Lines about the session as a whole: batches of history, invitations, message
 * redaction, standard replies, and those that are protocol and no one's text.
 *
 * @module
 */

import type { Payload } from "../../buffers/message.ts";
import type { Line } from "../line.ts";
import type { SessionState } from "../session_state.ts";
import { type Handler, type HandlerTable, param } from "./handler.ts";
import { numeric, otherText } from "./server_text.ts";

/** Protocol between programs: it changes nothing here and makes no row. */
const SILENT: Handler = { minParams: 0, run: () => {} };

export const SESSION_WIDE_HANDLERS: HandlerTable = {
  PING: SILENT,
  PONG: SILENT,
  CAP: SILENT,
  AUTHENTICATE: SILENT,
  ACK: SILENT,
  TAGMSG: SILENT,
  MARKREAD: SILENT,
  // Replies to ISON and MONITOR, by which the connection watches for a nick.
  "303": SILENT,
  "730": SILENT,
  "731": SILENT,
  BATCH: { minParams: 1, run: batch },
  INVITE: { minParams: 2, run: invited },
  REDACT: { minParams: 2, run: redacted },
  FAIL: { minParams: 1, run: failed },
  // No such channel, in place of an end of WHO or of a mode reply.
  "403": { minParams: 2, run: noSuchChannel },
};

function batch(state: SessionState, line: Line): void {
  const reference = param(line, 0);
  if (reference.startsWith("+")) {
    state.history.batchOpened(
      reference.slice(1),
      param(line, 1),
      param(line, 2),
    );
  } else if (reference.startsWith("-")) {
    state.history.batchClosed(reference.slice(1));
  }
}

function invited(state: SessionState, line: Line): void {
  const payload: Payload = {
    caseName: "invited",
    nick: state.interner.intern(param(line, 0)),
    channel: state.interner.intern(param(line, 1)),
  };
  state.add(state.buffers.server, line, payload);
  const buffer = state.buffers.channel(param(line, 1));
  if (buffer !== undefined) state.add(buffer, line, payload);
}

function redacted(state: SessionState, line: Line): void {
  const target = param(line, 0);
  const peer = state.isOwn(target) ? line.from : target;
  const buffer = state.buffers.channel(target) ?? state.buffers.query(peer);
  const row = buffer?.log.byId(param(line, 1));
  if (row !== undefined) buffer?.log.remove(row);
}

function failed(state: SessionState, line: Line): void {
  const isOurs = param(line, 0) === "CHATHISTORY" && state.history.failed();
  if (!isOurs) otherText(state, line);
}

function noSuchChannel(state: SessionState, line: Line): void {
  if (!state.whox.ended(param(line, 1))) numeric(state, line);
}
