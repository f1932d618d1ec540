import assert from "node:assert/strict";
import { type FaultKind, FaultReporter } from "../../lib/irc/fault_reporter.ts";
import { FakeClock } from "../fake_clock.ts";
import { RecordingLog } from "./linked.ts";

const KIND: FaultKind = { level: "error", category: "network", what: "broken" };

Deno.test("FaultReporter tells a kind once in 10 s, with the count since", async () => {
  // Guards the log, and who reads it, against a server that repeats a fault.
  const clock = new FakeClock();
  const log = new RecordingLog();
  const faults = new FaultReporter({ clock, log, name: "Libera" });
  for (let i = 0; i < 50_000; i++) faults.report(KIND, `line ${i}`);
  await clock.advance(9_999);
  faults.report(KIND);
  await clock.advance(1);
  faults.report(KIND, "x".repeat(1_000));
  assert.deepEqual(log.lines.map(({ text }) => text.slice(0, 30)), [
    "Libera: broken: line 0",
    "Libera: broken: xxxxxxxxxxxxxx",
  ]);
  assert.ok(log.lines[1]?.text.endsWith("x (and 50000 more since)"));
  assert.ok((log.lines[1]?.text.length ?? 0) < 400);
});

Deno.test("FaultReporter.contain() lets nothing out", () => {
  // Guards that one bad line is one bad line.
  const log = new RecordingLog();
  const faults = new FaultReporter({ clock: new FakeClock(), log, name: "n" });
  faults.contain(KIND, () => {
    throw new RangeError("boom");
  });
  faults.contain({ ...KIND }, () => {
    throw "text";
  });
  assert.deepEqual(log.lines.map(({ text }) => text), [
    "n: broken: boom",
    "n: broken: text",
  ]);
});
