/**
 * Seeded fuzzers, one a place where text of strangers comes in. Each case is
 * made from the seed and its own number, so that one is repeated alone:
 *
 *     tests/fuzz/main.ts CASES SEED NAME FIRST-CASE
 *
 * A case throws when what it guards does not hold.
 *
 * @module
 */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import valid from "../../fixtures/envelopes/valid.json" with { type: "json" };
import { serialiseEnvelope } from "../../lib/envelope/envelope.ts";
import {
  FAULT_TEXTS,
  parseEnvelope,
} from "../../lib/envelope/parse_envelope.ts";
import { Gate } from "../../lib/http/gate.ts";
import {
  findHeadEnd,
  MAX_BODY_BYTES,
  parseHead,
} from "../../lib/http/request.ts";
import { LineReader } from "../../lib/irc/line_reader.ts";
import { compileIcu } from "../../lib/search/icu/mod.ts";
import { exactGlobMatcher, globMatcher } from "../../lib/search/matchers.ts";
import {
  type CursorScope,
  mintCursor,
  readCursor,
} from "../../lib/tools/cursor.ts";
import { TOOLS } from "../../lib/tools/registry.ts";
import { post, TOKEN } from "../http/gate_harness.ts";
import { makeRig, type Rig } from "../irc/fake_link.ts";
import { scene } from "../updates/observed_engine.ts";

/** Numbers below a bound. */
export type Random = (below: number) => number;

/** One fuzzer. */
export interface Fuzzer {
  readonly name: string;
  /** Makes what the cases share; gives the function that runs one. */
  start(): (random: Random) => void | Promise<void>;
}

