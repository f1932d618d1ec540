/**
 * HTTP clients that hold what they were given: eight that dribble their heads
 * or bodies at once, and readers that take an answer a byte at a time.
 *
 * @module
 */

import assert from "node:assert/strict";
import { FakeClock } from "../fake_clock.ts";
import { DEADLINES } from "../../lib/http/deadlines.ts";
import {
  OK_ANSWER,
  openGate,
  post,
  RawClient,
  roundTrip,
} from "../http/gate_harness.ts";

const SLOTS = 8;
const WAVES = 5;
const ANSWER_BYTES = 60_000;

/** Sends `text` byte by byte until the server has closed. */
async function dribble(port: number, text: string, everyMs: number) {
  const client = await RawClient.connect(port);
  let isClosed = false;
  const answer = client.readToEnd().finally(() => isClosed = true);
  for (const byte of text) {
    if (isClosed) break;
    await client.send(byte).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  const answered = await answer;
  client.close();
  return answered;
}

Deno.test("eight slow clients at once lose their places, wave after wave", async () => {
  // Guards the eight connections there are against clients that never end
  // their requests: each wave is over when its deadline is, and then whoever
  // comes is served.
  await using gate = openGate({ deadlines: { headMs: 100, requestMs: 200 } });
  for (let wave = 0; wave < WAVES; wave++) {
    const isHead = wave % 2 === 0;
    const text = isHead
      ? post(gate.port)
      : post(gate.port, { body: "x".repeat(2_000) });
    const start = performance.now();
    const slow = Array.from(
      { length: SLOTS },
      () => dribble(gate.port, text, isHead ? 20 : 1),
    );
    assert.deepEqual(await Promise.all(slow), Array(SLOTS).fill(""));
    const took = performance.now() - start;
    assert.ok(took < 3_000, `a wave took ${took} ms`);
    assert.equal(await roundTrip(gate.port, post(gate.port)), OK_ANSWER);
  }
  assert.equal(gate.lines.filter(({ level }) => level === "error").length, 0);
});

Deno.test(`a client that reads a byte a second of ${ANSWER_BYTES} holds no place`, async () => {
  // Guards the eight connections against readers that take hours: an answer
  // this size is the system's once it is written, and the place is free.
  const clock = new FakeClock();
  const body = "x".repeat(ANSWER_BYTES);
  await using gate = openGate({
    clock,
    handler: () => Promise.resolve(new Response(body)),
  });
  const readers: RawClient[] = [];
  for (let i = 0; i < 2 * SLOTS; i++) {
    const reader = await RawClient.connect(gate.port);
    readers.push(reader);
    await reader.send(post(gate.port));
    await reader.conn.read(new Uint8Array(1));
    // Each takes its byte of a second, for as long as an answer may take.
    for (const other of readers) await other.conn.read(new Uint8Array(1));
    await clock.advance(1_000);
  }
  await clock.advance(DEADLINES.lingerMs);
  const prompt = await roundTrip(gate.port, post(gate.port));
  assert.ok(prompt.endsWith(body));
  // What was written may still be read, however slowly.
  const [first] = readers;
  assert.ok(((await first?.readToEnd()) ?? "").endsWith("x"));
  for (const reader of readers) reader.close();
});
