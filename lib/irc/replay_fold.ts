/**
 * Knows again what a replay repeats where no msgid tells: a bouncer plays its
 * buffer at every attach, and a page of history starts with the row it was asked
 * from. Inside a replay, a row with the time, nick and text of a held one is the
 * same row. What we said ourselves without echo-message was stored by our own
 * clock, so there a difference of some seconds is allowed, once a row.
 *
 * Two equal lines said live are two rows: nothing here looks at live lines.
 *
 * @module
 */

import type { Buffer } from "../buffers/buffer.ts";
import type { Message, NewMessage, Payload } from "../buffers/message.ts";

/** Rows looked at that share one time; a busy second has tens. */
const MAX_SAME_TIME = 1000;

/** How far our clock and a bouncer's may be apart for one own line. */
const LOCAL_TOLERANCE_MS = 30_000;

/** Own lines remembered that no replay has shown yet. */
const MAX_LOCAL = 500;

interface LocalRow {
  readonly buffer: Buffer;
  readonly row: Message;
  /** The time the server gave it, once a replay has shown it. */
  serverTime: number | undefined;
}

/** See the module doc. */
export class ReplayFold {
  #local: LocalRow[] = [];

  /** Remembers a row that was stored when we sent it, not when it came back. */
  noteLocal(buffer: Buffer, row: Message): void {
    this.#local.push({ buffer, row, serverTime: undefined });
    if (this.#local.length > MAX_LOCAL) this.#local.shift();
  }

  /** Whether a replayed row is held already. */
  isHeld(buffer: Buffer, row: NewMessage): boolean {
    for (const held of buffer.log.sameTime(row.time, MAX_SAME_TIME)) {
      const mayBeSame = row.id === undefined || held.id === undefined;
      if (mayBeSame && saysTheSame(held, row)) return true;
    }
    return this.#claimLocal(buffer, row);
  }

  #claimLocal(buffer: Buffer, row: NewMessage): boolean {
    const local = this.#local.find((other) =>
      other.buffer === buffer && saysTheSame(other.row, row) &&
      (other.serverTime === undefined
        ? Math.abs(other.row.time - row.time) <= LOCAL_TOLERANCE_MS
        : other.serverTime === row.time)
    );
    if (local === undefined) return false;
    local.serverTime = row.time;
    return true;
  }
}

function saysTheSame(a: NewMessage | Message, b: NewMessage): boolean {
  return a.kind === b.kind && a.from === b.from &&
    bodyOf(a.payload) === bodyOf(b.payload);
}

/** What two rows must share besides kind and nick. */
function bodyOf(payload: Payload): string {
  switch (payload.caseName) {
    case "privmsg":
    case "notice":
    case "action":
    case "ctcp":
    case "serverText":
    case "audit":
      return payload.text;
    case "topicChanged":
      return payload.topic;
    case "userKicked":
      return payload.victim;
    case "nickChanged":
      return payload.newNick;
    case "modeChanged":
      return [payload.modes, ...payload.params].join(" ");
    default:
      // One nick does not join, part or quit twice in one instant.
      return "";
  }
}
