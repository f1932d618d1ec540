/**
 * One alternative of a pattern as it is read: nodes, and literals that are not
 * yet a node since more may follow.
 *
 * @module
 */

import type { Node } from "./ast.ts";
import { fullFold } from "../casefold.ts";
import type { Modes } from "./modes.ts";

/** See the module doc. */
export class Items {
  readonly #modes: () => Modes;
  readonly #nodes: Node[] = [];
  #literal = "";
  /** Whether a quantifier may follow. */
  quantifiable = false;

  constructor(modes: () => Modes) {
    this.#modes = modes;
  }

  addLiteral(point: number): void {
    this.#literal += String.fromCodePoint(point);
    this.quantifiable = true;
  }

  add(node: Node, options: { quantifiable: boolean }): void {
    this.flush();
    this.#nodes.push(node);
    this.quantifiable = options.quantifiable;
  }

  /** Makes a node of the literals so far. */
  flush(): void {
    const text = this.#literal;
    this.#literal = "";
    if (text === "") return;
    const { ignoreCase } = this.#modes();
    this.#nodes.push({
      kind: "literal",
      text: ignoreCase ? foldFully(text) : text,
      ignoreCase,
    });
  }

  /** Takes what a quantifier applies to: the last literal or node. */
  takeLast(): Node {
    const last = Array.from(this.#literal).at(-1);
    if (last !== undefined) {
      this.#literal = this.#literal.slice(0, -last.length);
      this.flush();
      this.#literal = last;
      this.flush();
    }
    this.quantifiable = false;
    return this.#nodes.pop() ?? { kind: "sequence", items: [] };
  }

  finish(): Node {
    this.flush();
    const [only] = this.#nodes;
    return only !== undefined && this.#nodes.length === 1
      ? only
      : { kind: "sequence", items: this.#nodes };
  }
}

function foldFully(text: string): string {
  let folded = "";
  for (const character of text) {
    folded += fullFold(character.codePointAt(0) ?? 0);
  }
  return folded;
}
