/**
 * The sections about what a session was told to be, and about features that
 * the client uses only as far as the server announces them: read markers, the
 * SILENCE list and WHOIS are the person's own to ask for, so what is known of
 * them is what the server said it has.
 *
 * @module
 */

import { counted, type Inspected, type Section } from "./section.ts";

export function config({ session }: Inspected): Section {
  const { config } = session;
  return {
    count: config.channels.length,
    summary: `${config.name}, ${counted(config.channels.length, "channel")}`,
    state: {
      id: config.id,
      name: config.name,
      host: config.host,
      port: config.port,
      tls: config.tls,
      tlsVerify: config.tlsVerify,
      // Whether and not what: PEM texts are long, and beside them lie keys.
      hasTlsCa: config.tlsCa !== undefined,
      hasTlsClientCert: config.tlsClientCert !== undefined,
      socks5: config.socks5,
      nick: config.nick,
      altNicks: config.altNicks,
      username: config.username,
      realname: config.realname,
      sasl: config.sasl,
      channels: config.channels,
      autoconnect: config.autoconnect,
    },
  };
}

export function markread({ session }: Inspected): Section {
  const { availableCapabilities, capabilities } = session.link;
  const isOffered = availableCapabilities.has("draft/read-marker");
  return {
    count: 0,
    summary: isOffered
      ? "no marker kept, the server offers them"
      : "no marker kept",
    state: {
      isOffered,
      isEnabled: capabilities.has("draft/read-marker"),
      markers: {},
    },
  };
}

export function silence({ session }: Inspected): Section {
  const limit = session.link.isupport.get("SILENCE");
  return {
    count: 0,
    summary: limit === undefined
      ? "no mask kept, the server has no SILENCE"
      : `no mask kept, the server allows ${limit}`,
    state: { masks: [], serverLimit: limit },
  };
}

export function whois(_inspected: Inspected): Section {
  return {
    count: 0,
    summary: "none asked for by the client itself",
    state: { pending: [] },
  };
}

export function scripts({ scripts }: Inspected): Section {
  const { inputCallbackCount, menuItemCount, buttonCount } = scripts;
  return {
    count: inputCallbackCount,
    summary: counted(inputCallbackCount, "input callback"),
    state: { inputCallbackCount, menuItemCount, buttonCount },
  };
}
