/**
 * What a command of the program is: its words, what follows them, its help,
 * and how it acts. Parsing and the texts of `--help` are made from these rows
 * alone, so what is printed is what is taken.
 *
 * @module
 */

import type { Answer, Operator } from "../operator/operator.ts";

/** A word after the command's own. */
export interface Positional {
  readonly name: string;
  readonly about: string;
  readonly optional?: true;
  /** All that it may be, for completion. */
  readonly choices?: readonly string[];
  /** Takes all words that are left, at least one unless optional. */
  readonly rest?: true;
}

/** A flag. `switch` takes `--name`, `--no-name`, `--name on` or `--name off`. */
export interface Flag {
  readonly name: string;
  readonly kind: "text" | "list" | "switch" | "none";
  /** What follows it, for the help. */
  readonly value?: string;
  /** All that its value may be, for completion. */
  readonly choices?: readonly string[];
  readonly about: string;
}

/** A parsed call. */
export interface Call {
  readonly command: Command;
  readonly args: readonly string[];
  readonly flags: ReadonlyMap<string, readonly string[]>;
  /** What came from standard input, for a command that reads it. */
  readonly input?: string;
  /** Aborted when who asked through the door is gone. */
  readonly signal?: AbortSignal;
}

/** One command. */
export interface Command {
  readonly words: readonly string[];
  readonly about: string;
  /** Further lines of the help. */
  readonly notes?: readonly string[];
  readonly positionals: readonly Positional[];
  readonly flags: readonly Flag[];
  /** Whether standard input is read, and for what; undefined for no. */
  readonly input?: (call: Call) => "line" | "text" | undefined;
  /**
   * How it acts on the program's state, in the service or on the files; absent
   * for a command that the process itself carries out.
   */
  readonly act?: (operator: Operator, call: Call) => Promise<Answer>;
  /** How it acts with neither service nor home. */
  readonly local?: (call: Call) => Answer;
}

/** The last value of a flag. */
export function flagValue(call: Call, name: string): string | undefined {
  return call.flags.get(name)?.at(-1);
}

/** The words of a call were not right; `message` says what to write. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** What was asked for. */
export type Parsed =
  | { readonly kind: "call"; readonly call: Call }
  | { readonly kind: "help"; readonly command: Command | undefined }
  | { readonly kind: "family-help"; readonly family: readonly Command[] }
  | { readonly kind: "version" };

/**
 * Reads the words after the program's name.
 *
 * @throws {UsageError}
 */
export function parseCommand(
  table: readonly Command[],
  words: readonly string[],
): Parsed {
  const [first] = words;
  if (first === undefined || first === "help") {
    return { kind: "help", command: undefined };
  }
  if (first === "--help" || first === "-h") {
    return { kind: "help", command: undefined };
  }
  if (first === "--version" || first === "-V") return { kind: "version" };
  const command = findCommand(table, words);
  if (command === undefined && ["--help", "-h"].includes(words[1] ?? "")) {
    const family = table.filter((row) => row.words[0] === first);
    if (family.length > 0) return { kind: "family-help", family };
  }
  if (command === undefined) throw new UsageError(unknownWords(table, words));
  return parseRest(command, words.slice(command.words.length));
}

function parseRest(command: Command, words: readonly string[]): Parsed {
  const args: string[] = [];
  const flags = new Map<string, string[]>();
  let onlyArgs = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (onlyArgs || !/^-(?:-|[a-zA-Z])/.test(word)) {
      args.push(word);
    } else if (args.length > 0 && isPartOfRest(command, word)) {
      args.push(word);
    } else if (word === "--") {
      onlyArgs = true;
    } else if (word === "--help" || word === "-h") {
      return { kind: "help", command };
    } else {
      at += readFlag(command, words.slice(at), flags);
    }
  }
  checkArgs(command, args);
  return { kind: "call", call: { command, args, flags } };
}

