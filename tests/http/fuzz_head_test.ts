/**
 * Heads changed at random, in process and over sockets. The seed is fixed, so
 * that a failure comes back; another can be given to search further.
 *
 * @module
 */

import assert from "node:assert/strict";
import { Gate } from "../../lib/http/gate.ts";
import {
  findHeadEnd,
  MAX_BODY_BYTES,
  MAX_HEAD_BYTES,
  parseHead,
} from "../../lib/http/request.ts";
import { latin1, openGate, post, RawClient, TOKEN } from "./gate_harness.ts";

const SEED = 0x5eed;
const HEADS_IN_PROCESS = 220_000;
const HEADS_OVER_SOCKETS = 3_000;
const PORT = 7422;

/** Numbers from a seed (xorshift32), each in [0, below). */
class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  roll(below: number): number {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x;
    return (x >>> 0) % below;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.roll(list.length)] as T;
  }
}

// What such bugs are made of: framing bytes, and words the grammar knows.
const PIECES = [
  "\r",
  "\n",
  "\r\n",
  "\r\n\r\n",
  "\0",
  " ",
  "\t",
  ":",
  ",",
  "\x7f",
  "\xa0",
  "\xff",
  "?",
  "/mcp",
  "HTTP/1.1",
  "HTTP/1.0",
  "GET",
  "OPTIONS",
  "Bearer ",
  "Authorization: Bearer x\r\n",
  "Authorization:",
  "Host: evil\r\n",
  "Origin: null\r\n",
  "Content-Length: 0\r\n",
  "Content-Length: 999999\r\n",
  "Transfer-Encoding: chunked\r\n",
  "Expect: 100-continue\r\n",
  "0",
  "-1",
  "99999999999999999999",
  "x".repeat(300),
  "x".repeat(MAX_HEAD_BYTES),
];

const CHANGES: ((text: string, dice: Dice) => string)[] = [
  (text, dice) =>
    splice(text, dice.roll(text.length + 1), 0, dice.pick(PIECES)),
  (text, dice) => splice(text, dice.roll(text.length + 1), 1, ""),
  (text, dice) =>
    splice(
      text,
      dice.roll(text.length + 1),
      1,
      String.fromCharCode(dice.roll(256)),
    ),
  (text, dice) => splice(text, dice.roll(text.length + 1), dice.roll(40), ""),
  (text, dice) => text.slice(0, dice.roll(text.length + 1)),
  (text, dice) => {
    const [from, size] = [dice.roll(text.length + 1), dice.roll(60)];
    return splice(text, from, 0, text.slice(from, from + size));
  },
  (text, dice) => {
    const lines = text.split("\r\n");
    const [a, b] = [dice.roll(lines.length), dice.roll(lines.length)];
    [lines[a], lines[b]] = [lines[b] ?? "", lines[a] ?? ""];
    return lines.join("\r\n");
  },
];

function splice(text: string, at: number, size: number, put: string): string {
  return text.slice(0, at) + put + text.slice(at + size);
}

function mutate(text: string, dice: Dice): string {
  let changed = text;
  for (let i = dice.roll(4); i >= 0; i--) {
    changed = dice.pick(CHANGES)(changed, dice);
  }
  return changed;
}

// With none, with another, and with the right one, which mutation must not
// turn into an admission that the plain rules would not give.
function seeds(port: number): string[] {
  return [
    post(port),
    post(port, { token: "x".repeat(43) }),
    post(port, { extra: `Origin: http://localhost:${port}\r\n` }),
    post(port, { method: "GET", target: "/mcp?a=b" }),
    post(port, { method: "OPTIONS", target: "*" }),
    post(port).replace(/Authorization.*\r\n/, ""),
  ];
}

/**
 * The rules once more, read from the text alone and not by the code under
 * test: what a head must look like for its request to be let through.
 */
function mayBeAdmitted(text: string, port: number): boolean {
  const end = text.indexOf("\r\n\r\n");
  const lines = text.slice(0, end).split("\r\n");
  const host = new RegExp(
    `^host:[ \\t]*(127\\.0\\.0\\.1|localhost):${port}[ \\t]*$`,
    "i",
  );
  const token = /^authorization:[ \t]*([^ \t].*)$/i;
  const tokens = lines.flatMap((line) => token.exec(line)?.[1] ?? []);
  return end >= 0 && end + 4 <= MAX_HEAD_BYTES &&
    /^POST \/mcp(\?[!-~]*)? HTTP\/1\.\d$/.test(lines[0] ?? "") &&
    tokens.length === 1 &&
    tokens[0]?.replace(/[ \t]+$/, "") === `Bearer ${TOKEN}` &&
    lines.filter((line) => host.test(line)).length === 1;
}

