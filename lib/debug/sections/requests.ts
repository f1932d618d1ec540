/**
 * The sections about what a session has asked its server for by itself, and is
 * waiting to be told: the queue of WHOs, history, and what else is asked for
 * without the person seeing it. The names of the WHO queue's fields are the
 * contract's.
 *
 * @module
 */

import { counted, type Inspected, type Section, timeOf } from "./section.ts";

export function whox({ session }: Inspected): Section {
  const { inFlight, deadline, queued } = session.inner.whox;
  const isWaiting = inFlight === undefined ? 0 : 1;
  return {
    count: queued.length + isWaiting,
    summary: inFlight === undefined
      ? "no WHO in flight"
      : `WHO ${inFlight} in flight, ${queued.length} queued`,
    state: {
      silentWhoInFlight: inFlight,
      silentWhoDeadline: timeOf(deadline),
      silentWhoQueued: [...queued],
    },
  };
}

export function silentQueries({ session, link }: Inspected): Section {
  const { whox, history } = session.inner;
  const modes = [...session.inner.channels()]
    .filter((channel) => channel.modePolls > 0)
    .map((channel) => channel.name);
  const awaitedNick = link?.open?.awaitedNick;
  const waiting = [whox.inFlight, history.inFlight, awaitedNick, ...modes]
    .filter((name) => name !== undefined);
  return {
    count: waiting.length,
    summary: waiting.length === 0
      ? "nothing asked for"
      : `${counted(waiting.length, "answer")} awaited`,
    state: {
      who: whox.inFlight,
      chathistory: history.inFlight,
      channelModes: modes,
      awaitedNick,
    },
  };
}

export function chathistory({ session }: Inspected): Section {
  const { inFlight, queued } = session.inner.history;
  const isWaiting = inFlight === undefined ? 0 : 1;
  const limit = session.link.isupport.get("CHATHISTORY") ??
    session.link.isupport.get("DRAFT/CHATHISTORY");
  return {
    count: queued.length + isWaiting,
    summary: inFlight === undefined
      ? "no history asked for"
      : `history of ${inFlight} in flight, ${queued.length} queued`,
    state: {
      inFlight,
      queued: [...queued],
      serverLimit: limit,
      isEnabled: session.link.capabilities.has("draft/chathistory"),
    },
  };
}
