import assert from "node:assert/strict";
import { ReadTurns } from "../../lib/irc/read_turns.ts";

Deno.test("ReadTurns shares one account of the time between all who read", async () => {
  // Guards that six floods leave others as much as one does, and that none of
  // the six waits for ever.
  const turns = new ReadTurns();
  const order: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  assert.equal(turns.isOver, false);
  turns.worked(100, 0);
  assert.equal(turns.isOver, true);
  const flood = (name: string, rounds: number) => {
    order.push(name);
    turns.worked(100, 0);
    if (rounds > 1) turns.wait(() => flood(name, rounds - 1));
    else if (order.length === 9) resolve();
  };
  for (const name of ["a", "b", "c"]) turns.wait(() => flood(name, 3));
  assert.deepEqual(order, []);
  await promise;
  assert.equal(order.join(""), "abcabcabc");
});

Deno.test("ReadTurns forgets who gave up, and leaves no timer", async () => {
  // Guards against a read of a connection that is gone; the timer would be a
  // leak that this test fails for.
  const turns = new ReadTurns();
  const done: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancels: (() => void)[] = [];
  turns.wait(() => {
    done.push("first");
    for (const cancel of cancels) cancel();
  });
  cancels.push(turns.wait(() => done.push("given up")));
  turns.wait(() => {
    done.push("last");
    resolve();
  });
  await promise;
  assert.deepEqual(done, ["first", "last"]);
  turns.wait(() => done.push("never"))();
  assert.deepEqual(done, ["first", "last"]);
});

Deno.test("ReadTurns makes no one wait for a flood that is over", () => {
  // Guards the lines of a quiet connection: the time that an earlier flood took
  // must not delay them.
  const turns = new ReadTurns();
  turns.worked(100, 1_000);
  turns.came(1_001);
  assert.equal(turns.isOver, true);
  turns.came(1_002);
  assert.equal(turns.isOver, false);
});
