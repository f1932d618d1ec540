import assert from "node:assert/strict";
import { ByteReader, type ByteSource } from "../../lib/http/byte_reader.ts";

/** A source that gives these pieces, then ends or fails. */
function sourceOf(pieces: number[], end: null | Error = null): ByteSource {
  let next = 0;
  return {
    read(into) {
      const size = pieces.shift();
      if (size === undefined) {
        return end === null ? Promise.resolve(null) : Promise.reject(end);
      }
      const count = Math.min(size, into.length);
      for (let i = 0; i < count; i++) into[i] = next++ % 251;
      if (count < size) pieces.unshift(size - count);
      return Promise.resolve(count);
    },
  };
}

Deno.test("ByteReader gathers what arrives up to its limit and no further", async () => {
  // Guards the memory of a connection: a client that sends without end fills
  // one buffer of known size.
  const reader = new ByteReader(sourceOf([1, 5_000, 5_000, 1e9]), 20_000);
  while (await reader.fill());
  assert.equal(reader.length, 20_000);
  assert.equal(reader.buffer.length, 20_000);
  for (let i = 0; i < reader.length; i++) {
    assert.equal(reader.buffer[i], i % 251);
  }
});

Deno.test("ByteReader takes a failed connection for one that ended", async () => {
  // Guards that a reset, or a close under a pending read, is no exception in
  // a place that has nothing to do about it.
  for (const end of [null, new Deno.errors.ConnectionReset("gone")]) {
    const reader = new ByteReader(sourceOf([3], end), 10_000);
    assert.equal(await reader.fill(), true);
    assert.equal(await reader.fill(), false);
    assert.equal(reader.length, 3);
    await new ByteReader(sourceOf([3], end), 10_000).discardToEnd(10);
  }
});

Deno.test("ByteReader.discardToEnd() stops past its limit", async () => {
  // Guards that a refused client which sends without end is not read for as
  // long as it likes.
  const reader = new ByteReader(sourceOf(Array(1_000).fill(1_000)), 10_000);
  await reader.discardToEnd(5_500);
  assert.deepEqual([reader.discarded, reader.length], [6_000, 0]);
});

Deno.test("ByteReader.release() lets no connection see another's bytes", async () => {
  // Guards the reuse of buffers: what a reader holds is what it read.
  const first = new ByteReader(sourceOf([100]), 10_000);
  await first.fill();
  const buffer = first.buffer;
  first.release();
  assert.deepEqual([first.length, first.buffer.length], [0, 0]);
  const second = new ByteReader(sourceOf([2]), 10_000);
  assert.equal(second.buffer, buffer);
  await second.fill();
  assert.equal(second.length, 2);
  second.release();
});
