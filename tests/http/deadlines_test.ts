import assert from "node:assert/strict";
import { DeadlineQueue, DEADLINES } from "../../lib/http/deadlines.ts";
import { FakeClock } from "../fake_clock.ts";

Deno.test("DEADLINES are the contract's numbers", () => {
  // Guards the numbers themselves; tests of what they do hold the clock.
  const { headMs, requestMs, answerMs, handlerMs, overrunMs, closeGraceMs } =
    DEADLINES;
  assert.deepEqual(
    [headMs, requestMs, answerMs, handlerMs, overrunMs, closeGraceMs],
    [2_000, 10_000, 25_000, 30_000, 60_000, 2_000],
  );
});

Deno.test("DeadlineQueue runs deadlines in time, whatever order they came in", async () => {
  // Guards that one timer serves them all without one holding up another.
  const clock = new FakeClock();
  const queue = new DeadlineQueue(clock);
  const ran: string[] = [];
  const note = (name: string) => () => void ran.push(`${name} ${queue.now()}`);
  queue.after(300, note("late"));
  queue.after(100, note("soon"));
  queue.at(200, note("between"));
  await clock.advance(99);
  assert.deepEqual(ran, []);
  await clock.advance(1_000);
  assert.deepEqual(ran, ["soon 100", "between 200", "late 300"]);
  assert.equal(clock.pending, 0);
});

Deno.test("DeadlineQueue runs nothing that was cancelled", async () => {
  // Guards that a connection which got further is not closed all the same,
  // also when what cancels runs in the same turn.
  const clock = new FakeClock();
  const queue = new DeadlineQueue(clock);
  const ran: string[] = [];
  const second = queue.after(50, () => ran.push("second"));
  queue.after(10, () => ran.push(`cancel ${third.cancel()}`));
  const third = queue.after(10, () => ran.push("third"));
  queue.after(60, () => ran.push("fourth"));
  assert.equal(second.cancel(), true);
  assert.equal(second.cancel(), false);
  await clock.advance(100);
  assert.deepEqual(ran, ["cancel true", "fourth"]);
});

Deno.test("DeadlineQueue takes deadlines from those it runs", async () => {
  // Guards that one phase can start the next.
  const clock = new FakeClock();
  const queue = new DeadlineQueue(clock);
  const ran: number[] = [];
  const again = () => {
    ran.push(queue.now());
    if (ran.length < 3) queue.after(10, again);
  };
  queue.after(10, again);
  await clock.advance(100);
  assert.deepEqual(ran, [10, 20, 30]);
});

Deno.test("DeadlineQueue.clear() leaves no timer", async () => {
  // Guards that a closed listener holds nothing.
  const clock = new FakeClock();
  const queue = new DeadlineQueue(clock);
  for (let i = 1; i < 20; i++) queue.after(i, () => assert.fail("ran"));
  queue.clear();
  assert.equal(clock.pending, 0);
  await clock.advance(100);
});
