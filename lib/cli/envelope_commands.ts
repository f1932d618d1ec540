/**
 * The commands for agent envelopes: making, reading and matching one needs no
 * service; sending and following go through it. Envelopes are printed as JSON
 * whose invisible characters are JSON escapes, safe on any terminal.
 *
 * @module
 */

import {
  type Envelope,
  type EnvelopeContent,
  EnvelopeMaker,
  type JsonObject,
  serialiseEnvelope,
} from "../envelope/envelope.ts";
import { excessBytes } from "../envelope/fit.ts";
import {
  FAULT_TEXTS,
  type ParsedEnvelope,
  parseEnvelope,
} from "../envelope/parse_envelope.ts";
import { matchesRecipient, type Role, ROLES } from "../envelope/recipients.ts";
import { type Answer, done, failed } from "../operator/operator.ts";
import { visibleJson } from "../visible_text.ts";
import {
  type Call,
  type Command,
  type Flag,
  flagValue,
  UsageError,
} from "./command.ts";

/** Who an envelope is from until a session sends it. */
const UNSENT_FROM = "reterm";

const ENVELOPE_TEXT = {
  name: "ENVELOPE",
  about: "JSON; standard input when absent",
  optional: true,
} as const;

const CONTENT_FLAGS: readonly Flag[] = [
  {
    name: "to",
    kind: "list",
    value: "TOKEN",
    about: "recipient: @all, @workers, @claude-*, a nick; everyone when absent",
  },
  {
    name: "payload",
    kind: "text",
    value: "JSON|-",
    about: "payload as a JSON object; - reads it from standard input",
  },
];

const MORE_TOKENS = {
  name: "TOKEN",
  about: "further recipients, after --to",
  optional: true,
  rest: true,
} as const;

/** Which session, which channel. */
export const WHERE_FLAGS: readonly Flag[] = [
  {
    name: "session",
    kind: "text",
    value: "NAME",
    about: "session; the only one when not given",
  },
  {
    name: "channel",
    kind: "text",
    value: "CHANNEL",
    about: "channel, or a nick (needed)",
  },
];

/** The rows of the command table. */
export const ENVELOPE_COMMANDS: readonly Command[] = [
  {
    words: ["envelope", "new"],
    about: "make an agent envelope and print it",
    positionals: [{ name: "TYPE", about: "such as task.create" }, MORE_TOKENS],
    flags: [
      ...CONTENT_FLAGS,
      {
        name: "from",
        kind: "text",
        value: "NICK",
        about: `sender; ${UNSENT_FROM} when absent`,
      },
      {
        name: "channel",
        kind: "text",
        value: "CHANNEL",
        about: "fail when it would not fit one line to this channel",
      },
    ],
    notes: [
      "  reterm envelope new task.create --to @workers codex-7 \\",
      `    --payload '{"title":"Run regression suite"}'`,
    ],
    input: readsPayload,
    local: makeOne,
  },
  {
    words: ["envelope", "parse"],
    about: "print an envelope as it goes on the wire, or why it is none",
    positionals: [ENVELOPE_TEXT],
    flags: [],
    input: readsEnvelope,
    local: (call) => {
      const { envelope, fault } = readEnvelope(call);
      return envelope === undefined
        ? failed(notOne(fault))
        : done(printed(envelope));
    },
  },
  {
    words: ["envelope", "match"],
    about: "tell by the exit code whether an envelope is meant for an agent",
    positionals: [ENVELOPE_TEXT],
    flags: [
      { name: "nick", kind: "text", value: "NICK", about: "its nick (needed)" },
      roleFlag("type", "what it is registered as (needed)"),
    ],
    notes: ["Exit code: 0 meant for it, 1 not, or no envelope."],
    input: readsEnvelope,
    local: (call) => {
      const nick = needed(call, "nick");
      const role = roleOf(call, "type");
      if (role === undefined) throw new UsageError("--type is missing.");
      const { envelope, fault } = readEnvelope(call);
      if (envelope === undefined) return failed(notOne(fault));
      return matchesRecipient(envelope, { nick, role }) ? done() : failed("");
    },
  },
  {
    words: ["envelope", "send"],
    about: "send an envelope through the running service, and print it",
    positionals: [
      {
        name: "TYPE",
        about: "such as task.create; an envelope is read when absent",
        optional: true,
      },
      MORE_TOKENS,
    ],
    flags: [...WHERE_FLAGS, ...CONTENT_FLAGS],
    notes: [
      "It goes out whole or not at all, from the session's nick, with secrets of",
      "this home masked.",
      `  reterm envelope send --channel '#agents' task.create --to @workers \\`,
      `    --payload '{"title":"Run regression suite"}'`,
    ],
    input: (call) => call.args.length === 0 ? "text" : readsPayload(call),
    act: (operator, call) =>
      operator.sendEnvelope({
        ...whereOf(call),
        ...(call.args.length === 0
          ? { text: call.input ?? "" }
          : { content: contentOf(call) }),
      }),
  },
  {
    words: ["envelope", "tail"],
    about: "print envelopes as they arrive in a channel, one a line",
    positionals: [],
    flags: [
      ...WHERE_FLAGS,
      {
        name: "type",
        kind: "list",
        value: "TYPE",
        about: "only this type; may be given again",
      },
      {
        name: "for-me",
        kind: "none",
        about: "only those truly from others and meant for the session's nick",
      },
      roleFlag("role", "with --for-me: what the session is registered as"),
      {
        name: "after",
        kind: "text",
        value: "CURSOR",
        about: "go on where an earlier answer ended",
      },
    ],
    act: (operator, call) => {
      const after = flagValue(call, "after");
      const role = roleOf(call, "role");
      return operator.tailEnvelopes({
        ...whereOf(call),
        types: call.flags.get("type") ?? [],
        ...(call.flags.has("for-me") &&
          { me: role === undefined ? {} : { role } }),
        ...(after !== undefined && { after }),
      }, call.signal);
    },
  },
];

