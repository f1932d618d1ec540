import assert from "node:assert/strict";
import { SecretScan } from "../../lib/redact/secrets.ts";
import { FakeBuffer, fakeId, NOON, oneChannel } from "./fake_engine.ts";
import { Caller, seededRandom, seqs } from "./tool_calls.ts";

Deno.test("read_since() starts before the oldest message held [RDS-001 RDS-002 RDS-003 RDS-004]", async () => {
  // Guards the whole shape of a first page.
  const { engine, buffer } = oneChannel();
  buffer.add({ id: "m1", text: "one" });
  buffer.add({ text: "two", from: "" });
  const result = await new Caller(engine).call("read_since", {
    buffer: buffer.id,
  });
  const { cursor, ...rest } = result;
  assert.equal(typeof cursor, "string");
  assert.deepEqual(rest, {
    messages: [{
      seq: 1,
      id: "m1",
      time: "2026-09-30T12:00:00Z",
      from: "alice",
      kind: "privmsg",
      payload: { caseName: "privmsg", text: "one", target: "#rete" },
      untrusted: true,
    }, {
      seq: 2,
      time: "2026-09-30T12:00:01Z",
      from: "",
      kind: "privmsg",
      payload: { caseName: "privmsg", text: "two", target: "#rete" },
      untrusted: true,
    }],
    evicted: false,
    truncated: false,
  });
});

Deno.test("read_since() always has a cursor, on an empty page too [RDS-006 CUR-001]", async () => {
  // Guards an agent that polls: what comes after is never missed.
  const { engine, buffer } = oneChannel();
  const caller = new Caller(engine);
  const empty = await caller.call("read_since", { buffer: buffer.id });
  assert.deepEqual(empty.messages, []);
  const still = await caller.call("read_since", {
    buffer: buffer.id,
    cursor: empty.cursor,
  });
  assert.deepEqual(still.messages, []);
  buffer.add();
  const next = await caller.call("read_since", {
    buffer: buffer.id,
    cursor: still.cursor,
  });
  assert.deepEqual(seqs(next), [1]);
});

Deno.test("read_since() pages by limit, 50 by default, 500 at most [RDS-001 RDS-007 ARG-008]", async () => {
  // Guards that truncated says whether more is there already.
  const { engine, buffer } = oneChannel();
  buffer.fill(600, "x");
  const caller = new Caller(engine, { budgetBytes: 1_000_000 });
  const first = await caller.call("read_since", { buffer: buffer.id });
  assert.equal(first.messages.length, 50);
  assert.equal(first.truncated, true);
  const most = await caller.call("read_since", {
    buffer: buffer.id,
    limit: 1e19,
    cursor: first.cursor,
  });
  assert.equal(most.messages.length, 500);
  const rest = await caller.call("read_since", {
    buffer: buffer.id,
    limit: 50,
    cursor: most.cursor,
  });
  assert.deepEqual(seqs(rest), seqs(rest).map((_, i) => 551 + i));
  assert.equal(rest.truncated, false);
});

Deno.test("read_since() returns rows inserted mid-buffer after a cursor [RDS-005 CUR-005 CUR-006 MSG-003 MSG-004 MSG-007]", async () => {
  // Guards late rows: history that fills a gap is read by who was there before.
  const { engine, buffer } = oneChannel();
  const caller = new Caller(engine);
  buffer.add({ time: NOON });
  buffer.add({ time: NOON + 10_000 });
  const { cursor } = await caller.call("read_since", { buffer: buffer.id });
  buffer.add({ time: NOON + 5_000, text: "late" });
  buffer.add({ time: NOON + 5_000, text: "later", replayed: true });
  const result = await caller.call("read_since", { buffer: buffer.id, cursor });
  assert.deepEqual(seqs(result), [3, 4]);
  assert.deepEqual(
    result.messages.map((m: { time: string }) => m.time),
    ["2026-09-30T12:00:05Z", "2026-09-30T12:00:05Z"],
  );
});

