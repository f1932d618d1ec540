/**
 * A CTCP message inside a text: `\x01COMMAND words\x01`, the last mark often
 * missing. Reading it is all that is done with it: nothing answers one.
 *
 * @module
 */

const MARK = "\x01";

/** A longer word after the mark is text and no command. */
const MAX_COMMAND = 64;

/** See the module doc. */
export interface Ctcp {
  /** In upper case. */
  readonly command: string;
  readonly text: string;
}

/** The CTCP message that `text` is, undefined when it is none. */
export function readCtcp(text: string): Ctcp | undefined {
  if (!text.startsWith(MARK)) return undefined;
  const end = text.indexOf(MARK, 1);
  const body = text.slice(1, end < 0 ? text.length : end);
  const space = body.indexOf(" ");
  const command = (space < 0 ? body : body.slice(0, space)).toUpperCase();
  if (command === "" || command.length > MAX_COMMAND) return undefined;
  return { command, text: space < 0 ? "" : body.slice(space + 1) };
}
