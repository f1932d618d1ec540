/**
 * Users seen in the channels of a session, one object each however many channels
 * they share with us, so that a change of nick, account or away state is one
 * write. Who shares no channel is not kept.
 *
 * @module
 */

import { detach } from "../buffers/interner.ts";
import type { Channel } from "./channel.ts";
import type { Names } from "./names.ts";

/** Users kept; a full network's worth of strangers must not fill the memory. */
export const MAX_USERS = 200_000;

/**
 * Characters kept of each fact about a user, and of a nick: more do not fit a
 * line of 512 bytes, and a line of ours may be 32 times as long.
 */
const MAX_FACT = 512;

/** What is known of a user. `""` where nothing is; a longer fact is cut. */
export class User {
  nick: string;
  away = false;
  /** The channels of ours that they are in. */
  readonly channels: Set<Channel> = new Set();
  #user = "";
  #host = "";
  #account = "";
  #realname = "";

  constructor(nick: string) {
    this.nick = nick;
  }

  get user(): string {
    return this.#user;
  }
  set user(user: string) {
    this.#user = cut(user);
  }

  get host(): string {
    return this.#host;
  }
  set host(host: string) {
    this.#host = cut(host);
  }

  get account(): string {
    return this.#account;
  }
  set account(account: string) {
    this.#account = cut(account);
  }

  get realname(): string {
    return this.#realname;
  }
  set realname(realname: string) {
    this.#realname = cut(realname);
  }
}

function cut(fact: string): string {
  return fact.length <= MAX_FACT ? fact : detach(fact.slice(0, MAX_FACT));
}

/** See the module doc. */
export class Users {
  readonly #names: Names;
  #byNick = new Map<string, User>();

  constructor(names: Names) {
    this.#names = names;
  }

  get size(): number {
    return this.#byNick.size;
  }

  get(nick: string): User | undefined {
    return this.#byNick.get(this.#names.fold(nick));
  }

  /** The user with this nick, new when unknown; undefined past the bounds. */
  ensure(nick: string): User | undefined {
    const key = this.#names.fold(nick);
    const known = this.#byNick.get(key);
    if (known !== undefined) return known;
    if (nick.length > MAX_FACT) return undefined;
    if (this.#byNick.size >= MAX_USERS) return undefined;
    const user = new User(nick);
    this.#byNick.set(key, user);
    return user;
  }

  /** Forgets a user who shares no channel any more. */
  release(user: User): void {
    if (user.channels.size > 0) return;
    const key = this.#names.fold(user.nick);
    if (this.#byNick.get(key) === user) this.#byNick.delete(key);
  }

  /**
   * Gives a user another nick. A ghost that held it leaves every channel, and
   * so does a user whose new nick is too long to keep.
   */
  rename(user: User, nick: string): void {
    if (nick.length > MAX_FACT) {
      for (const channel of [...user.channels]) channel.remove(user.nick);
      return;
    }
    const ghost = this.get(nick);
    if (ghost !== undefined && ghost !== user) {
      for (const channel of [...ghost.channels]) channel.remove(ghost.nick);
    }
    const key = this.#names.fold(user.nick);
    if (this.#byNick.get(key) === user) this.#byNick.delete(key);
    const channels = [...user.channels];
    const memberships = channels.map((channel) => channel.take(user));
    user.nick = nick;
    this.#byNick.set(this.#names.fold(nick), user);
    channels.forEach((channel, i) => {
      const membership = memberships[i];
      if (membership !== undefined) channel.put(membership);
    });
  }

  /** Forgets everyone. */
  clear(): void {
    this.#byNick.clear();
  }

  /** Goes by the folding of now: call it after the case mapping changed. */
  rekey(): void {
    const users = [...this.#byNick.values()];
    this.#byNick.clear();
    for (const user of users) {
      this.#byNick.set(this.#names.fold(user.nick), user);
    }
  }
}
