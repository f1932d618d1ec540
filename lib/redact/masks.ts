/**
 * Masking at the source: a line, or the text of a row, goes in as it is on the
 * wire and comes out as it may be shown and kept. What needs nothing comes out
 * as the same string, after a look at the first letter of its command.
 *
 * How a line came to be decides what is recognised in it. A login to a service
 * is masked whoever sent it. PASS, OPER and AUTHENTICATE are masked when the
 * client made the line or an agent sent it; typed with `/quote` they are not,
 * as the contract lists, and the tripwire withholds them on the way out. The
 * same holds for what the server sends.
 *
 * A masked line keeps its source and drops its tags. Nothing is repaired: the
 * words that are no credential stand as they were sent.
 *
 * Spec: "Redaction" (at the source, service logins), "Sending" (masking).
 *
 * @module
 */

import {
  LOGIN_ALIASES,
  LOGIN_COMMANDS,
  LOGIN_RULES,
  type LoginRule,
} from "./service_logins.ts";
import {
  commandStart,
  paramsFrom,
  sourceOf,
  upperCase,
  wordEnd,
  Words,
} from "./wire_words.ts";

/** What stands in place of a credential. */
export const MASK = "********";

/** How a line came to be. */
export type LineOrigin =
  /** The server sent it. */
  | "server"
  /** The client made it: registration, SASL, `/oper` and other commands. */
  | "client"
  /** A person typed the line itself, with `/quote`. */
  | "quoted"
  /** An agent sent it with `send_raw`. */
  | "agent";

/** A command whose parameters are a credential. */
export interface CommandRule {
  readonly command: string;
  readonly origins: readonly LineOrigin[];
  /** The masked form for these parameters, undefined to leave the line. */
  readonly mask: (params: readonly string[]) => string | undefined;
}

/** The commands of the contract. */
export const COMMAND_RULES: readonly CommandRule[] = [
  {
    command: "PASS",
    origins: ["client", "agent"],
    mask: () => `PASS :${MASK}`,
  },
  {
    command: "OPER",
    origins: ["client", "agent"],
    // A lone parameter may be the password with the name forgotten.
    mask: ([name, ...rest]) =>
      name === undefined || rest.length === 0
        ? `OPER ${MASK}`
        : `OPER ${name} ${MASK}`,
  },
  {
    command: "AUTHENTICATE",
    origins: ["client"],
    mask: ([argument, ...rest]) =>
      argument !== undefined && rest.length === 0 && isPublicArgument(argument)
        ? undefined
        : `AUTHENTICATE ${MASK}`,
  },
  {
    command: "AUTHENTICATE",
    origins: ["agent"],
    mask: () => `AUTHENTICATE ${MASK}`,
  },
];

/** What a {@link Masker} goes by. A test leaves single rules out. */
export interface MaskRules {
  readonly commands: readonly CommandRule[];
  readonly logins: readonly LoginRule[];
  readonly loginCommands: readonly string[];
  readonly aliases: ReadonlyMap<string, string>;
}

/** Every rule of the contract. */
export const MASK_RULES: MaskRules = {
  commands: COMMAND_RULES,
  logins: LOGIN_RULES,
  loginCommands: LOGIN_COMMANDS,
  aliases: LOGIN_ALIASES,
};

/** Masks by a set of rules; see the module doc. Holds no state. */
export class Masker {
  // By command in upper case.
  readonly #commands = new Map<string, CommandRule[]>();
  readonly #loginCommands: ReadonlySet<string>;
  readonly #aliases: ReadonlyMap<string, string>;
  // By target, then verb, in upper case.
  readonly #logins = new Map<string, Map<string, LoginRule>>();
  readonly #commandLetters: LetterSet;
  readonly #targetLetters: LetterSet;