/** The numbers of a case: neighbours share nothing (mulberry32). */
export function randomOf(seed: number, number: number): Random {
  let state = Math.imul(seed ^ Math.imul(number, 0x9e3779b1), 0x85ebca6b);
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

function pick<T>(random: Random, list: readonly T[]): T {
  return list[random(list.length)] as T;
}

/** Cuts, copies and splinters, up to four of them. */
function mutate(
  random: Random,
  text: string,
  splinters: readonly string[],
): string {
  let changed = text;
  for (let left = random(5); left > 0; left--) {
    const at = random(changed.length + 1);
    const end = at + random(pick(random, [2, 4, 40]));
    const put = random(4) === 0
      ? changed.slice(random(changed.length + 1)).slice(0, random(40))
      : pick(random, splinters);
    changed = changed.slice(0, at) + put + changed.slice(end);
  }
  return changed;
}

const PORT = 7422;
const HEAD_SPLINTERS = [
  ...[
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
    "\xff",
  ],
  ...["GET ", "/mcp", "HTTP/1.1", "Host: evil\r\n", "Origin: null\r\n"],
  ...["Content-Length: 0\r\n", "Content-Length: 99999999999999999999\r\n"],
  ...["Transfer-Encoding: chunked\r\n", "Authorization: Bearer x\r\n"],
  "x".repeat(300),
];

const headFuzzer: Fuzzer = {
  name: "head",
  start() {
    const gate = new Gate({ token: TOKEN, port: PORT, path: "/mcp" });
    const heads = [
      post(PORT),
      post(PORT, { token: "x".repeat(43) }),
      post(PORT, { extra: `Origin: http://localhost:${PORT}\r\n` }),
      post(PORT, { method: "OPTIONS", target: "*" }),
    ];
    return (random) => {
      const text = mutate(random, pick(random, heads), HEAD_SPLINTERS);
      const bytes = Buffer.from(text, "latin1");
      const end = findHeadEnd(bytes, bytes.length);
      const cut = random(bytes.length + 1);
      assert.equal(
        findHeadEnd(bytes, cut) ?? findHeadEnd(bytes, bytes.length, cut),
        end,
      );
      if (typeof end !== "number") return;
      const head = parseHead(bytes, end);
      if (typeof head === "string") return;
      assert.ok(Number.isInteger(head.bodyBytes));
      assert.ok(head.bodyBytes >= 0 && head.bodyBytes <= MAX_BODY_BYTES);
      if (gate.judge(head) !== undefined) return;
      assert.match(text, /^POST \/mcp(\?[!-~]*)? HTTP\/1\.\d\r\n/);
      assert.ok(text.slice(0, end).includes(`Bearer ${TOKEN}`));
    };
  },
};

const LINE_SEEDS = [
  ":srv 001 me :Welcome",
  ":srv 005 me PREFIX=(ov)@+ CHANMODES=b,k,l,imnst CASEMAPPING=ascii :are",
  ":srv 353 me = #r :@bob +eve me",
  ":srv 352 me #r u h srv eve H@ :0 Eve",
  ":srv 354 me 152 #r u h eve G acc",
  ":srv 324 me #r +ntk key",
  ":me!u@h JOIN #r",
  ":eve!u@h JOIN #r acc :Eve",
  ":eve!u@h PART #r :bye",
  ":eve!u@h QUIT :*.net *.split",
  ":eve!u@h NICK adam",
  ":bob!u@h KICK #r eve :out",
  ":bob!u@h MODE #r +ov-b eve adam *!*@*",
  ":bob!u@h TOPIC #r :topic",
  "@time=2026-01-01T00:00:00.000Z;msgid=a\\:b;account=bob :bob!u@h PRIVMSG #r :hi",
  "@batch=h :bob!u@h PRIVMSG #r :old",
  ":srv BATCH +h chathistory #r",
  ":srv BATCH -h",
  ":bob!u@h PRIVMSG me :\x01ACTION waves\x01",
  ":bob!u@h NOTICE #r :note",
  ":bob!u@h REDACT #r a :no",
  ":bob!u@h AWAY :gone",
  ":bob!u@h CHGHOST v w",
  ":bob!u@h SETNAME :Robert",
  ":bob!u@h INVITE me #s",
  "PING :abc",
];
const LINE_SPLINTERS = [
  ...[
    " ",
    ":",
    "@",
    "!",
    "#",
    "+",
    "-",
    "=",
    ";",
    ",",
    "*",
    "\0",
    "\r",
    "\x01",
  ],
  ...["\xff", "é", "😀", "\\", "\\s", "#r", "me", "bob", "353", "99999999999"],
  "x".repeat(600),
];
/** A session that was fed for ever would show nothing new. */
const LINES_A_SESSION = 5_000;
const MAX_READER_BYTES = 512;

const lineFuzzer: Fuzzer = {
  name: "irc_line",
  start() {
    let rig: Rig | undefined;
    let fed = 0;
    return (random) => {
      if (rig === undefined || fed++ % LINES_A_SESSION === 0) {
        rig = makeRig();
        rig.link.welcome({ caps: ["batch", "message-tags", "server-time"] });
        rig.link.feed(":me!u@h JOIN #r\n:srv 353 me = #r :@bob +eve me");
      }
      const text = `${
        mutate(random, pick(random, LINE_SEEDS), LINE_SPLINTERS)
      }\r\n`;
      const bytes = Buffer.from(text, random(2) === 0 ? "utf8" : "latin1");
      const whole = read(bytes, bytes.length);
      assert.deepEqual(read(bytes, random(bytes.length)), whole);
      const line = whole[0] ?? "";
      // What a mapping does to the rest of the session is another fuzzer's.
      rig.link.feed(line);
      assert.deepEqual(rig.faults, []);
    };
  },
};

/** The lines of `bytes` when they come in two pieces. */
function read(bytes: Buffer, cut: number): string[] {
  const reader = new LineReader(MAX_READER_BYTES);
  const lines: string[] = [];
  for (const piece of [bytes.subarray(0, cut), bytes.subarray(cut)]) {
    reader.push(piece);
    for (let line = reader.next(); line !== undefined; line = reader.next()) {
      lines.push(line);
    }
  }
  return lines;
}

const BASE64URL =
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const CURSOR_SPLINTERS = [...BASE64URL, "=", " ", "\n", "é", "\0", "AA", "%3D"];

const cursorFuzzer: Fuzzer = {
  name: "cursor",
  start() {
    const scope: CursorScope = { kind: "read_since", binding: ["S", "B", "1"] };
    const other: CursorScope = { kind: "read_since", binding: ["S", "C", "1"] };
    return (random) => {
      const position = [pick(random, [0, 42, random(2 ** 31), 2 ** 53 - 1])];
      const cursor = mintCursor(scope, position);
      const text = mutate(random, cursor, CURSOR_SPLINTERS);
      if (text === cursor) {
        assert.deepEqual(readCursor(scope, text), position);
      } else {
        assert.throws(() => readCursor(scope, text), {
          text: "invalid cursor",
        });
      }
      assert.throws(() => readCursor(other, text), { text: "invalid cursor" });
    };
  },
};

const VALUES: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1, 1.5, 500, 1e308, 2 ** 53, "", "x", "é😀"],
  ...["\0", "__proto__", "#rete", "regex", "substring", "(a|b)*c", "[", "x*"],
  ...["2026-09-30", "2026-09-30T12:00:00Z", "x".repeat(5_000), [], {}, [[]]],
  ...[["x", "y"], [1], { sections: {} }, { commands: ["PRIVMSG"] }],
  "6F1C3B1E-2F0B-4C53-9D0F-2F6B7A1C9E10",
];

