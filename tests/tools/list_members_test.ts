import assert from "node:assert/strict";
import type { Member } from "../../lib/engine/reader.ts";
import { SecretScan } from "../../lib/redact/secrets.ts";
import { comparePlaces, placeOf } from "../../lib/tools/member_order.ts";
import { fakeId, oneChannel } from "./fake_engine.ts";
import { Caller, type Result, seededRandom } from "./tool_calls.ts";

function member(nick: string, more: Partial<Member> = {}): Member {
  return { nick, modes: "", away: false, ...more };
}

function nicks(result: Result): string[] {
  return result.members.map((entry: Member) => entry.nick);
}

Deno.test("list_members() gives the members sorted by nick [MEM-001 MEM-002 MEM-003 MEM-004 MEM-005 MSG-029]", async () => {
  // Guards the shape: optional fields only when known, flags always there.
  const { engine, buffer } = oneChannel();
  buffer.list = [
    member("bob", {
      away: true,
      account: "bobby",
      user: "b",
      host: "h.example",
    }),
    member("Alice", { modes: "ov" }),
    member("_z"),
    member("alice"),
    member("[x]"),
  ];
  const result = await new Caller(engine).call("list_members", {
    buffer: buffer.id,
  });
  assert.deepEqual(result, {
    members: [
      { nick: "[x]", modes: "", away: false },
      { nick: "_z", modes: "", away: false },
      { nick: "Alice", modes: "ov", away: false },
      { nick: "alice", modes: "", away: false },
      {
        nick: "bob",
        modes: "",
        away: true,
        account: "bobby",
        user: "b",
        host: "h.example",
      },
    ],
    truncated: false,
    untrusted: true,
  });
});

Deno.test("list_members() of a buffer that is no channel is empty [MEM-006]", async () => {
  // Guards that a query or server buffer is an answer and not an error.
  const { engine, session } = oneChannel();
  for (const kind of ["server", "query"] as const) {
    assert.equal(
      await new Caller(engine).text("list_members", {
        buffer: session.open(kind, "x").id,
      }),
      '{"members":[],"truncated":false,"untrusted":true}',
    );
  }
});

Deno.test("list_members() wants a listed buffer [MEM-001 ERR-007 BUF-008]", async () => {
  // Guards that no id opens what is not listed, a session's own id included.
  const { engine, session } = oneChannel();
  const caller = new Caller(engine);
  for (const id of ["", "#rete", fakeId(9999), session.id, "raw"]) {
    assert.equal(
      await caller.fail("list_members", { buffer: id }),
      "unknown buffer",
    );
  }
});

Deno.test("list_members() pages by limit, 200 by default, 2000 at most [MEM-001 MEM-005 MEM-007 ARG-008]", async () => {
  // Guards that the flag and the cursor come together and lead on.
  const { engine, buffer } = oneChannel();
  for (let i = 0; i < 2500; i++) {
    buffer.list.push(member(`n${String(i).padStart(4, "0")}`));
  }
  buffer.list.reverse();
  const caller = new Caller(engine);
  const first = await caller.call("list_members", { buffer: buffer.id });
  assert.equal(first.members.length, 200);
  assert.equal(first.truncated, true);
  const second = await caller.call("list_members", {
    buffer: buffer.id,
    cursor: first.next_cursor,
    limit: 1,
  });
  assert.deepEqual(nicks(second), ["n0200"]);
  const large = new Caller(engine, { budgetBytes: 1_000_000 });
  const most = await large.call("list_members", {
    buffer: buffer.id,
    limit: 1e9,
  });
  assert.equal(most.members.length, 2000);
  const rest = await large.call("list_members", {
    buffer: buffer.id,
    limit: 2000,
    cursor: most.next_cursor,
  });
  assert.equal(rest.members.length, 500);
  assert.equal(rest.truncated, false);
  assert.equal("next_cursor" in rest, false);
});

Deno.test("list_members() goes on after a nick that left [MEM-007]", async () => {
  // Guards a walk over a busy channel: who stays is seen exactly once.
  const { engine, buffer } = oneChannel();
  buffer.list = ["a", "b", "c", "d"].map((nick) => member(nick));
  const caller = new Caller(engine);
  const first = await caller.call("list_members", {
    buffer: buffer.id,
    limit: 2,
  });
  buffer.list = [member("aa"), member("bb"), member("c"), member("d")];
  const second = await caller.call("list_members", {
    buffer: buffer.id,
    cursor: first.next_cursor,
  });
  assert.deepEqual(nicks(second), ["bb", "c", "d"]);
});