  constructor(rules: MaskRules = MASK_RULES) {
    for (const rule of rules.commands) {
      const same = this.#commands.get(rule.command) ?? [];
      this.#commands.set(rule.command, [...same, rule]);
    }
    for (const rule of rules.logins) {
      const verbs = this.#logins.get(rule.target) ?? new Map();
      this.#logins.set(rule.target, verbs.set(rule.verb, rule));
    }
    this.#loginCommands = new Set(rules.loginCommands);
    this.#aliases = rules.aliases;
    this.#commandLetters = new LetterSet([
      ...this.#commands.keys(),
      ...rules.loginCommands,
      ...rules.aliases.keys(),
    ]);
    this.#targetLetters = new LetterSet(this.#logins.keys());
  }

  /** The line as it may be shown; the same string when nothing is secret. */
  line(line: string, origin: LineOrigin): string {
    const start = commandStart(line);
    if (!this.#commandLetters.has(line.charCodeAt(start))) return line;
    const end = wordEnd(line, start);
    const command = upperCase(line.slice(start, end));
    const masked = this.#commandForm(line, { command, end, origin }) ??
      this.#loginForm(line, { command, start, end });
    return masked === undefined ? line : sourceOf(line, start) + masked;
  }

  /**
   * The text of a message to `targets`, a comma-separated list, as it may be
   * shown. A text of more lines than one is masked line by line.
   */
  text(targets: string, text: string): string {
    if (
      !this.#targetLetters.has(targets.charCodeAt(0)) &&
      !targets.includes(",")
    ) {
      return text;
    }
    const verbs = this.#verbsOf(targets);
    if (verbs === undefined) return text;
    return text.split("\n")
      .map((line) => maskLogin(line, new Words(line, 0, false), verbs) ?? line)
      .join("\n");
  }

  #commandForm(
    line: string,
    at: { command: string; end: number; origin: LineOrigin },
  ): string | undefined {
    const rules = this.#commands.get(at.command);
    const rule = rules?.find(({ origins }) => origins.includes(at.origin));
    return rule?.mask(paramsFrom(line, at.end));
  }

  // The line from its command on with the credential masked.
  #loginForm(
    line: string,
    at: { command: string; start: number; end: number },
  ): string | undefined {
    const words = new Words(line, at.end, true);
    const alias = this.#aliases.get(at.command);
    let verbs = alias === undefined ? undefined : this.#logins.get(alias);
    if (this.#loginCommands.has(at.command)) {
      const targets = words.next();
      if (targets === undefined) return undefined;
      verbs = this.#verbsOf(line.slice(targets.start, targets.end));
    }
    if (verbs === undefined) return undefined;
    return maskLogin(line, words, verbs)?.slice(at.start);
  }

  // The verbs of the login services among `targets`.
  #verbsOf(targets: string): Map<string, LoginRule> | undefined {
    if (!targets.includes(",")) {
      return this.#targetLetters.has(targets.charCodeAt(0))
        ? this.#logins.get(upperCase(targets))
        : undefined;
    }
    const found = new Map<string, LoginRule>();
    for (const target of targets.split(",")) {
      for (const [verb, rule] of this.#logins.get(upperCase(target)) ?? []) {
        found.set(verb, rule);
      }
    }
    return found.size === 0 ? undefined : found;
  }
}

// What says only how a login goes on, never with what.
function isPublicArgument(argument: string): boolean {
  return argument === "+" || argument === "*" || argument === "PLAIN" ||
    argument === "EXTERNAL" || argument.startsWith("SCRAM-");
}

// The line from `words` on, its first word being the verb, with the credential
// of the verb's rule masked; undefined when there is nothing to mask.
function maskLogin(
  line: string,
  words: Words,
  verbs: ReadonlyMap<string, LoginRule>,
): string | undefined {
  const verb = words.next();
  if (verb === undefined) return undefined;
  const rule = verbs.get(upperCase(line.slice(verb.start, verb.end)));
  if (rule === undefined) return undefined;
  let secret = words.next();
  if (secret === undefined) return undefined;
  let end = line.length;
  switch (rule.credential) {
    case "every argument":
      break;
    case "first argument":
      end = secret.end;
      break;
    case "second argument":
      secret = words.next();
      end = secret?.end ?? end;
      break;
    case "new password": {
      const setting = line.slice(secret.start, secret.end);
      if (upperCase(setting) !== "PASSWORD") return undefined;
      secret = words.next();
      break;
    }
    default:
      rule.credential satisfies never;
  }
  if (secret === undefined) return undefined;
  // A last parameter is one argument, however many words it has.
  if (secret.from !== secret.start) end = line.length;
  return line.slice(0, secret.from) + MASK + line.slice(end);
}

// First letters of a few upper-case names, both cases, to pass a line by on.
class LetterSet {
  readonly #has = new Uint8Array(128);

  constructor(names: Iterable<string>) {
    for (const name of names) {
      this.#has[name.charCodeAt(0)] = 1;
      this.#has[name.toLowerCase().charCodeAt(0)] = 1;
    }
  }

  // NaN, from past the end of a string, is in no set.
  has(code: number): boolean {
    return this.#has[code] === 1;
  }
}

/** The masker by the contract's rules. */
export const masker: Masker = new Masker();