const argumentFuzzer: Fuzzer = {
  name: "tool_arguments",
  start() {
    const { session, channel, caller } = scene();
    for (let i = 0; i < 20; i++) channel.add({ text: `row ${i}` });
    const ids = [session.id, channel.id, channel.id.toLowerCase()];
    const names = [
      ...new Set(TOOLS.flatMap((tool) => Object.keys(tool.parameters))),
      "unknown",
      "__proto__",
    ];
    return async (random) => {
      const tool = pick(random, TOOLS);
      const own = Object.keys(tool.parameters);
      const args: Record<string, unknown> = Object.create(null);
      for (let left = random(5); left > 0; left--) {
        const isOwn = own.length > 0 && random(8) > 0;
        const value = random(3) === 0
          ? pick(random, ids)
          : pick(random, VALUES);
        args[pick(random, isOwn ? own : names)] = value;
      }
      // A wait would wait: the clock stands still.
      const signal = tool.name === "wait_for_updates"
        ? AbortSignal.abort()
        : undefined;
      const { text, isError } = await caller.answer(tool.name, args, signal);
      assert.ok(text.length <= caller.budgetBytes);
      if (!isError) assert.equal(typeof JSON.parse(text), "object");
      const faults = caller.logged.filter(({ level }) =>
        level === "fault" || level === "error"
      );
      assert.deepEqual(faults, []);
      caller.logged.length = 0;
    };
  },
};

const JSON_SPLINTERS = [
  ...["{", "}", "[", "]", '"', "\\", ",", ":", "null", "1e999", "-0", " "],
  ...[
    '"__proto__":{}',
    '"v":1',
    '"to":["@*"]',
    "\\ud800",
    "\0",
    "\ud800",
    "😀",
  ],
];

const envelopeFuzzer: Fuzzer = {
  name: "envelope",
  start: () => (random) => {
    const text = mutate(random, pick(random, valid).text, JSON_SPLINTERS);
    const { envelope, fault } = parseEnvelope(text);
    if (envelope === undefined) {
      assert.ok(FAULT_TEXTS[fault] !== undefined);
      return;
    }
    // Compared as written: -0 is read, written as 0, and the same number.
    const written = serialiseEnvelope(envelope);
    const again = parseEnvelope(written).envelope;
    assert.ok(again !== undefined);
    assert.equal(serialiseEnvelope(again), written);
  },
};

