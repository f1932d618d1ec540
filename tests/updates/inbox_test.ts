import assert from "node:assert/strict";
import { Inbox, type InboxEvent } from "../../lib/updates/inbox.ts";

function event(name: string, over: Partial<InboxEvent> = {}): InboxEvent {
  return {
    subject: { type: "message", bufferId: "B" },
    json: `"${name}"`,
    bytes: 10,
    from: name,
    mentioned: false,
    at: 0,
    ...over,
  };
}

function names(inbox: Inbox): string[] {
  return inbox.events.map(({ from }) => from);
}

Deno.test("Inbox holds 500 events; the oldest go and are counted [SUB-014 SUB-017]", () => {
  // Guards memory against a busy channel that nobody reads.
  const inbox = new Inbox();
  for (let i = 0; i < 502; i++) inbox.add(event(`n${i}`));
  assert.equal(inbox.events.length, 500);
  assert.equal(names(inbox)[0], "n2");
  assert.equal(inbox.lines.dropped, 2);
});

Deno.test("Inbox holds 262,144 bytes of events as they encode [SUB-015]", () => {
  // Guards memory against long lines, of which 500 would be megabytes.
  const inbox = new Inbox();
  inbox.add(event("a", { bytes: 100_000 }));
  inbox.add(event("b", { bytes: 100_000 }));
  inbox.add(event("c", { bytes: 62_144 }));
  assert.deepEqual(names(inbox), ["a", "b", "c"]);
  inbox.add(event("d", { bytes: 1 }));
  assert.deepEqual(names(inbox), ["b", "c", "d"]);
  assert.equal(inbox.lines.dropped, 1);
  inbox.add(event("e", { bytes: 262_145 }));
  assert.deepEqual(names(inbox), []);
  assert.equal(inbox.lines.dropped, 5);
});

Deno.test("Inbox lets go of events older than an hour [SUB-016]", () => {
  // Guards that a forgotten subscription does not deliver stale news.
  const inbox = new Inbox();
  inbox.add(event("a", { at: 0 }));
  inbox.add(event("b", { at: 1 }));
  inbox.expire(3_600_000);
  assert.deepEqual(names(inbox), ["a", "b"]);
  inbox.expire(3_600_001);
  assert.deepEqual(names(inbox), ["b"]);
  assert.equal(inbox.lines.dropped, 1);
});

Deno.test("Inbox.take() frees the bytes of what it takes", () => {
  // Guards that a drained inbox has all its room again.
  const inbox = new Inbox();
  inbox.add(event("a", { bytes: 262_144 }));
  inbox.take(1);
  inbox.add(event("b", { bytes: 262_144 }));
  assert.deepEqual(names(inbox), ["b"]);
  assert.equal(inbox.lines.dropped, 0);
});

Deno.test("Inbox.dropLines() removes raw and log events and counts them", () => {
  // Guards that nothing of the debug tier is left when it goes off.
  const inbox = new Inbox();
  inbox.add(event("raw", { subject: { type: "raw" }, bytes: 200_000 }));
  inbox.add(event("message"));
  inbox.add(event("log", { subject: { type: "log" } }));
  inbox.dropLines();
  assert.deepEqual(names(inbox), ["message"]);
  assert.equal(inbox.lines.dropped, 2);
  inbox.add(event("next", { bytes: 200_000 }));
  assert.deepEqual(names(inbox), ["message", "next"]);
});

Deno.test("Inbox keeps counters for a bounded number of buffers", () => {
  // Guards memory against strangers who open query after query.
  const inbox = new Inbox();
  for (let i = 0; i < 1_001; i++) inbox.countersOf(`B${i}`).withheld++;
  assert.equal(inbox.counters.size, 1_000);
  assert.equal(inbox.counters.has("B0"), false);
  assert.equal(inbox.hasCounts, true);
});
