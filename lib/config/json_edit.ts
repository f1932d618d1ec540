/**
 * Changes one place of a JSON text and leaves every other byte as it was:
 * order, spacing and line ends are the person's. Each function takes a text
 * that parses and gives back one that parses.
 *
 * @module
 */

import { type JsonNode, memberOf, parseJson } from "./json_text.ts";

/** What an edit may write. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/**
 * Sets the value at `path`, a list of object member names. Objects that are
 * missing on the way are added at the end of the one they belong in.
 */
export function setMember(
  text: string,
  path: readonly string[],
  value: JsonValue,
): string {
  let node = parseJson(text);
  for (const [index, name] of path.entries()) {
    const member = memberOf(node, name);
    if (member === undefined) {
      const rest = path.slice(index + 1);
      return addMember(text, node, name, nest(rest, value));
    }
    node = member.value;
  }
  return splice(text, node, written(value, text, node.start));
}

/** Adds `value` at the end of the array at `path`, adding the array if need be. */
export function appendItem(
  text: string,
  path: readonly string[],
  value: JsonValue,
): string {
  const array = find(parseJson(text), path);
  if (array?.kind !== "array") return setMember(text, path, [value]);
  const last = array.items.at(-1);
  if (last === undefined) {
    return splice(text, array, written([value], text, array.start));
  }
  const item = written(value, text, last.start);
  return text.slice(0, last.end) + "," + gapBefore(text, array, last.start) +
    item + text.slice(last.end);
}

/** Takes the item at `index` out of the array at `path`. */
export function removeItem(
  text: string,
  path: readonly string[],
  index: number,
): string {
  const array = find(parseJson(text), path);
  if (array?.kind !== "array") return text;
  const item = array.items[index];
  if (item === undefined) return text;
  const next = array.items[index + 1];
  const previous = array.items[index - 1];
  if (next !== undefined) {
    return text.slice(0, item.start) + text.slice(next.start);
  }
  if (previous !== undefined) {
    return text.slice(0, previous.end) + text.slice(item.end);
  }
  return splice(text, array, "[]");
}

function find(node: JsonNode, path: readonly string[]): JsonNode | undefined {
  let at: JsonNode | undefined = node;
  for (const name of path) at = at && memberOf(at, name)?.value;
  return at;
}

function nest(path: readonly string[], value: JsonValue): JsonValue {
  return path.reduceRight<JsonValue>(
    (inner, name) => ({ [name]: inner }),
    value,
  );
}

function addMember(
  text: string,
  object: JsonNode,
  name: string,
  value: JsonValue,
): string {
  if (object.kind !== "object") return text;
  const last = object.members.at(-1);
  if (last === undefined) {
    return splice(text, object, written({ [name]: value }, text, object.start));
  }
  const member = `${JSON.stringify(name)}: ${written(value, text, last.start)}`;
  return text.slice(0, last.value.end) + "," +
    gapBefore(text, object, last.start) + member + text.slice(last.value.end);
}

/** What stands between two entries: a new line like the last's, or a space. */
function gapBefore(text: string, inside: JsonNode, entry: number): string {
  const lineStart = text.lastIndexOf("\n", entry - 1) + 1;
  if (lineStart <= inside.start) return " ";
  const lineEnd = text[lineStart - 2] === "\r" ? "\r\n" : "\n";
  return lineEnd + indentAt(text, entry);
}

/** `value` as text, its further lines indented like the line of `offset`. */
function written(value: JsonValue, text: string, offset: number): string {
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  return JSON.stringify(value, null, indentUnit(text))
    .replaceAll("\n", lineEnd + indentAt(text, offset));
}

function indentAt(text: string, offset: number): string {
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(lineStart))?.[0] ?? "";
}

/** The first indentation in the text is one level of it; else two spaces. */
function indentUnit(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
}

function splice(text: string, node: JsonNode, by: string): string {
  return text.slice(0, node.start) + by + text.slice(node.end);
}
