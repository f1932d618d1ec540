/**
 * Who comes and goes: JOIN, PART, QUIT, KICK, NICK. A replayed one makes its row
 * in the buffer of its batch and changes nobody: the past says nothing about who
 * is in a channel now.
 *
 * @module
 */

import type { Buffer } from "../../buffers/buffer.ts";
import { detach } from "../../buffers/interner.ts";
import type { Payload } from "../../buffers/message.ts";
import type { Channel } from "../channel.ts";
import type { FaultKind } from "../fault_reporter.ts";
import type { Line } from "../line.ts";
import type { SessionState } from "../session_state.ts";
import { isChannelName } from "../target.ts";
import { type HandlerTable, optional, param } from "./handler.ts";
import { otherText } from "./server_text.ts";

export const MEMBERSHIP_HANDLERS: HandlerTable = {
  JOIN: { minParams: 1, run: eachChannel(joined) },
  PART: { minParams: 1, run: eachChannel(parted) },
  QUIT: { minParams: 0, run: quit },
  KICK: { minParams: 2, run: kicked },
  NICK: { minParams: 1, run: nickChanged },
};

/** Channels taken from one comma list; servers send one to a line. */
const MAX_LISTED = 16;

const TOO_MANY_CHANNELS: FaultKind = {
  level: "warning",
  category: "network",
  what: "too many channels: one not opened",
};

/** Rows looked back over for one that the server gave an id. */
const NEWEST_WINDOW = 200;

function eachChannel(
  run: (state: SessionState, line: Line, name: string) => void,
): (state: SessionState, line: Line) => void {
  return (state, line) => {
    if (line.from === "") return;
    const names = param(line, 0).split(",", MAX_LISTED);
    for (const name of names) if (name !== "") run(state, line, name);
  };
}

function joined(state: SessionState, line: Line, name: string): void {
  const payload = joinPayload(state, line);
  if (line.replay !== undefined) {
    addReplayed(state, line, { name, payload });
    return;
  }
  if (state.isOwn(line.from)) {
    ownJoin(state, line, { name, payload });
    return;
  }
  const channel = state.channel(name);
  if (channel?.isJoined !== true) return;
  noteUser(state, line, channel);
  state.add(channel.buffer, line, payload);
}

function joinPayload(state: SessionState, line: Line): Payload {
  const { user, host } = line.message;
  const account = line.params[1] ?? line.message.tags["account"];
  return {
    caseName: "userJoined",
    nick: line.from,
    ...optional("user", state.interner.intern(user)),
    ...optional("host", state.interner.intern(host)),
    ...optional(
      "account",
      account === undefined || account === "*"
        ? undefined
        : state.interner.intern(account),
    ),
    ...optional(
      "realname",
      line.params[2] === undefined
        ? undefined
        : state.interner.intern(line.params[2]),
    ),
  };
}

function ownJoin(
  state: SessionState,
  line: Line,
  { name, payload }: { name: string; payload: Payload },
): void {
  // Its name goes into lines of ours: WHO and MODE now, JOIN at a reconnect.
  // Before the welcome nobody is in a channel, and nothing is to be asked.
  const { state: linkState, isupport } = state.link;
  if (linkState !== "connected" || !isChannelName(name, isupport)) {
    otherText(state, line);
    return;
  }
  const channel = state.openChannel(name);
  if (channel === undefined) {
    state.faults.report(TOO_MANY_CHANNELS);
    return;
  }
  const since = newestTime(channel.buffer);
  channel.enter();
  noteUser(state, line, channel);
  state.rejoin.want(name);
  state.add(channel.buffer, line, payload);
  state.whox.enqueue(name);
  if (state.hasCapability("draft/chathistory")) state.history.fill(name, since);
}

/** The time of the newest row held, by the server's clock where it says. */
function newestTime(buffer: Buffer): number | undefined {
  const { log } = buffer;
  const newest = log.newest();
  if (newest === undefined) return undefined;
  const known = log.around(newest, NEWEST_WINDOW, 0)
    .findLast((row) => row.id !== undefined);
  return (known ?? newest).time;
}

