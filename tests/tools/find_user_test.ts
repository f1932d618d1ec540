import assert from "node:assert/strict";
import { SecretScan } from "../../lib/redact/secrets.ts";
import {
  type FakeBuffer,
  FakeEngine,
  type FakeSession,
  NOON,
  oneChannel,
} from "./fake_engine.ts";
import { RunningClock } from "./running_clock.ts";
import { Caller, type Result, type Sent } from "./tool_calls.ts";

function join(buffer: FakeBuffer, nick: string, rest: object = {}): void {
  buffer.list.push({ nick, modes: "", away: false, ...rest });
}

/** `count` channels with `nick` in each and `rows` messages. */
function channels(session: FakeSession, count: number, rows = 0) {
  return Array.from({ length: count }, (_, i) => {
    const buffer = session.open("channel", `#${i}`);
    join(buffer, "bob");
    return buffer.fill(rows);
  });
}

function names(result: Result): string[] {
  return result.appearances.map((row: Result) => row.channel);
}

async function find(engine: FakeEngine, args: Sent): Promise<string[]> {
  return names(await new Caller(engine).call("find_user", args));
}

Deno.test("find_user() gives each channel where the user is [FIND-001, FIND-006, FIND-007, FIND-008, FIND-009, MSG-030]", async () => {
  // Guards the whole shape: sessions in order, channels in listing order, and
  // nothing of servers and queries.
  const engine = new FakeEngine();
  const one = engine.start("one");
  const two = engine.start("two");
  one.open("server", "server");
  const a = one.open("channel", "#a");
  const b = one.open("channel", "#b");
  const c = two.open("channel", "#c");
  one.open("query", "bob");
  join(a, "Bob", { modes: "ov", account: "bob1", away: true });
  join(b, "alice");
  join(c, "bob");
  a.add({ from: "bob", text: "hi" });
  assert.deepEqual(
    await new Caller(engine).call("find_user", { nick: "BOB" }),
    {
      appearances: [
        {
          session: one.id,
          channel: "#a",
          buffer: a.id,
          modes: "ov",
          account: "bob1",
          away: true,
          last_spoke: "2026-09-30T12:00:00Z",
        },
        {
          session: two.id,
          channel: "#c",
          buffer: c.id,
          modes: "",
          away: false,
        },
      ],
      untrusted: true,
    },
  );
});

Deno.test("find_user() compares masks and nicks by plain lower-casing [FIND-002, FIND-003, FIND-005]", async () => {
  // Guards the two ways to look, and that rfc1459's brackets are letters apart.
  const { engine, buffer } = oneChannel();
  join(buffer, "Bob[m]", { user: "~Bob", host: "Gateway.example.net" });
  const cases: readonly (readonly [Sent, boolean])[] = [
    [{ nick: "bob[M]" }, true],
    [{ nick: "bob{m}" }, false],
    [{ nick: "bob" }, false],
    [{ nick: "bob*" }, false],
    [{ mask: "bob[m]!~bob@gateway.EXAMPLE.net" }, true],
    [{ mask: "*!*@*.example.net" }, true],
    [{ mask: "bob?m?!*" }, true],
    [{ mask: "bob{m}!*" }, false],
    [{ mask: "bob[m]" }, false],
    [{ mask: "*" }, true],
    [{ mask: "*!*@example.net" }, false],
  ];
  for (const [args, expected] of cases) {
    const result = await find(engine, args);
    assert.deepEqual(result, expected ? ["#rete"] : [], JSON.stringify(args));
  }
});

Deno.test("find_user() matches a mask where user and host are not known [FIND-002]", async () => {
  // Guards that a channel without WHO replies is searched all the same.
  const { engine, buffer } = oneChannel();
  join(buffer, "bob");
  assert.deepEqual(await find(engine, { mask: "bob!*@*" }), ["#rete"]);
});

Deno.test("find_user() wants exactly one of nick and mask [ERR-035, FIND-004]", async () => {
  // Guards the error, and that an empty string is none.
  const { engine, buffer } = oneChannel();
  join(buffer, "bob");
  const caller = new Caller(engine);
  for (
    const args of [
      {},
      { nick: "" },
      { mask: "", nick: "" },
      { nick: null },
      { nick: "bob", mask: "bob!*" },
    ]
  ) {
    assert.equal(
      await caller.fail("find_user", args),
      "invalid arguments: give nick or mask",
    );
  }
  assert.deepEqual(await find(engine, { nick: "bob", mask: "" }), ["#rete"]);
});

Deno.test("find_user() tells when a user last spoke among the newest 1,000 [FIND-010]", async () => {
  // Guards what counts as speaking, and the window.
  const { engine, buffer } = oneChannel();
  join(buffer, "Bob");
  const lastSpoke = async () => {
    const result = await new Caller(engine).call("find_user", { nick: "bob" });
    return result.appearances[0].last_spoke;
  };
  buffer.add({
    from: "bob",
    kind: "join",
    payload: { caseName: "userJoined", nick: "bob" },
  });
  assert.equal(await lastSpoke(), undefined);
  buffer.add({ from: "bob", kind: "notice", time: NOON + 5_000 });
  assert.equal(await lastSpoke(), "2026-09-30T12:00:05Z");
  buffer.add({ from: "BOB", kind: "action", time: NOON + 9_000 });
  buffer.add({ from: "bob", time: NOON + 7_000, replayed: true });
  assert.equal(await lastSpoke(), "2026-09-30T12:00:09Z");
  buffer.fill(998);
  assert.equal(await lastSpoke(), "2026-09-30T12:00:09Z");
  buffer.fill(2);
  assert.equal(await lastSpoke(), undefined);
});