Deno.test("read_since() says evicted when a row after the cursor was dropped [RDS-008 RDS-009]", async () => {
  // Guards an agent that was away: a gap it cannot fill is told.
  const { engine, buffer } = oneChannel(10);
  const caller = new Caller(engine);
  buffer.fill(5);
  const { cursor } = await caller.call("read_since", { buffer: buffer.id });
  buffer.fill(10);
  const whole = await caller.call("read_since", { buffer: buffer.id, cursor });
  assert.equal(whole.evicted, false);
  assert.deepEqual(seqs(whole), [6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
  buffer.fill(1);
  const gap = await caller.call("read_since", { buffer: buffer.id, cursor });
  assert.equal(gap.evicted, true);
  assert.equal(seqs(gap)[0], 7);
  const fresh = await caller.call("read_since", { buffer: buffer.id });
  assert.equal(fresh.evicted, false);
  const next = await caller.call("read_since", {
    buffer: buffer.id,
    cursor: gap.cursor,
  });
  assert.equal(next.evicted, false);
});

Deno.test("read_since() counts what it withholds and still advances [MSG-015 MSG-016 MSG-017 MSG-018 MSG-019]", async () => {
  // Guards that secrets and raw lines stay in, and the reader goes on.
  const { engine, session, buffer } = oneChannel();
  session.scan = new SecretScan(["hunter22"]);
  buffer.add({ text: "hunter22" });
  buffer.add({
    kind: "raw",
    payload: { caseName: "rawLine", line: "PING :1" },
  });
  buffer.add({ text: "fine" });
  const caller = new Caller(engine);
  const first = await caller.call("read_since", {
    buffer: buffer.id,
    limit: 2,
  });
  assert.deepEqual(first.messages, []);
  assert.equal(first.withheld, 2);
  assert.equal(first.truncated, true);
  const second = await caller.call("read_since", {
    buffer: buffer.id,
    cursor: first.cursor,
  });
  assert.deepEqual(seqs(second), [3]);
  assert.equal("withheld" in second, false);
});

Deno.test("read_since() steps over a row larger than the budget [BUD-004 MSG-022 MSG-023]", async () => {
  // Guards that one absurd row neither stops the walk nor is lost in silence.
  const { engine, buffer } = oneChannel();
  buffer.add();
  buffer.add({ text: "x".repeat(60_000) });
  buffer.add({ text: "é".repeat(30_000) });
  buffer.add();
  const result = await new Caller(engine).call("read_since", {
    buffer: buffer.id,
  });
  assert.deepEqual(seqs(result), [1, 4]);
  assert.deepEqual(result.skipped, [2, 3]);
  assert.equal(result.truncated, false);
});

Deno.test("read_since() returns a row that a page can just hold [BUD-001 BUD-004]", async () => {
  // Guards that only what can never fit is stepped over.
  const { engine, buffer } = oneChannel();
  buffer.add({ text: "x".repeat(59_600) });
  const result = await new Caller(engine).call("read_since", {
    buffer: buffer.id,
  });
  assert.deepEqual(seqs(result), [1]);
});

Deno.test("read_since() cuts a page at the budget and says so [BUD-001 BUD-002 BUD-003]", async () => {
  // Guards the 60,000 bytes, counted as UTF-8 and not as characters.
  const { engine, buffer } = oneChannel();
  buffer.fill(200, "€".repeat(400));
  const caller = new Caller(engine);
  const args = { buffer: buffer.id, limit: 500 };
  const first = await caller.call("read_since", args);
  assert.equal(first.truncated, true);
  assert.ok(first.messages.length >= 40 && first.messages.length < 50);
  const second = await caller.call("read_since", {
    ...args,
    cursor: first.cursor,
  });
  assert.equal(seqs(second)[0], first.messages.length + 1);
});

Deno.test("read_since() refuses a cursor that is not its own [ERR-007 ERR-008 CUR-003 CUR-004]", async () => {
  // Guards that a page is never of another buffer or another life of this one.
  const { engine, session, buffer } = oneChannel();
  const other = session.open("query", "bob");
  buffer.fill(3);
  other.fill(3);
  const caller = new Caller(engine);
  const { cursor } = await caller.call("read_since", { buffer: buffer.id });
  const { next_cursor: page } = await caller.call("read_messages", {
    buffer: buffer.id,
    limit: 1,
  });
  const bad = [
    [other.id, cursor],
    [buffer.id, page],
    [buffer.id, ""],
    [buffer.id, "x"],
    [buffer.id, "x".repeat(513)],
  ];
  for (const [id, wrong] of bad) {
    assert.equal(
      await caller.fail("read_since", { buffer: id, cursor: wrong }),
      "invalid cursor",
    );
  }
  buffer.messages = new FakeBuffer("channel", "#rete").fill(3).messages;
  assert.equal(
    await caller.fail("read_since", { buffer: buffer.id, cursor }),
    "invalid cursor",
  );
  assert.equal(
    await caller.fail("read_since", { buffer: fakeId(9999), cursor }),
    "unknown buffer",
  );
});

Deno.test("read_since() returns each row once under any limit and budget [CUR-001 MSG-019 MSG-020]", async () => {
  // Guards paging itself, with rows withheld, too large, redacted and late.
  const random = seededRandom(3);
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
      const time = NOON + random(100_000);
      const seq = buffer.add({ text, time });
      if (die === 2) {
        const row = buffer.messages.bySeq(seq);
        if (row !== undefined) buffer.messages.remove(row);
      } else if (die === 0) withheld++;
      else if (die === 1) skipped.push(seq);
      else expected.push(seq);
    }
    const caller = new Caller(engine, { budgetBytes: 2000 + random(6000) });
    const seen: number[] = [];
    const stepped: number[] = [];
    let held = 0;
    let cursor: string | null = null;
    let isTruncated = true;
    while (isTruncated) {
      const page = await caller.call("read_since", {
        buffer: buffer.id,
        limit: 1 + random(60),
        cursor,
      });
      seen.push(...seqs(page));
      stepped.push(...page.skipped ?? []);
      held += page.withheld ?? 0;
      cursor = page.cursor;
      isTruncated = page.truncated;
    }
    assert.deepEqual(seen, expected, `round ${round}`);
    assert.deepEqual(stepped, skipped, `round ${round}`);
    assert.equal(held, withheld, `round ${round}`);
  }
});
