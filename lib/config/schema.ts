/**
 * Rules that turn a parsed JSON value into a checked one, or say where it is
 * wrong and what was expected there. A rule is a function; rules for objects
 * and lists are made from the rules of their parts. Nothing is converted or
 * guessed: `"yes"` is not true and `"6697"` is not a number.
 *
 * @module
 */

import type { JsonNode } from "./json_text.ts";
import { lineOf } from "./json_text.ts";

/** A value that is not what the schema wants. `path` is like `sessions[0].nick`. */
export class SchemaError extends Error {
  override readonly name = "SchemaError";
  constructor(
    readonly path: string,
    readonly line: number,
    readonly expected: string,
  ) {
    super(`${path === "" ? "the file" : path} (line ${line}): ${expected}`);
  }
}

/** Where a value stands: its path, and the text for the line. */
export interface Place {
  readonly text: string;
  readonly path: string;
}

/** Checks a node. Throws {@link SchemaError}. */
export type Rule<T> = (node: JsonNode, at: Place) => T;

/** Refuses the node at this place: `expected` follows "expected". */
export function refuse(node: JsonNode, at: Place, expected: string): never {
  throw new SchemaError(
    at.path,
    lineOf(at.text, node.start),
    `expected ${expected}`,
  );
}

/** true or false. */
export const boolean: Rule<boolean> = (node, at) =>
  node.kind === "boolean" ? node.value : refuse(node, at, "true or false");

/** A whole number from `min` to `max`, both included. */
export function wholeNumber(min: number, max: number): Rule<number> {
  const expected = `a whole number from ${min} to ${max}`;
  return (node, at) => {
    const fits = node.kind === "number" && Number.isInteger(node.value) &&
      node.value >= min && node.value <= max;
    return fits ? node.value : refuse(node, at, expected);
  };
}

/** What {@link text} takes. */
export interface TextLimits {
  /** What the text is, for the error: `a nick`. */
  readonly what: string;
  /** Most UTF-16 units. */
  readonly max: number;
  /** The whole text must match it. */
  readonly pattern?: RegExp;
}

// A line break or NUL in a name would end up inside an IRC line.
// deno-lint-ignore no-control-regex -- control characters are what is refused
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** A text that is not empty, has no control character, and fits `limits`. */
export function text(limits: TextLimits): Rule<string> {
  return (node, at) => {
    if (node.kind !== "string") return refuse(node, at, limits.what);
    const { value } = node;
    if (value === "") return refuse(node, at, `${limits.what}, not ""`);
    if (value.length > limits.max) {
      return refuse(
        node,
        at,
        `${limits.what} of at most ${limits.max} characters`,
      );
    }
    if (CONTROL.test(value)) {
      return refuse(node, at, `${limits.what} without control characters`);
    }
    if (limits.pattern !== undefined && !limits.pattern.test(value)) {
      return refuse(node, at, limits.what);
    }
    return value;
  };
}

/** One of a few words. */
export function oneOf<const T extends string>(words: readonly T[]): Rule<T> {
  const expected = words.map((word) => `"${word}"`).join(" or ");
  return (node, at) => {
    const found = node.kind === "string"
      ? words.find((word) => word === node.value)
      : undefined;
    return found ?? refuse(node, at, expected);
  };
}

/** A list of at most `max` values of one rule. */
export function list<T>(rule: Rule<T>, max: number): Rule<T[]> {
  return (node, at) => {
    if (node.kind !== "array") return refuse(node, at, "a list in [ ]");
    if (node.items.length > max) {
      return refuse(node, at, `a list of at most ${max}`);
    }
    return node.items.map((item, index) =>
      rule(item, { ...at, path: `${at.path}[${index}]` })
    );
  };
}

/** One rule a name; each may be absent. */
export type Fields = Readonly<Record<string, Rule<unknown>>>;

/** The checked fields that were there. */
export type Values<F extends Fields> = { [K in keyof F]?: ReturnType<F[K]> };

/** An object with these names and no others, `required` ones there. */
export function object<F extends Fields>(
  fields: F,
  required: readonly (keyof F & string)[] = [],
): Rule<Values<F>> {
  return (node, at) => {
    if (node.kind !== "object") return refuse(node, at, "an object in { }");
    const found = new Map<string, unknown>();
    for (const { name, value, start } of node.members) {
      const place = { ...at, path: joined(at.path, name) };
      const rule = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (rule === undefined) {
        refuse({ ...value, start }, place, anyOf(Object.keys(fields)));
      }
      found.set(name, rule(value, place));
    }
    for (const name of required) {
      if (!found.has(name)) refuse(node, at, `"${name}" in it`);
    }
    return Object.fromEntries(found) as Values<F>;
  };
}

function joined(path: string, name: string): string {
  const shown = /^[\w-]{1,64}$/.test(name)
    ? name
    : JSON.stringify(name.slice(0, 64));
  return path === "" ? shown : `${path}.${shown}`;
}

function anyOf(names: readonly string[]): string {
  return `only these names: ${names.join(", ")}`;
}
