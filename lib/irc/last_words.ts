/**
 * What a server said before it closed the connection. A ban counts only when it
 * is the last thing said: text that sounds like one, followed by other lines,
 * was about something else.
 *
 * @module
 */

import { LinkFailure } from "./failure.ts";
import type { IrcMessage } from "./message.ts";

/** K-, G-, Z-, D-, Q- and X-lines in the spellings of the common servers. */
const BAN = /\b[kgzdqx][-: ]?lined?\b|\bbanned\b|\bauto-?kill|\bakill/i;

/** A KILL ends one connection; the words in it are whoever's who killed. */
const KILL = /\bkilled \(/i;

/** See the module doc. One is made for each connection. */
export class LastWords {
  #text = "";
  #isBan = false;

  /** Takes each line, in order. */
  hear({ command, params }: IrcMessage): void {
    if (command === "ERROR") {
      this.#text = (params.at(-1) ?? "").slice(0, 300);
      this.#isBan ||= BAN.test(this.#text) && !KILL.test(this.#text);
    } else if (command === "465") { // ERR_YOUREBANNEDCREEP
      this.#text = (params.at(-1) ?? "").slice(0, 300);
      this.#isBan = true;
    } else if (this.#text !== "" || this.#isBan) {
      this.#text = "";
      this.#isBan = false;
    }
  }

  /** Why the connection is closed, undefined when the server did not say. */
  toFailure(): LinkFailure | undefined {
    if (this.#isBan) {
      return new LinkFailure("banned", `banned by the server: ${this.#text}`);
    }
    if (this.#text === "") return undefined;
    return new LinkFailure(
      "closed",
      `the server closed the connection: ${this.#text}`,
    );
  }
}
