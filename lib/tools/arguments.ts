/**
 * Checks the arguments of a call against the tool's table. What the client sent
 * enters, exactly as sent; typed values leave, or the first failure in a fixed
 * order: arguments that the debug switch hides, then arguments the tool does
 * not take (in the order sent), then each argument in the table's order, absent
 * before mistyped. Everything a tool checks itself comes after that.
 *
 * Spec: "Tool results and tool errors" (the `invalid arguments` details,
 * "Integers").
 *
 * @module
 */

import {
  failure,
  missingArgument,
  unknownArgument,
  wrongType,
} from "./failures.ts";
import type {
  ArgumentsOf,
  IntegerParameter,
  Parameter,
  Parameters,
} from "./parameters.ts";

/** Arguments as a client sent them. */
export type SentArguments = Readonly<Record<string, unknown>>;

/** The checked arguments. Throws a ToolFailure; see the module doc. */
export function checkArguments<P extends Parameters>(
  parameters: P,
  sent: SentArguments,
  options: { readonly debug: boolean },
): ArgumentsOf<P> {
  if (!options.debug) refuseHidden(parameters, sent);
  return checkObject(parameters, sent) as ArgumentsOf<P>;
}

function refuseHidden(parameters: Parameters, sent: SentArguments): void {
  for (const [name, parameter] of Object.entries(parameters)) {
    if (parameter.debugOnly && Object.hasOwn(sent, name)) {
      throw failure("debugDisabled");
    }
  }
}

function checkObject(
  parameters: Parameters,
  sent: SentArguments,
  inside?: string,
): Record<string, unknown> {
  for (const name of Object.keys(sent)) {
    if (!Object.hasOwn(parameters, name)) throw unknownArgument(name, inside);
  }
  const checked: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries(parameters)) {
    const path = inside === undefined ? name : `${inside}.${name}`;
    const value = Object.hasOwn(sent, name) ? sent[name] : undefined;
    checked[name] = value === undefined || value === null
      ? absent(parameter, path)
      : checkValue(parameter, value, path);
  }
  return checked;
}

function absent(parameter: Parameter, path: string): unknown {
  switch (parameter.type) {
    case "string":
      if (parameter.required) throw missingArgument(path);
      return parameter.default;
    case "integer":
    case "boolean":
      return parameter.default;
    case "strings":
    case "object":
      return undefined;
    default:
      return parameter satisfies never;
  }
}

function checkValue(
  parameter: Parameter,
  value: unknown,
  path: string,
): unknown {
  switch (parameter.type) {
    case "string":
      if (typeof value !== "string") throw wrongType(path, "a string");
      return value;
    case "integer":
      return checkInteger(parameter, value, path);
    case "boolean":
      if (typeof value !== "boolean") throw wrongType(path, "a boolean");
      return value;
    case "strings":
      if (!isStrings(value)) throw wrongType(path, "an array of strings");
      return value;
    case "object":
      if (!isObject(value)) throw wrongType(path, "an object");
      return checkObject(parameter.properties, value, path);
    default:
      return parameter satisfies never;
  }
}

// Saturating at the ends of 64 bits and then clamping is clamping: the ranges
// lie far inside. A number too big for a double is read as infinite.
function checkInteger(
  parameter: IntegerParameter,
  value: unknown,
  path: string,
): number {
  const isInteger = typeof value === "number" &&
    (Number.isInteger(value) || Math.abs(value) === Infinity);
  if (!isInteger) throw wrongType(path, "an integer");
  return Math.min(parameter.max, Math.max(parameter.min, value));
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) &&
    value.every((entry) => typeof entry === "string");
}

function isObject(value: unknown): value is SentArguments {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
