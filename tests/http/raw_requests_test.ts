/**
 * Every file of `fixtures/http` over a socket: the raw request in it, byte by
 * byte, and the exact answer due. A new case is a new file. In a file line
 * breaks are layout; `\r`, `\n`, `\t`, `\0` and `\xNN` are bytes, and words in
 * angle brackets are filled in.
 *
 * @module
 */

import assert from "node:assert/strict";
import {
  emptyAnswer,
  OK_ANSWER,
  openGate,
  roundTrip,
  type TestGate,
  TOKEN,
} from "./gate_harness.ts";

interface RawCase {
  readonly name: string;
  readonly about: string;
  readonly shows: string;
  readonly answer: string;
  readonly text: string;
}

const FOLDER = new URL("../../fixtures/http/", import.meta.url);

function loadCases(): RawCase[] {
  return [...Deno.readDirSync(FOLDER)].map(({ name }) => {
    const file = Deno.readTextFileSync(new URL(name, FOLDER));
    const [top = "", text = ""] = file.split("---\n");
    const entry = (key: string) =>
      new RegExp(`^${key}: (.*)$`, "m").exec(top)?.[1] ?? "";
    return {
      name: name.replace(/\.txt$/, ""),
      about: entry("about"),
      shows: entry("shows"),
      answer: entry("answer"),
      text,
    };
  }).sort((a, b) => a.name < b.name ? -1 : 1);
}

const ESCAPES: Record<string, string> = {
  r: "\r",
  n: "\n",
  t: "\t",
  "0": "\0",
};

function expand(text: string, port: number, token: string): string {
  const bytes = text.replaceAll("\n", "")
    .replace(
      /\\(?:x([0-9A-F]{2})|([rnt0]))/g,
      (_, hex, short) =>
        hex
          ? String.fromCharCode(Number.parseInt(hex, 16))
          : ESCAPES[short] ?? "",
    )
    .replaceAll("<port>", String(port))
    .replaceAll("<token>", token)
    .replace(/<fill:(\d+)>/, (_, count) => "x".repeat(Number(count)))
    .replace(/<nines:(\d+)>/, (_, count) => "9".repeat(Number(count)))
    .replace(/<lines:(\d+)>/, (_, count) => "a:\r\n".repeat(Number(count)));
  return fillHead(bytes);
}

/** Makes the head as many bytes long as `<fill-head:N>` says. */
function fillHead(text: string): string {
  const marker = /<fill-head:(\d+)>/.exec(text);
  if (marker === null) return text;
  const headBytes = text.indexOf("\r\n\r\n") + 4 - marker[0].length;
  return text.replace(marker[0], "x".repeat(Number(marker[1]) - headBytes));
}

const ANSWERS: Record<string, string> = {
  "200": OK_ANSWER,
  "400": emptyAnswer("400 Bad Request"),
  "403": emptyAnswer("403 Forbidden"),
  "404": emptyAnswer("404 Not Found"),
  "405": emptyAnswer("405 Method Not Allowed", "Allow: POST\r\n"),
  "411": emptyAnswer("411 Length Required"),
  "413": emptyAnswer("413 Content Too Large"),
  "431": emptyAnswer("431 Request Header Fields Too Large"),
};

const HEAD_FAULTS = new Set(["400", "411", "413", "431"]);

async function checkCase(gate: TestGate, raw: RawCase): Promise<void> {
  const due = ANSWERS[raw.answer];
  const request = expand(raw.text, gate.port, TOKEN);
  const calls = gate.calls.length;
  assert.equal(await roundTrip(gate.port, request), due, raw.name);
  const served = gate.calls.length - calls;
  assert.equal(served, raw.answer === "200" ? 1 : 0, raw.name);
}

for (const raw of loadCases()) {
  Deno.test(`gate answers ${raw.answer} to ${raw.name}: ${raw.about} [${raw.shows}]`, async () => {
    // Guards that this request is answered so on the wire, to the byte, and
    // reaches the handler only when it is admitted.
    await using gate = openGate();
    await checkCase(gate, raw);
  });
}

Deno.test("gate answers head faults whether or not the token is right [GATE-036]", async () => {
  // Guards that a fault in the head is told before the token is looked at:
  // with another token, and without any, the answer is the same.
  await using gate = openGate();
  const wrong = TOKEN.replace(/^./, "?");
  for (const raw of loadCases()) {
    if (!HEAD_FAULTS.has(raw.answer)) continue;
    const mistaken = expand(raw.text, gate.port, wrong);
    assert.equal(
      await roundTrip(gate.port, mistaken),
      ANSWERS[raw.answer],
      raw.name,
    );
  }
  assert.equal(gate.calls.length, 0);
});

Deno.test("gate answers every refused token, host, origin and preflight alike [GATE-030] [GATE-031] [GATE-032]", async () => {
  // Guards that a 403 is one sequence of bytes, so that it tells nothing of
  // which rule failed, nor whether the path exists.
  await using gate = openGate();
  const answers = new Set<string>();
  let cases = 0;
  for (const raw of loadCases()) {
    if (raw.answer !== "403") continue;
    cases++;
    answers.add(
      await roundTrip(gate.port, expand(raw.text, gate.port, TOKEN)),
    );
  }
  assert.ok(cases > 20);
  assert.deepEqual([...answers], [emptyAnswer("403 Forbidden")]);
});