/** A flag that takes a role. */
export function roleFlag(name: string, about: string): Flag {
  const value = ROLES.join("|");
  return { name, kind: "text", value, about };
}

function readsPayload(call: Call): "text" | undefined {
  return flagValue(call, "payload") === "-" ? "text" : undefined;
}

function readsEnvelope(call: Call): "text" | undefined {
  return call.args.length === 0 ? "text" : undefined;
}

function makeOne(call: Call): Answer {
  const from = flagValue(call, "from") ?? UNSENT_FROM;
  const made = new EnvelopeMaker().make({ ...contentOf(call), from });
  const text = serialiseEnvelope(made);
  const { envelope, fault } = parseEnvelope(text);
  if (envelope === undefined) throw new UsageError(notOne(fault));
  const target = flagValue(call, "channel");
  const excess = target === undefined ? 0 : excessBytes({ target, text });
  return excess === 0 ? done(printed(envelope)) : failed(
    `It is ${excess} bytes too long for one line to ${target}, before what ` +
      `the server adds.`,
  );
}

/** @throws {UsageError} */
function contentOf(call: Call): Omit<EnvelopeContent, "from"> {
  const [type = "", ...more] = call.args;
  const given = call.flags.get("to") ?? [];
  const dashed = more.find((word) => word.startsWith("-"));
  if (dashed !== undefined) throw new UsageError(`No flag ${dashed}.`);
  if (more.length > 0 && given.length === 0) {
    throw new UsageError("There is a word too many: recipients follow --to.");
  }
  // No nick and no token holds a comma.
  const to = [...given, ...more].flatMap((tokens) => tokens.split(","));
  const payload = payloadOf(call);
  return { type, to, ...(payload !== undefined && { payload }) };
}

function payloadOf(call: Call): JsonObject | undefined {
  const written = flagValue(call, "payload");
  if (written === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(written === "-" ? call.input ?? "" : written);
  } catch {
    throw new UsageError("--payload is not JSON.");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new UsageError("--payload is not a JSON object.");
  }
  return value as JsonObject;
}

function readEnvelope(call: Call): ParsedEnvelope {
  return parseEnvelope(call.args[0] ?? call.input ?? "");
}

function notOne(fault: keyof typeof FAULT_TEXTS): string {
  return `Not an envelope: ${FAULT_TEXTS[fault]}.`;
}

function printed(envelope: Envelope): string {
  return visibleJson(serialiseEnvelope(envelope));
}

function needed(call: Call, name: string): string {
  const value = flagValue(call, name);
  if (value === undefined || value === "") {
    throw new UsageError(
      `--${name} is missing: see reterm ${
        call.command.words.join(" ")
      } --help.`,
    );
  }
  return value;
}

/** @throws {UsageError} for a role that there is none of. */
export function roleOf(call: Call, name: string): Role | undefined {
  const value = flagValue(call, name);
  if (value === undefined) return undefined;
  const role = ROLES.find((known) => known === value);
  if (role === undefined) {
    throw new UsageError(`--${name} is one of ${ROLES.join(", ")}.`);
  }
  return role;
}

/** Session and channel of a call. @throws {UsageError} without a channel. */
export function whereOf(
  call: Call,
): { readonly session?: string; readonly channel: string } {
  const session = flagValue(call, "session");
  const channel = needed(call, "channel");
  return { channel, ...(session !== undefined && { session }) };
}
