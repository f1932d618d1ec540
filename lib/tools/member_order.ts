/**
 * The order in which members are listed, and places in it that stay where they
 * are when members come and go: by nick without regard to case, then by the
 * nick exactly. Plain code units, no locale: the same everywhere.
 *
 * A place must fit in a cursor, so a nick longer than any server gives is
 * ordered by its start and then by a digest.
 *
 * Spec: "list_members".
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { Member } from "../engine/reader.ts";
import type { Position } from "./cursor.ts";

// Six bytes a unit at worst in JSON: 324 of the 367 that a cursor can carry.
const MAX_PLAIN_UNITS = 54;

/** A place in the order: compare heads, then tails. */
export interface Place {
  readonly head: string;
  readonly tail: string;
}

/** A member at its place. */
export interface PlacedMember extends Place {
  readonly member: Member;
}

/** Where a nick stands. */
export function placeOf(nick: string): Place {
  const head = nick.toLowerCase().slice(0, MAX_PLAIN_UNITS);
  const tail = nick.length <= MAX_PLAIN_UNITS
    ? nick
    : `\uffff${digestOf(nick)}`;
  return { head, tail };
}

/** Negative when `a` stands before `b`, 0 when they are the same place. */
export function comparePlaces(a: Place, b: Place): number {
  return compareText(a.head, b.head) || compareText(a.tail, b.tail);
}

/** The place as a cursor carries it. */
export function positionOf(place: Place): Position {
  return place.tail.startsWith("\uffff")
    ? [place.tail, place.head]
    : [place.tail];
}

/** The place that {@link positionOf} wrote down. */
export function placeAt([tail, head]: Position): Place {
  return head === undefined
    ? placeOf(String(tail))
    : { head: String(head), tail: String(tail) };
}

/**
 * The first `count` members after `after` in order. Costs a look at each member
 * and sorts little more than it returns, so that a page of a huge channel does
 * not sort the channel.
 */
export class FirstMembers {
  readonly #count: number;
  readonly #after: Place | undefined;
  #kept: PlacedMember[] = [];
  #last: Place | undefined;

  constructor(options: { count: number; after: Place | undefined }) {
    this.#count = options.count;
    this.#after = options.after;
  }

  add(member: Member): void {
    const { head, tail } = placeOf(member.nick);
    const placed = { head, tail, member };
    if (this.#after && comparePlaces(placed, this.#after) <= 0) return;
    if (this.#last && comparePlaces(placed, this.#last) > 0) return;
    this.#kept.push(placed);
    if (this.#kept.length >= this.#count * 2) this.#cut();
  }

  /** The members, sorted. */
  sorted(): readonly PlacedMember[] {
    this.#cut();
    return this.#kept;
  }

  #cut(): void {
    this.#kept.sort(comparePlaces);
    if (this.#kept.length < this.#count) return;
    this.#kept.length = this.#count;
    this.#last = this.#kept.at(-1);
  }
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function digestOf(nick: string): string {
  return createHash("sha256").update(nick).digest("hex").slice(0, 16);
}
