import assert from "node:assert/strict";
import type { Message, NewMessage } from "../../lib/buffers/message.ts";
import { MessageLog } from "../../lib/buffers/message_log.ts";
import { randomFrom, row } from "./row.ts";

const seqs = (rows: readonly Message[]) => rows.map((r) => r.seq);

Deno.test("MessageLog gives rows rising sequence numbers, also within one second [MSG-003, MSG-004]", () => {
  // Guards that cursors can order rows: equal times must not make equal places.
  const log = new MessageLog(10);
  for (let i = 0; i < 3; i++) log.append(row({ time: 5000 }));
  assert.deepEqual(seqs(log.since(0, 10)), [1, 2, 3]);
  assert.equal(log.newestSeq, 3);
});

Deno.test("MessageLog never reuses a sequence number [MSG-003]", () => {
  // Guards that a cursor cannot point at another row than it was minted for.
  const log = new MessageLog(2);
  for (let i = 0; i < 5; i++) log.append(row());
  for (const held of log.since(0, 10)) log.remove(held);
  assert.equal(log.size, 0);
  assert.equal(log.oldestSeq, undefined);
  assert.equal(log.append(row())?.seq, 6);
  assert.equal(log.oldestSeq, 6);
});

Deno.test("MessageLog returns a row inserted mid-buffer after an older cursor [CUR-005, CUR-006]", () => {
  // Guards that gap fill reaches a reader who has read past its place in time.
  const log = new MessageLog(10);
  log.append(row({ time: 10_000 }));
  const cursor = log.newestSeq;
  const late = log.append(row({ time: 5000, text: "late" }));
  assert.deepEqual(log.since(cursor, 10), [late]);
  assert.equal(late?.history, true);
  const newest = log.bySeq(1);
  assert.ok(newest);
  assert.deepEqual(seqs(log.around(newest, 5, 5)), [2, 1]);
});

Deno.test("MessageLog takes an old time at the end for live and a replayed row for history", () => {
  // Guards what subscriptions deliver: only what was replayed or landed inside.
  const log = new MessageLog(10);
  assert.equal(log.append(row({ time: 1 }))?.history, false);
  assert.equal(log.append(row({ time: 1 }))?.history, false);
  assert.equal(log.append(row({ time: 2, replayed: true }))?.history, true);
  assert.equal(log.append(row({ time: 0 }))?.history, true);
});

Deno.test("MessageLog drops a row whose msgid is held, and only that", () => {
  // Guards against doubles from a replay, and against losing equal lines.
  const log = new MessageLog(10);
  assert.ok(log.append(row({ id: "m1" })));
  assert.equal(log.append(row({ id: "m1", text: "other" })), undefined);
  assert.ok(log.append(row()));
  assert.ok(log.append(row()));
  assert.equal(log.size, 3);
  assert.equal(log.newestSeq, 3);
});

Deno.test("MessageLog evicts by arrival and remembers through which row [RDS-008]", () => {
  // Guards that a reader is told of a gap exactly when rows after its cursor went.
  const log = new MessageLog(3);
  log.append(row({ time: 9000, id: "first" }));
  for (let i = 0; i < 3; i++) log.append(row({ time: 1000 + i }));
  assert.equal(log.evictedThrough, 1);
  assert.equal(log.byId("first"), undefined);
  assert.equal(log.bySeq(1), undefined);
  assert.deepEqual(seqs(log.since(0, 10)), [2, 3, 4]);
  assert.ok(log.append(row({ id: "first" })), "an evicted id may come again");
});

Deno.test("MessageLog does not count a removed row as evicted", () => {
  // Guards that a redaction on IRC does not look like lost history.
  const log = new MessageLog(10);
  const first = log.append(row({ id: "a" }));
  log.append(row());
  assert.ok(first);
  log.remove(first);
  log.remove(first);
  assert.equal(log.evictedThrough, 0);
  assert.equal(log.size, 1);
  assert.equal(log.oldestSeq, 2);
  assert.equal(log.byId("a"), undefined);
});

Deno.test("MessageLog pages backwards and forwards without a gap or a double", () => {
  // Guards that paging covers a buffer with holes exactly once.
  const log = new MessageLog(100);
  for (let i = 0; i < 20; i++) log.append(row());
  for (const seq of [1, 7, 8, 20]) {
    const held = log.bySeq(seq);
    assert.ok(held);
    log.remove(held);
  }
  const expected = Array.from({ length: 20 }, (_, i) => i + 1)
    .filter((seq) => ![1, 7, 8, 20].includes(seq));
  const forward: number[] = [];
  for (let page = log.since(0, 3); page.length > 0;) {
    forward.push(...seqs(page));
    page = log.since(forward.at(-1) ?? 0, 3);
  }
  const backward: number[] = [];
  for (let page = log.before(Infinity, 3); page.length > 0;) {
    backward.unshift(...seqs(page));
    page = log.before(backward[0] ?? 0, 3);
  }
  assert.deepEqual(forward, expected);
  assert.deepEqual(backward, expected);
  assert.equal(log.newestSeq, 20);
});

Deno.test("MessageLog.setLimit() drops the excess at once", () => {
  // Guards that a smaller buffer_limit frees memory without new traffic.
  const log = new MessageLog(10);
  for (let i = 0; i < 10; i++) log.append(row());
  log.setLimit(4);
  assert.deepEqual(seqs(log.since(0, 99)), [7, 8, 9, 10]);
  assert.equal(log.evictedThrough, 6);
});

