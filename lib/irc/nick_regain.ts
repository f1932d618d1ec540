/**
 * Takes the wanted nick back when it becomes free. It watches only after the
 * server refused the nick, by MONITOR where there is one and else by ISON at a
 * slow and growing pace, and by the QUIT or NICK of who holds it. Each sign
 * leads to one attempt, two attempts are a while apart, and a nick that
 * somebody else changed for us is not fought over.
 *
 * This is the one place where a line from the server leads to a line that is no
 * answer of the protocol; what is sent holds nothing of what was received.
 *
 * @module
 */

import type { CancelTimer, Clock } from "../clock.ts";
import { foldName } from "./casemapping.ts";
import type { Isupport } from "./isupport.ts";
import type { IrcMessage } from "./message.ts";

/** The longest time between two looks by ISON. */
const MAX_POLL_MS = 600_000;

export interface RegainOptions {
  readonly clock: Clock;
  readonly isupport: Isupport;
  /** Between two attempts, and before the first look by ISON. */
  readonly intervalMs: number;
  readonly send: (line: string) => void;
}

/** See the module doc. One is made for each connection. */
export class NickRegain {
  readonly #options: RegainOptions;
  #wanted: string | undefined;
  #isMonitored = false;
  #lastAttempt = -Infinity;
  #pollMs = 0;
  #cancelPoll: CancelTimer | undefined;

  constructor(options: RegainOptions) {
    this.#options = options;
  }

  /** The nick being waited for. */
  get wanted(): string | undefined {
    return this.#wanted;
  }

  /** The server refused `wanted`: from now on it is waited for. */
  watch(wanted: string): void {
    if (this.#wanted === wanted) return;
    this.stop();
    this.#wanted = wanted;
    this.#pollMs = this.#options.intervalMs;
    this.#startMonitor();
    this.#schedulePoll();
  }

  /** 005 changed: MONITOR may have become known. */
  featuresChanged(): void {
    if (this.#wanted !== undefined && !this.#isMonitored) this.#startMonitor();
  }

  /** Gives up waiting: the nick is ours, or no longer wanted. */
  stop(): void {
    this.#cancelPoll?.();
    this.#cancelPoll = undefined;
    if (this.#isMonitored) this.#options.send(`MONITOR - ${this.#wanted}`);
    this.#isMonitored = false;
    this.#wanted = undefined;
  }

  /** The connection is gone. */
  close(): void {
    this.#cancelPoll?.();
    this.#wanted = undefined;
    this.#isMonitored = false;
  }

  /** Looks at a line for a sign that the nick became free. */
  see(message: IrcMessage): void {
    const wanted = this.#wanted;
    if (wanted === undefined) return;
    const { command, params } = message;
    switch (command) {
      case "QUIT":
        if (this.#isWanted(message.nick)) this.#attempt();
        break;
      case "NICK":
        if (this.#isWanted(message.nick) && !this.#isWanted(params[0] ?? "")) {
          this.#attempt();
        }
        break;
      case "731": // RPL_MONOFFLINE
        if (this.#isListed(params[1] ?? "", ",")) this.#attempt();
        break;
      case "303": // RPL_ISON
        if (!this.#isListed(params[1] ?? "", " ")) this.#attempt();
        break;
      default:
        break;
    }
  }

  #startMonitor(): void {
    if (this.#options.isupport.get("MONITOR") === undefined) return;
    this.#isMonitored = true;
    this.#options.send(`MONITOR + ${this.#wanted}`);
  }

  #schedulePoll(): void {
    this.#cancelPoll = this.#options.clock.after(this.#pollMs, () => {
      this.#pollMs = Math.min(this.#pollMs * 2, MAX_POLL_MS);
      this.#schedulePoll();
      // Also where MONITOR is known: its list may have been full.
      this.#options.send(`ISON ${this.#wanted}`);
    });
  }

  #attempt(): void {
    const now = this.#options.clock.monotonic();
    if (now - this.#lastAttempt < this.#options.intervalMs) return;
    this.#lastAttempt = now;
    this.#options.send(`NICK ${this.#wanted}`);
  }

  #isListed(list: string, separator: string): boolean {
    return list.split(separator).some((entry) =>
      this.#isWanted(entry.split("!")[0] ?? "")
    );
  }

  #isWanted(nick: string): boolean {
    const { casemapping } = this.#options.isupport;
    return this.#wanted !== undefined &&
      foldName(nick, casemapping) === foldName(this.#wanted, casemapping);
  }
}
