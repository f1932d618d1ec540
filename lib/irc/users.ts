/**
 * Users seen in the channels of a session, one object each however many channels
 * they share with us, so that a change of nick, account or away state is one
 * write. Who shares no channel is not kept.
 *
 * @module
 */

import type { Channel } from "./channel.ts";
import type { Names } from "./names.ts";

/** Users kept; a full network's worth of strangers must not fill the memory. */
export const MAX_USERS = 200_000;

/** What is known of a user. `""` where nothing is. */
export class User {
  nick: string;
  user = "";
  host = "";
  account = "";
  realname = "";
  away = false;
  /** The channels of ours that they are in. */
  readonly channels: Set<Channel> = new Set();

  constructor(nick: string) {
    this.nick = nick;
  }
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

  /** The user with this nick, new when unknown; undefined past the bound. */
  ensure(nick: string): User | undefined {
    const key = this.#names.fold(nick);
    const known = this.#byNick.get(key);
    if (known !== undefined) return known;
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

  /** Gives a user another nick. A ghost that held it leaves every channel. */
  rename(user: User, nick: string): void {
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
