import assert from "node:assert/strict";
import { SecretScan } from "../../lib/redact/secrets.ts";
import { NOON, oneChannel } from "./fake_engine.ts";
import { Caller, type Result, seededRandom, seqs } from "./tool_calls.ts";

function range(from: number, through: number): number[] {
  return Array.from({ length: through - from + 1 }, (_, i) => from + i);
}

Deno.test("read_messages() gives the newest messages, oldest first [RDM-001 RDM-002 RDM-003 RDM-006 RDM-008 RDM-009]", async () => {
  // Guards the whole shape of a page with older messages below it.
  const { engine, buffer } = oneChannel();
  for (let i = 1; i <= 4; i++) buffer.add({ text: `${i}`, id: `m${i}` });
  const result = await new Caller(engine).call("read_messages", {
    buffer: buffer.id,
    limit: 2,
  });
  const { next_cursor: cursor, ...rest } = result;
  assert.equal(typeof cursor, "string");
  assert.deepEqual(rest, {
    messages: [3, 4].map((seq) => ({
      seq,
      id: `m${seq}`,
      time: `2026-09-30T12:00:0${seq - 1}Z`,
      from: "alice",
      kind: "privmsg",
      payload: { caseName: "privmsg", text: `${seq}`, target: "#rete" },
      untrusted: true,
    })),
    truncated: true,
    reached_oldest: false,
    coverage: {
      oldest: "2026-09-30T12:00:02Z",
      newest: "2026-09-30T12:00:03Z",
    },
  });
});

Deno.test("read_messages() pages back to the oldest held [RDM-004 RDM-005 RDM-009 RDM-010]", async () => {
  // Guards the walk back: each page older than the last, then an end.
  const { engine, buffer } = oneChannel();
  buffer.fill(5);
  const caller = new Caller(engine);
  const args = { buffer: buffer.id, limit: 2 };
  const first = await caller.call("read_messages", args);
  const second = await caller.call("read_messages", {
    ...args,
    before: first.next_cursor,
  });
  const third = await caller.call("read_messages", {
    ...args,
    before: second.next_cursor,
  });
  assert.deepEqual([first, second, third].map(seqs), [[4, 5], [2, 3], [1]]);
  assert.deepEqual(
    [first, second, third].map((page) => page.reached_oldest),
    [false, false, true],
  );
  assert.equal(third.truncated, false);
  assert.equal("next_cursor" in third, false);
});

Deno.test("read_messages() of an empty buffer is an empty page [RDM-007]", async () => {
  // Guards that coverage is there and holds nothing.
  const { engine, buffer } = oneChannel();
  assert.equal(
    await new Caller(engine).text("read_messages", { buffer: buffer.id }),
    '{"coverage":{},"messages":[],"reached_oldest":true,"truncated":false}',
  );
});

Deno.test("read_messages() covers the earliest and latest time, whatever the order [RDM-006 CUR-005]", async () => {
  // Guards pages with late rows: they are listed by seq and timed by time.
  const { engine, buffer } = oneChannel();
  buffer.add({ time: NOON + 9_000 });
  buffer.add({ time: NOON + 1_000 });
  buffer.add({ time: NOON + 5_000 });
  const result = await new Caller(engine).call("read_messages", {
    buffer: buffer.id,
  });
  assert.deepEqual(seqs(result), [1, 2, 3]);
  assert.deepEqual(result.coverage, {
    oldest: "2026-09-30T12:00:01Z",
    newest: "2026-09-30T12:00:09Z",
  });
});

Deno.test("read_messages() takes 50 by default and 500 at most [RDM-001 ARG-008]", async () => {
  // Guards the numbers a client may rely on.
  const { engine, buffer } = oneChannel();
  buffer.fill(600, "x");
  const caller = new Caller(engine, { budgetBytes: 1_000_000 });
  const sizes: [unknown, number][] = [
    [null, 50],
    [0, 1],
    [-5, 1],
    [500, 500],
    [501, 500],
    [1e30, 500],
  ];
  for (const [limit, size] of sizes) {
    const result = await caller.call("read_messages", {
      buffer: buffer.id,
      limit,
    });
    assert.equal(result.messages.length, size, `${limit}`);
  }
});

