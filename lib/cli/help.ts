/**
 * The texts of `--help`, made from the command table.
 *
 * @module
 */

import { type Command, type Flag, usageLine } from "./command.ts";

/** Where the second column starts. */
const COLUMN = 30;

/** What `reterm --help` prints. */
export function programHelp(table: readonly Command[]): string {
  return [
    "reterm: an IRC client that AI agents can read, as a service.",
    "",
    "Usage: reterm COMMAND",
    "",
    ...table.map(row),
    "",
    "reterm COMMAND --help tells more; reterm --version prints the version.",
    "Home is the folder of $RETE_SECRETS_FILE, else ~/.rete.",
    "Exit code: 0 done, 1 failed, 2 wrong usage.",
    "",
    "To begin:",
    "  reterm session add libera --host 127.0.0.1 --port 6697 --nick alice",
    "  reterm set control.enabled on",
    "  reterm serve",
    "  claude mcp add rete -- reterm bridge        (in another terminal)",
  ].join("\n");
}

/** What `reterm control --help` prints: the commands with that first word. */
export function familyHelp(family: readonly Command[]): string {
  const name = family[0]?.words[0] ?? "";
  return [
    `Usage: reterm ${name} …`,
    "",
    ...family.map(row),
    "",
    "Each takes --help too, and then tells more.",
  ].join("\n");
}

function row({ words, positionals, about }: Command): string {
  const names = positionals.map(({ name, optional }) =>
    optional ? `[${name}]` : name
  );
  return twoColumns([...words, ...names].join(" "), about);
}

/** What `reterm COMMAND --help` prints. */
export function commandHelp(command: Command): string {
  const lines = [
    `Usage: ${usageLine(command)}`,
    "",
    `${capitalised(command.about)}.`,
  ];
  if (command.positionals.length > 0) {
    lines.push(
      "",
      ...command.positionals.map(({ name, about }) => twoColumns(name, about)),
    );
  }
  if (command.flags.length > 0) {
    lines.push(
      "",
      "Flags:",
      ...command.flags.map((flag) => twoColumns(flagForm(flag), flag.about)),
    );
  }
  if (command.notes !== undefined) lines.push("", ...command.notes);
  return lines.join("\n");
}

function flagForm({ name, kind, value }: Flag): string {
  switch (kind) {
    case "none":
      return `--${name}`;
    case "switch":
      return `--${name} on|off`;
    case "text":
    case "list":
      return `--${name} ${value ?? "VALUE"}`;
    default:
      return kind satisfies never;
  }
}

function twoColumns(left: string, right: string): string {
  const gap = left.length < COLUMN - 1 ? COLUMN - left.length : 2;
  return `  ${left}${" ".repeat(gap)}${right}`;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
