import assert from "node:assert/strict";
import type { Message } from "../../lib/buffers/message.ts";
import { MessageLog } from "../../lib/buffers/message_log.ts";
import type { BufferView } from "../../lib/engine/reader.ts";
import { PendingChanges } from "../../lib/updates/pending_changes.ts";

function newBuffer(id: string): BufferView {
  return {
    id,
    name: id,
    kind: "channel",
    messages: new MessageLog(10),
    members: () => [],
    member: () => undefined,
  };
}

function row(seq: number, history = false): Message {
  return {
    seq,
    id: undefined,
    time: 0,
    from: "a",
    kind: "privmsg",
    payload: { caseName: "privmsg", text: "t", target: "#c" },
    history,
  };
}

function summary(pending: PendingChanges) {
  return pending.take().map((range) => [
    range.buffer.id,
    range.firstSeq,
    range.lastSeq,
    range.isMerged,
  ]);
}

Deno.test("PendingChanges keeps the rows of each buffer as one range", () => {
  // Guards that a batch reads each buffer once.
  const [a, b] = [newBuffer("A"), newBuffer("B")];
  const pending = new PendingChanges();
  pending.add(a, row(5));
  pending.add(b, row(1));
  pending.add(a, row(6));
  assert.deepEqual(summary(pending), [["A", 5, 6, false], ["B", 1, 1, false]]);
  assert.equal(pending.isEmpty, true);
});

Deno.test("PendingChanges merges the busiest buffer past 256 changes [SUB-053]", () => {
  // Guards that a flood in one channel costs a bounded amount, and that the
  // quiet ones beside it are still read.
  const [busy, quiet] = [newBuffer("BUSY"), newBuffer("QUIET")];
  const pending = new PendingChanges();
  pending.add(quiet, row(1));
  for (let seq = 1; seq <= 255; seq++) pending.add(busy, row(seq));
  assert.equal(pending.changes, 256);
  pending.add(busy, row(256));
  assert.equal(pending.changes, 2);
  for (let seq = 257; seq <= 9_999; seq++) pending.add(busy, row(seq));
  assert.equal(pending.changes, 2);
  assert.deepEqual(summary(pending), [
    ["QUIET", 1, 1, false],
    ["BUSY", 1, 9_999, true],
  ]);
});

Deno.test("PendingChanges counts history that arrives together as one change", () => {
  // Guards that a played-back night is counted, and not given up as a flood.
  const buffer = newBuffer("A");
  const pending = new PendingChanges();
  for (let seq = 1; seq <= 1_000; seq++) pending.add(buffer, row(seq, true));
  assert.equal(pending.changes, 1);
  pending.add(buffer, row(1_001));
  pending.add(buffer, row(1_002, true));
  assert.equal(pending.changes, 3);
  assert.deepEqual(summary(pending), [["A", 1, 1_002, false]]);
});

Deno.test("PendingChanges marks a buffer whose sequence restarted [SUB-055]", () => {
  // Guards that rows of two lives of a buffer are never taken for one.
  const buffer = newBuffer("A");
  const pending = new PendingChanges();
  pending.add(buffer, row(7));
  pending.add(buffer, row(8));
  pending.add(buffer, row(1));
  assert.deepEqual(summary(pending), [["A", 1, 1, true]]);
});

Deno.test("PendingChanges keeps one change for each of many buffers", () => {
  // Guards that a netsplit over many channels loses none of them.
  const pending = new PendingChanges();
  for (let i = 0; i < 400; i++) pending.add(newBuffer(`B${i}`), row(1));
  assert.equal(pending.changes, 400);
  assert.ok(pending.take().every((range) => !range.isMerged));
});