Deno.test("read_messages() keeps the newest when the budget cuts [BUD-002 BUD-003 RDM-008 RDM-010]", async () => {
  // Guards that the cut leaves the older rows, which the cursor then reads.
  const { engine, buffer } = oneChannel();
  buffer.fill(100, "é".repeat(600));
  const caller = new Caller(engine);
  const first = await caller.call("read_messages", {
    buffer: buffer.id,
    limit: 100,
  });
  const size = first.messages.length;
  assert.ok(size > 30 && size < 60, `${size}`);
  assert.deepEqual(seqs(first), range(101 - size, 100));
  assert.equal(first.truncated, true);
  const second = await caller.call("read_messages", {
    buffer: buffer.id,
    before: first.next_cursor,
  });
  assert.equal(seqs(second).at(-1), 100 - size);
});

Deno.test("read_messages() counts what it withholds and still advances [MSG-015 MSG-017 MSG-018 MSG-019]", async () => {
  // Guards the way back through rows none of which may be shown.
  const { engine, session, buffer } = oneChannel();
  session.scan = new SecretScan(["hunter22"]);
  buffer.add({ text: "fine" });
  buffer.add({ text: "hunter22" });
  buffer.add({
    kind: "raw",
    payload: { caseName: "rawLine", line: "PING :1" },
  });
  const caller = new Caller(engine);
  const first = await caller.call("read_messages", {
    buffer: buffer.id,
    limit: 2,
  });
  assert.deepEqual(first.messages, []);
  assert.equal(first.withheld, 2);
  assert.deepEqual(first.coverage, {});
  assert.equal(first.truncated, true);
  const second = await caller.call("read_messages", {
    buffer: buffer.id,
    before: first.next_cursor,
  });
  assert.deepEqual(seqs(second), [1]);
  assert.equal(second.reached_oldest, true);
});

Deno.test("read_messages() steps over rows larger than the budget [BUD-004 MSG-022 MSG-023]", async () => {
  // Guards that they are named in ascending order and the page goes on.
  const { engine, buffer } = oneChannel();
  buffer.add();
  buffer.add({ text: "x".repeat(60_000) });
  buffer.add({ text: "x".repeat(60_000) });
  buffer.add();
  const result = await new Caller(engine).call("read_messages", {
    buffer: buffer.id,
  });
  assert.deepEqual(seqs(result), [1, 4]);
  assert.deepEqual(result.skipped, [2, 3]);
  assert.equal(result.reached_oldest, true);
});

Deno.test("read_messages() after its older rows were evicted is empty and ends", async () => {
  // Guards a slow walk back through a busy buffer.
  const { engine, buffer } = oneChannel(10);
  buffer.fill(10);
  const caller = new Caller(engine);
  const { next_cursor: before } = await caller.call("read_messages", {
    buffer: buffer.id,
    limit: 5,
  });
  buffer.fill(10);
  const result = await caller.call("read_messages", {
    buffer: buffer.id,
    before,
  });
  assert.deepEqual(result.messages, []);
  assert.equal(result.truncated, false);
});

Deno.test("read_messages() refuses a cursor that is not its own [ERR-008 ERR-009 ERR-010]", async () => {
  // Guards both ways of reading: around checks before all the same.
  const { engine, session, buffer } = oneChannel();
  buffer.add({ id: "m1" });
  const other = session.open("query", "bob").fill(2);
  const caller = new Caller(engine);
  const since = await caller.call("read_since", { buffer: buffer.id });
  const page = await caller.call("read_messages", {
    buffer: other.id,
    limit: 1,
  });
  for (const before of ["", "x", since.cursor, page.next_cursor]) {
    for (const around of [null, "m1", "not held"]) {
      assert.equal(
        await caller.fail("read_messages", {
          buffer: buffer.id,
          before,
          around,
        }),
        "invalid cursor",
      );
    }
  }
});

