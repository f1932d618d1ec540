import assert from "node:assert/strict";
import type { Buffer } from "../../lib/buffers/buffer.ts";
import { bufferId } from "../../lib/buffers/buffer_id.ts";
import { BufferList } from "../../lib/buffers/buffer_list.ts";
import { Names } from "../../lib/irc/names.ts";
import { row } from "./row.ts";

const SESSION = "6F1C3B1E-2F0B-4C53-9D0F-2F6B7A1C9E10";

function makeList(
  options: { maxQueries?: number; maxChannels?: number; maxBytes?: number } =
    {},
) {
  const names = new Names();
  const told: string[] = [];
  const list = new BufferList({
    sessionId: SESSION,
    serverName: "Net",
    limit: 100,
    fold: (name) => names.fold(name),
    events: {
      opened: (buffer) => told.push(`opened ${buffer.name}`),
      closed: (buffer) => told.push(`closed ${buffer.name}`),
    },
    ...options,
  });
  return { list, names, told };
}

const listing = (buffers: readonly Buffer[]) => buffers.map((b) => b.name);

Deno.test("bufferId() is an upper-case UUID, the same each time and different for each identity [BUF-001]", () => {
  // Guards that an agent's buffer ids survive a restart and never collide.
  const base = {
    sessionId: SESSION,
    kind: "channel",
    foldedName: "#a",
  } as const;
  const id = bufferId(base);
  assert.match(
    id,
    /^[0-9A-F]{8}-[0-9A-F]{4}-5[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}$/,
  );
  assert.equal(bufferId({ ...base }), id);
  const others = [
    { ...base, foldedName: "#b" },
    { ...base, kind: "query" as const },
    { ...base, kind: "raw" as const },
    { ...base, sessionId: SESSION.replace("6", "7") },
    { ...base, attempt: 1 },
  ];
  assert.equal(new Set([id, ...others.map(bufferId)]).size, others.length + 1);
});

Deno.test("BufferList lists the server buffer, then channels, then queries [BUF-004]", () => {
  // Guards the listing order that paging and search walk by.
  const { list, told } = makeList();
  list.open("query", "bob");
  list.open("channel", "#b");
  list.open("channel", "#a");
  assert.deepEqual(listing(list.listed()), ["Net", "#b", "#a", "bob"]);
  assert.deepEqual(told, ["opened bob", "opened #b", "opened #a"]);
  assert.equal(list.open("channel", "#A"), list.channel("#a"));
});

Deno.test("BufferList closes the query that slept longest when strangers flood it", () => {
  // Guards memory: anyone can open a query, nobody may open them without end.
  const { list, told } = makeList({ maxQueries: 3 });
  const kept = list.open("query", "friend");
  assert.ok(kept);
  kept.openedByPerson = true;
  for (let i = 0; i < 50; i++) list.open("query", `spam${i}`);
  assert.deepEqual(listing(list.listed()), [
    "Net",
    "friend",
    "spam48",
    "spam49",
  ]);
  assert.equal(told.filter((t) => t.startsWith("closed")).length, 48);
  for (const buffer of list.listed()) buffer.openedByPerson = true;
  assert.equal(list.open("query", "more"), undefined);
});

Deno.test("BufferList renames a buffer in place and keeps its id and rows", () => {
  // Guards that a channel rename or a nick change loses no history.
  const { list } = makeList();
  list.open("channel", "#x");
  const buffer = list.open("channel", "#a");
  list.open("channel", "#z");
  assert.ok(buffer);
  const { id } = buffer;
  buffer.log.append(row());
  assert.equal(list.rename(buffer, "#b"), undefined);
  assert.deepEqual(listing(list.listed()), ["Net", "#x", "#b", "#z"]);
  assert.equal(list.channel("#b")?.id, id);
  assert.equal(list.channel("#a"), undefined);
  const again = list.open("channel", "#a");
  assert.notEqual(again?.id, id);
  assert.equal(list.byId(id), buffer);
});

Deno.test("BufferList merges the buffer that a rename runs into", () => {
  // Guards that no two buffers go by one name, and that no row is lost.
  const { list, told } = makeList();
  const a = list.open("channel", "#a");
  const b = list.open("channel", "#b");
  assert.ok(a && b);
  a.log.append(row({ text: "one" }));
  b.log.append(row({ text: "two" }));
  assert.equal(list.rename(a, "#b"), b);
  assert.equal(list.channel("#b"), a);
  assert.equal(a.log.size, 2);
  assert.equal(list.byId(b.id), undefined);
  assert.equal(told.at(-1), "closed #b");
});

Deno.test("BufferList.rekey() makes one buffer of two that the case mapping takes for the same", () => {
  // Guards that a late CASEMAPPING keeps the first buffer's id and all rows.
  const { list, names } = makeList();
  names.use("ascii");
  const first = list.open("channel", "#dev[1]");
  const second = list.open("channel", "#dev{1}");
  assert.ok(first && second && first !== second);
  first.log.append(row({ text: "one" }));
  second.log.append(row({ text: "two" }));
  names.use("rfc1459");
  assert.deepEqual(list.rekey(), [{ kept: first, merged: second }]);
  assert.equal(list.channel("#DEV[1]"), first);
  assert.equal(list.channel("#dev{1}"), first);
  assert.equal(first.log.size, 2);
});

Deno.test("BufferList.close() leaves the server buffer and forgets a closed one", () => {
  // Guards that a session always has its server buffer.
  const { list } = makeList();
  const buffer = list.open("query", "bob");
  assert.ok(buffer);
  list.close(list.server);
  list.close(buffer);
  list.close(buffer);
  assert.deepEqual(listing(list.listed()), ["Net"]);
  assert.equal(list.byId(buffer.id), undefined);
  assert.equal(list.open("query", "bob")?.id, buffer.id);
});

Deno.test("BufferList lets the heaviest buffer give rows when all take too much", () => {
  // Guards memory against rows as large as a server can make them: the count
  // alone would let a few thousand of them fill it.
  const { list } = makeList({ maxBytes: 1_000_000 });
  const small = list.open("query", "small");
  const large = list.open("query", "large");
  assert.ok(small && large);
  small.log.append(row({ text: "kept" }));
  for (let i = 0; i < 2560; i++) {
    large.log.append(row({ text: "x".repeat(20_000) }));
    list.touch(large);
  }
  // It looks now and then, so a look is brought on before it is judged.
  for (let i = 0; i < 256; i++) list.touch(small);
  assert.ok(small.log.bytes + large.log.bytes <= 1_000_000);
  assert.equal(small.log.size, 1);
  assert.ok(large.log.size > 0);
  assert.equal(large.log.evictedThrough, 2560 - large.log.size);
});
