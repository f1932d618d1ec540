import assert from "node:assert/strict";
import { MAX_RAW_LINES } from "../../lib/debug/raw_tap.ts";
import { DebugRig } from "./debug_rig.ts";
import type { Result } from "./tool_calls.ts";

const seqs = (result: Result) => result.lines.map((line: Result) => line.seq);

function filled(): DebugRig {
  const rig = new DebugRig({ secrets: ["hunter2!"] });
  rig.raw(
    ":irc.example.net 354 me 7 #rete alice",
    "@time=x :irc.example.net 315 me #rete :End",
    "ping :Token",
    ":a PRIVMSG #x :hunter2! 354",
  );
  rig.put("out", "WHO #rete");
  rig.put("out", "@label=1 PRIVMSG #rete :hello 315");
  return rig;
}

Deno.test("search_raw filters by command, direction and text [RAW-018 RAW-019 RAW-020 RAW-021 RAW-025 RAW-026 RAW-027 RAW-028]", async () => {
  // Guards each filter by itself and all together.
  const rig = filled();
  const rows: [Record<string, unknown>, number[]][] = [
    [{}, [1, 2, 3, 5, 6]],
    [{ commands: ["354", "315"] }, [1, 2]],
    [{ commands: ["PING"] }, [3]],
    [{ commands: [" who ", "  "] }, [5]],
    [{ commands: [" ", ""] }, []],
    [{ commands: [] }, [1, 2, 3, 5, 6]],
    [{ commands: ["privmsg"] }, [6]],
    [{ commands: ["@label=1"] }, []],
    [{ direction: "out" }, [5, 6]],
    [{ direction: "in" }, [1, 2, 3]],
    [{ contains: "TOKEN" }, [3]],
    [{ contains: "#RETE" }, [1, 2, 5, 6]],
    [{ contains: "" }, [1, 2, 3, 5, 6]],
    [{ contains: "#rete", direction: "out", commands: ["WHO"] }, [5]],
    [{ contains: "nothing" }, []],
  ];
  for (const [filter, expected] of rows) {
    const page = await rig.caller.call("search_raw", {
      session: rig.session.id,
      ...filter,
    });
    assert.deepEqual(seqs(page), expected, JSON.stringify(filter));
    assert.equal(page.truncated, false);
    assert.equal(page.withheld, 1);
  }
});

Deno.test("search_raw answers in the contract's shape [RAW-006 RAW-024 RAW-030 MSG-028]", async () => {
  // Guards the whole answer, with lines and with a count.
  const rig = new DebugRig();
  const session = rig.session.id;
  const nothing = await rig.caller.call("search_raw", { session });
  assert.deepEqual(nothing, { coverage: {}, lines: [], truncated: false });
  rig.raw("PING 1");
  await rig.clock.advance(2500);
  rig.raw("PONG 2");
  const page = await rig.caller.call("search_raw", {
    session,
    commands: ["PING"],
  });
  const coverage = {
    oldest: "2026-09-30T12:00:00Z",
    newest: "2026-09-30T12:00:02Z",
  };
  assert.deepEqual(page, {
    coverage,
    lines: [{
      dir: "in",
      line: "PING 1",
      seq: 1,
      time: "2026-09-30T12:00:00Z",
      untrusted: true,
    }],
    truncated: false,
  });
  const count = await rig.caller.call("search_raw", {
    session,
    contains: "p",
    count_only: true,
  });
  assert.deepEqual(count, { count: 2, coverage, truncated: false });
});

Deno.test("search_raw pages exactly when another match follows [RAW-022 RAW-030 MSG-024]", async () => {
  // Guards that `truncated` is never wrong about there being more.
  const rig = new DebugRig();
  const session = rig.session.id;
  const args = { session, commands: ["PING"], limit: 2 };
  rig.raw("PING 1", "NOTE", "PING 3", "NOTE", "NOTE");
  const whole = await rig.caller.call("search_raw", args);
  assert.deepEqual([seqs(whole), whole.truncated], [[1, 3], false]);
  assert.equal("next_cursor" in whole, false);
  rig.raw("PING 6", "PING 7");
  const first = await rig.caller.call("search_raw", args);
  assert.deepEqual([seqs(first), first.truncated], [[1, 3], true]);
  const second = await rig.caller.call("search_raw", {
    ...args,
    cursor: first.next_cursor,
  });
  assert.deepEqual([seqs(second), second.truncated], [[6, 7], false]);
});