/** Rows 1 to `count` with ids m1 to m<count>. */
function numbered(count: number, text = "hello") {
  const channel = oneChannel();
  for (let i = 1; i <= count; i++) channel.buffer.add({ id: `m${i}`, text });
  return { ...channel, caller: new Caller(channel.engine) };
}

Deno.test("read_messages() around gives limit/2 older, the message, the rest newer [RDM-011]", async () => {
  // Guards the size of the window for even, odd and smallest limits.
  const { buffer, caller } = numbered(20);
  const cases: [number, number[]][] = [
    [1, [10]],
    [2, [9, 10]],
    [3, [9, 10, 11]],
    [4, [8, 9, 10, 11]],
    [5, [8, 9, 10, 11, 12]],
    [500, range(1, 20)],
  ];
  for (const [limit, expected] of cases) {
    const result = await caller.call("read_messages", {
      buffer: buffer.id,
      around: "m10",
      limit,
    });
    assert.deepEqual(seqs(result), expected, `limit ${limit}`);
  }
});

Deno.test("read_messages() around looks backwards only [RDM-016 RDM-017 RDM-018]", async () => {
  // Guards that newer rows alone leave truncated false.
  const { buffer, caller } = numbered(20);
  const inside = await caller.call("read_messages", {
    buffer: buffer.id,
    around: "m10",
    limit: 4,
  });
  assert.equal(inside.truncated, true);
  assert.equal(inside.reached_oldest, false);
  const older = await caller.call("read_messages", {
    buffer: buffer.id,
    before: inside.next_cursor,
  });
  assert.deepEqual(seqs(older), range(1, 7));
  const first = await caller.call("read_messages", {
    buffer: buffer.id,
    around: "m2",
    limit: 4,
  });
  assert.deepEqual(seqs(first), [1, 2, 3]);
  assert.equal(first.truncated, false);
  assert.equal(first.reached_oldest, true);
  assert.equal("next_cursor" in first, false);
});

Deno.test("read_messages() around lists in display order [RDM-012]", async () => {
  // Guards late rows: the window reads as a person sees it.
  const { engine, buffer } = oneChannel();
  buffer.add({ time: NOON, id: "a" });
  buffer.add({ time: NOON + 9_000, id: "c" });
  buffer.add({ time: NOON + 5_000, id: "b" });
  buffer.add({ time: NOON + 5_000, id: "b2" });
  const result = await new Caller(engine).call("read_messages", {
    buffer: buffer.id,
    around: "b",
    limit: 10,
  });
  assert.deepEqual(seqs(result), [1, 3, 4, 2]);
});

Deno.test("read_messages() around leads to every older row, late ones too [RDM-017]", async () => {
  // Guards history that came after a join: it is older and has higher seqs.
  const { engine, buffer } = oneChannel();
  buffer.add({ time: NOON, id: "join" });
  for (let i = 0; i < 30; i++) {
    buffer.add({ time: NOON - 60_000 + i * 1000, replayed: true });
  }
  for (let i = 1; i < 10; i++) buffer.add({ time: NOON + i * 1000 });
  const caller = new Caller(engine);
  const window = await caller.call("read_messages", {
    buffer: buffer.id,
    around: "join",
    limit: 1,
  });
  assert.deepEqual(seqs(window), [1]);
  assert.equal(window.truncated, true);
  const older = await caller.call("read_messages", {
    buffer: buffer.id,
    before: window.next_cursor,
    limit: 500,
  });
  for (const seq of range(2, 31)) {
    assert.ok(seqs(older).includes(seq), `${seq}`);
  }
});

Deno.test("read_messages() around drops the farthest first and keeps the anchor [RDM-013]", async () => {
  // Guards that a cut window still stands around its message.
  const { buffer, caller } = numbered(100, "x".repeat(2000));
  const result = await caller.call("read_messages", {
    buffer: buffer.id,
    around: "m50",
    limit: 100,
  });
  const window = seqs(result);
  assert.ok(window.length > 20 && window.length < 30, `${window.length}`);
  assert.deepEqual(window, range(window[0] ?? 0, window.at(-1) ?? 0));
  const older = 50 - (window[0] ?? 0);
  const newer = (window.at(-1) ?? 0) - 50;
  assert.ok(Math.abs(older - newer) <= 1, `${older} older, ${newer} newer`);
  assert.equal(result.truncated, true);
  const next = await caller.call("read_messages", {
    buffer: buffer.id,
    before: result.next_cursor,
    limit: 1,
  });
  assert.deepEqual(seqs(next), [(window[0] ?? 0) - 1]);
});

