/**
 * The sections about what a session holds by name: channels, queries and
 * buffers. A channel's key is a secret of the session's, configured or not,
 * and is shown as a mask.
 *
 * @module
 */

import type { Channel } from "../../irc/channel.ts";
import { MASK } from "../../redact/masks.ts";
import { counted, type Inspected, type Section } from "./section.ts";

export function channels({ session }: Inspected): Section {
  const all = [...session.inner.channels()];
  const joined = all.filter((channel) => channel.isJoined).length;
  return {
    count: joined,
    summary: `${joined} joined, ${counted(all.length, "buffer")}`,
    state: { channels: all.map(describeChannel) },
  };
}

export function queries({ session }: Inspected): Section {
  const open = session.inner.buffers.listed()
    .filter((buffer) => buffer.kind === "query");
  return {
    count: open.length,
    summary: `${open.length} open`,
    state: {
      queries: open.map(({ id, name, openedByPerson, log }) => ({
        id,
        name,
        openedByPerson,
        rows: log.size,
      })),
    },
  };
}

export function buffers({ session }: Inspected): Section {
  const listed = session.inner.buffers.listed();
  let rows = 0;
  for (const { log } of listed) rows += log.size;
  return {
    count: listed.length,
    summary: `${counted(listed.length, "buffer")}, ${counted(rows, "row")}`,
    state: {
      buffers: listed.map(({ id, kind, name, log }) => ({
        id,
        kind,
        name,
        rows: log.size,
        oldestSeq: log.oldestSeq,
        newestSeq: log.newestSeq,
        evictedThrough: log.evictedThrough,
      })),
      usersKnown: session.inner.users.size,
    },
  };
}

function describeChannel(channel: Channel) {
  return {
    name: channel.name,
    buffer: channel.buffer.id,
    isJoined: channel.isJoined,
    isJoining: channel.isJoining,
    members: channel.size,
    topic: channel.topic,
    modes: Object.fromEntries(
      Array.from(
        channel.modes,
        ([letter, value]) => [letter, letter === "k" ? MASK : value],
      ),
    ),
  };
}