Deno.test(`parseHead() and Gate.judge() hold against ${HEADS_IN_PROCESS} mutated heads [GATE-015] [GATE-037] [GATE-038]`, async () => {
  // Guards that no head makes the parser throw, hang or read past its limits,
  // that where the bytes are cut changes nothing, and that nothing without
  // the exact token in its place is admitted.
  const dice = new Dice(SEED);
  const gate = new Gate({ token: TOKEN, port: PORT, path: "/mcp" });
  const originals = seeds(PORT);
  const outcomes = new Map<string, number>();
  const buffer = new Uint8Array(70_000);
  for (let round = 0; round < HEADS_IN_PROCESS; round++) {
    if (round % 2_000 === 0) await new Promise((done) => setTimeout(done, 0));
    const text = mutate(dice.pick(originals), dice);
    for (let i = 0; i < text.length; i++) buffer[i] = text.charCodeAt(i);
    const end = findHeadEnd(buffer, text.length);
    const cut = dice.roll(text.length + 1);
    const early = findHeadEnd(buffer, cut);
    assert.equal(
      early ?? findHeadEnd(buffer, text.length, cut),
      end,
      JSON.stringify(text),
    );
    const outcome = judge(gate, buffer, end);
    if (outcome === "admitted") {
      assert.ok(mayBeAdmitted(text, PORT), JSON.stringify(text));
    }
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
  // The fuzz is worth its name only if it reaches the rules.
  for (
    const name of [
      "400",
      "411",
      "413",
      "431",
      "admitted",
      "bad or missing token",
      "Host",
      "Origin",
      "OPTIONS",
      "method",
      "unknown path",
      "unfinished",
    ]
  ) {
    assert.ok((outcomes.get(name) ?? 0) > 0, `${name} never came up`);
  }
});

function judge(
  gate: Gate,
  bytes: Uint8Array,
  end: ReturnType<typeof findHeadEnd>,
): string {
  if (end === undefined) return "unfinished";
  if (typeof end === "string") return end;
  assert.ok(end <= MAX_HEAD_BYTES);
  const head = parseHead(bytes, end);
  if (typeof head === "string") return head;
  assert.ok(head.bodyBytes >= 0 && head.bodyBytes <= MAX_BODY_BYTES);
  assert.ok(Number.isInteger(head.bodyBytes));
  return gate.judge(head) ?? "admitted";
}

Deno.test(`gate holds against ${HEADS_OVER_SOCKETS} mutated heads over sockets [GATE-015] [GATE-036]`, async () => {
  // Guards the same on the wire: every connection ends, each with one of the
  // answers there are or with none, and 200 only for the exact token.
  const dice = new Dice(SEED);
  await using gate = openGate({ deadlines: { lingerMs: 500 } });
  const originals = seeds(gate.port);
  const statuses = new Set<string>();
  for (let round = 0; round < HEADS_OVER_SOCKETS; round++) {
    const text = mutate(dice.pick(originals), dice);
    const answer = await sendAndLeave(gate.port, text);
    const status = /^HTTP\/1\.1 (\d{3}) /.exec(
      answer.replace("HTTP/1.1 100 Continue\r\n\r\n", ""),
    )?.[1] ?? "closed";
    statuses.add(status);
    if (status === "200") {
      assert.ok(mayBeAdmitted(text, gate.port), JSON.stringify(text));
    }
  }
  assert.equal(gate.lines.filter(({ level }) => level === "error").length, 0);
  const known = [
    "200",
    "400",
    "403",
    "404",
    "405",
    "411",
    "413",
    "431",
    "closed",
  ];
  assert.deepEqual([...statuses].filter((s) => !known.includes(s)), []);
  assert.ok(statuses.size >= 7);
});

/** What comes back when the client stops sending after `text`. */
async function sendAndLeave(port: number, text: string): Promise<string> {
  const client = await RawClient.connect(port);
  try {
    await client.conn.write(latin1(text));
    await client.conn.closeWrite();
    return await client.readToEnd();
  } catch {
    return "";
  } finally {
    client.close();
  }
}