Deno.test("find_user() does not look at a member that holds a secret [FIND-002]", async () => {
  // Guards that a mask cannot be used to spell out a secret.
  const { engine, session, buffer } = oneChannel();
  session.scan = new SecretScan(["hunter22"]);
  join(buffer, "bob", { user: "hunter22", host: "h" });
  join(buffer, "eve", { user: "u", host: "h" });
  const result = await new Caller(engine).call("find_user", { mask: "*!h*@*" });
  assert.deepEqual(result, { appearances: [], untrusted: true });
  assert.deepEqual(await find(engine, { mask: "*!*@h" }), ["#rete"]);
});

Deno.test("find_user() cut by the budget has no cursor [FIND-011, FIND-024]", async () => {
  // Guards that a cut inside a channel, which no cursor resumes, has none.
  const { engine, buffer, session } = oneChannel();
  for (let i = 0; i < 1000; i++) join(buffer, `bob${i}`, { host: "h" });
  channels(session, 3);
  const result = await new Caller(engine).call("find_user", { mask: "*" });
  assert.equal(result.truncated, true);
  assert.equal("next_cursor" in result, false);
  assert.equal("stopped" in result, false);
  assert.ok(result.appearances.length > 300);
});

/** Every page, as many as needed; tells which ended in an error. */
async function walk(caller: Caller, args: Sent) {
  const pages: Result[] = [];
  let cursor: string | undefined;
  do {
    const { text, isError } = await caller.answer("find_user", {
      ...args,
      ...(cursor === undefined ? {} : { cursor }),
    });
    const page: Result = JSON.parse(text);
    assert.equal(isError, "stopped" in page);
    pages.push(page);
    cursor = page.next_cursor;
    assert.ok(pages.length < 1000, "the walk does not end");
  } while (cursor !== undefined);
  return pages;
}

Deno.test("find_user() pages when it has copied 100,000 messages [FIND-013, FIND-014, FIND-015, FIND-019, FIND-020, FIND-021]", async () => {
  // Guards the bound on copies: 25 channels of 1,000 at a time, four times.
  const engine = new FakeEngine();
  const session = engine.start("one");
  channels(session, 130, 1000);
  const pages = await walk(new Caller(engine), { nick: "bob" });
  assert.deepEqual(pages.map((page) => page.appearances.length), [100, 30]);
  assert.deepEqual(pages.map((page) => page.truncated), [true, undefined]);
  assert.ok(pages.every((page) => !("stopped" in page)));
  assert.deepEqual(
    pages.flatMap(names),
    session.list.map(({ name }) => name),
  );
});

Deno.test("find_user() stops in time and goes on where it was [FIND-011, FIND-012, FIND-013, FIND-016, FIND-017, FIND-018, FIND-019, FIND-021]", async () => {
  // Guards the partial result, on clocks from slow to hopeless: each channel is
  // returned once and every call moves on.
  for (const step of [3, 20, 90, 1000]) {
    const engine = new FakeEngine();
    const session = engine.start("one");
    channels(session, 70, 5);
    for (let i = 0; i < 10; i++) session.open("channel", `#empty${i}`);
    const pages = await walk(
      new Caller(engine, { clock: new RunningClock(step) }),
      { nick: "bob" },
    );
    assert.deepEqual(
      pages.flatMap(names),
      session.list.slice(0, 70).map(({ name }) => name),
      `step ${step}`,
    );
    for (const page of pages.slice(0, -1)) {
      assert.equal(page.truncated, true);
      assert.equal(page.stopped, "search stopped: time budget exceeded");
    }
  }
});

Deno.test("find_user() stopped and cut has no cursor [FIND-025]", async () => {
  // Guards the one case in which both ends meet.
  const engine = new FakeEngine();
  const session = engine.start("one");
  const [first] = channels(session, 2);
  for (let i = 0; i < 1000; i++) join(first as FakeBuffer, `bob${i}`);
  const caller = new Caller(engine, { clock: new RunningClock(1000) });
  const page = JSON.parse(await caller.fail("find_user", { mask: "*" }));
  assert.equal(page.truncated, true);
  assert.equal(page.stopped, "search stopped: time budget exceeded");
  assert.equal("next_cursor" in page, false);
});

Deno.test("find_user() refuses a cursor of another user or a lost channel [FIND-020, FIND-022, FIND-023]", async () => {
  // Guards that a walk is one question over what is listed now.
  const engine = new FakeEngine();
  const session = engine.start("one");
  channels(session, 101, 1000);
  const caller = new Caller(engine);
  const { next_cursor: cursor } = await caller.call("find_user", {
    nick: "bob",
  });
  const again = await caller.call("find_user", { nick: "BOB", cursor });
  assert.deepEqual(names(again), ["#100"]);
  for (const args of [{ nick: "bob2" }, { mask: "bob" }, { mask: "bob!*" }]) {
    assert.equal(
      await caller.fail("find_user", { ...args, cursor }),
      "invalid cursor",
    );
  }
  const gone = session.list.pop();
  assert.equal(
    await caller.fail("find_user", { nick: "bob", cursor }),
    "invalid cursor",
  );
  if (gone !== undefined) session.list.push(gone);
  engine.list = [];
  assert.equal(
    await caller.fail("find_user", { nick: "bob", cursor }),
    "invalid cursor",
  );
});
