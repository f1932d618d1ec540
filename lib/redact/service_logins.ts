/**
 * The services that take a password in a private message, and which words of
 * such a message are the credential. Data only: {@link LOGIN_RULES} is the
 * contract's table row by row, and everything that masks reads it, so that a
 * service is added or changed in one place.
 *
 * Spec: "Redaction", "Service logins".
 *
 * @module
 */

/** Which words after the verb are the credential. */
export type LoginCredential =
  /** Everything after the verb, masked as one. */
  | "every argument"
  /** The first word after the verb. */
  | "first argument"
  /** The second word after the verb; without one the line is left alone. */
  | "second argument"
  /** Everything after `PASSWORD`, when that is the first word. */
  | "new password";

/** One verb of one service. Names are upper case, compared ignoring case. */
export interface LoginRule {
  readonly target: string;
  readonly verb: string;
  readonly credential: LoginCredential;
}

/** The table of the contract. */
export const LOGIN_RULES: readonly LoginRule[] = [
  { target: "NICKSERV", verb: "IDENTIFY", credential: "every argument" },
  { target: "NICKSERV", verb: "REGISTER", credential: "first argument" },
  { target: "NICKSERV", verb: "GHOST", credential: "second argument" },
  { target: "NICKSERV", verb: "RECOVER", credential: "second argument" },
  { target: "NICKSERV", verb: "ID", credential: "every argument" },
  { target: "NICKSERV", verb: "SET", credential: "new password" },
  { target: "NICKSERV", verb: "GROUP", credential: "second argument" },
  { target: "NICKSERV", verb: "DROP", credential: "second argument" },
  {
    target: "X@CHANNELS.UNDERNET.ORG",
    verb: "LOGIN",
    credential: "second argument",
  },
  {
    target: "Q@CSERVE.QUAKENET.ORG",
    verb: "AUTH",
    credential: "second argument",
  },
  { target: "AUTHSERV", verb: "AUTH", credential: "second argument" },
];

/** Commands that carry a message to the targets in their first parameter. */
export const LOGIN_COMMANDS: readonly string[] = [
  "PRIVMSG",
  "NOTICE",
  "SQUERY",
];

/**
 * Commands that servers turn into a message to a service, with the target
 * whose verbs they are read with: `CS` over-masks rather than under-masks.
 */
export const LOGIN_ALIASES: ReadonlyMap<string, string> = new Map([
  ["NS", "NICKSERV"],
  ["NICKSERV", "NICKSERV"],
  ["CS", "NICKSERV"],
  ["CHANSERV", "NICKSERV"],
]);
