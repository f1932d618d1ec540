import assert from "node:assert/strict";
import { SeqRing } from "../../lib/debug/seq_ring.ts";

function filled(count: number, capacity = 5): SeqRing<number> {
  const ring = new SeqRing<number>(capacity);
  for (let i = 0; i < count; i++) ring.add((seq) => seq);
  return ring;
}

Deno.test("SeqRing holds the newest entries in order", () => {
  // Guards the page a reader gets, below, at and past capacity.
  assert.deepEqual(filled(0).since(0, 9), []);
  assert.deepEqual(filled(3).since(0, 9), [1, 2, 3]);
  assert.deepEqual(filled(5).since(0, 9), [1, 2, 3, 4, 5]);
  assert.deepEqual(filled(12).since(0, 9), [8, 9, 10, 11, 12]);
  assert.deepEqual(filled(12).since(9, 2), [10, 11]);
  assert.deepEqual(filled(12).since(12, 9), []);
  assert.deepEqual(filled(12).since(99, 9), []);
  assert.deepEqual(filled(12).since(0, 0), []);
});

Deno.test("SeqRing says how far it dropped entries", () => {
  // Guards `evicted`, which compares a cursor with this number.
  assert.equal(filled(5).evictedThrough, 0);
  assert.equal(filled(6).evictedThrough, 1);
  assert.equal(filled(12).evictedThrough, 7);
  assert.equal(filled(12).newestSeq, 12);
  assert.equal(filled(12).size, 5);
});

Deno.test("SeqRing numbers on after a clear, with nothing evicted [RAW-005]", () => {
  // Guards that a reader behind a clear sees a gap and no eviction.
  const ring = filled(12);
  ring.clear();
  assert.equal(ring.size, 0);
  assert.equal(ring.newestSeq, 12);
  assert.equal(ring.evictedThrough, 0);
  assert.deepEqual(ring.since(0, 9), []);
  for (let i = 0; i < 3; i++) ring.add((seq) => seq);
  assert.deepEqual(ring.since(4, 9), [13, 14, 15]);
  assert.equal(ring.evictedThrough, 0);
  for (let i = 0; i < 3; i++) ring.add((seq) => seq);
  assert.deepEqual(ring.since(0, 9), [14, 15, 16, 17, 18]);
  assert.equal(ring.evictedThrough, 13);
});
