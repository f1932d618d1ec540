/**
 * When each nick last spoke among some rows: the latest message, notice or
 * action. Nicks are compared by plain lower-casing.
 *
 * Spec: "find_user" (`last_spoke`).
 *
 * @module
 */

import type { Message } from "../buffers/message.ts";

/** See the module doc. */
export class LastSpoken {
  readonly #times = new Map<string, number>();

  constructor(rows: readonly Message[]) {
    for (const { kind, from, time } of rows) {
      if (kind !== "privmsg" && kind !== "notice" && kind !== "action") {
        continue;
      }
      const nick = from.toLowerCase();
      const known = this.#times.get(nick);
      if (known === undefined || known < time) this.#times.set(nick, time);
    }
  }

  /** Unix milliseconds, undefined when the nick did not speak. */
  timeOf(nick: string): number | undefined {
    return this.#times.get(nick.toLowerCase());
  }
}
