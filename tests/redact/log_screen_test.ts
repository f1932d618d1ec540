import assert from "node:assert/strict";
import type { LogLine } from "../../lib/log.ts";
import { screenedSink, SECRET_NOTE } from "../../lib/redact/log_screen.ts";
import { SecretScan } from "../../lib/redact/secrets.ts";

Deno.test("screenedSink() shows no secret on standard error", () => {
  // Guards that a server's text quoted in a log line gives nothing away.
  const shown: string[] = [];
  const scans = [
    new SecretScan(["alpha-secret"]),
    new SecretScan(["beta-secret"]),
  ];
  const sink = screenedSink(({ text }) => shown.push(text), () => scans);
  const write = (text: string) => {
    const line: LogLine = { time: 0, level: "info", category: "app", text };
    sink(line);
  };
  write("connected");
  write("ERROR :bad password beta-secret");
  write('answer {"cookie":"crumbs"}');
  assert.deepEqual(shown, [
    "connected",
    SECRET_NOTE,
    'answer {"cookie":"********"}',
  ]);
});
