import assert from "node:assert/strict";
import { FakeEngine, fakeId, type FakeSession } from "./fake_engine.ts";
import { Caller, type Result } from "./tool_calls.ts";

function withBuffers(count: number, name: (i: number) => string) {
  const engine = new FakeEngine();
  const session = engine.start("Libera");
  session.open("server", "Libera");
  for (let i = 1; i < count; i++) session.open("channel", name(i));
  return { engine, session, caller: new Caller(engine) };
}

Deno.test("list_buffers() gives id, name and kind in listing order [BUF-003 BUF-004 BUF-005 BUF-006 MSG-029]", async () => {
  // Guards the shape, and that nothing else is told of a buffer.
  const engine = new FakeEngine();
  const session = engine.start("Libera");
  const server = session.open("server", "Libera");
  const channel = session.open("channel", "#rete");
  const query = session.open("query", "alice");
  engine.start("other").open("server", "other");
  const result = await new Caller(engine).call("list_buffers", {
    session: session.id,
  });
  assert.deepEqual(result, {
    buffers: [
      { id: server.id, name: "Libera", kind: "server" },
      { id: channel.id, name: "#rete", kind: "channel" },
      { id: query.id, name: "alice", kind: "query" },
    ],
    untrusted: true,
  });
});

Deno.test("list_buffers() wants a running session [BUF-002 ERR-006]", async () => {
  // Guards that a session that went away is unknown at once.
  const { engine, session, caller } = withBuffers(2, () => "#a");
  assert.equal(
    await caller.fail("list_buffers"),
    "invalid arguments: missing session",
  );
  for (const id of ["", "x", fakeId(9999), ` ${session.id}`, "Libera"]) {
    assert.equal(
      await caller.fail("list_buffers", { session: id }),
      "unknown session",
    );
  }
  engine.list = [];
  assert.equal(
    await caller.fail("list_buffers", { session: session.id }),
    "unknown session",
  );
});

Deno.test("list_buffers() takes an id in lower case as the same id", async () => {
  // Guards clients that print UUIDs their own way.
  const { session, caller } = withBuffers(2, () => "#a");
  const result = await caller.call("list_buffers", {
    session: session.id.toLowerCase(),
  });
  assert.equal(result.buffers.length, 2);
});

async function walk(
  caller: Caller,
  session: FakeSession,
  between: (page: Result) => void = () => {},
): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < 100; pages++) {
    const page = await caller.call("list_buffers", {
      session: session.id,
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const { name } of page.buffers) names.push(name);
    assert.equal("truncated" in page, "next_cursor" in page);
    if (page.truncated !== true) return names;
    cursor = page.next_cursor;
    between(page);
  }
  throw new Error("The walk does not end");
}

Deno.test("list_buffers() pages through what the budget cut [BUF-009 BUF-010 BUD-003]", async () => {
  // Guards that every buffer is listed once, in order.
  const { session, caller } = withBuffers(
    1500,
    (i) => `#${"c".repeat(80)}${i}`,
  );
  assert.deepEqual(
    await walk(caller, session),
    session.list.map((buffer) => buffer.name),
  );
});

Deno.test("list_buffers() goes on in place when buffers open and close", async () => {
  // Guards a walk over a live session: nobody is missed for another's leaving.
  const { session, caller } = withBuffers(
    1500,
    (i) => `#${"c".repeat(80)}${i}`,
  );
  const before = session.list.map((buffer) => buffer.name);
  let isFirst = true;
  const seen = await walk(caller, session, (page) => {
    if (!isFirst) return;
    isFirst = false;
    const lastId = page.buffers.at(-1).id;
    session.list = session.list.filter((buffer) => buffer.id !== lastId);
    session.open("query", "zoe");
  });
  assert.deepEqual(seen, [...before, "zoe"]);
});

Deno.test("list_buffers() refuses another session's cursor [ERR-010 CUR-003]", async () => {
  // Guards that a place in one list is no place in another.
  const { engine, session, caller } = withBuffers(
    1500,
    (i) => `#${"c".repeat(80)}${i}`,
  );
  const other = engine.start("other");
  const { next_cursor: cursor } = await caller.call("list_buffers", {
    session: session.id,
  });
  for (
    const args of [
      { session: other.id, cursor },
      { session: session.id, cursor: "" },
      { session: session.id, cursor: cursor + "A" },
    ]
  ) {
    assert.equal(await caller.fail("list_buffers", args), "invalid cursor");
  }
});

Deno.test("list_buffers() does not list a raw buffer [BUF-007]", async () => {
  // Guards that only the three kinds of the contract are ever listed.
  const { session, caller } = withBuffers(3, (i) => `#${i}`);
  const { buffers } = await caller.call("list_buffers", {
    session: session.id,
  });
  for (const { kind } of buffers) {
    assert.ok(["server", "channel", "query"].includes(kind), kind);
  }
});
