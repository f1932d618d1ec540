import assert from "node:assert/strict";
import {
  type Envelope,
  EnvelopeMaker,
  serialiseEnvelope,
} from "../../lib/envelope/envelope.ts";
import {
  looksLikeEnvelope,
  parseEnvelope,
} from "../../lib/envelope/parse_envelope.ts";
import { matchesRecipient, type Role } from "../../lib/envelope/recipients.ts";
import refused from "../../fixtures/envelopes/refused.json" with {
  type: "json",
};
import valid from "../../fixtures/envelopes/valid.json" with { type: "json" };

const BASE = {
  v: 1,
  type: "x",
  id: "01HX9Z0000000000000000000A",
  from: "bot",
  ts: 0,
};

Deno.test("parseEnvelope() reads every example and serialises it again [ENV-004 ENV-006 ENV-012 ENV-013 ENV-016 ENV-017 ENV-019 ENV-020 ENV-022 ENV-023 ENV-024 ENV-026 ENV-028]", () => {
  // Guards the format on the wire: fields, their order, what is left out.
  for (const { name, text, wire } of valid) {
    const { envelope, fault } = parseEnvelope(text);
    assert.equal(fault, undefined, name);
    assert.ok(envelope !== undefined);
    assert.equal(serialiseEnvelope(envelope), wire ?? text, name);
  }
});

Deno.test("parseEnvelope() gives the reason of each refusal [ENV-005 ENV-007]", () => {
  // Guards that a sender can learn what is wrong with a message.
  for (const row of refused) {
    const fields: Record<string, unknown> = { ...BASE, ...row.set };
    if (row.drop !== undefined) delete fields[row.drop];
    const text = row.text ?? JSON.stringify(fields);
    assert.equal(parseEnvelope(text).fault, row.fault, text);
  }
});

Deno.test("parseEnvelope() refuses deep nesting, and brackets in strings are none", () => {
  // Guards the stack of whatever shows the payload.
  const nested = (levels: number) =>
    JSON.stringify({ ...BASE, payload: { a: "NEST" } }).replace(
      '"NEST"',
      "[".repeat(levels) + "]".repeat(levels),
    );
  assert.equal(parseEnvelope(nested(30)).fault, undefined);
  assert.equal(parseEnvelope(nested(31)).fault, "too-deep");
  assert.equal(parseEnvelope("[".repeat(1_000_000)).fault, "too-deep");
  const quoted = JSON.stringify({
    ...BASE,
    payload: { a: '\\"' + "[".repeat(99) },
  });
  assert.equal(parseEnvelope(quoted).fault, undefined);
});

Deno.test("looksLikeEnvelope() looks at one character", () => {
  // Guards that talk between people costs nothing.
  assert.equal(looksLikeEnvelope('{"v":1}'), true);
  for (const text of ["", "hello {", " {"]) {
    assert.equal(looksLikeEnvelope(text), false);
  }
});

Deno.test("parseEnvelope() keeps a __proto__ key as data", () => {
  // Guards that a payload cannot reach into the program's own objects.
  const text = JSON.stringify({ ...BASE, payload: { x: 0 } })
    .replace('"x":0', '"__proto__":{"polluted":true}');
  const { envelope } = parseEnvelope(text);
  assert.ok(envelope !== undefined);
  assert.equal(serialiseEnvelope(envelope), text);
  assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
});

Deno.test("EnvelopeMaker fills in v, id and ts, and leaves out what is empty [ENV-014 ENV-018 ENV-021 ENV-042 ENV-043 ENV-044]", () => {
  // Guards the two constructors of the spec.
  const maker = new EnvelopeMaker(() => 1_712_000_000_000);
  const addressed = maker.make({
    type: "task.create",
    from: "boss",
    to: ["@workers"],
    payload: { title: "t" },
  });
  const { id, ...rest } = addressed;
  assert.deepEqual(rest, {
    v: 1,
    type: "task.create",
    from: "boss",
    to: ["@workers"],
    ts: 1_712_000_000_000,
    payload: { title: "t" },
  });
  assert.deepEqual(parseEnvelope(serialiseEnvelope(addressed)), {
    envelope: addressed,
  });
  assert.equal(id.slice(0, 10), "01HTDJDR00");
  const broadcast = maker.make({
    type: "myorg.alert.fired",
    from: "b",
    to: [],
    payload: {},
  });
  assert.deepEqual(Object.keys(broadcast), ["v", "type", "id", "from", "ts"]);
});

Deno.test("EnvelopeMaker makes ids that sort as made, in one millisecond and when the clock steps back [ENV-008 ENV-009 ENV-010 ENV-011]", () => {
  // Guards the order of messages that leave together.
  let now = 1_712_000_000_000;
  const maker = new EnvelopeMaker(() => now);
  const ids: string[] = [];
  for (let i = 0; i < 10_000; i++) {
    if (i === 5_000) now -= 60_000;
    if (i === 7_000) now += 120_000;
    ids.push(maker.make({ type: "x", from: "a" }).id);
  }
  assert.deepEqual(ids, [...ids].sort());
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(ids.every((id) => encodeURIComponent(id) === id));
  const other = new EnvelopeMaker(() => now).make({ type: "x", from: "b" });
  assert.ok(!ids.includes(other.id));
});

Deno.test("matchesRecipient() goes by every token of the table [ENV-015 ENV-029 ENV-030 ENV-031 ENV-032 ENV-033 ENV-034 ENV-035 ENV-036 ENV-037 ENV-038 ENV-039 ENV-040 ENV-041 ENV-047]", () => {
  // Guards who acts on a task.
  const rows: [string[] | undefined, string, Role, boolean][] = [
    [undefined, "anyone", "observer", true],
    [["@all"], "anyone", "observer", true],
    [["@workers"], "a", "worker", true],
    [["@workers"], "a", "operator", false],
    [["@operators"], "a", "operator", true],
    [["@operators"], "a", "worker", false],
    [["@orchestrators"], "a", "orchestrator", true],
    [["@orchestrators"], "a", "observer", false],
    [["@observers"], "a", "observer", true],
    [["@observers"], "a", "worker", false],
    [["@claude-*"], "claude-1", "worker", true],
    [["@claude-*"], "claude", "worker", false],
    [["@claude-*"], "xclaude-1", "worker", false],
    [["@codex-*"], "codex-7", "worker", true],
    [["@codex-*"], "claude-7", "worker", false],
    [["@gemini-*"], "gemini-", "worker", true],
    [["@gemini-*"], "codex-1", "worker", false],
    [["@mine-too-*"], "mine-too-1", "worker", true],
    [["@*"], "a", "worker", false],
    [["codex-7"], "codex-7", "observer", true],
    [["codex-7"], "codex-77", "observer", false],
    [["@constructor"], "constructor", "worker", false],
    [["@workers", "codex-7"], "b", "worker", true],
    [["@workers", "codex-7"], "codex-7", "observer", true],
    [["@workers", "codex-7"], "b", "observer", false],
  ];
  for (const [to, nick, role, expected] of rows) {
    const envelope = { ...BASE, ...(to && { to }) } as Envelope;
    assert.equal(
      matchesRecipient(envelope, { nick, role }),
      expected,
      `${to} ${nick} ${role}`,
    );
  }
});
