/**
 * How a session's lines look wherever they are shown or kept: masked at the
 * source, by what they are and by how they came to be. Lines that are on their
 * way to the server are known by their text until they are written or never
 * will be; any other line going out is the client's own.
 *
 * Spec: "Redaction" (at the source, service logins, `/smsg`), "Sending".
 *
 * @module
 */

import type { Clock } from "../clock.ts";
import { type LineOrigin, MASK, masker } from "../redact/masks.ts";
import { SensitiveEchoes } from "../redact/sensitive_echo.ts";
import type { IrcMessage } from "./message.ts";
import { parseLine } from "./parse.ts";

/** How a line on its way is to be shown. */
export type Showing =
  /** As its origin has it. */
  | { readonly kind: "origin"; readonly origin: LineOrigin }
  /** As this text, and its echo masked likewise: it is sensitive. */
  | { readonly kind: "instead"; readonly shown: string };

/** The line as `showing` has it. */
export function shownAs(line: string, showing: Showing): string {
  switch (showing.kind) {
    case "origin":
      return masker.line(line, showing.origin);
    case "instead":
      return showing.shown;
    default:
      return showing satisfies never;
  }
}

/** What showing needs of its session. */
export interface ShownLinesHost {
  readonly clock: Clock;
  sameName(a: string, b: string): boolean;
  isOwn(nick: string): boolean;
}

/** Targets of one sensitive line whose echoes are told apart. */
const MAX_TARGETS = 16;

/** See the module doc. */
export class ShownLines {
  readonly #host: ShownLinesHost;
  readonly #echoes: SensitiveEchoes;
  // By the line, oldest first: the same line may be on its way twice. As many
  // as the send queue holds.
  #underWay = new Map<string, Showing[]>();

  constructor(host: ShownLinesHost) {
    this.#host = host;
    this.#echoes = new SensitiveEchoes(
      host.clock,
      (a, b) => host.sameName(a, b),
    );
  }

  /** A line is handed to the connection. Call the result once it is settled. */
  expect(line: string, showing: Showing): () => void {
    const same = this.#underWay.get(line) ?? [];
    same.push(showing);
    this.#underWay.set(line, same);
    return () => {
      const left = (this.#underWay.get(line) ?? [])
        .filter((other) => other !== showing);
      if (left.length > 0) this.#underWay.set(line, left);
      else this.#underWay.delete(line);
    };
  }

  /** A line was written: how it is shown. */
  written(line: string): string {
    const [showing] = this.#underWay.get(line) ?? [];
    if (showing === undefined) return masker.line(line, "client");
    if (showing.kind === "instead") this.#awaitEchoes(line);
    return shownAs(line, showing);
  }

  /** A line came from the server: how it is shown. */
  received(line: string): string {
    if (this.#echoes.size > 0) {
      const message = parseLine(line);
      const text = message && this.#ownText(message);
      if (
        message !== undefined && text !== undefined &&
        this.#echoes.takeLine(text.target, text.text)
      ) {
        return `:${message.source} ${message.command} ${text.target} :${MASK}`;
      }
    }
    return masker.line(line, "server");
  }

  /** The text of a row for a message to `target`, as it is kept. */
  rowText(target: string, text: string, isOwn: boolean): string {
    if (isOwn && this.#echoes.takeRow(target, text)) return MASK;
    return masker.text(target, text);
  }

  /** The connection is gone: no echo of it will come. */
  disconnected(): void {
    this.#echoes.clear();
  }

  #awaitEchoes(line: string): void {
    const [targets, text] = parseLine(line)?.params ?? [];
    if (targets === undefined || text === undefined) return;
    for (const target of targets.split(",", MAX_TARGETS)) {
      this.#echoes.sent(target, text);
    }
  }

  #ownText(
    { command, nick, params }: IrcMessage,
  ): { readonly target: string; readonly text: string } | undefined {
    const [target, text] = params;
    if (command !== "PRIVMSG" && command !== "NOTICE") return undefined;
    if (target === undefined || text === undefined) return undefined;
    return this.#host.isOwn(nick) ? { target, text } : undefined;
  }
}
