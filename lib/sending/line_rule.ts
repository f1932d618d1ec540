/**
 * Which lines an agent may send: a raw line enters, and the first rule it
 * breaks leaves, in the contract's order. A line is refused, never cut or
 * repaired.
 *
 * Spec: "Sending", the line rule.
 *
 * @module
 */

/** The longest message, tags and line ending apart, in UTF-8 bytes. */
export const MAX_MESSAGE_BYTES = 510;

/** The longest tag data, between `@` and the first space, in UTF-8 bytes. */
export const MAX_TAG_BYTES = 4094;

/** The rules, by what a line that breaks them is. */
export type LineFault =
  | "line-break"
  | "empty"
  | "too-long"
  | "tags-too-long"
  | "tags-without-message"
  | "tags-not-negotiated";

// CR, LF, VT, FF, NEL and the Unicode separators end a line somewhere.
const LINE_BREAK_OR_NUL = /[\0\n\v\f\r\x85\u2028\u2029]/;

const ONLY_WHITESPACE = /^[\t\p{Z}]*$/u;

const encoder = new TextEncoder();

/** The first rule that `line` breaks, undefined when it may be sent. */
export function findLineFault(
  line: string,
  session: { readonly hasMessageTags: boolean },
): LineFault | undefined {
  if (LINE_BREAK_OR_NUL.test(line)) return "line-break";
  if (ONLY_WHITESPACE.test(line)) return "empty";
  const { tags, message } = splitTags(line);
  if (byteLength(message) > MAX_MESSAGE_BYTES) return "too-long";
  if (tags === undefined) return undefined;
  if (byteLength(tags) > MAX_TAG_BYTES) return "tags-too-long";
  if (tags === "" || ONLY_WHITESPACE.test(message)) {
    return "tags-without-message";
  }
  return session.hasMessageTags ? undefined : "tags-not-negotiated";
}

/** Tag data without its `@`, undefined when there is none, and the rest. */
function splitTags(
  line: string,
): { readonly tags: string | undefined; readonly message: string } {
  if (!line.startsWith("@")) return { tags: undefined, message: line };
  const space = line.indexOf(" ");
  if (space < 0) return { tags: line.slice(1), message: "" };
  return { tags: line.slice(1, space), message: line.slice(space + 1) };
}

function byteLength(text: string): number {
  return encoder.encode(text).length;
}
