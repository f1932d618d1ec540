/**
 * Who is in a channel, as its buffer shows it. Types only: the members
 * themselves belong to the session.
 *
 * Spec: "list_members".
 *
 * @module
 */

/** A user present in a channel. */
export interface Member {
  readonly nick: string;
  /** Channel mode letters in rank order, highest first: `"ov"`. */
  readonly modes: string;
  readonly account?: string;
  readonly away: boolean;
  readonly user?: string;
  readonly host?: string;
}

/** The members of one channel, as they are now. */
export interface Roster {
  /** All of them, in no order. */
  members(): readonly Member[];
  /** The member with this nick under the session's casemapping. */
  member(nick: string): Member | undefined;
}