Deno.test("read_messages() around an anchor that may not be shown gives its neighbours", async () => {
  // Guards anchors withheld or too large: they are counted, not an error.
  const { session, buffer, caller } = numbered(3);
  buffer.add({ id: "s", text: "hunter22" });
  buffer.add({ id: "x", text: "x".repeat(60_000) });
  session.scan = new SecretScan(["hunter22"]);
  const held = await caller.call("read_messages", {
    buffer: buffer.id,
    around: "s",
    limit: 3,
  });
  assert.deepEqual(seqs(held), [3]);
  assert.equal(held.withheld, 1);
  assert.deepEqual(held.skipped, [5]);
  const large = await caller.call("read_messages", {
    buffer: buffer.id,
    around: "x",
    limit: 4,
  });
  assert.deepEqual(seqs(large), [3]);
  assert.deepEqual(large.skipped, [5]);
});

Deno.test("read_messages() around ignores a good before [RDM-014 RDM-015]", async () => {
  // Guards that around alone decides what is read.
  const { buffer, caller } = numbered(20);
  const { next_cursor: before } = await caller.call("read_messages", {
    buffer: buffer.id,
    limit: 15,
  });
  const plain = { buffer: buffer.id, around: "m15", limit: 4 };
  assert.deepEqual(
    await caller.call("read_messages", { ...plain, before }),
    await caller.call("read_messages", plain),
  );
});

Deno.test("read_messages() around an id not held is an empty page [RDM-019]", async () => {
  // Guards that an id that left, or never was, is an answer.
  const { buffer, caller } = numbered(3);
  for (const around of ["nope", "", "M1"]) {
    assert.equal(
      await caller.text("read_messages", { buffer: buffer.id, around }),
      '{"coverage":{},"messages":[],"reached_oldest":false,"truncated":false}',
    );
  }
});

Deno.test("read_messages() returns each row once under any limit and budget [CUR-001 MSG-019]", async () => {
  // Guards the walk back, with rows withheld, too large, redacted and late.
  const random = seededRandom(5);
  for (let round = 0; round < 25; round++) {
    const { engine, session, buffer } = oneChannel();
    session.scan = new SecretScan(["secret"]);
    const expected: number[] = [];
    const skipped: number[] = [];
    let withheld = 0;
    const rows = random(300);
    for (let i = 0; i < rows; i++) {
      const die = random(20);
      const text = die === 0
        ? "secret"
        : die === 1
        ? "y".repeat(9000)
        : "z".repeat(random(400));
      const seq = buffer.add({ text, time: NOON + random(100_000) });
      if (die === 2) {
        const row = buffer.messages.bySeq(seq);
        if (row !== undefined) buffer.messages.remove(row);
      } else if (die === 0) withheld++;
      else if (die === 1) skipped.push(seq);
      else expected.push(seq);
    }
    const caller = new Caller(engine, { budgetBytes: 2000 + random(6000) });
    const pages: Result[] = [];
    let before: string | undefined;
    do {
      const page = await caller.call("read_messages", {
        buffer: buffer.id,
        limit: 1 + random(60),
        before: before ?? null,
      });
      assert.equal(page.truncated, "next_cursor" in page);
      assert.equal(page.reached_oldest, !page.truncated);
      pages.unshift(page);
      before = page.next_cursor;
    } while (before !== undefined);
    assert.deepEqual(pages.flatMap(seqs), expected, `round ${round}`);
    const stepped = pages.flatMap((page) => page.skipped ?? []);
    assert.deepEqual(stepped, skipped, `round ${round}`);
    const held = pages.reduce((sum, page) => sum + (page.withheld ?? 0), 0);
    assert.equal(held, withheld, `round ${round}`);
  }
});
