/**
 * Which nick to try next while registering: the wanted one, then the
 * configured others, then the wanted one with `_` appended, shortened where a
 * server with short nicks would cut the `_` off again. The list ends, and then
 * so does the attempt.
 *
 * @module
 */

/** RFC 1459's length, which servers with no other still have. */
const SHORT_NICK_CHARS = 9;
const MAX_UNDERSCORES = 3;

/**
 * Whether `nick` can stand as one parameter of a line. What a server takes
 * beyond that is the server's to say.
 */
export function isPossibleNick(nick: string): boolean {
  return /^[^\s\0:,!@][^\s\0,!@]*$/u.test(nick);
}

/** The nicks to try, in order, each once. */
export function nickChoices(
  wanted: string,
  others: readonly string[],
): string[] {
  const choices = new Set([wanted, ...others]);
  for (let count = 1; count <= MAX_UNDERSCORES; count++) {
    choices.add(wanted + "_".repeat(count));
  }
  for (let count = 1; count <= MAX_UNDERSCORES; count++) {
    choices.add(
      wanted.slice(0, SHORT_NICK_CHARS - count) + "_".repeat(count),
    );
  }
  return [...choices];
}
