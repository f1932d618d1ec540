import assert from "node:assert/strict";
import {
  type EngineSnapshot,
  type SectionName,
  SECTIONS,
} from "../../lib/debug/engine_state.ts";
import type { Section } from "../../lib/debug/sections/section.ts";
import { DebugRig } from "./debug_rig.ts";

const NOON = Date.parse("2026-09-30T12:00:00.250Z");

function rigWith(
  sections: Partial<Record<SectionName, Section>>,
  options: ConstructorParameters<typeof DebugRig>[0] = {},
): DebugRig {
  const rig = new DebugRig(options);
  const entries = Object.entries(sections) as [SectionName, Section][];
  const snapshot: EngineSnapshot = {
    takenAt: NOON,
    sections: new Map(entries),
  };
  rig.snapshot = snapshot;
  return rig;
}

function section(state: Record<string, unknown>, summary = "fine"): Section {
  return { count: 1, summary, state };
}

Deno.test("engine_state answers with an index of what is filled [ENG-001 ENG-002 ENG-003 MSG-031]", async () => {
  // Guards the index's shape, for no list and for an empty one.
  const rig = rigWith({
    whox: { count: 2, summary: "WHO #rete in flight", state: {} },
    flood: { count: 0, summary: "0 lines waiting", state: {} },
  });
  const session = rig.session.id;
  for (const sections of [undefined, null, []]) {
    const answer = await rig.caller.call("engine_state", { session, sections });
    assert.deepEqual(answer, {
      index: [
        { count: 2, section: "whox", summary: "WHO #rete in flight" },
        { count: 0, section: "flood", summary: "0 lines waiting" },
      ],
      untrusted: true,
    });
  }
});

Deno.test("engine_state answers with sections of one instant [ENG-004 ENG-014 ENG-017 MSG-031]", async () => {
  // Guards the answer's shape and that both times are the snapshot's.
  const rig = rigWith({ whox: section({ silentWhoQueued: ["#a"] }) });
  const answer = await rig.caller.call("engine_state", {
    session: rig.session.id,
    sections: ["whox", "batches", "whox"],
  });
  assert.deepEqual(answer, {
    sections: { whox: { silentWhoQueued: ["#a"] } },
    taken_at: {
      core: "2026-09-30T12:00:00Z",
      store: "2026-09-30T12:00:00Z",
    },
    unavailable: ["batches"],
    untrusted: true,
  });
});

Deno.test("engine_state knows nineteen sections, matched exactly [ENG-005 ENG-006 ERR-016]", async () => {
  // Guards the names, and the failure's words with the name cut and escaped.
  const names = [
    "connection",
    "registration",
    "sasl",
    "capabilities",
    "isupport",
    "channels",
    "queries",
    "buffers",
    "silentQueries",
    "whox",
    "chathistory",
    "batches",
    "reconnect",
    "flood",
    "config",
    "markread",
    "silence",
    "whois",
    "scripts",
  ];
  assert.deepEqual(Object.keys(SECTIONS), names);
  const rig = rigWith({});
  const session = rig.session.id;
  const all = await rig.caller.call("engine_state", {
    session,
    sections: names,
  });
  assert.deepEqual(all.unavailable, names);
  const rows = [
    ["WHOX", 'unknown section: "WHOX"'],
    ["", 'unknown section: ""'],
    ["toString", 'unknown section: "toString"'],
    ['a"b', 'unknown section: "a\\"b"'],
    ["x".repeat(65), `unknown section: "${"x".repeat(64)}"`],
  ] as const;
  for (const [name, text] of rows) {
    assert.equal(
      await rig.caller.fail("engine_state", {
        session,
        sections: ["whox", name],
      }),
      text,
    );
  }
});

Deno.test("engine_state withholds the whole answer for one secret [ERR-014 RED-042 RED-047]", async () => {
  // Guards that nothing leaves beside the secret, and that the log names the
  // section and not the value.
  const rig = rigWith({
    channels: section({ topic: "the key is hunter2!" }),
    flood: section({ waiting: 0 }),
    connection: section({}, "closed: bad password hunter2!"),
  }, { secrets: ["hunter2!"] });
  const session = rig.session.id;
  const ask = (sections: string[]) => ({ session, sections });
  const withheld = "withheld: secret detected";
  assert.equal(
    await rig.caller.fail("engine_state", ask(["flood", "channels"])),
    withheld,
  );
  assert.equal(await rig.caller.fail("engine_state", ask([])), withheld);
  const flood = await rig.caller.call("engine_state", ask(["flood"]));
  assert.deepEqual(flood.sections, { flood: { waiting: 0 } });
  const logged = rig.capture.log.since(0, 9).map(({ text }) => text);
  assert.deepEqual(logged, [
    "engine_state withheld: the section channels holds a secret",
    "engine_state withheld: the section connection holds a secret",
  ]);
});

Deno.test("engine_state leaves out what does not fit, by name [ENG-015 ENG-016]", async () => {
  // Guards the budget, and that a section too large for any answer is still
  // in the index with its count.
  const rig = rigWith({
    channels: {
      count: 9,
      summary: "9 joined",
      state: { x: "y".repeat(70_000) },
    },
    buffers: section({ x: "z".repeat(40_000) }),
    queries: section({ x: "z".repeat(40_000) }),
    flood: section({ waiting: 0 }),
  });
  const session = rig.session.id;
  const sections = ["channels", "buffers", "queries", "flood"];
  const answer = await rig.caller.call("engine_state", { session, sections });
  assert.deepEqual(Object.keys(answer.sections), ["buffers", "flood"]);
  assert.deepEqual(
    [answer.omitted, answer.truncated],
    [["channels", "queries"], true],
  );
  const { index } = await rig.caller.call("engine_state", { session });
  assert.deepEqual(index[0], {
    count: 9,
    section: "channels",
    summary: "9 joined",
  });
});

Deno.test("engine_state cuts an index that is over its budget [ENG-003]", async () => {
  // Guards that summaries, which strangers can lengthen, break no answer.
  const rig = rigWith({
    connection: section({}, "x".repeat(800)),
    flood: section({}, "fine"),
  }, { budgetBytes: 600 });
  const answer = await rig.caller.call("engine_state", {
    session: rig.session.id,
  });
  assert.deepEqual(answer.truncated, true);
  assert.deepEqual(answer.index, [{
    count: 1,
    section: "flood",
    summary: "fine",
  }]);
});

Deno.test("engine_state refuses a session that does not run", async () => {
  // Guards the failure's words.
  const rig = rigWith({});
  assert.equal(
    await rig.caller.fail("engine_state", { session: "x", sections: ["nope"] }),
    "unknown session",
  );
  assert.equal(
    await rig.caller.fail("engine_state"),
    "invalid arguments: missing session",
  );
});
