/**
 * Whether a text names a nick as a word of its own: ignoring case, and with
 * nothing beside it that could be part of a longer nick.
 *
 * Spec: "What a subscription matches", mentions.
 *
 * @module
 */

import { foldCase } from "../search/casefold.ts";

const NICK_CHARACTER = /^[\p{L}\p{M}\p{N}\-[\]\\`^_{|}]$/u;

/** See the module doc. An empty nick is mentioned by nothing. */
export function mentionsNick(text: string, nick: string): boolean {
  if (nick === "") return false;
  const folded = foldCase(text);
  const sought = foldCase(nick);
  let at = folded.indexOf(sought);
  while (at >= 0) {
    if (
      !isNickCharacter(characterBefore(folded, at)) &&
      !isNickCharacter(characterAt(folded, at + sought.length))
    ) return true;
    at = folded.indexOf(sought, at + 1);
  }
  return false;
}

function isNickCharacter(character: string): boolean {
  return character !== "" && NICK_CHARACTER.test(character);
}

function characterAt(text: string, at: number): string {
  const point = text.codePointAt(at);
  return point === undefined ? "" : String.fromCodePoint(point);
}

function characterBefore(text: string, at: number): string {
  if (at === 0) return "";
  const unit = text.charCodeAt(at - 1);
  const isLowSurrogate = unit >= 0xdc00 && unit <= 0xdfff;
  return characterAt(text, isLowSurrogate && at > 1 ? at - 2 : at - 1);
}
