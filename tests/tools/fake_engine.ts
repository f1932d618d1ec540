/**
 * An engine in memory for the tools' tests: sessions and buffers with real
 * message logs and nothing behind them. It is a {@link Reader}, so that what a
 * tool reads of it is what it would read of the live one.
 *
 * @module
 */

import type { MessageKind, Payload } from "../../lib/buffers/message.ts";
import { MessageLog } from "../../lib/buffers/message_log.ts";
import type {
  BufferKind,
  BufferView,
  Member,
  Observer,
  Reader,
  SessionState,
  SessionView,
} from "../../lib/engine/reader.ts";
import { SecretScan } from "../../lib/redact/secrets.ts";

/** 2026-09-30T12:00:00Z. */
export const NOON = Date.parse("2026-09-30T12:00:00Z");

/** An upper-case UUID that counts: `fakeId(1)` is not `fakeId(2)`. */
export function fakeId(number: number): string {
  const digits = number.toString(16).toUpperCase().padStart(12, "0");
  return `6F1C3B1E-2F0B-4C53-9D0F-${digits}`;
}

let lastId = 0;

export class FakeBuffer implements BufferView {
  readonly id = fakeId(++lastId);
  readonly kind: BufferKind;
  messages: MessageLog;
  name: string;
  list: Member[] = [];

  constructor(kind: BufferKind, name: string, limit = 20_000) {
    this.kind = kind;
    this.name = name;
    this.messages = new MessageLog(limit);
  }

  members(): readonly Member[] {
    return this.list;
  }

  member(nick: string): Member | undefined {
    return this.list.find((member) => member.nick === nick);
  }

  /** A row of any kind; gives its `seq`, 0 when it did not enter. */
  add(row: {
    readonly text?: string;
    readonly id?: string;
    readonly time?: number;
    readonly from?: string;
    readonly kind?: MessageKind;
    readonly payload?: Payload;
    readonly replayed?: boolean;
  } = {}): number {
    const added = this.messages.append({
      id: row.id,
      time: row.time ?? NOON + this.messages.newestSeq * 1000,
      from: row.from ?? "alice",
      kind: row.kind ?? "privmsg",
      payload: row.payload ?? {
        caseName: "privmsg",
        text: row.text ?? "hello",
        target: this.name,
      },
      replayed: row.replayed ?? false,
    });
    return added?.seq ?? 0;
  }

  /** `count` plain rows. */
  fill(count: number, text = "hello"): this {
    for (let i = 0; i < count; i++) this.add({ text });
    return this;
  }
}

export class FakeSession implements SessionView {
  readonly id = fakeId(++lastId);
  readonly transport = "irc";
  name: string;
  network = "";
  state: SessionState = "connected";
  nick = "me";
  list: FakeBuffer[] = [];
  scan = new SecretScan([]);

  constructor(name: string) {
    this.name = name;
  }

  buffers(): readonly FakeBuffer[] {
    return this.list;
  }

  buffer(id: string): FakeBuffer | undefined {
    return this.list.find((buffer) => buffer.id === id);
  }

  hasCapability(): boolean {
    return false;
  }

  secrets(): SecretScan {
    return this.scan;
  }

  /** Opens a buffer at the end of the list. */
  open(kind: BufferKind, name: string, limit?: number): FakeBuffer {
    const buffer = new FakeBuffer(kind, name, limit);
    this.list.push(buffer);
    return buffer;
  }
}

/** See the module doc. */
export class FakeEngine implements Reader {
  list: FakeSession[] = [];

  sessions(): readonly FakeSession[] {
    return this.list;
  }

  session(id: string): FakeSession | undefined {
    return this.list.find((session) => session.id === id);
  }

  buffer(
    id: string,
  ): { session: FakeSession; buffer: FakeBuffer } | undefined {
    for (const session of this.list) {
      const buffer = session.buffer(id);
      if (buffer !== undefined) return { session, buffer };
    }
    return undefined;
  }

  observe(_observer: Observer): () => void {
    return () => {};
  }

  start(name: string): FakeSession {
    const session = new FakeSession(name);
    this.list.push(session);
    return session;
  }
}

/** One session with one channel: what most tests need. */
export function oneChannel(limit?: number): {
  engine: FakeEngine;
  session: FakeSession;
  buffer: FakeBuffer;
} {
  const engine = new FakeEngine();
  const session = engine.start("Libera");
  const buffer = session.open("channel", "#rete", limit);
  return { engine, session, buffer };
}
