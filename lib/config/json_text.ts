/**
 * Reads JSON and remembers where everything stood, so that an error can name
 * its line and an edit can change one value and leave the rest as the person
 * wrote it. Strict RFC 8259, and stricter in two ways that a hand-written file
 * needs: a name given twice is an error, and so is nesting past
 * {@link MAX_DEPTH}. Errors never quote the text: it may be a secrets file.
 *
 * `JSON.parse` was the alternative: it has no positions, keeps the last of two
 * equal names silently, and quotes the text in its errors.
 *
 * @module
 */

/** Deeper than any file of ours, and far from what exhausts the stack. */
export const MAX_DEPTH = 32;

/** A value and the half-open range of the text it stands in. */
export type JsonNode =
  & { readonly start: number; readonly end: number }
  & (
    | { readonly kind: "object"; readonly members: readonly JsonMember[] }
    | { readonly kind: "array"; readonly items: readonly JsonNode[] }
    | { readonly kind: "string"; readonly value: string }
    | { readonly kind: "number"; readonly value: number }
    | { readonly kind: "boolean"; readonly value: boolean }
    | { readonly kind: "null" }
  );

/** A name with its value; `start` is where the name's quote is. */
export interface JsonMember {
  readonly name: string;
  readonly start: number;
  readonly value: JsonNode;
}

/** The text is not JSON. Line and column count from 1. */
export class JsonSyntaxError extends Error {
  override readonly name = "JsonSyntaxError";
  constructor(
    readonly line: number,
    readonly column: number,
    readonly expected: string,
  ) {
    super(`line ${line}, column ${column}: expected ${expected}`);
  }
}

/** The line, from 1, that `offset` of `text` is on. */
export function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = 0; at < offset && at < text.length; at++) {
    if (text[at] === "\n") line++;
  }
  return line;
}

/**
 * Parses `text`; a byte order mark before it is skipped.
 *
 * @throws {JsonSyntaxError}
 */
export function parseJson(text: string): JsonNode {
  const parser = new Parser(text);
  return parser.document();
}

/** The member called `name`, when `node` is an object that has one. */
export function memberOf(node: JsonNode, name: string): JsonMember | undefined {
  if (node.kind !== "object") return undefined;
  return node.members.find((member) => member.name === name);
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const HEX4 = /[0-9a-fA-F]{4}/y;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

class Parser {
  readonly #text: string;
  #at: number;

  constructor(text: string) {
    this.#text = text;
    this.#at = text.startsWith("\uFEFF") ? 1 : 0;
  }

  document(): JsonNode {
    const value = this.#value(0);
    this.#space();
    if (this.#at < this.#text.length) this.#fail("the end of the file");
    return value;
  }

  #value(depth: number): JsonNode {
    if (depth > MAX_DEPTH) this.#fail(`nesting of at most ${MAX_DEPTH} levels`);
    this.#space();
    const start = this.#at;
    switch (this.#text[start]) {
      case "{":
        return this.#object(depth);
      case "[":
        return this.#array(depth);
      case '"': {
        const value = this.#string();
        return { kind: "string", value, start, end: this.#at };
      }
      case "t":
        return this.#word("true", { kind: "boolean", value: true });
      case "f":
        return this.#word("false", { kind: "boolean", value: false });
      case "n":
        return this.#word("null", { kind: "null" });
      default:
        return this.#number();
    }
  }

  #object(depth: number): JsonNode {
    const start = this.#at++;
    const members: JsonMember[] = [];
    const names = new Set<string>();
    this.#space();
    if (this.#take("}")) {
      return { kind: "object", members, start, end: this.#at };
    }
    while (true) {
      this.#space();
      const nameStart = this.#at;
      if (this.#text[nameStart] !== '"') this.#fail("a name in double quotes");
      const name = this.#string();
      if (names.has(name)) {
        this.#at = nameStart;
        this.#fail("each name only once in an object");
      }
      names.add(name);
      this.#space();
      if (!this.#take(":")) this.#fail('":" after the name');
      members.push({ name, start: nameStart, value: this.#value(depth + 1) });
      this.#space();
      if (this.#take("}")) break;
      if (!this.#take(",")) this.#fail('"," or "}" after the value');
    }
    return { kind: "object", members, start, end: this.#at };
  }

  #array(depth: number): JsonNode {
    const start = this.#at++;
    const items: JsonNode[] = [];
    this.#space();
    if (this.#take("]")) return { kind: "array", items, start, end: this.#at };
    while (true) {
      items.push(this.#value(depth + 1));
      this.#space();
      if (this.#take("]")) break;
      if (!this.#take(",")) this.#fail('"," or "]" after the value');
    }
    return { kind: "array", items, start, end: this.#at };
  }

  #string(): string {
    this.#at++;
    let value = "";
    while (true) {
      const char = this.#text[this.#at];
      if (char === undefined || char < " ") {
        this.#fail("the closing quote of the text");
      }
      this.#at++;
      if (char === '"') return value;
      value += char === "\\" ? this.#escape() : char;
    }
  }

  #escape(): string {
    const char = this.#text[this.#at] ?? "";
    if (char === "u") {
      HEX4.lastIndex = this.#at + 1;
      const digits = HEX4.exec(this.#text)?.[0];
      if (digits === undefined) this.#fail("four hexadecimal digits after \\u");
      this.#at += 5;
      return String.fromCharCode(parseInt(digits, 16));
    }
    const value = ESCAPES[char];
    if (value === undefined) this.#fail('an escape such as \\n, \\" or \\\\');
    this.#at++;
    return value;
  }

  #number(): JsonNode {
    const start = this.#at;
    NUMBER.lastIndex = start;
    const digits = NUMBER.exec(this.#text)?.[0];
    if (digits === undefined) this.#fail("a value");
    this.#at += digits.length;
    return { kind: "number", value: Number(digits), start, end: this.#at };
  }

  #word(
    word: string,
    node: { kind: "boolean"; value: boolean } | { kind: "null" },
  ): JsonNode {
    const start = this.#at;
    if (!this.#text.startsWith(word, start)) this.#fail("a value");
    this.#at += word.length;
    return { ...node, start, end: this.#at };
  }

  #take(char: string): boolean {
    if (this.#text[this.#at] !== char) return false;
    this.#at++;
    return true;
  }

  #space(): void {
    while (" \t\r\n".includes(this.#text[this.#at] ?? "x")) this.#at++;
  }

  #fail(expected: string): never {
    const before = this.#text.slice(0, this.#at);
    const column = this.#at - (before.lastIndexOf("\n") + 1) + 1;
    throw new JsonSyntaxError(lineOf(this.#text, this.#at), column, expected);
  }
}
