/**
 * Which capabilities a server offers and which are enabled, and the talk that
 * gets there: LS over several lines, REQ in lines that fit, one at a time, ACK
 * over several lines and with modifiers, NAK followed by a try for each name
 * alone, NEW and DEL at any time. It always ends, by answer or by deadline, and
 * nothing malformed makes it throw.
 *
 * Follows IRCv3 capability-negotiation 302.
 *
 * @module
 */

import type { CancelTimer, Clock } from "../clock.ts";

/** What this client understands and asks for when it is offered. */
export const WANTED_CAPABILITIES: ReadonlySet<string> = new Set([
  "account-notify",
  "account-tag",
  "away-notify",
  "batch",
  "cap-notify",
  "chghost",
  "draft/channel-rename",
  "draft/chathistory",
  "draft/message-redaction",
  "draft/multiline",
  "echo-message",
  "extended-join",
  "invite-notify",
  "labeled-response",
  "message-tags",
  "multi-prefix",
  "server-time",
  "setname",
  "standard-replies",
  "userhost-in-names",
  "znc.in/playback",
  "znc.in/self-message",
  "znc.in/server-time-iso",
]);

/** Bytes of names in one REQ: with `CAP REQ :` well under a line's 510. */
const MAX_REQUEST_BYTES = 400;
/** Capabilities one server may make us remember; networks offer about 40. */
const MAX_OFFERED = 256;

export interface CapabilityOptions {
  readonly clock: Clock;
  readonly answerMs: number;
  /** Whether `sasl` is asked for as well, before registration. */
  readonly sasl: boolean;
  readonly send: (line: string) => void;
  /** The enabled or the offered set changed. */
  readonly changed: () => void;
  /** The talk before registration is over, but for CAP END. Called once. */
  readonly settled: () => void;
}

/** See the module doc. One is made for each connection. */
export class Capabilities {
  readonly #options: CapabilityOptions;
  readonly #enabled = new Set<string>();
  readonly #available = new Map<string, string>();
  /** Names still to be asked for, one entry a REQ. */
  #requests: string[][] = [];
  /** Names of the REQ that is out and not answered. */
  #asked = new Set<string>();
  #cancelDeadline: CancelTimer | undefined;
  /** The last line of LS has not come. */
  #listing = false;
  #settled = false;

  constructor(options: CapabilityOptions) {
    this.#options = options;
  }

  get enabled(): ReadonlySet<string> {
    return this.#enabled;
  }

  get available(): ReadonlyMap<string, string> {
    return this.#available;
  }

  /** CAP LS has been sent: its answer is due. */
  begin(): void {
    this.#listing = true;
    this.#arm();
  }

  /** Registration ended or the connection did: nothing is awaited any more. */
  stop(): void {
    this.#settled = true;
    this.#forget();
  }

  /** Takes the parameters of one CAP line. */
  handle(params: readonly string[]): void {
    // The client's name stands first, but some servers leave it out.
    const at = !isSubcommand(params[1]) && isSubcommand(params[0]) ? 0 : 1;
    const subcommand = (params[at] ?? "").toUpperCase();
    const names = (params.slice(at + 1).at(-1) ?? "").split(" ")
      .filter((name) => name !== "");
    switch (subcommand) {
      case "LS":
        this.#listed(names, params[at + 1] === "*" && params.length > at + 2);
        break;
      case "NEW":
        this.#offer(names);
        this.#options.changed();
        // Names that come while LS goes on are asked for with the rest.
        if (!this.#listing) {
          this.#request(names.map(nameOf));
          if (this.#asked.size === 0 && this.#requests.length > 0) this.#next();
        }
        break;
      case "DEL":
        this.#withdraw(names.map(nameOf));
        break;
      case "ACK":
        this.#acknowledged(names);
        break;
      case "NAK":
        this.#refused();
        break;
      default:
        break;
    }
  }

  #listed(names: string[], more: boolean): void {
    this.#offer(names);
    if (more) return;
    this.#listing = false;
    if (!this.#settled) this.#request([...this.#available.keys()]);
    this.#options.changed();
    this.#next();
  }

  #offer(names: string[]): void {
    for (const name of names) {
      const key = nameOf(name);
      if (!this.#available.has(key) && this.#available.size >= MAX_OFFERED) {
        continue;
      }
      const equals = name.indexOf("=");
      this.#available.set(key, equals < 0 ? "" : name.slice(equals + 1));
    }
  }

