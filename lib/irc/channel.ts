/**
 * A channel as a session sees it: whether we are in it, who else is, its topic
 * and its modes. It outlives a part, a kick and a lost connection, since its
 * buffer does; its members do not.
 *
 * @module
 */

import type { Buffer } from "../buffers/buffer.ts";
import { detach } from "../buffers/interner.ts";
import type { Member, Roster } from "../buffers/roster.ts";
import type { Isupport } from "./isupport.ts";
import type { ModeChange } from "./mode_changes.ts";
import { Membership, type NamesEntry } from "./membership.ts";
import type { Names } from "./names.ts";
import type { User, Users } from "./users.ts";

/** Members kept; the largest channels on IRC have a few thousand. */
export const MAX_MEMBERS = 50_000;

/** Modes kept; there are 52 letters. */
const MAX_MODES = 64;

/** Characters of a mode's parameter: more do not fit a line of 512 bytes. */
const MAX_PARAM = 512;

/** What the channels of a session share. */
export interface ChannelContext {
  readonly names: Names;
  readonly users: Users;
  readonly isupport: Isupport;
  hasCapability(name: string): boolean;
}

/** See the module doc. */
export class Channel implements Roster {
  readonly buffer: Buffer;
  readonly #context: ChannelContext;
  #members = new Map<string, Membership>();
  #modes = new Map<string, string>();
  /** We are in it. */
  isJoined = false;
  /** How often we joined it. */
  joins = 0;
  /** From our JOIN to the end of NAMES: the server tells the state unasked. */
  isJoining = false;
  /** Its modes have not been asked for since we joined. */
  needsModes = false;
  /** Replies to our own MODE query that are still to come. */
  modePolls = 0;
  /** The creation time that follows a polled mode reply is still to come. */
  expectsCreationTime = false;
  topic = "";

  constructor(buffer: Buffer, context: ChannelContext) {
    this.buffer = buffer;
    this.#context = context;
  }

  get name(): string {
    return this.buffer.name;
  }

  get size(): number {
    return this.#members.size;
  }

  /** Mode letters with their parameters, `""` for none. Lists are not kept. */
  get modes(): ReadonlyMap<string, string> {
    return this.#modes;
  }

  /** We joined: what was known of the channel is void. */
  enter(): void {
    this.leave();
    this.isJoined = true;
    this.joins++;
    this.isJoining = true;
    this.needsModes = true;
  }

  /** We are out of it, for whatever reason: its members and modes are void. */
  leave(): void {
    for (const { user } of this.#members.values()) {
      user.channels.delete(this);
      this.#context.users.release(user);
    }
    this.#members.clear();
    this.#modes.clear();
    this.topic = "";
    this.isJoined = false;
    this.isJoining = false;
    this.needsModes = false;
    this.modePolls = 0;
    this.expectsCreationTime = false;
  }

  /** Someone is in it. Undefined when a bound is reached. */
  add(nick: string): Membership | undefined {
    const key = this.#context.names.fold(nick);
    const present = this.#members.get(key);
    if (present !== undefined) return present;
    if (this.#members.size >= MAX_MEMBERS) return undefined;
    const user = this.#context.users.ensure(nick);
    if (user === undefined) return undefined;
    const membership = new Membership(user);
    this.put(membership);
    return membership;
  }

  /** Takes an entry of NAMES. */
  addNamed(entry: NamesEntry): void {
    const membership = this.add(entry.nick);
    if (membership === undefined) return;
    membership.setGlyphs(entry.glyphs, {
      prefixes: this.#context.isupport.prefixes,
      hasAll: this.#context.hasCapability("multi-prefix"),
    });
    if (entry.user !== "") membership.user.user = entry.user;
    if (entry.host !== "") membership.user.host = entry.host;
  }

  /** Someone left. */
  remove(nick: string): void {
    const key = this.#context.names.fold(nick);
    const membership = this.#members.get(key);
    if (membership === undefined) return;
    this.#members.delete(key);
    membership.user.channels.delete(this);
    this.#context.users.release(membership.user);
  }

  has(nick: string): boolean {
    return this.#members.has(this.#context.names.fold(nick));
  }

  /** Takes a membership out while its user is renamed; `put` brings it back. */
  take(user: User): Membership | undefined {
    const key = this.#context.names.fold(user.nick);
    const membership = this.#members.get(key);
    if (membership?.user !== user) return undefined;
    this.#members.delete(key);
    return membership;
  }

  put(membership: Membership): void {
    const { user } = membership;
    this.#members.set(this.#context.names.fold(user.nick), membership);
    user.channels.add(this);
  }

  /** Takes changes of modes and ranks; parameters that are missing change none. */
  apply(changes: readonly ModeChange[]): void {
    for (const change of changes) {
      if (change.kind === "rank") this.#applyRank(change);
      else if (change.kind === "setting") this.#applySetting(change);
    }
  }

  members(): readonly Member[] {
    const { prefixes } = this.#context.isupport;
    return Array.from(this.#members.values(), (m) => m.view(prefixes));
  }

  member(nick: string): Member | undefined {
    return this.#members.get(this.#context.names.fold(nick))
      ?.view(this.#context.isupport.prefixes);
  }

  /** Goes by the folding of now: call it after the case mapping changed. */
  rekey(): void {
    const memberships = [...this.#members.values()];
    this.#members.clear();
    for (const membership of memberships) this.put(membership);
  }

  #applyRank(change: ModeChange): void {
    if (change.param === undefined) return;
    const membership = this.#members.get(
      this.#context.names.fold(change.param),
    );
    if (change.isSet) membership?.add(change.letter);
    else membership?.drop(change.letter, this.#context.isupport.prefixes);
  }

  #applySetting(change: ModeChange): void {
    if (!change.isSet) this.#modes.delete(change.letter);
    else if (this.#modes.has(change.letter) || this.#modes.size < MAX_MODES) {
      this.#modes.set(
        change.letter,
        detach((change.param ?? "").slice(0, MAX_PARAM)),
      );
    }
  }
}
