/**
 * The arguments a tool takes, as one table: the JSON schema that clients see
 * and the checking of what they send both derive from it, so that the two
 * cannot differ. A schema is closed and carries defaults but no maximums,
 * because a larger value is clamped and not refused.
 *
 * Spec: "Tool results and tool errors" (input schemas).
 *
 * @module
 */

interface ParameterBase {
  readonly description: string;
  /**
   * Exists only while `control.debug` is on: else it is not in the schema, and
   * passing it is refused before any other argument is looked at.
   */
  readonly debugOnly?: true;
}

export interface StringParameter extends ParameterBase {
  readonly type: "string";
  readonly required?: true;
  readonly default?: string;
}

/** Clamped to `min`…`max`. */
export interface IntegerParameter extends ParameterBase {
  readonly type: "integer";
  readonly default: number;
  readonly min: number;
  readonly max: number;
}

export interface BooleanParameter extends ParameterBase {
  readonly type: "boolean";
  readonly default: boolean;
}

export interface StringsParameter extends ParameterBase {
  readonly type: "strings";
}

/** A closed object; its properties are optional and are not objects. */
export interface ObjectParameter extends ParameterBase {
  readonly type: "object";
  readonly properties: Readonly<Record<string, FlatParameter>>;
}

export type FlatParameter =
  | StringParameter
  | IntegerParameter
  | BooleanParameter
  | StringsParameter;
export type Parameter = FlatParameter | ObjectParameter;

/** A tool's arguments by name, in the contract's order. */
export type Parameters = Readonly<Record<string, Parameter>>;

type ValueOf<P extends Parameter> = P extends { readonly type: "string" }
  ? P extends { readonly required: true } | { readonly default: string }
    ? string
  : string | undefined
  : P extends { readonly type: "integer" } ? number
  : P extends { readonly type: "boolean" } ? boolean
  : P extends { readonly type: "strings" } ? readonly string[] | undefined
  : P extends
    { readonly type: "object"; readonly properties: infer Q extends Parameters }
    ? ArgumentsOf<Q> | undefined
  : never;

/** Checked arguments: every parameter there, absent optional ones undefined. */
export type ArgumentsOf<P extends Parameters> = {
  readonly [K in keyof P]: ValueOf<P[K]>;
};

/** A JSON schema object, as `tools/list` shows it. */
export interface ObjectSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  readonly additionalProperties: false;
  readonly description?: string;
}

/** The input schema of a tool. */
export function schemaOf(
  parameters: Parameters,
  options: { readonly debug: boolean },
): ObjectSchema {
  const properties: Record<string, object> = {};
  const required: string[] = [];
  for (const [name, parameter] of Object.entries(parameters)) {
    if (parameter.debugOnly && !options.debug) continue;
    properties[name] = propertyOf(parameter, options);
    if (parameter.type === "string" && parameter.required) required.push(name);
  }
  return {
    type: "object",
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

function propertyOf(
  parameter: Parameter,
  options: { readonly debug: boolean },
): object {
  const { description } = parameter;
  switch (parameter.type) {
    case "string":
    case "integer":
    case "boolean":
      return {
        type: parameter.type,
        description,
        ...(parameter.default === undefined
          ? {}
          : { default: parameter.default }),
      };
    case "strings":
      return { type: "array", items: { type: "string" }, description };
    case "object":
      return { ...schemaOf(parameter.properties, options), description };
    default:
      return parameter satisfies never;
  }
}
