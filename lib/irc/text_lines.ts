/**
 * Makes lines of what a person typed: each fits one IRC line once the server has
 * put our source before it. Each line of the input is a message of its own; cuts
 * fall between characters; CR and NUL never get through.
 *
 * @module
 */

/** What a person's text is sent as. */
export type SentKind = "privmsg" | "notice" | "action";

/** RFC 1459: 512 bytes a line with its ending. */
const MAX_LINE_BYTES = 510;

const encoder = new TextEncoder();

/** How texts are wrapped. */
export interface TextLineOptions {
  /** A single word. */
  readonly target: string;
  readonly kind: SentKind;
  /** What the server puts before the line: `:nick!user@host `. */
  readonly sourceBytes: number;
}

/** The lines that send `text`, none when it is empty. */
export function textLines(text: string, options: TextLineOptions): string[] {
  const { target, kind, sourceBytes } = options;
  const command = kind === "notice" ? "NOTICE" : "PRIVMSG";
  const [open, close] = kind === "action" ? ["\x01ACTION ", "\x01"] : ["", ""];
  const head = `${command} ${target} :${open}`;
  const room = MAX_LINE_BYTES - sourceBytes -
    encoder.encode(head + close).length;
  return splitText(text, room).map((part) => head + part + close);
}

/** The parts of `text`, each at most `maxBytes` of UTF-8 and none empty. */
export function splitText(text: string, maxBytes: number): string[] {
  const parts: string[] = [];
  for (const line of text.split(/\r\n|[\r\n]/)) {
    const clean = line.replaceAll("\0", "");
    if (clean !== "") splitLine(clean, Math.max(4, maxBytes), parts);
  }
  return parts;
}

function splitLine(line: string, maxBytes: number, parts: string[]): void {
  let start = 0;
  let bytes = 0;
  let at = 0;
  for (const character of line) {
    const size = utf8Length(character);
    if (bytes + size > maxBytes) {
      parts.push(line.slice(start, at));
      start = at;
      bytes = 0;
    }
    bytes += size;
    at += character.length;
  }
  parts.push(line.slice(start));
}

function utf8Length(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}