Deno.test("search_raw counts from the cursor to the newest line [RAW-023 RAW-031]", async () => {
  // Guards that a count is whole, whatever the limit and the budget.
  const rig = new DebugRig({ budgetBytes: 1500 });
  const session = rig.session.id;
  for (let i = 0; i < 3000; i++) rig.raw(`PING ${i}`);
  const count = (more: Record<string, unknown>) =>
    rig.caller.call("search_raw", { session, count_only: true, ...more });
  const all = await count({ limit: 1 });
  assert.deepEqual([all.count, all.truncated], [3000, false]);
  assert.equal("lines" in all || "next_cursor" in all, false);
  const page = await rig.caller.call("search_raw", { session, limit: 5 });
  const rest = await count({ cursor: page.next_cursor });
  assert.deepEqual([rest.count, rest.truncated], [2995, false]);
});

Deno.test("search_raw never matches a withheld line [RAW-029 RAW-007]", async () => {
  // Guards that no filter tells anything of a line that is not returned.
  const rig = filled();
  const session = rig.session.id;
  for (const contains of ["hunt", "hunter2!", "zzz", "#x"]) {
    const page = await rig.caller.call("search_raw", { session, contains });
    assert.deepEqual([seqs(page), page.withheld], [[], 1], contains);
    const count = await rig.caller.call("search_raw", {
      session,
      contains,
      count_only: true,
    });
    assert.deepEqual([count.count, count.withheld], [0, 1]);
  }
});

Deno.test("search_raw says evicted only behind a cursor [RAW-032]", async () => {
  // Guards that the field is absent, not false, when nothing was lost.
  const rig = new DebugRig();
  const session = rig.session.id;
  rig.raw("PING 1", "PING 2");
  const { next_cursor: cursor } = await rig.caller.call("search_raw", {
    session,
    limit: 1,
  });
  for (let i = 0; i < MAX_RAW_LINES + 1; i++) rig.raw("x");
  const behind = await rig.caller.call("search_raw", { session, cursor });
  assert.equal(behind.evicted, true);
  const fresh = await rig.caller.call("search_raw", { session });
  assert.equal("evicted" in fresh, false);
});

Deno.test("search_raw steps over a line that no page could hold [MSG-024]", async () => {
  // Guards that a search gets past such a line and names it.
  const rig = new DebugRig({ budgetBytes: 1500 });
  rig.raw("PING 1", "PING " + "x".repeat(1600), "PING 3");
  const page = await rig.caller.call("search_raw", { session: rig.session.id });
  assert.deepEqual([seqs(page), page.skipped], [[1, 3], [2]]);
});

Deno.test("search_raw refuses what it cannot search [ERR-015]", async () => {
  // Guards the failures' words, and that a cursor belongs to its filters.
  const rig = new DebugRig();
  const session = rig.session.id;
  rig.raw("PING 1", "PING 2");
  const { next_cursor: cursor } = await rig.caller.call("search_raw", {
    session,
    commands: ["ping", "pong"],
    limit: 1,
  });
  const same = { session, commands: ["PONG ", "PING"], cursor };
  assert.deepEqual(seqs(await rig.caller.call("search_raw", same)), [2]);
  const rows: [Record<string, unknown>, string][] = [
    [{ session: "x" }, "unknown session"],
    [
      { session, direction: "both" },
      'invalid direction: expected "in" or "out"',
    ],
    [{ session, direction: "IN" }, 'invalid direction: expected "in" or "out"'],
    [{ session, direction: "" }, 'invalid direction: expected "in" or "out"'],
    [{ session, cursor }, "invalid cursor"],
    [
      { session, commands: "PING" },
      "invalid arguments: commands must be an array of strings",
    ],
    [{ session, raw: true }, 'invalid arguments: unknown argument "raw"'],
  ];
  for (const [args, text] of rows) {
    assert.equal(await rig.caller.fail("search_raw", args), text);
  }
});
