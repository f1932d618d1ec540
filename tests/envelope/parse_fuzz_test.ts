import assert from "node:assert/strict";
import { serialiseEnvelope } from "../../lib/envelope/envelope.ts";
import {
  FAULT_TEXTS,
  parseEnvelope,
} from "../../lib/envelope/parse_envelope.ts";
import valid from "../../fixtures/envelopes/valid.json" with { type: "json" };

const SEED = 0x5eed;
const ROUNDS = 20_000;

/** Numbers below `limit`, the same in every run (mulberry32). */
function seeded(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

const SPLINTERS = [
  "{",
  "}",
  "[",
  "]",
  '"',
  "\\",
  ",",
  ":",
  "null",
  "1e999",
  "-0",
  '"__proto__":{}',
  '"v":1',
  '"to":["@*"]',
  "\\ud800",
  "\u0000",
  "\ud800",
  "😀",
  " ",
];

Deno.test("parseEnvelope() answers every text, and reads again what it wrote", () => {
  // Guards against a line that throws: whoever can write to a channel could
  // stop the agents in it. The seed makes a failure come back.
  const random = seeded(SEED);
  let read = 0;
  for (let round = 0; round < ROUNDS; round++) {
    let text = valid[random(valid.length)]?.text ?? "";
    for (let changes = random(4); changes > 0; changes--) {
      const at = random(text.length + 1);
      const splinter = SPLINTERS[random(SPLINTERS.length)] ?? "";
      text = text.slice(0, at) + splinter + text.slice(at + random(3));
    }
    const { envelope, fault } = parseEnvelope(text);
    if (envelope === undefined) {
      assert.ok(FAULT_TEXTS[fault] !== undefined, text);
      continue;
    }
    read++;
    const again = parseEnvelope(serialiseEnvelope(envelope));
    assert.deepEqual(again.envelope, envelope, text);
  }
  assert.ok(read > ROUNDS / 10, `only ${read} were envelopes`);
});

Deno.test("parseEnvelope() takes time in proportion to the text", () => {
  // Guards against a text that costs more than its length: tenfold the text
  // may not take near a hundredfold the time.
  const shapes: ((n: number) => string)[] = [
    (n) => "{".repeat(n),
    (n) => `{"v":1,"type":"${"\\\\".repeat(n)}`,
    (n) => `{"a":${"[],".repeat(n)}`,
    (n) => `${"9".repeat(n)}`,
    (n) => `{"from":"${" ".repeat(n)}"`,
    (n) =>
      `{"v":1,"type":"x","id":"01HX9Z0000000000000000000A","from":"${
        "a".repeat(n)
      }@","ts":0}`,
    (n) =>
      `{"v":1,"type":"x","id":"01HX9Z0000000000000000000A","from":"a","ts":0,"to":[${
        '"@-",'.repeat(n)
      }"b"]}`,
  ];
  const cost = (text: string) => {
    let best = Infinity;
    for (let i = 0; i < 5; i++) {
      const began = performance.now();
      parseEnvelope(text);
      best = Math.min(best, performance.now() - began);
    }
    return best;
  };
  for (const shape of shapes) {
    cost(shape(1_000));
    const small = cost(shape(20_000));
    const large = cost(shape(200_000));
    assert.ok(
      large < 40 * small + 5,
      `${shape(5)}: ${small} ms, then ${large} ms`,
    );
  }
});