Deno.test("list_members() withholds a member that holds a secret [MSG-016 MSG-019]", async () => {
  // Guards every field of a member: a key can be a nick, a user or a host.
  const { engine, session, buffer } = oneChannel();
  session.scan = new SecretScan(["hunter22"]);
  buffer.list = [
    member("a-hunter22"),
    member("b", { account: "hunter22" }),
    member("c", { user: "xhunter22" }),
    member("d", { host: "hunter22.example" }),
    member("e"),
  ];
  const result = await new Caller(engine).call("list_members", {
    buffer: buffer.id,
  });
  assert.deepEqual(nicks(result), ["e"]);
  assert.equal(result.withheld, 4);
  assert.equal(JSON.stringify(result).includes("hunter22"), false);
});

Deno.test("list_members() is not blinded by a secret that names a field", async () => {
  // Guards that a channel key "nick" withholds no member for our own key.
  const { engine, session, buffer } = oneChannel();
  session.scan = new SecretScan(["nick", "away"]);
  buffer.list = [member("a")];
  const result = await new Caller(engine).call("list_members", {
    buffer: buffer.id,
  });
  assert.deepEqual(nicks(result), ["a"]);
});

Deno.test("list_members() advances past members all withheld [MSG-018 MSG-019]", async () => {
  // Guards that a page with nothing to show still leads on.
  const { engine, session, buffer } = oneChannel();
  session.scan = new SecretScan(["secret"]);
  for (let i = 0; i < 5; i++) buffer.list.push(member(`secret${i}`));
  buffer.list.push(member("z"));
  const caller = new Caller(engine);
  const first = await caller.call("list_members", {
    buffer: buffer.id,
    limit: 5,
  });
  assert.deepEqual(nicks(first), []);
  assert.equal(first.withheld, 5);
  assert.equal(first.truncated, true);
  const second = await caller.call("list_members", {
    buffer: buffer.id,
    cursor: first.next_cursor,
  });
  assert.deepEqual(nicks(second), ["z"]);
});

Deno.test("list_members() counts a member larger than the budget as skipped [BUD-004 MSG-022 MSG-025]", async () => {
  // Guards that one absurd member does not stop the walk.
  const { engine, buffer } = oneChannel();
  buffer.list = [
    member("a"),
    member("b", { host: "h".repeat(60_000) }),
    member("c"),
  ];
  const result = await new Caller(engine).call("list_members", {
    buffer: buffer.id,
  });
  assert.deepEqual(nicks(result), ["a", "c"]);
  assert.equal(result.skipped, 1);
  assert.equal(result.truncated, false);
});

Deno.test("list_members() refuses another buffer's cursor [CUR-003 CUR-004]", async () => {
  // Guards that a place among one channel's members is no place in another's.
  const { engine, session, buffer } = oneChannel();
  const other = session.open("channel", "#other");
  buffer.list = [member("a"), member("b")];
  const caller = new Caller(engine);
  const { next_cursor: cursor } = await caller.call("list_members", {
    buffer: buffer.id,
    limit: 1,
  });
  assert.equal(
    await caller.fail("list_members", { buffer: other.id, cursor }),
    "invalid cursor",
  );
  assert.equal(
    await caller.fail("read_since", { buffer: buffer.id, cursor }),
    "invalid cursor",
  );
});

Deno.test("list_members() returns each member once under any limit and budget", async () => {
  // Guards paging itself: random channels, limits, budgets, long nicks too.
  const random = seededRandom(11);
  for (let round = 0; round < 20; round++) {
    const { engine, buffer } = oneChannel();
    const names = new Set<string>();
    while (names.size < random(300)) {
      const length = 1 + random(random(10) === 0 ? 200 : 12);
      let nick = "";
      for (let i = 0; i < length; i++) nick += "aAbB[é\u0001"[random(7)];
      names.add(nick);
    }
    buffer.list = [...names].map((nick) => member(nick));
    const expected = [...names].sort((a, b) =>
      comparePlaces(placeOf(a), placeOf(b))
    );
    const caller = new Caller(engine, { budgetBytes: 3000 + random(5000) });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await caller.call("list_members", {
        buffer: buffer.id,
        limit: 1 + random(40),
        cursor: cursor ?? null,
      });
      seen.push(...nicks(page));
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    assert.deepEqual(seen, expected, `round ${round}`);
  }
});

Deno.test("list_members() gives up when its request is cancelled [GATE-066]", async () => {
  // Guards that work for a client that left does not go on.
  const { engine, buffer } = oneChannel();
  for (let i = 0; i < 5000; i++) buffer.list.push(member(`n${i}`));
  const controller = new AbortController();
  const clock = {
    now: () => 0,
    monotonic: () => controller.signal.aborted ? 0 : (step += 10),
    after(_ms: number, run: () => void) {
      controller.abort();
      queueMicrotask(run);
      return () => {};
    },
  };
  let step = 0;
  const caller = new Caller(engine, { clock });
  const { isError } = await caller.answer(
    "list_members",
    { buffer: buffer.id },
    controller.signal,
  );
  assert.equal(controller.signal.aborted, true);
  assert.equal(isError, true);
  assert.deepEqual(caller.logged, []);
});
