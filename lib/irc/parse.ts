/**
 * One line of text to an {@link IrcMessage}: tags, source, command,
 * parameters, by position and never by meaning. Whether the last parameter had
 * a colon makes no difference; runs of spaces separate; spaces in and after a
 * trailing parameter are kept. A line without a command is no message.
 *
 * irc-framework has a parser too. It folds the case of tag names, and its line
 * ending pattern takes quadratic time on a line of many CRs.
 *
 * Follows RFC 1459 section 2.3.1 and IRCv3 message-tags.
 *
 * @module
 */

import type { IrcMessage } from "./message.ts";

const SPACE = 0x20;
const COLON = 0x3a;
const AT = 0x40;

type Tags = Record<string, string>;

/** Shared by all messages without tags; frozen, as it is given out. */
const NO_TAGS: Readonly<Tags> = Object.freeze(Object.create(null));

interface Source {
  readonly nick: string;
  readonly user: string;
  readonly host: string;
}

/**
 * Parses a line without its ending. Undefined for a blank line and for one
 * that has no command. Never throws.
 */
export function parseLine(line: string): IrcMessage | undefined {
  let at = skipSpaces(line, 0);
  let tags = NO_TAGS;
  if (line.charCodeAt(at) === AT) {
    const end = wordEnd(line, at);
    tags = parseTags(line.slice(at + 1, end));
    at = skipSpaces(line, end);
  }
  let source = "";
  if (line.charCodeAt(at) === COLON) {
    const end = wordEnd(line, at);
    source = line.slice(at + 1, end);
    at = skipSpaces(line, end);
  }
  const commandEnd = wordEnd(line, at);
  if (commandEnd === at) return undefined;
  const command = line.slice(at, commandEnd).toUpperCase();
  const params = parseParams(line, commandEnd);
  const { nick, user, host } = parseSource(source);
  return { tags, source, nick, user, host, command, params };
}

function parseParams(line: string, start: number): string[] {
  const params: string[] = [];
  let at = skipSpaces(line, start);
  while (at < line.length) {
    if (line.charCodeAt(at) === COLON) {
      params.push(line.slice(at + 1));
      break;
    }
    const end = wordEnd(line, at);
    params.push(line.slice(at, end));
    at = skipSpaces(line, end);
  }
  return params;
}

/** Splits `nick!user@host`; a bare name with a dot or colon is a server's. */
function parseSource(source: string): Source {
  const bang = source.indexOf("!");
  const at = source.lastIndexOf("@");
  if (bang >= 0 && at > bang) {
    return {
      nick: source.slice(0, bang),
      user: source.slice(bang + 1, at),
      host: source.slice(at + 1),
    };
  }
  if (bang >= 0) {
    return {
      nick: source.slice(0, bang),
      user: source.slice(bang + 1),
      host: "",
    };
  }
  if (at >= 0) {
    return {
      nick: source.slice(0, at),
      user: "",
      host: source.slice(at + 1),
    };
  }
  const isServer = source.includes(".") || source.includes(":");
  return { nick: isServer ? "" : source, user: "", host: "" };
}

function parseTags(text: string): Readonly<Tags> {
  const tags: Tags = Object.create(null);
  let equals = -1;
  for (let at = 0; at < text.length;) {
    const semicolon = text.indexOf(";", at);
    const end = semicolon < 0 ? text.length : semicolon;
    // Looked for again only once it is passed: most tags of a hostile line have
    // none, and a look for each would go over all the rest.
    if (equals < at) equals = nextOrEnd(text, "=", at);
    const keyEnd = Math.min(equals, end);
    if (keyEnd > at) {
      tags[text.slice(at, keyEnd)] = unescapeTag(text.slice(keyEnd + 1, end));
    }
    at = end + 1;
  }
  return tags;
}

function nextOrEnd(text: string, character: string, start: number): number {
  const found = text.indexOf(character, start);
  return found < 0 ? text.length : found;
}

function unescapeTag(value: string): string {
  if (!value.includes("\\")) return value;
  return value.replace(/\\([^]?)/g, (_, escaped: string) => {
    switch (escaped) {
      case ":":
        return ";";
      case "s":
        return " ";
      case "r":
        return "\r";
      case "n":
        return "\n";
      default:
        // `\\` and unknown escapes stand for the character after the slash,
        // and a slash at the end for nothing.
        return escaped;
    }
  });
}

function skipSpaces(line: string, start: number): number {
  let at = start;
  while (line.charCodeAt(at) === SPACE) at++;
  return at;
}

function wordEnd(line: string, start: number): number {
  const space = line.indexOf(" ", start);
  return space < 0 ? line.length : space;
}
