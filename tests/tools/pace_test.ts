import assert from "node:assert/strict";
import { CallCancelled } from "../../lib/tools/failures.ts";
import { Pace } from "../../lib/tools/pace.ts";
import { FakeClock } from "../fake_clock.ts";

Deno.test("Pace is due after five milliseconds and not before", async () => {
  // Guards the rest of the service: a long call lets it run in between.
  const clock = new FakeClock();
  const pace = new Pace({ clock, signal: new AbortController().signal });
  assert.equal(pace.isDue, false);
  await clock.advance(4);
  assert.equal(pace.isDue, false);
  await clock.advance(1);
  assert.equal(pace.isDue, true);
  const rested = pace.rest();
  await clock.advance(1);
  await rested;
  assert.equal(pace.isDue, false);
  assert.equal(clock.pending, 0);
});

Deno.test("Pace ends a call that was cancelled while it rested", async () => {
  // Guards that a client that left is noticed between rows.
  const clock = new FakeClock();
  const controller = new AbortController();
  const pace = new Pace({ clock, signal: controller.signal });
  const rested = assert.rejects(pace.rest(), CallCancelled);
  controller.abort();
  await clock.advance(1);
  await rested;
});
