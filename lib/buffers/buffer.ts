/**
 * One buffer of a session: its identity, its rows, and for a channel the roster
 * that knows who is in it. Its id stays what it was when it opened, whatever
 * the channel or the other side of a query is called later.
 *
 * @module
 */

import type { BufferKind } from "./buffer_id.ts";
import { MessageLog } from "./message_log.ts";
import type { Member, Roster } from "./roster.ts";

const NO_MEMBERS: readonly Member[] = [];

/** See the module doc. `limit` is the number of rows held. */
export class Buffer {
  readonly id: string;
  readonly kind: BufferKind;
  readonly log: MessageLog;
  /** As the server or the person spells it. */
  name: string;
  /** The members; only a channel has one. */
  roster: Roster | undefined;
  /** The person opened it: it is not closed to make room. */
  openedByPerson = false;
  /** Grows with each row of the session: tells which buffer slept longest. */
  lastActive = 0;

  constructor(
    options: { id: string; kind: BufferKind; name: string; limit: number },
  ) {
    this.id = options.id;
    this.kind = options.kind;
    this.name = options.name;
    this.log = new MessageLog(options.limit);
  }

  get messages(): MessageLog {
    return this.log;
  }

  members(): readonly Member[] {
    return this.roster?.members() ?? NO_MEMBERS;
  }

  member(nick: string): Member | undefined {
    return this.roster?.member(nick);
  }
}
