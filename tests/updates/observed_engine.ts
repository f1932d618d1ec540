/**
 * The tools' engine in memory with a voice: rows that a test says are told to
 * observers as the live engine tells them, and reads of buffers are counted.
 *
 * @module
 */

import type { Message } from "../../lib/buffers/message.ts";
import { MessageLog } from "../../lib/buffers/message_log.ts";
import type { Observer } from "../../lib/engine/reader.ts";
import { FakeClock } from "../fake_clock.ts";
import {
  type FakeBuffer,
  FakeEngine,
  type FakeSession,
} from "../tools/fake_engine.ts";
import { Caller, type Result } from "../tools/tool_calls.ts";

type Row = Parameters<FakeBuffer["add"]>[0];

/** See the module doc. */
export class ObservedEngine extends FakeEngine {
  readonly observers = new Set<Observer>();

  override observe(observer: Observer): () => void {
    this.observers.add(observer);
    return () => this.observers.delete(observer);
  }

  /** Adds a row and tells of it; gives the row. */
  say(session: FakeSession, buffer: FakeBuffer, row: Row = {}): Message {
    const message = buffer.messages.bySeq(buffer.add(row));
    if (message === undefined) throw new Error("The row did not enter");
    for (const { messageAdded } of this.observers) {
      messageAdded?.(session, buffer, message);
    }
    return message;
  }

  /** Says `count` rows in one turn of the event loop. */
  flood(session: FakeSession, buffer: FakeBuffer, count: number): void {
    for (let i = 0; i < count; i++) this.say(session, buffer, { text: `${i}` });
  }
}

/** A log that counts the reads of a buffer. */
export class CountingLog extends MessageLog {
  reads = 0;

  override since(after: number, limit: number): Message[] {
    this.reads++;
    return super.since(after, limit);
  }
}

/** One session with a channel and a query, a clock, and calls over them. */
export function scene(): {
  engine: ObservedEngine;
  session: FakeSession;
  channel: FakeBuffer;
  query: FakeBuffer;
  clock: FakeClock;
  caller: Caller;
} {
  const engine = new ObservedEngine();
  const session = engine.start("Libera");
  session.nick = "mriron";
  session.open("server", "Libera");
  const channel = session.open("channel", "#rete");
  const query = session.open("query", "alice");
  const clock = new FakeClock();
  const caller = new Caller(engine, { clock });
  return { engine, session, channel, query, clock, caller };
}

/** Subscribes and gives the id. */
export async function subscribe(
  caller: Caller,
  filters: Readonly<Record<string, unknown>>,
): Promise<string> {
  return (await caller.call("subscribe", filters)).subscription.id;
}

/** The texts of the events that a full read of everything removes. */
export async function drain(caller: Caller, id?: string): Promise<string[]> {
  const page = await caller.call("read_updates", {
    detail: "full",
    limit: 500,
    ...(id !== undefined && { id }),
  });
  return page.updates.flatMap((update: Result) =>
    update.events.map((event: Result) =>
      event.message.payload.text ?? event.message.kind
    )
  );
}