  #request(names: readonly string[]): void {
    let line: string[] = [];
    let bytes = 0;
    for (const name of new Set(names)) {
      if (!this.#isWanted(name) || this.#isUnderWay(name)) continue;
      if (bytes + name.length + 1 > MAX_REQUEST_BYTES) {
        this.#requests.push(line);
        line = [];
        bytes = 0;
      }
      line.push(name);
      bytes += name.length + 1;
    }
    if (line.length > 0) this.#requests.push(line);
  }

  #isWanted(name: string): boolean {
    // Without a login to follow, sasl would only be a promise not kept: after
    // registration there is none, however often a server offers it anew.
    if (name === "sasl") return this.#options.sasl && !this.#settled;
    return WANTED_CAPABILITIES.has(name);
  }

  #isUnderWay(name: string): boolean {
    return this.#enabled.has(name) || this.#asked.has(name) ||
      this.#requests.some((names) => names.includes(name));
  }

  /** Sends the next REQ, or ends the talk when there is none. */
  #next(): void {
    if (this.#asked.size > 0) return;
    const names = this.#requests.shift();
    if (names !== undefined) {
      this.#asked = new Set(names);
      this.#arm();
      this.#options.send(`CAP REQ :${names.join(" ")}`);
      return;
    }
    this.#cancelDeadline?.();
    this.#cancelDeadline = undefined;
    if (this.#settled) return;
    this.#settled = true;
    this.#options.settled();
  }

  #arm(): void {
    this.#cancelDeadline?.();
    this.#cancelDeadline = this.#options.clock.after(
      this.#options.answerMs,
      () => {
        this.#forget();
        this.#next();
      },
    );
  }

  #forget(): void {
    this.#cancelDeadline?.();
    this.#cancelDeadline = undefined;
    this.#listing = false;
    this.#asked.clear();
    this.#requests = [];
  }

  #acknowledged(names: string[]): void {
    for (const name of names) {
      const off = name.startsWith("-");
      const key = name.replace(/^[-~=]+/, "");
      if (off) this.#enabled.delete(key);
      else if (key !== "" && this.#enabled.size < MAX_OFFERED) {
        this.#enabled.add(key);
      }
      this.#asked.delete(key);
    }
    this.#options.changed();
    this.#nextIfAsked();
  }

  #refused(): void {
    const names = [...this.#asked];
    if (names.length === 0) return;
    this.#asked.clear();
    // One name the server will not have must not cost all the others.
    if (names.length > 1) this.#requests.push(...names.map((name) => [name]));
    this.#next();
  }

  #withdraw(names: string[]): void {
    let changed = false;
    for (const name of names) {
      changed = this.#enabled.delete(name) || changed;
      changed = this.#available.delete(name) || changed;
      this.#asked.delete(name);
    }
    if (changed) this.#options.changed();
    this.#nextIfAsked();
  }

  /** Goes on once a REQ that was out is answered for all of its names. */
  #nextIfAsked(): void {
    const isOut = this.#cancelDeadline !== undefined && !this.#listing;
    if (isOut) this.#next();
  }
}

const SUBCOMMANDS = new Set(["LS", "LIST", "ACK", "NAK", "NEW", "DEL"]);

function isSubcommand(word = ""): boolean {
  return SUBCOMMANDS.has(word.toUpperCase());
}

function nameOf(entry: string): string {
  const equals = entry.indexOf("=");
  return equals < 0 ? entry : entry.slice(0, equals);
}