Deno.test("MessageLog.absorb() takes rows over as history, in order, without doubles", () => {
  // Guards that two buffers that become one lose no row.
  const log = new MessageLog(10);
  log.append(row({ time: 10, id: "x" }));
  log.append(row({ time: 30 }));
  const other = new MessageLog(10);
  other.append(row({ time: 20, text: "theirs" }));
  other.append(row({ time: 40, id: "x" }));
  log.absorb(other);
  const all = log.since(0, 10);
  assert.deepEqual(seqs(all), [1, 2, 3]);
  assert.equal(all[2]?.history, true);
  const first = log.bySeq(1);
  assert.ok(first);
  assert.deepEqual(seqs(log.around(first, 0, 9)), [1, 3, 2]);
});

Deno.test("MessageLog.sameTime() finds the rows of one instant", () => {
  // Guards the fold of replays without msgids: it looks at these rows only.
  const log = new MessageLog(10);
  for (const time of [1, 5, 5, 9, 5]) log.append(row({ time }));
  assert.deepEqual(seqs(log.sameTime(5, 10)), [5, 3, 2]);
  assert.deepEqual(seqs(log.sameTime(5, 2)), [5, 3]);
  assert.deepEqual(log.sameTime(4, 10), []);
});

/** The same log as plain lists: slow, and obvious. */
class Model {
  rows: Message[] = [];
  seq = 0;
  evictedThrough = 0;
  constructor(readonly limit: number) {}
  display(): Message[] {
    return [...this.rows].sort((a, b) => a.time - b.time || a.seq - b.seq);
  }
  trim(): void {
    while (this.rows.length > this.limit) {
      this.evictedThrough = this.rows.shift()?.seq ?? 0;
    }
  }
}

Deno.test("MessageLog agrees with a plain list over random appends, removals and evictions", () => {
  // Guards the index arithmetic: moving heads, holes and both orders together.
  for (let seed = 1; seed <= 8; seed++) {
    const random = randomFrom(seed);
    const limit = 1 + random(1500);
    const log = new MessageLog(limit);
    const model = new Model(limit);
    for (let step = 0; step < 6000; step++) {
      if (random(12) === 0 && model.rows.length > 0) {
        const victim = model.rows[random(model.rows.length)];
        assert.ok(victim);
        log.remove(victim);
        model.rows = model.rows.filter((r) => r !== victim);
      } else {
        const time = random(4) === 0 ? random(step + 1) : step;
        const added = log.append(row({ time, id: `${step}` }));
        assert.ok(added);
        assert.equal(added.seq, ++model.seq);
        model.rows.push(added);
        model.trim();
      }
      if (step % 500 === 499) compare(log, model, random);
    }
  }
});

function compare(
  log: MessageLog,
  model: Model,
  random: (below: number) => number,
): void {
  assert.equal(log.size, model.rows.length);
  assert.equal(log.newestSeq, model.seq);
  assert.equal(log.oldestSeq, model.rows[0]?.seq);
  assert.equal(log.evictedThrough, model.evictedThrough);
  // Every row of this run is of one weight.
  const weight = model.rows.length === 0 ? 0 : log.bytes / model.rows.length;
  assert.ok(weight === 0 || (weight > 300 && Number.isInteger(weight)));
  const at = random(model.seq + 2);
  assert.deepEqual(
    seqs(log.since(at, 40)),
    seqs(model.rows.filter((r) => r.seq > at).slice(0, 40)),
  );
  assert.deepEqual(
    seqs(log.before(at, 40)),
    seqs(model.rows.filter((r) => r.seq < at).slice(-40)),
  );
  const display = model.display();
  const place = random(display.length);
  const anchor = display[place];
  if (anchor === undefined) return;
  assert.equal(log.byId(anchor.id ?? ""), anchor);
  assert.equal(log.bySeq(anchor.seq), anchor);
  assert.equal(log.hasOlder(anchor), place > 0);
  assert.deepEqual(
    seqs(log.around(anchor, 10, 10)),
    seqs(display.slice(Math.max(0, place - 10), place + 11)),
  );
}

Deno.test("MessageLog.bytes counts every text that a row keeps", () => {
  // Guards the bound of a session's memory: a server may put a whole line into
  // a sender, a target or the parameters of a MODE as well as into a text.
  const long = "x".repeat(16_000);
  const text = { caseName: "privmsg", text: "hi", target: "#room" } as const;
  const rows: Partial<NewMessage>[] = [
    { payload: { ...text, text: long } },
    { payload: { ...text, target: long } },
    { from: long },
    { payload: { caseName: "modeChanged", modes: "+b", params: [long] } },
    {
      kind: "mode",
      payload: {
        caseName: "modeChanged",
        modes: "+b",
        params: Array.from({ length: 8_000 }, () => "x"),
      },
    },
    { kind: "topic", payload: { caseName: "topicChanged", topic: long } },
  ];
  for (const fields of rows) {
    const log = new MessageLog(10);
    const added = log.append(row(fields));
    assert.ok(log.bytes >= 32_000, `${log.bytes} for ${added?.kind}`);
    if (added !== undefined) log.remove(added);
    assert.equal(log.bytes, 0);
  }
});
