/**
 * What a channel is: MODE, TOPIC, RENAME and the numerics that tell its topic,
 * modes and members. Replies to our own JOIN and MODE query change state and
 * make no row; the same replies to what the person asked are text for them. None
 * of these opens a buffer.
 *
 * @module
 */

import { detach } from "../../buffers/interner.ts";
import type { Payload } from "../../buffers/message.ts";
import type { Channel } from "../channel.ts";
import type { Line } from "../line.ts";
import { parseNamesEntry } from "../membership.ts";
import { parseModeChanges } from "../mode_changes.ts";
import type { SessionState } from "../session_state.ts";
import { isChannelName } from "../target.ts";
import { type HandlerTable, param } from "./handler.ts";
import { numeric, otherText } from "./server_text.ts";

export const CHANNEL_STATE_HANDLERS: HandlerTable = {
  MODE: { minParams: 2, run: modeChanged },
  TOPIC: { minParams: 1, run: topicChanged },
  RENAME: { minParams: 2, run: renamed },
  "324": { minParams: 2, run: modeReply },
  "329": { minParams: 2, run: creationTime },
  "331": { minParams: 2, run: joinReply(() => {}) },
  "332": {
    minParams: 3,
    run: joinReply((channel, line) => channel.topic = detach(param(line, 2))),
  },
  "333": { minParams: 2, run: joinReply(() => {}) },
  "353": { minParams: 3, run: namesReply },
  "366": { minParams: 2, run: endOfNames },
};

function modeChanged(state: SessionState, line: Line): void {
  const target = param(line, 0);
  const modes = param(line, 1);
  const params = line.params.slice(2);
  const payload: Payload = {
    caseName: "modeChanged",
    modes: state.interner.intern(modes),
    params: params.map((value) => state.interner.intern(value)),
  };
  const channel = state.channel(target);
  if (channel === undefined) {
    // Our own user modes, and channels that we know nothing of.
    state.add(state.buffers.server, line, payload);
    return;
  }
  const isNew = state.add(channel.buffer, line, payload) !== undefined;
  if (line.replay !== undefined || !isNew || !channel.isJoined) return;
  channel.apply(parseModeChanges(modes, params, state.link.isupport));
}

function modeReply(state: SessionState, line: Line): void {
  const channel = joinedChannel(state, param(line, 1));
  if (channel !== undefined) {
    channel.apply(parseModeChanges(
      param(line, 2),
      line.params.slice(3).map(detach),
      state.link.isupport,
    ));
  }
  if (channel === undefined || channel.modePolls === 0) {
    numeric(state, line);
    return;
  }
  channel.modePolls--;
  channel.expectsCreationTime = true;
}

function creationTime(state: SessionState, line: Line): void {
  const channel = joinedChannel(state, param(line, 1));
  if (channel?.expectsCreationTime === true) {
    channel.expectsCreationTime = false;
  } else numeric(state, line);
}

function topicChanged(state: SessionState, line: Line): void {
  const channel = state.channel(param(line, 0));
  if (channel === undefined) return;
  const topic = detach(param(line, 1));
  const payload: Payload = { caseName: "topicChanged", topic };
  state.add(channel.buffer, line, payload);
  if (line.replay === undefined && channel.isJoined) channel.topic = topic;
}

/** A reply that a JOIN brings unasked, and a person's question too. */
function joinReply(
  take: (channel: Channel, line: Line) => void,
): (state: SessionState, line: Line) => void {
  return (state, line) => {
    const channel = joinedChannel(state, param(line, 1));
    if (channel !== undefined) take(channel, line);
    if (channel?.isJoining !== true) numeric(state, line);
  };
}

function namesReply(state: SessionState, line: Line): void {
  // Some servers leave the symbol before the channel out.
  const name = line.params.at(-2) ?? "";
  const channel = joinedChannel(state, name);
  if (channel === undefined) {
    numeric(state, line);
    return;
  }
  const { prefixes } = state.link.isupport;
  for (const word of (line.params.at(-1) ?? "").split(" ")) {
    if (word === "") continue;
    const entry = parseNamesEntry(word, prefixes);
    if (entry === undefined) continue;
    channel.addNamed({
      glyphs: entry.glyphs,
      nick: state.interner.intern(entry.nick),
      user: state.interner.intern(entry.user),
      host: state.interner.intern(entry.host),
    });
  }
  if (!channel.isJoining) numeric(state, line);
}

function endOfNames(state: SessionState, line: Line): void {
  const channel = joinedChannel(state, param(line, 1));
  if (channel?.isJoining === true) channel.isJoining = false;
  else numeric(state, line);
}

function renamed(state: SessionState, line: Line): void {
  const from = param(line, 0);
  const to = param(line, 1);
  const channel = state.channel(from);
  if (channel === undefined || line.replay !== undefined) return;
  if (!isChannelName(to, state.link.isupport)) {
    otherText(state, line);
    return;
  }
  // A left buffer that holds the new name gives its rows and goes: the channel
  // that is there now is this one.
  state.buffers.rename(channel.buffer, state.interner.intern(to));
  state.rejoin.rename(from, to);
  const reason = param(line, 2);
  const text = `${from} is now ${to}` + (reason === "" ? "" : `: ${reason}`);
  const payload: Payload = { caseName: "serverText", code: "RENAME", text };
  state.add(channel.buffer, line, payload);
}

function joinedChannel(state: SessionState, name: string): Channel | undefined {
  const channel = state.channel(name);
  return channel?.isJoined === true ? channel : undefined;
}
