/**
 * What the first parameter of a text is about: a channel, its name apart from
 * the status prefix that narrows who gets the text, or a nick. Received and sent
 * texts are read alike.
 *
 * Also which names may stand in a line that we send: a server names the channels
 * we are in, and its word must not become more than one parameter of ours.
 *
 * @module
 */

import type { Isupport } from "./isupport.ts";
import type { SessionState } from "./session_state.ts";

/** See the module doc. */
export interface Target {
  /** Without its status prefix. */
  readonly name: string;
  readonly statusPrefix: string;
  readonly isChannel: boolean;
}

/** Servers have five ranks or so; more glyphs are no prefix. */
const MAX_PREFIX = 8;

/** What ends a parameter, a list entry or a line. */
const UNSENDABLE = /[\0\r\n ,]/;

/** Takes a STATUSMSG prefix off: `@#room` is `#room`, to its operators. */
export function readTarget(state: SessionState, raw: string): Target {
  const { isupport, nick } = state.link;
  if (raw === nick) return { name: raw, statusPrefix: "", isChannel: false };
  const isPlain = isupport.isChannel(raw) &&
    (!isStatusGlyph(isupport, raw.charAt(0)) ||
      state.buffers.channel(raw) !== undefined);
  if (isPlain) return { name: raw, statusPrefix: "", isChannel: true };
  const start = prefixLength(state, raw);
  if (start === 0) {
    return { name: raw, statusPrefix: "", isChannel: isupport.isChannel(raw) };
  }
  return {
    name: raw.slice(start),
    statusPrefix: raw.slice(0, start),
    isChannel: true,
  };
}

/**
 * Whether `name` is one channel, in whatever line it stands. `#` and `&` count
 * even where a server that names its channel types leaves them out.
 */
export function isChannelName(name: string, isupport: Isupport): boolean {
  return (isupport.isChannel(name) || /^[#&]/.test(name)) &&
    !UNSENDABLE.test(name);
}

// A glyph may be a channel type too, as `+` is: a channel that is held decides,
// and else the longest prefix that leaves a channel's name.
function prefixLength(state: SessionState, raw: string): number {
  const { isupport } = state.link;
  let end = 0;
  while (end < MAX_PREFIX && isStatusGlyph(isupport, raw.charAt(end))) end++;
  let longest = 0;
  for (let at = end; at > 0; at--) {
    const name = raw.slice(at);
    if (!isupport.isChannel(name)) continue;
    if (state.buffers.channel(name) !== undefined) return at;
    longest = Math.max(longest, at);
  }
  return longest;
}

function isStatusGlyph(isupport: Isupport, glyph: string): boolean {
  if (glyph === "") return false;
  const { statusPrefixes, prefixes } = isupport;
  // Servers are known to relay to operators without announcing STATUSMSG.
  return statusPrefixes === ""
    ? prefixes.some((prefix) => prefix.glyph === glyph)
    : statusPrefixes.includes(glyph);
}
