/**
 * Every command of the program, one row each: parsing, `--help`, and what is
 * done all come from here. Rows with an `act` work on the running service
 * through the operator's door, or on the files of home while none runs.
 *
 * @module
 */

import { SECRET_KINDS } from "../config/secrets_file.ts";
import type { SecretKind } from "../config/secrets_file.ts";
import { LOG_LEVELS } from "../log.ts";
import { done, type SecretChange } from "../operator/operator.ts";
import { SETTINGS } from "../settings.ts";
import { AGENT_COMMAND } from "./agent_command.ts";
import { BRIDGE_COMMAND } from "./bridge_command.ts";
import { type Call, type Command, flagValue, UsageError } from "./command.ts";
import { completionScript, SHELLS } from "./completion.ts";
import { DOCTOR_COMMAND } from "./doctor_command.ts";
import { ENVELOPE_COMMANDS } from "./envelope_commands.ts";
import { SESSION_FLAGS, sessionFields } from "./session_flags.ts";

const SESSION_NAME = { name: "NAME", about: "name or id of the session" };

/** The table, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  {
    words: ["serve"],
    about: "run the service in the foreground",
    positionals: [],
    flags: [{
      name: "log-level",
      kind: "text",
      value: "LEVEL",
      choices: LOG_LEVELS,
      about: "least level to log on standard error; info when not given",
    }],
    notes: [
      `Levels, lowest first: ${LOG_LEVELS.join(", ")}.`,
      "Connects the sessions and serves AI agents when control.enabled is on.",
      "SIGTERM, SIGINT and SIGHUP stop it cleanly; a second one stops it at once.",
    ],
  },
  {
    words: ["set"],
    about: "show or change settings",
    positionals: [
      {
        name: "KEY",
        about: "setting to show; all when absent",
        optional: true,
        choices: SETTINGS.map(({ key }) => key),
      },
      {
        name: "VALUE",
        about: "on, off, or a number",
        optional: true,
        choices: ["on", "off"],
      },
    ],
    flags: [],
    notes: SETTINGS.map(({ key, about }) => `  ${key.padEnd(18)}${about}`),
    act: (operator, { args: [key, value] }) =>
      key === undefined
        ? operator.showSettings()
        : value === undefined
        ? operator.showSetting(key)
        : operator.changeSetting(key, value),
  },
  {
    words: ["status"],
    about: "show how everything stands: access, agents, sessions, memory",
    positionals: [],
    flags: [{ name: "json", kind: "none", about: "as JSON, for scripts" }],
    act: (operator, call) =>
      operator.status(call.flags.has("json") ? "json" : "text"),
  },
  DOCTOR_COMMAND,
  {
    words: ["tail"],
    about: "print messages as they come, until Ctrl-C",
    positionals: [],
    flags: [
      {
        name: "session",
        kind: "text",
        value: "NAME",
        about: "only of this session",
      },
      {
        name: "buffer",
        kind: "text",
        value: "NAME",
        about: "only of buffers with this name",
      },
      {
        name: "after",
        kind: "text",
        value: "CURSOR",
        about: "go on where an earlier answer ended; used by tail itself",
      },
    ],
    act: (operator, call) => {
      const [session, buffer, after] = ["session", "buffer", "after"]
        .map((name) => flagValue(call, name));
      return operator.tailMessages({
        ...(session !== undefined && { session }),
        ...(buffer !== undefined && { buffer }),
        ...(after !== undefined && { after }),
      }, call.signal);
    },
  },
  {
    words: ["control", "status"],
    about: "say whether AI agents are served, and on which port",
    positionals: [],
    flags: [],
    act: (operator) => operator.controlStatus(),
  },
  {
    words: ["control", "token"],
    about: "print the command that connects Claude Code, token included",
    positionals: [],
    flags: [],
    notes: [
      "Once run, that command is in the shell history, and visible in ps while",
      "it runs. Never add --scope project: it writes the token into a file",
      "that is meant to be committed.",
    ],
    act: (operator) => operator.controlToken(),
  },
  {
    words: ["control", "token", "regenerate"],
    about: "make a new token; the old one stops working",
    positionals: [],
    flags: [],
    act: (operator) => operator.regenerateToken(),
  },
  {
    words: ["control", "log"],
    about: "print what AI clients did, oldest first",
    positionals: [],
    flags: [
      {
        name: "follow",
        kind: "none",
        about: "go on with rows as they happen, until Ctrl-C",
      },
      {
        name: "after",
        kind: "text",
        value: "NUMBER",
        about: "with --follow: only rows beyond this one",
      },
    ],
    act: (operator, call) =>
      call.flags.has("follow")
        ? operator.followAccessLog(flagValue(call, "after"), call.signal)
        : operator.accessLog(),
  },
  {
    words: ["session", "list"],
    about: "list the sessions: name, state, nick, server, id",
    positionals: [],
    flags: [],
    act: (operator) => operator.listSessions(),
  },
  {
    words: ["session", "add"],
    about: "add a session; a running service starts it at once",
    positionals: [{ name: "NAME", about: "name for the new session" }],
    flags: SESSION_FLAGS,
    notes: [
      "Passwords and keys are never flags: see reterm session secret --help.",
      "A session that needs one is best added with --no-autoconnect, given its",
      "secret, then connected with reterm session connect NAME.",
    ],
    act: (operator, call) =>
      operator.addSession({
        name: call.args[0] ?? "",
        fields: sessionFields(call),
      }),
  },
  {
    words: ["session", "remove"],
    about: "remove a session and its secrets",
    positionals: [SESSION_NAME],
    flags: [],
    act: (operator, { args }) => operator.removeSession(args[0] ?? ""),
  },
  {
    words: ["session", "connect"],
    about: "connect a session",
    positionals: [SESSION_NAME],
    flags: [],
    act: (operator, { args }) => operator.connectSession(args[0] ?? ""),
  },
  {
    words: ["session", "disconnect"],
    about: "disconnect a session, and keep it so",
    positionals: [
      SESSION_NAME,
      {
        name: "REASON",
        about: "what the QUIT says",
        optional: true,
        rest: true,
      },
    ],
    flags: [],
    act: (operator, { args: [name = "", ...reason] }) =>
      operator.disconnectSession(name, reason.join(" ")),
  },
  {
    words: ["session", "secret"],
    about: "store a secret of a session, read from standard input",
    positionals: [
      SESSION_NAME,
      {
        name: "KIND",
        about: SECRET_KINDS.join(", "),
        choices: SECRET_KINDS,
      },
      { name: "CHANNEL", about: "for a channel-key", optional: true },
    ],
    flags: [{
      name: "remove",
      kind: "none",
      about: "remove the secret instead; nothing is read",
    }],
    notes: [
      "  reterm session secret libera sasl-password < password.txt",
      "  reterm session secret libera channel-key '#rete'",
      "A terminal is asked for the value without showing it.",
    ],
    input: (call) => {
      const { kind } = secretChange(call);
      if (call.flags.has("remove")) return undefined;
      return kind === "tls-client-key" ? "text" : "line";
    },
    act: (operator, call) => operator.changeSecret(secretChange(call)),
  },
  {
    words: ["do"],
    about: "do what a person types into a client",
    positionals: [{
      name: "LINE",
      about: "a slash command, or text for the buffer",
      rest: true,
    }],
    flags: [
      {
        name: "session",
        kind: "text",
        value: "NAME",
        about: "session; the only one when not given",
      },
      {
        name: "buffer",
        kind: "text",
        value: "NAME",
        about: "buffer the line is typed into",
      },
    ],
    notes: [
      "  reterm do '/join #rete'",
      "  reterm do --buffer '#rete' 'hello, all'",
      "  reterm do /help                lists the slash commands",
    ],
    act: (operator, call) => {
      const session = flagValue(call, "session");
      const buffer = flagValue(call, "buffer");
      return operator.typeLine(call.args.join(" "), {
        ...(session !== undefined && { session }),
        ...(buffer !== undefined && { buffer }),
      });
    },
  },
  BRIDGE_COMMAND,
  ...ENVELOPE_COMMANDS,
  AGENT_COMMAND,
  {
    words: ["service", "systemd"],
    about: "print a systemd user unit for this program and home",
    positionals: [],
    flags: [binaryFlag(), {
      name: "namespaces",
      kind: "switch",
      about: "hide the rest of the system; on when not given",
    }],
    notes: [
      "Where the kernel lets users have no namespaces, a unit fails to start with",
      "status 226 or 217: print it anew with --no-namespaces.",
      "  mkdir -p ~/.config/systemd/user",
      "  reterm service systemd > ~/.config/systemd/user/reterm.service",
      "  systemctl --user enable --now reterm",
      "  loginctl enable-linger     to have it run while you are logged out",
    ],
  },
  {
    words: ["service", "launchd"],
    about: "print a launchd agent for this program and home",
    positionals: [],
    flags: [binaryFlag()],
    notes: [
      "  reterm service launchd > ~/Library/LaunchAgents/chat.rete.reterm.plist",
      "  launchctl load ~/Library/LaunchAgents/chat.rete.reterm.plist",
    ],
  },
  {
    words: ["completion"],
    about: "print the completion script for a shell",
    positionals: [{ name: "SHELL", about: SHELLS.join(", "), choices: SHELLS }],
    flags: [],
    notes: [
      "  source <(reterm completion bash)",
      "  reterm completion fish > ~/.config/fish/completions/reterm.fish",
      "The script's first lines say where it stays for good.",
    ],
    local: ({ args: [named] }) => {
      const shell = SHELLS.find((known) => known === named);
      if (shell === undefined) {
        throw new UsageError(`SHELL is one of ${SHELLS.join(", ")}.`);
      }
      return done(completionScript(COMMANDS, shell));
    },
  },
];

function binaryFlag() {
  return {
    name: "binary",
    kind: "text",
    value: "PATH",
    about: "absolute path of reterm, when this is not it",
  } as const;
}

function secretChange(call: Call): SecretChange {
  const [session = "", typed = "", channel] = call.args;
  const kind = SECRET_KINDS.find((known) => known === typed);
  if (kind === undefined) {
    throw new UsageError(
      `KIND is one of ${SECRET_KINDS.join(", ")}, not "${typed}".`,
    );
  }
  checkChannel(kind, channel);
  return {
    session,
    kind,
    value: call.flags.has("remove") ? undefined : call.input ?? "",
    ...(channel !== undefined && { channel }),
  };
}

function checkChannel(kind: SecretKind, channel: string | undefined): void {
  if (kind === "channel-key" && channel === undefined) {
    throw new UsageError(
      "A channel key needs its channel: " +
        "reterm session secret NAME channel-key '#channel'.",
    );
  }
  if (kind !== "channel-key" && channel !== undefined) {
    // What was meant as the secret must not be echoed back.
    throw new UsageError(
      `${kind} takes no further word: the secret itself is read from ` +
        `standard input, never from an argument.`,
    );
  }
}
