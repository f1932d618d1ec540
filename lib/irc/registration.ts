/**
 * The time between the open socket and 001: which nick is asked for next when
 * one is refused, which numerics end the attempt, and by when it must be over.
 * The library sends the first NICK; the following ones are sent here.
 *
 * @module
 */

import type { CancelTimer, Clock } from "../clock.ts";
import { LinkFailure } from "./failure.ts";
import type { IrcMessage } from "./message.ts";
import { nickChoices } from "./nick_choice.ts";

export interface RegistrationOptions {
  readonly clock: Clock;
  readonly deadlineMs: number;
  readonly wanted: string;
  readonly others: readonly string[];
  readonly send: (line: string) => void;
  readonly failed: (failure: LinkFailure) => void;
}

/** See the module doc. One is made for each connection. */
export class Registration {
  readonly #options: RegistrationOptions;
  readonly #nicks: string[];
  #asked: string;
  #cancelDeadline: CancelTimer | undefined;

  constructor(options: RegistrationOptions) {
    this.#options = options;
    this.#asked = options.wanted;
    // The first is what the library asks for.
    this.#nicks = nickChoices(options.wanted, options.others).slice(1);
  }

  /** The nick last asked for. */
  get asked(): string {
    return this.#asked;
  }

  /** The socket is open. */
  start(): void {
    const { clock, deadlineMs, failed } = this.#options;
    this.#cancelDeadline = clock.after(deadlineMs, () => {
      failed(
        new LinkFailure("timeout", "the server did not complete the login"),
      );
    });
  }

  /** 001 came, or the connection ended. */
  stop(): void {
    this.#cancelDeadline?.();
    this.#cancelDeadline = undefined;
  }

  /** The server refused the nick last asked for (432, 433, 436, 437). */
  nickRefused(message: IrcMessage): void {
    if (this.#cancelDeadline === undefined) return;
    const next = this.#nicks.shift();
    if (next !== undefined) {
      this.#asked = next;
      this.#options.send(`NICK ${next}`);
      return;
    }
    this.#options.failed(
      new LinkFailure(
        "nick",
        `the server takes none of the nicks (${quote(message)})`,
      ),
    );
  }

  /** 464: nothing else is sent to a server that wants another password. */
  passwordRefused(message: IrcMessage): void {
    if (this.#cancelDeadline === undefined) return;
    this.#options.failed(
      new LinkFailure(
        "password",
        `the server password is missing or wrong (${quote(message)})`,
      ),
    );
  }
}

/** A numeric as an operator may see it. */
function quote({ command, params }: IrcMessage): string {
  return `${command}: ${(params.at(-1) ?? "").slice(0, 200)}`;
}