function noteUser(state: SessionState, line: Line, channel: Channel): void {
  const membership = channel.add(line.from);
  if (membership === undefined) return;
  const { user } = membership;
  const { message, params } = line;
  if (message.user !== "") user.user = state.interner.intern(message.user);
  if (message.host !== "") user.host = state.interner.intern(message.host);
  const account = params[1] ?? message.tags["account"];
  if (account !== undefined) {
    user.account = account === "*" ? "" : state.interner.intern(account);
  }
  if (params[2] !== undefined) {
    user.realname = state.interner.intern(params[2]);
  }
}

function parted(state: SessionState, line: Line, name: string): void {
  const payload: Payload = {
    caseName: "userParted",
    nick: line.from,
    ...reason(line.params[1]),
  };
  if (line.replay !== undefined) {
    addReplayed(state, line, { name, payload });
    return;
  }
  const isOwn = state.isOwn(line.from);
  if (isOwn) state.rejoin.forget(name);
  const channel = state.channel(name);
  if (channel?.isJoined !== true) return;
  state.add(channel.buffer, line, payload);
  if (isOwn) leaveChannel(state, channel);
  else channel.remove(line.from);
}

function quit(state: SessionState, line: Line): void {
  if (line.from === "") return;
  const payload: Payload = {
    caseName: "userQuit",
    nick: line.from,
    ...reason(line.params[0]),
  };
  if (line.replay !== undefined) {
    addReplayed(state, line, { name: line.replay.params[0] ?? "", payload });
    return;
  }
  const user = state.users.get(line.from);
  for (const channel of [...(user?.channels ?? [])]) {
    state.add(channel.buffer, line, payload);
    channel.remove(line.from);
  }
  const query = state.buffers.query(line.from);
  if (query !== undefined) state.add(query, line, payload);
}

function kicked(state: SessionState, line: Line): void {
  const name = param(line, 0);
  const victim = param(line, 1);
  const payload: Payload = {
    caseName: "userKicked",
    victim: state.interner.intern(victim),
    ...reason(line.params[2]),
  };
  if (line.replay !== undefined) {
    addReplayed(state, line, { name, payload });
    return;
  }
  const channel = state.channel(name);
  if (channel?.isJoined !== true) return;
  state.add(channel.buffer, line, payload);
  if (state.isOwn(victim)) leaveChannel(state, channel);
  else channel.remove(victim);
}

function leaveChannel(state: SessionState, channel: Channel): void {
  channel.leave();
  state.whox.drop(channel.name);
}

function nickChanged(state: SessionState, line: Line): void {
  const newNick = state.interner.intern(param(line, 0));
  if (line.from === "" || newNick === "") return;
  const payload: Payload = { caseName: "nickChanged", newNick };
  if (line.replay !== undefined) {
    addReplayed(state, line, { name: line.replay.params[0] ?? "", payload });
    return;
  }
  const user = state.users.get(line.from);
  if (user !== undefined) state.users.rename(user, newNick);
  for (const channel of user?.channels ?? []) {
    state.add(channel.buffer, line, payload);
  }
  const query = state.buffers.query(line.from);
  if (query === undefined) return;
  state.add(query, line, payload);
  const isFree = state.buffers.query(newNick) === undefined ||
    state.names.same(line.from, newNick);
  // Where a query with the new nick is open, both stay: merging would mix what
  // two people said.
  if (isFree) state.buffers.rename(query, newNick);
}

function reason(text: string | undefined): { readonly reason?: string } {
  return text === undefined || text === "" ? {} : { reason: detach(text) };
}

/** A row of the past, in the channel or query that the batch is about. */
function addReplayed(
  state: SessionState,
  line: Line,
  { name, payload }: { name: string; payload: Payload },
): void {
  const buffer = state.buffers.channel(name) ?? state.buffers.query(name);
  if (buffer !== undefined) state.add(buffer, line, payload);
}
