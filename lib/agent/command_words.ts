/**
 * Splits a command as it is written after `--on TYPE=` into the program and its
 * arguments. There is no shell, and these are all the rules: words stand apart
 * by spaces or tabs; a word, or a part of one, may be quoted; between single
 * quotes everything stands for itself; between double quotes `\"` and `\\` are
 * a quote and a backslash; outside of quotes a backslash takes the next
 * character as it is. Nothing is expanded.
 *
 * @module
 */

/** A command that cannot be split; `message` says why. */
export class CommandWordsError extends Error {
  override readonly name = "CommandWordsError";
}

/** The words of `text`, at least one. @throws {CommandWordsError} */
export function splitCommand(text: string): string[] {
  if (text.includes("\0")) throw new CommandWordsError("it holds a NUL");
  const words: string[] = [];
  let at = 0;
  while (at < text.length) {
    if (isBlank(text.charAt(at))) {
      at++;
      continue;
    }
    const { word, end } = readWord(text, at);
    words.push(word);
    at = end;
  }
  if (words.length === 0 || words[0] === "") {
    throw new CommandWordsError("it names no program");
  }
  return words;
}

function readWord(
  text: string,
  start: number,
): { readonly word: string; readonly end: number } {
  let word = "";
  let at = start;
  while (at < text.length && !isBlank(text.charAt(at))) {
    const character = text.charAt(at);
    if (character === "'") {
      const close = text.indexOf("'", at + 1);
      if (close < 0) throw new CommandWordsError("a ' is not closed");
      word += text.slice(at + 1, close);
      at = close + 1;
    } else if (character === '"') {
      const quoted = readDoubleQuoted(text, at + 1);
      word += quoted.word;
      at = quoted.end;
    } else if (character === "\\") {
      if (at + 1 >= text.length) {
        throw new CommandWordsError("a \\ stands at its end");
      }
      word += text.charAt(at + 1);
      at += 2;
    } else {
      word += character;
      at++;
    }
  }
  return { word, end: at };
}

function readDoubleQuoted(text: string, start: number) {
  let word = "";
  for (let at = start; at < text.length; at++) {
    const character = text.charAt(at);
    const next = text.charAt(at + 1);
    if (character === '"') return { word, end: at + 1 };
    if (character === "\\" && (next === '"' || next === "\\")) {
      word += next;
      at++;
    } else word += character;
  }
  throw new CommandWordsError('a " is not closed');
}

function isBlank(character: string): boolean {
  return character === " " || character === "\t";
}
