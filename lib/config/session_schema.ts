/**
 * One entry of `sessions` in `config.json`: its rules, its defaults, and the
 * reading of the certificate files it names. Only `id`, `host` and `nick` must
 * be there. Secrets are in no field: an entry that holds one is refused as an
 * unknown name.
 *
 * @module
 */

import type { SaslConfig, SessionConfig } from "./session_config.ts";
import type { Rule } from "./schema.ts";
import {
  boolean,
  list,
  object,
  oneOf,
  refuse,
  text,
  wholeNumber,
} from "./schema.ts";

/** More channels than a network allows one client by a wide margin. */
const MAX_CHANNELS = 500;
const MAX_ALT_NICKS = 16;
const DEFAULT_TLS_PORT = 6697;
const DEFAULT_PLAIN_PORT = 6667;

/** An entry as written, checked, with defaults; paths not yet read. */
export type SessionEntry =
  & Omit<SessionConfig, "tlsCa" | "tlsClientCert">
  & { readonly tlsCaPath?: string; readonly tlsClientCertPath?: string };

const uuid = text({
  what: "a UUID such as 6F1C3B1E-2F0B-4C53-9D0F-2F6B7A1C9E10",
  max: 36,
  pattern: /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/,
});
const nick = text({
  what: "a nick, without spaces or any of , ! @ * ?",
  max: 64,
  pattern: /^[^\s,!@*?:#&$][^\s,!@*?]*$/u,
});
const hostName = text({
  what: "a host name or address without a port",
  max: 255,
  pattern: /^(?:[A-Za-z0-9._-]+|[0-9A-Fa-f:.]+)$/,
});
const port = wholeNumber(1, 65_535);
const path = text({ what: "the path of a file below home", max: 1_024 });
const word = (what: string) => text({ what, max: 300, pattern: /^\S+$/u });
const channel = text({
  what: "a channel name such as #rete, without key, spaces or commas",
  max: 200,
  pattern: /^[^\s,:]+$/u,
});

const socks5: Rule<{ host: string; port: number }> = (node, at) => {
  const value = word("host:port")(node, at);
  const match = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):([0-9]{1,5})$/.exec(
    value,
  );
  const number = Number(match?.[2]);
  if (!match?.[1] || number < 1 || number > 65_535) {
    return refuse(node, at, "host:port, such as 127.0.0.1:1080");
  }
  return { host: match[1].replace(/^\[|\]$/g, ""), port: number };
};

const saslFields = object({
  mechanism: oneOf(["PLAIN", "EXTERNAL", "SCRAM-SHA-256"]),
  account: word("an account name"),
  required: boolean,
}, ["mechanism"]);

const sasl: Rule<SaslConfig> = (node, at) => {
  const { mechanism, account, required } = saslFields(node, at);
  if (mechanism === undefined) return refuse(node, at, '"mechanism" in it');
  if (mechanism !== "EXTERNAL" && account === undefined) {
    return refuse(node, at, `"account" in it, for ${mechanism}`);
  }
  return {
    mechanism,
    ...(account !== undefined && { account }),
    required: required ?? true,
  };
};

const fields = object({
  id: uuid,
  name: text({ what: "a name", max: 64 }),
  host: hostName,
  port,
  tls: boolean,
  tls_ca: path,
  tls_verify: boolean,
  tls_client_cert: path,
  socks5,
  nick,
  alt_nicks: list(nick, MAX_ALT_NICKS),
  username: word("a user name without spaces"),
  realname: text({ what: "a real name", max: 300 }),
  sasl,
  channels: list(channel, MAX_CHANNELS),
  autoconnect: boolean,
}, ["id", "host", "nick"]);

/** The rule for one entry. */
export const sessionEntry: Rule<SessionEntry> = (node, at) => {
  const found = fields(node, at);
  const { id, host } = found;
  if (id === undefined || host === undefined || found.nick === undefined) {
    return refuse(node, at, "id, host and nick");
  }
  const tls = found.tls ?? true;
  return {
    id: id.toUpperCase(),
    name: found.name ?? host,
    host,
    port: found.port ?? (tls ? DEFAULT_TLS_PORT : DEFAULT_PLAIN_PORT),
    tls,
    ...(found.tls_ca !== undefined && { tlsCaPath: found.tls_ca }),
    tlsVerify: found.tls_verify ?? true,
    ...(found.tls_client_cert !== undefined &&
      { tlsClientCertPath: found.tls_client_cert }),
    ...(found.socks5 !== undefined && { socks5: found.socks5 }),
    nick: found.nick,
    altNicks: found.alt_nicks ?? [],
    username: found.username ?? found.nick,
    realname: found.realname ?? found.nick,
    ...(found.sasl !== undefined && { sasl: found.sasl }),
    channels: found.channels ?? [],
    autoconnect: found.autoconnect ?? true,
  };
};
