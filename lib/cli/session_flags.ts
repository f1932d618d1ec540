/**
 * The flags of `session add`: one for each field of a session in
 * `config.json`, and how each is written there.
 *
 * @module
 */

import type { JsonValue } from "../config/json_edit.ts";
import { type Call, type Flag, flagValue, UsageError } from "./command.ts";

interface SessionFlag extends Flag {
  /** The field's name in `config.json`; a dot leads into an object. */
  readonly field: string;
  readonly number?: true;
}

/** The table, in the order of the help. */
export const SESSION_FLAGS: readonly SessionFlag[] = [
  {
    name: "host",
    field: "host",
    kind: "text",
    value: "HOST",
    about: "server or bouncer (needed)",
  },
  {
    name: "nick",
    field: "nick",
    kind: "text",
    value: "NICK",
    about: "wanted nick (needed)",
  },
  {
    name: "port",
    field: "port",
    number: true,
    kind: "text",
    value: "PORT",
    about: "6697 with TLS, else 6667, when not given",
  },
  {
    name: "tls",
    field: "tls",
    kind: "switch",
    about: "TLS, on when not given; --no-tls for plain text",
  },
  {
    name: "tls-ca",
    field: "tls_ca",
    kind: "text",
    value: "FILE",
    about: "PEM file in home: the authority to trust",
  },
  {
    name: "tls-verify",
    field: "tls_verify",
    kind: "switch",
    about: "check the server's certificate, on when not given",
  },
  {
    name: "tls-client-cert",
    field: "tls_client_cert",
    kind: "text",
    value: "FILE",
    about: "PEM file in home; its key is a secret",
  },
  {
    name: "socks5",
    field: "socks5",
    kind: "text",
    value: "HOST:PORT",
    about: "go through a SOCKS5 proxy, such as 127.0.0.1:1080",
  },
  {
    name: "alt-nick",
    field: "alt_nicks",
    kind: "list",
    value: "NICK",
    about: "nick to try next; may be given again",
  },
  {
    name: "username",
    field: "username",
    kind: "text",
    value: "NAME",
    about: "user name; the nick when not given",
  },
  {
    name: "realname",
    field: "realname",
    kind: "text",
    value: "TEXT",
    about: "real name; the nick when not given",
  },
  {
    name: "sasl",
    field: "sasl.mechanism",
    kind: "text",
    value: "MECHANISM",
    about: "PLAIN, SCRAM-SHA-256 or EXTERNAL",
  },
  {
    name: "sasl-account",
    field: "sasl.account",
    kind: "text",
    value: "ACCOUNT",
    about: "account for PLAIN and SCRAM-SHA-256",
  },
  {
    name: "sasl-required",
    field: "sasl.required",
    kind: "switch",
    about: "give up when the login fails, on when not given",
  },
  {
    name: "channel",
    field: "channels",
    kind: "list",
    value: "CHANNEL",
    about: "channel to join; may be given again",
  },
  {
    name: "autoconnect",
    field: "autoconnect",
    kind: "switch",
    about: "connect at start, on when not given",
  },
  {
    name: "id",
    field: "id",
    kind: "text",
    value: "UUID",
    about: "id of the session; made when not given",
  },
];

/**
 * The fields that a call's flags describe.
 *
 * @throws {UsageError} when a needed flag is missing or is no number.
 */
export function sessionFields(call: Call): { [field: string]: JsonValue } {
  for (const needed of ["host", "nick"]) {
    if (flagValue(call, needed) === undefined) {
      throw new UsageError(
        `--${needed} is missing: see reterm session add --help.`,
      );
    }
  }
  const fields: { [field: string]: JsonValue } = {};
  const sasl: { [field: string]: JsonValue } = {};
  for (const flag of SESSION_FLAGS) {
    const values = call.flags.get(flag.name);
    if (values === undefined) continue;
    const value = valueOf(flag, values);
    if (flag.field.startsWith("sasl.")) sasl[flag.field.slice(5)] = value;
    else fields[flag.field] = value;
  }
  if (Object.keys(sasl).length > 0) fields["sasl"] = sasl;
  return fields;
}

function valueOf(flag: SessionFlag, values: readonly string[]): JsonValue {
  const value = values.at(-1) ?? "";
  if (flag.number) {
    if (!/^[0-9]{1,5}$/.test(value)) {
      throw new UsageError(`--${flag.name} takes a number, not "${value}".`);
    }
    return Number(value);
  }
  switch (flag.kind) {
    case "list":
      return [...values];
    case "switch":
    case "none":
      return value === "on";
    case "text":
      return value;
    default:
      return flag.kind satisfies never;
  }
}
