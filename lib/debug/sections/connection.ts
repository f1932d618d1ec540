/**
 * The sections about the connection itself: where it goes and how it stands,
 * how its registration and login went, what the server offers and supports,
 * when the next attempt is made and what waits to be sent.
 *
 * @module
 */

import { counted, type Inspected, type Section, timeOf } from "./section.ts";

export function connection({ session, link }: Inspected): Section {
  const { host, port, tls, tlsVerify, socks5 } = session.config;
  const isConnected = session.state === "connected";
  const address = `${host}:${port}${tls ? " with TLS" : ""}`;
  const why = session.lastError === "" ? "" : `: ${session.lastError}`;
  return {
    count: isConnected ? 1 : 0,
    summary: `${session.state}, ${address}${why}`,
    state: {
      state: session.state,
      host,
      port,
      tls,
      tlsVerify,
      socks5,
      network: session.network,
      lastError: session.lastError,
      isOpen: link?.open !== undefined,
      unsentBytes: link?.open?.flood.unsentBytes,
    },
  };
}

export function registration({ session, link }: Inspected): Section {
  const isRegistered = link?.open?.isRegistered ??
    session.state === "connected";
  const { nick } = session;
  const wantedNick = link?.wantedNick ?? session.config.nick;
  return {
    count: isRegistered ? 1 : 0,
    summary: isRegistered
      ? `registered as ${nick}`
      : `not registered, asks for ${link?.open?.askedNick ?? wantedNick}`,
    state: {
      isRegistered,
      registeredAt: timeOf(link?.open?.registeredAt),
      nick,
      wantedNick,
      askedNick: link?.open?.askedNick,
      awaitedNick: link?.open?.awaitedNick,
      altNicks: session.config.altNicks,
      username: session.config.username,
      realname: session.config.realname,
    },
  };
}

export function sasl({ session, link }: Inspected): Section {
  const { sasl: configured } = session.config;
  const state = link?.open?.sasl ?? "none";
  const offered = session.link.availableCapabilities.get("sasl");
  return {
    count: state === "done" ? 1 : 0,
    summary: configured === undefined
      ? "not configured"
      : `${configured.mechanism}: ${state}`,
    state: {
      state,
      mechanism: configured?.mechanism,
      account: configured?.account,
      required: configured?.required,
      offered: offered === undefined ? undefined : offered.split(","),
    },
  };
}

export function capabilities({ session }: Inspected): Section {
  const { availableCapabilities, capabilities } = session.link;
  return {
    count: capabilities.size,
    summary:
      `${capabilities.size} enabled of ${availableCapabilities.size} offered`,
    state: {
      available: Object.fromEntries(availableCapabilities),
      enabled: [...capabilities].sort(),
    },
  };
}

export function isupport({ session }: Inspected): Section {
  const { tokens, casemapping } = session.link.isupport;
  return {
    count: tokens.size,
    summary: `${counted(tokens.size, "token")}, casemapping ${casemapping}`,
    state: { tokens: Object.fromEntries(tokens), casemapping },
  };
}

export function reconnect({ session, link }: Inspected): Section | undefined {
  if (link === undefined) return undefined;
  const { at, failures } = link.next;
  return {
    count: failures,
    summary: at === undefined
      ? `no attempt planned, ${session.state}`
      : `next attempt at ${timeOf(at)} after ${counted(failures, "failure")}`,
    state: {
      state: session.state,
      nextAttemptAt: timeOf(at),
      failures,
      autoconnect: session.config.autoconnect,
      lastError: session.lastError,
    },
  };
}

export function flood({ link }: Inspected): Section | undefined {
  if (link === undefined) return undefined;
  const queue = link.open?.flood;
  const waiting = (queue?.person ?? 0) + (queue?.agent ?? 0);
  return {
    count: waiting,
    summary: queue === undefined
      ? "not connected"
      : `${counted(waiting, "line")} waiting, ` +
        (queue.isPaced ? "paced" : "not paced"),
    state: {
      isPaced: queue?.isPaced,
      waitingFromPerson: queue?.person ?? 0,
      waitingFromAgents: queue?.agent ?? 0,
      unsentBytes: queue?.unsentBytes ?? 0,
    },
  };
}

export function batches({ link }: Inspected): Section | undefined {
  if (link === undefined) return undefined;
  const open = link.open?.batches ?? [];
  const [first] = open;
  return {
    count: open.length,
    summary: first === undefined
      ? "none open"
      : `${open.length} open, the oldest ${first.type}`,
    state: { open },
  };
}
