/**
 * The own nick on one connection: the one the server knows, the one that is
 * wanted, and the way from the first to the second. What the server says in 001
 * and NICK is the truth; what was asked for is only a wish.
 *
 * @module
 */

import { foldName } from "./casemapping.ts";
import type { IrcMessage } from "./message.ts";
import { NickRegain, type RegainOptions } from "./nick_regain.ts";

export interface OwnNickOptions extends RegainOptions {
  readonly wanted: string;
  readonly changed: (from: string, to: string) => void;
}

/** See the module doc. One is made for each connection. */
export class OwnNick {
  readonly #options: OwnNickOptions;
  readonly #regain: NickRegain;
  #current: string;
  #wanted: string;
  #isWelcome = false;
  /** The wanted nick has not been asked for on this connection. */
  #isUnasked = false;

  constructor(options: OwnNickOptions) {
    this.#options = options;
    this.#regain = new NickRegain(options);
    this.#current = options.wanted;
    this.#wanted = options.wanted;
  }

  /** The nick the server knows; before 001 the wanted one. */
  get current(): string {
    return this.#current;
  }

  /** The nick that is waited for. */
  get awaited(): string | undefined {
    return this.#regain.wanted;
  }

  /** 001 gave us `nick`. */
  welcomed(nick: string): void {
    this.#isWelcome = true;
    if (nick !== "") this.#change(nick);
  }

  /** After 001: asks or waits for the wanted nick unless `asked` led to it. */
  watch(asked: string): void {
    const wanted = this.#wanted;
    if (this.#isUnasked) {
      this.want(wanted);
      return;
    }
    // A server may cut a nick to what it allows: no other is to be had.
    const isCut = asked === wanted && wanted.startsWith(this.#current);
    if (!isCut && !this.#isSame(this.#current, wanted)) {
      this.#regain.watch(wanted);
    }
  }

  /** Wants and, once registered, asks for another nick. */
  want(nick: string): void {
    this.#wanted = nick;
    this.#isUnasked = !this.#isWelcome;
    if (this.#isUnasked) return;
    this.#regain.stop();
    this.#options.send(`NICK ${nick}`);
  }

  /** The server refused a nick after 001 (432, 433, 436, 437). */
  refused({ command, params }: IrcMessage): void {
    // 437 may be about a channel, and 433 about what somebody else typed.
    if (!this.#isSame(params[1] ?? "", this.#wanted)) return;
    if (this.#isSame(this.#current, this.#wanted)) return;
    // 432: this nick is impossible here, and waiting for it would be for ever.
    if (command === "432") this.#regain.stop();
    else this.#regain.watch(this.#wanted);
  }

  /** Looks at a line for a sign that the wanted nick became free. */
  see(message: IrcMessage): void {
    this.#regain.see(message);
  }

  /** 005 changed. */
  featuresChanged(): void {
    this.#regain.featuresChanged();
  }

  /** A NICK line was delivered. */
  moved({ nick, params }: IrcMessage): void {
    const to = params[0] ?? "";
    if (to === "" || !this.#isSame(nick, this.#current)) return;
    // Ours now, or changed by somebody who is not to be fought.
    this.#regain.stop();
    this.#change(to);
  }

  /** The connection is gone. */
  close(): void {
    this.#regain.close();
  }

  #change(to: string): void {
    const from = this.#current;
    this.#current = to;
    if (from !== to) this.#options.changed(from, to);
  }

  #isSame(a: string, b: string): boolean {
    const { casemapping } = this.#options.isupport;
    return foldName(a, casemapping) === foldName(b, casemapping);
  }
}