const GLOB_LETTERS = ["*", "?", "a", "b", "A", "[", "\\", ".", "é", "😀", "\n"];

const globFuzzer: Fuzzer = {
  name: "glob",
  start: () => (random) => {
    const make = (letters: readonly string[], most: number) =>
      Array.from({ length: random(most) }, () => pick(random, letters));
    const glob = make(GLOB_LETTERS, 8);
    const text = make(GLOB_LETTERS.slice(2), 8);
    const expected = matchesGlob(glob, text);
    assert.equal(exactGlobMatcher(glob.join("")).test(text.join("")), expected);
    const lower = (letters: string[]) => letters.map((c) => c.toLowerCase());
    assert.equal(
      globMatcher(glob.join("")).test(text.join("")),
      matchesGlob(lower(glob), lower(text)),
    );
  },
};

/** The definition itself, a letter at a time. */
function matchesGlob(glob: string[], text: string[]): boolean {
  const [first, ...rest] = glob;
  if (first === undefined) return text.length === 0;
  if (first === "*") {
    return matchesGlob(rest, text) ||
      (text.length > 0 && matchesGlob(glob, text.slice(1)));
  }
  return text.length > 0 && (first === "?" || first === text[0]) &&
    matchesGlob(rest, text.slice(1));
}

const REGEX_SEEDS = [
  "(a|b)+c",
  "^\\w+@[a-z.]+$",
  "(?i)deploy(?=ed)",
  "(?<name>x)\\k<name>",
  "[[a-z]&&[^aeiou]]{2,3}?",
  "\\p{Lu}\\X\\R",
  "(?>a*)b|c*+",
  "\\bfoo\\b.*\\Qa.b\\E",
];
const REGEX_SPLINTERS = [
  ...["(", ")", "[", "]", "{", "}", "*", "+", "?", "|", "^", "$", ".", "\\"],
  ...["(?:", "(?=", "(?<!", "(?>", "(?i)", "{2,}", "{,3}", "[^", "&&", "--"],
  ...[
    "\\p{L}",
    "\\x{1F600}",
    "\\u",
    "\\N{",
    "\\1",
    "\\Q",
    "a",
    "é",
    "😀",
    "\ud800",
  ],
];
const REGEX_TEXTS = ["", "aababac", "Deployed foo a.b", "x\r\ny", "😀é\ud800"];
/** A pattern that never ends is cut off by the call's budget; here by this. */
const MOST_SLICES = 4;

const regexFuzzer: Fuzzer = {
  name: "regex",
  start: () => (random) => {
    const pattern = mutate(random, pick(random, REGEX_SEEDS), REGEX_SPLINTERS);
    const program = compileIcu(pattern);
    if (program === undefined) return;
    const text = pick(random, REGEX_TEXTS);
    const find = () => {
      let slices = 0;
      return program.find(text, () => ++slices < MOST_SLICES);
    };
    const found = find();
    assert.deepEqual(find(), found);
    if (found === undefined || found === "stopped") return;
    assert.ok(0 <= found.start && found.start <= found.end);
    assert.ok(found.end <= text.length);
  },
};

/** Every fuzzer. */
export const FUZZERS: readonly Fuzzer[] = [
  headFuzzer,
  lineFuzzer,
  cursorFuzzer,
  argumentFuzzer,
  envelopeFuzzer,
  globFuzzer,
  regexFuzzer,
];

/** Runs cases of one fuzzer; what it throws says how to repeat the case. */
export async function fuzz(
  fuzzer: Fuzzer,
  { seed, cases, first = 0 }: { seed: number; cases: number; first?: number },
): Promise<void> {
  const run = fuzzer.start();
  for (let number = first; number < first + cases; number++) {
    try {
      await run(randomOf(seed, number));
    } catch (error) {
      throw new Error(
        `${fuzzer.name}, seed ${seed}, case ${number}: ${
          (error as Error).stack
        }`,
      );
    }
  }
}