// `reterm do /mode '#rete' -o bob`: what a person types holds dashes of its own.
function isPartOfRest(command: Command, word: string): boolean {
  if (!command.positionals.some(({ rest }) => rest)) return false;
  const [written] = word.split("=");
  return word !== "--help" &&
    !command.flags.some(({ name }) => `--${name}` === written);
}

/** Reads the flag that `words` starts with. Returns how many more it took. */
function readFlag(
  command: Command,
  words: readonly string[],
  into: Map<string, string[]>,
): number {
  const [word = "", next] = words;
  const cut = word.indexOf("=");
  const written = cut < 0 ? word : word.slice(0, cut);
  const inline = cut < 0 ? undefined : word.slice(cut + 1);
  const named = command.flags.find(({ name }) => `--${name}` === written);
  const negated = command.flags.find(({ name, kind }) =>
    kind === "switch" && `--no-${name}` === written
  );
  const flag = named ?? negated;
  if (flag === undefined) {
    throw new UsageError(
      `No flag ${written}: see reterm ${command.words.join(" ")} --help.`,
    );
  }
  const keep = (value: string) => {
    const before = flag.kind === "list" ? into.get(flag.name) ?? [] : [];
    into.set(flag.name, [...before, value]);
  };
  switch (flag.kind) {
    case "none":
      if (inline !== undefined) {
        throw new UsageError(`${written} takes no value.`);
      }
      keep("on");
      return 0;
    case "switch": {
      const follows = inline ?? (isSwitchWord(next) ? next : undefined);
      const isOn = /^(?:on|true)$/i.test(follows ?? "on");
      if (inline !== undefined && !isSwitchWord(inline)) {
        throw new UsageError(`${written} takes on or off, not "${inline}".`);
      }
      keep(isOn === (negated === undefined) ? "on" : "off");
      return inline === undefined && follows !== undefined ? 1 : 0;
    }
    case "text":
    case "list": {
      const value = inline ?? next;
      if (value === undefined) {
        throw new UsageError(`${written} needs ${flag.value ?? "a value"}.`);
      }
      keep(value);
      return inline === undefined ? 1 : 0;
    }
    default:
      return flag.kind satisfies never;
  }
}

function isSwitchWord(word: string | undefined): boolean {
  return word !== undefined && /^(?:on|off|true|false)$/i.test(word);
}

function checkArgs(command: Command, args: readonly string[]): void {
  const { positionals } = command;
  const least = positionals.filter(({ optional }) => !optional).length;
  const most = positionals.some(({ rest }) => rest)
    ? Infinity
    : positionals.length;
  if (args.length >= least && args.length <= most) return;
  const missing = positionals[args.length];
  // The word itself is not shown: it may be a secret in the wrong place.
  const what = args.length > most
    ? "There is a word too many."
    : `${missing?.name ?? "A word"} is missing.`;
  throw new UsageError(`${what} Usage: ${usageLine(command)}`);
}

/** The command with the longest run of leading words. */
function findCommand(
  table: readonly Command[],
  words: readonly string[],
): Command | undefined {
  return table
    .filter((row) => row.words.every((word, index) => words[index] === word))
    .sort((a, b) => b.words.length - a.words.length)[0];
}

function unknownWords(
  table: readonly Command[],
  words: readonly string[],
): string {
  const family = table.filter((row) => row.words[0] === words[0]);
  if (family.length === 0) {
    return `No command "${words[0] ?? ""}": see reterm --help.`;
  }
  const rest = family.map((row) => row.words.slice(1).join(" ")).join(", ");
  return `reterm ${words[0] ?? ""} takes one of: ${rest}.`;
}

/** `reterm session add NAME …`. */
export function usageLine(command: Command): string {
  const parts = ["reterm", ...command.words];
  if (command.flags.length > 0) parts.push("[flags]");
  for (const { name, optional, rest } of command.positionals) {
    const shown = rest ? `${name}…` : name;
    parts.push(optional ? `[${shown}]` : shown);
  }
  return parts.join(" ");
}
