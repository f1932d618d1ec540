/**
 * The one place that makes an irc-framework client, with everything switched
 * off that this folder does itself: reconnecting, pings, CTCP answers, and the
 * server password as a SASL one.
 *
 * @module
 */

// @ts-types="./irc_framework.d.ts"
import framework from "irc-framework";
import type { SessionConfig } from "../config/session_config.ts";
import type { Client, FrameworkTransport } from "./irc_framework.d.ts";

export type { Client as FrameworkClient } from "./irc_framework.d.ts";

export interface ClientParts {
  readonly config: SessionConfig;
  readonly nick: string;
  /** The server password. */
  readonly password: string | undefined;
  readonly transport: FrameworkTransport;
  /** Runs the library's handling of one line, and survives its exceptions. */
  readonly contain: (work: () => void) => void;
  /** The socket is open; the library sends CAP LS, PASS, NICK and USER next. */
  readonly opened: () => void;
  readonly closed: (error: Error | false) => void;
}

/** Makes a client that connects once, when told to. */
export function makeClient(parts: ClientParts): Client {
  const { config, nick, password, transport, contain } = parts;
  // The library makes its transport with `new`; this hands it ours.
  function handTransport() {
    return transport;
  }
  const client = new framework.Client({
    host: config.host,
    port: config.port,
    nick,
    username: toOneLine(config.username).replaceAll(" ", "_") || "reterm",
    gecos: toOneLine(config.realname) || nick,
    ...(password === undefined ? {} : { password }),
    account: {},
    version: false,
    auto_reconnect: false,
    ping_interval: 0,
    ping_timeout: 0,
    transport: handTransport as unknown as new () => FrameworkTransport,
  });
  client.use((_client, raw) =>
    raw.use((_command, _message, _line, _same, next) => contain(next))
  );
  client.on("socket connected", parts.opened);
  client.on("socket close", parts.closed);
  return client;
}

/** A configured name must not end the line it stands in. */
function toOneLine(text: string): string {
  return text.replace(/[\r\n\0\s]+/g, " ").trim();
}
