/**
 * The words of a raw line by their places, for masking a word where it stands
 * without taking the line apart and putting it together again. Runs of spaces
 * separate, and a line may start with some: servers read it so.
 *
 * Spec: RFC 1459 section 2.3.1; IRCv3 message tags.
 *
 * @module
 */

const SPACE = 0x20;
const AT_SIGN = 0x40;
const COLON = 0x3a;

/**
 * The command or numeric of a line, upper case, read past an `@tags` word and
 * a `:source` word; `""` when there is none.
 */
export function commandOf(line: string): string {
  const start = commandStart(line);
  return upperCase(line.slice(start, wordEnd(line, start)));
}

/** A word's place; `from` counts the colon of a last parameter in. */
export interface Word {
  readonly from: number;
  readonly start: number;
  readonly end: number;
}

/**
 * The words of a line from a place on. In a line, unlike in a text, the first
 * word with a colon starts the last parameter and the colon is no part of it.
 */
export class Words {
  readonly #line: string;
  #at: number;
  #mayStartLast: boolean;

  constructor(line: string, from: number, hasParameters: boolean) {
    this.#line = line;
    this.#at = from;
    this.#mayStartLast = hasParameters;
  }

  next(): Word | undefined {
    const from = skipSpaces(this.#line, this.#at);
    let start = from;
    if (this.#mayStartLast && this.#line.charCodeAt(start) === COLON) {
      this.#mayStartLast = false;
      start = skipSpaces(this.#line, start + 1);
    }
    if (start >= this.#line.length) return undefined;
    this.#at = wordEnd(this.#line, start);
    return { from, start, end: this.#at };
  }
}

/** The place of the command, past tags and source. */
export function commandStart(line: string): number {
  let at = skipSpaces(line, 0);
  if (line.charCodeAt(at) === AT_SIGN) at = skipSpaces(line, wordEnd(line, at));
  if (line.charCodeAt(at) === COLON) at = skipSpaces(line, wordEnd(line, at));
  return at;
}

/** The source word before the command with a space after it, `""` without one. */
export function sourceOf(line: string, command: number): string {
  const head = line.slice(0, command).trimEnd();
  const word = head.slice(head.lastIndexOf(" ") + 1);
  return word.startsWith(":") ? `${word} ` : "";
}

/** The parameters of a line whose command ends at `end`. */
export function paramsFrom(line: string, end: number): string[] {
  const params: string[] = [];
  for (let at = skipSpaces(line, end); at < line.length;) {
    if (line.charCodeAt(at) === COLON) return [...params, line.slice(at + 1)];
    const stop = wordEnd(line, at);
    params.push(line.slice(at, stop));
    at = skipSpaces(line, stop);
  }
  return params;
}

function skipSpaces(line: string, from: number): number {
  let at = from;
  while (line.charCodeAt(at) === SPACE) at++;
  return at;
}

/** The place after the word at `from`. */
export function wordEnd(line: string, from: number): number {
  const end = line.indexOf(" ", from);
  return end === -1 ? line.length : end;
}

/** Only ASCII letters have a case in IRC: no other letter may turn into one. */
export function upperCase(text: string): string {
  // Most are in upper case already; what is must not be copied.
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= LOWER_A && code <= LOWER_Z) return upperCased(text);
  }
  return text;
}

const LOWER_A = 0x61;
const LOWER_Z = 0x7a;

function upperCased(text: string): string {
  return text.replace(/[a-z]/g, (letter) => letter.toUpperCase());
}
