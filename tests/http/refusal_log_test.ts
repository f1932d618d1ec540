import assert from "node:assert/strict";
import { RefusalLog, type RefusalNotice } from "../../lib/http/refusal_log.ts";
import { REFUSALS } from "../../lib/http/refusals.ts";
import type { Log } from "../../lib/log.ts";
import { FakeClock } from "../fake_clock.ts";
import { openGate, post, RawClient, roundTrip, TOKEN } from "./gate_harness.ts";

function record() {
  const clock = new FakeClock();
  const lines: string[] = [];
  const notices: RefusalNotice[] = [];
  const log: Log = {
    write: (level, category, text) =>
      void lines.push(`${level} ${category} ${text}`),
  };
  const refusals = new RefusalLog(clock, log, (n) => void notices.push(n));
  return { clock, lines, notices, refusals };
}

Deno.test("REFUSALS names the contract's classes and no other [GATE-049]", () => {
  // Guards the words of the log: people search for them.
  assert.deepEqual(Object.keys(REFUSALS).sort(), [
    "400",
    "411",
    "413",
    "431",
    "Host",
    "OPTIONS",
    "Origin",
    "bad or missing token",
    "handler deadline",
    "handler overran",
    "head deadline",
    "method",
    "peer is another user",
    "peer user could not be checked",
    "read deadline",
    "unknown path",
  ]);
});

Deno.test("RefusalLog writes one line a class every 10 seconds [GATE-047] [GATE-048] [GATE-050]", async () => {
  // Guards that whoever is refused cannot write the log, and that the lines
  // written still add up to every refusal.
  const { clock, lines, refusals } = record();
  refusals.note("Host");
  for (let i = 0; i < 41; i++) refusals.note("Host");
  refusals.note("400");
  await clock.advance(9_999);
  refusals.note("Host");
  assert.equal(lines.length, 2);
  await clock.advance(1);
  refusals.note("Host");
  await clock.advance(10_000);
  refusals.note("Host");
  assert.deepEqual(lines, [
    "debug network refused (Host, 403), 0 more of this class since the last line",
    "debug network refused (400, 400), 0 more of this class since the last line",
    "debug network refused (Host, 403), 42 more of this class since the last line",
    "debug network refused (Host, 403), 0 more of this class since the last line",
  ]);
});

Deno.test("RefusalLog is not put off by the wall clock stepping", async () => {
  // Guards that a clock set back does not silence the log for hours.
  const { clock, lines, refusals } = record();
  refusals.note("Host");
  clock.step(-3_600_000);
  await clock.advance(10_000);
  refusals.note("Host");
  assert.equal(lines.length, 2);
});

Deno.test("RefusalLog tells of attempts to come in, as seldom as it writes [ALOG-016] [ALOG-017] [ALOG-020]", async () => {
  // Guards what the AI access log shows: tokens, hosts, origins and
  // preflights that were refused, and nothing else.
  const { clock, notices, refusals } = record();
  for (const name of Object.keys(REFUSALS)) {
    refusals.note(name as keyof typeof REFUSALS);
    refusals.note(name as keyof typeof REFUSALS);
  }
  await clock.advance(10_000);
  refusals.note("bad or missing token");
  assert.deepEqual(notices, [
    { class: "bad or missing token", status: 403, more: 0 },
    { class: "Host", status: 403, more: 0 },
    { class: "Origin", status: 403, more: 0 },
    { class: "OPTIONS", status: 403, more: 0 },
    { class: "bad or missing token", status: 403, more: 1 },
  ]);
});

Deno.test("gate logs the class of each refusal and nothing of the request [GATE-047] [GATE-051] [ALOG-019]", async () => {
  // Guards that no log line can carry a token, a header value, a path or a
  // body: each request here is full of words that must not come out.
  await using gate = openGate();
  const extra = "X-Secret: plantedheader\r\nCookie: plantedcookie\r\n";
  const options = { extra, target: "/plantedpath", body: "plantedbody" };
  const mcp = { ...options, target: "/mcp?plantedquery" };
  const requests = {
    "bad or missing token": post(gate.port, { ...mcp, token: "plantedtoken" }),
    "Host": post(gate.port, mcp).replace("127.0.0.1", "plantedhost"),
    "Origin": post(gate.port, { ...mcp, extra: "Origin: plantedorigin\r\n" }),
    "OPTIONS": post(gate.port, { ...mcp, method: "OPTIONS" }),
    "unknown path": post(gate.port, options),
    "method": post(gate.port, { ...mcp, method: "PLANTEDMETHOD" }),
    "400": post(gate.port, { ...mcp, extra: "planted line\r\n" }),
    "411": post(gate.port, { ...mcp, extra: "Transfer-Encoding: planted\r\n" }),
    "413": post(gate.port, mcp).replace("Content-Length: ", "$&99999"),
    "431": post(gate.port, { ...mcp, extra: "planted".repeat(3_000) }),
  };
  for (const request of Object.values(requests)) {
    await roundTrip(gate.port, request);
  }
  const client = await RawClient.connect(gate.port);
  client.close();
  assert.deepEqual(
    gate.lines.map(({ level, category, text }) => [
      level,
      category,
      /^refused \(([^,]+), (\d+)\)/.exec(text)?.[1],
    ]),
    Object.keys(requests).map((name) => ["debug", "network", name]),
  );
  const told = JSON.stringify([gate.lines, gate.notices]);
  assert.equal(/planted/i.test(told), false);
  assert.equal(told.includes(TOKEN), false);
});
