/**
 * A session as its person has it: what tools may read, and the acts that no
 * tool is given.
 *
 * @module
 */

import type { SessionView } from "../engine/reader.ts";

/** The kinds of text a person sends. */
export type TextKind = "privmsg" | "notice" | "action";

/** A session with the acts of its person. Sends settle false when not sent. */
export interface PersonSession extends SessionView {
  readonly lastError: string;
  connect(): void;
  disconnect(reason: string): Promise<void>;
  quote(line: string): Promise<boolean>;
  /**
   * Sends `line` and shows `shown` in its place wherever it is shown or kept.
   * Absent on a connection that cannot mask.
   */
  sendMasked?(line: string, shown: string): Promise<boolean>;
  sendText(target: string, kind: TextKind, text: string): Promise<boolean>;
  join(channel: string, key?: string): unknown;
  part(channel: string, reason?: string): unknown;
  openQuery(nick: string): unknown;
  closeBuffer(id: string): unknown;
  changeNick(nick: string): unknown;
}
