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

/** What the rules say of one command. */
interface Known {
  readonly rules: readonly CommandRule[];
  /** Whether its first parameter names targets. */
  readonly hasTargets: boolean;
  /** The verbs of the service it stands for. */
  readonly verbs: Verbs | undefined;
}

/** The logins of one service, by verb in upper case. */
type Verbs = ReadonlyMap<string, LoginRule>;

/** Masks by a set of rules; see the module doc. Holds no state. */
export class Masker {
  // By target in upper case.
  readonly #logins = new Map<string, Map<string, LoginRule>>();
  // By command in upper case.
  readonly #known = new Map<string, Known>();
  // By length: whether every known command so long only names targets.
  readonly #onlyTargets: readonly boolean[];
  readonly #commandLetters: LetterSet;
  readonly #targetLetters: LetterSet;

  constructor(rules: MaskRules = MASK_RULES) {
    for (const rule of rules.logins) {
      const verbs = this.#logins.get(rule.target) ?? new Map();
      this.#logins.set(rule.target, verbs.set(rule.verb, rule));
    }
    const commands = [
      ...rules.commands.map(({ command }) => command),
      ...rules.loginCommands,
      ...rules.aliases.keys(),
    ];
    for (const command of commands) {
      const service = rules.aliases.get(command);
      this.#known.set(command, {
        rules: rules.commands.filter((rule) => rule.command === command),
        hasTargets: rules.loginCommands.includes(command),
        verbs: service === undefined ? undefined : this.#logins.get(service),
      });
    }
    this.#onlyTargets = Array.from(
      { length: MAX_COMMAND_UNITS },
      (_, length) =>
        [...this.#known].every(([command, { rules, verbs }]) =>
          command.length !== length ||
          (rules.length === 0 && verbs === undefined)
        ),
    );
    this.#commandLetters = new LetterSet(commands);
    this.#targetLetters = new LetterSet(this.#logins.keys());
  }

  /** The line as it may be shown; the same string when nothing is secret. */
  line(line: string, origin: LineOrigin): string {
    const start = commandStart(line);
    if (!this.#commandLetters.has(line.charCodeAt(start))) return line;
    const end = wordEnd(line, start);
    // Nearly every message ends here, at a look at its target's first letter,
    // with no part of the line cut out to be looked up.
    if (this.#onlyTargets[end - start] && this.#namesNoService(line, end + 1)) {
      return line;
    }
    const command = line.slice(start, end);
    // As sent first: nearly all are in upper case, and spelling one costs.
    const known = this.#known.get(command) ??
      this.#known.get(upperCase(command));
    if (known === undefined) return line;
    const rule = known.rules.find(({ origins }) => origins.includes(origin));
    const masked = rule?.mask(paramsFrom(line, end)) ??
      this.#loginForm(line, { known, start, end });
    return masked === undefined ? line : sourceOf(line, start) + masked;
  }

  /**
   * The text of a message to `targets`, a comma-separated list, as it may be
   * shown. A text of more lines than one is masked line by line.
   */
  text(targets: string, text: string): string {
    if (this.#namesNoService(targets, 0)) return text;
    const verbs = this.#verbsOf(targets);
    if (verbs === undefined) return text;
    return text.split("\n")
      .map((line) => maskLogin(line, new Words(line, 0, false), verbs) ?? line)
      .join("\n");
  }

  // The line from its command on with the credential masked.
  #loginForm(
    line: string,
    at: { known: Known; start: number; end: number },
  ): string | undefined {
    const { known: { hasTargets, verbs }, start, end } = at;
    if (!hasTargets && verbs === undefined) return undefined;
    const words = new Words(line, end, true);
    if (!hasTargets) return maskLogin(line, words, verbs)?.slice(start);
    const targets = words.next();
    if (targets === undefined) return undefined;
    const named = this.#verbsOf(line.slice(targets.start, targets.end));
    return maskLogin(line, words, named)?.slice(start);
  }

  // Whether the word at `from`, by its first letter and as it is no list, is
  // the name of no login service.
  #namesNoService(text: string, from: number): boolean {
    const first = text.charCodeAt(from);
    if (first === SPACE || first === COLON || this.#targetLetters.has(first)) {
      return false;
    }
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === COMMA) return false;
      if (code === SPACE) return true;
    }
    return true;
  }

  // The verbs of the login services among `targets`.
  #verbsOf(targets: string): Verbs | undefined {
    if (!targets.includes(",")) return this.#logins.get(upperCase(targets));
    const found = new Map<string, LoginRule>();
    for (const target of targets.split(",")) {
      for (const [verb, rule] of this.#logins.get(upperCase(target)) ?? []) {
        found.set(verb, rule);
      }
    }
    return found.size === 0 ? undefined : found;
  }
}

const SPACE = 0x20;
const COMMA = 0x2c;
const COLON = 0x3a;

// Longer than every command in the rules.
const MAX_COMMAND_UNITS = 16;

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
  verbs: Verbs | undefined,
): string | undefined {
  const verb = words.next();
  if (verb === undefined || verbs === undefined) return undefined;
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
