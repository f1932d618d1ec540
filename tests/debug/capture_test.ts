import assert from "node:assert/strict";
import { type CapturedSession, DebugCapture } from "../../lib/debug/capture.ts";
import { isWithheld, MAX_RAW_LINES } from "../../lib/debug/raw_tap.ts";
import { MAX_LOG_LINES } from "../../lib/debug/log_ring.ts";
import { LogWriter } from "../../lib/log.ts";
import { SecretScan } from "../../lib/redact/secrets.ts";
import { UNMASKABLE_NOTE } from "../../lib/redact/json_masks.ts";
import { FakeClock } from "../fake_clock.ts";

interface Session extends CapturedSession {
  held: SecretScan | Error;
}

function sessionWith(id: string, ...secrets: string[]): Session {
  return {
    id,
    held: new SecretScan(secrets),
    secrets() {
      if (this.held instanceof Error) throw this.held;
      return this.held;
    },
  };
}

function fixture(...sessions: Session[]) {
  const clock = new FakeClock();
  const running = new Set<Session>();
  const capture = new DebugCapture({
    clock,
    sessions: () => running,
    snapshot: () => undefined,
  });
  const log = new LogWriter(() => clock.now());
  log.addSink((line) => capture.addLog(line));
  const start = (session: Session) => {
    running.add(session);
    capture.sessionStarted(session);
  };
  const stop = (session: Session) => {
    capture.sessionStopped(session);
    running.delete(session);
  };
  sessions.forEach(start);
  const lines = (id = "A") =>
    (capture.tap(id)?.since(0, 9999) ?? []).map(({ text }) => text);
  const logged = () => capture.log.since(0, 9999).map(({ text }) => text);
  return { clock, capture, log, start, stop, lines, logged };
}

Deno.test("DebugCapture keeps raw lines only while it is on [RAW-003 RAW-004 RAW-005 SET-062]", () => {
  // Guards that nothing from before, between or after capture is ever shown.
  const { capture, lines, clock } = fixture(sessionWith("A"));
  capture.addRaw("A", "in", "before");
  assert.deepEqual(lines(), []);
  capture.switchTo(true);
  capture.addRaw("A", "in", "PING :1");
  capture.addRaw("A", "out", "PONG :1");
  assert.deepEqual(capture.tap("A")?.since(0, 9), [
    {
      seq: 1,
      time: clock.now(),
      dir: "in",
      text: "PING :1",
      keptUnits: undefined,
    },
    {
      seq: 2,
      time: clock.now(),
      dir: "out",
      text: "PONG :1",
      keptUnits: undefined,
    },
  ]);
  capture.switchTo(false);
  assert.deepEqual(lines(), []);
  capture.addRaw("A", "in", "between");
  capture.switchTo(true);
  assert.deepEqual(lines(), []);
  capture.addRaw("A", "in", "again");
  assert.deepEqual(capture.tap("A")?.since(1, 9).map(({ seq }) => seq), [3]);
  assert.equal(capture.tap("A")?.evictedThrough, 0);
});

Deno.test("DebugCapture switched on again keeps what it holds", () => {
  // Guards that a setting written twice does not clear the rings.
  const { capture, lines } = fixture(sessionWith("A"));
  capture.switchTo(true);
  capture.addRaw("A", "in", "PING :1");
  capture.switchTo(true);
  assert.deepEqual(lines(), ["PING :1"]);
});

Deno.test("DebugCapture holds 5,000 lines a session, cut at 2,048 bytes [RAW-002 RAW-008]", () => {
  // Guards the bounds of the tap, each session having its own.
  const { capture } = fixture(sessionWith("A"), sessionWith("B"));
  capture.switchTo(true);
  for (let i = 1; i <= MAX_RAW_LINES + 1; i++) {
    capture.addRaw("A", "in", `${i}`);
  }
  capture.addRaw("B", "in", "x".repeat(8703));
  const tap = capture.tap("A");
  assert.equal(MAX_RAW_LINES, 5000);
  assert.equal(tap?.size, 5000);
  assert.equal(tap?.evictedThrough, 1);
  assert.equal(tap?.since(0, 1)[0]?.text, "2");
  assert.equal(
    capture.tap("B")?.since(0, 1)[0]?.text,
    "x".repeat(2048) + "…[+6655 bytes]",
  );
});

Deno.test("DebugCapture gives a session started again a new tap [RLOG-044]", () => {
  // Guards that lines of an ended session are gone and no number is mixed up.
  const session = sessionWith("A");
  const { capture, start, stop, lines } = fixture(session);
  capture.switchTo(true);
  capture.addRaw("A", "in", "old");
  const before = capture.tap("A");
  stop(session);
  assert.equal(capture.tap("A"), undefined);
  capture.addRaw("A", "in", "late");
  start(session);
  capture.addRaw("A", "in", "new");
  assert.deepEqual(lines(), ["new"]);
  assert.notEqual(capture.tap("A"), before);
});

Deno.test("isWithheld() screens a raw line by secrets, cut and shape [RAW-007]", () => {
  // Guards that each of the three layers on the way out withholds by itself.
  const { capture } = fixture(sessionWith("A"));
  const secrets = new SecretScan(["hunter2!"]);
  capture.switchTo(true);
  const rows: [string, boolean][] = [
    [":a PRIVMSG #x :hello", false],
    [":a PRIVMSG #x :it is hunter2!", true],
    [`:a PRIVMSG #x :${"x".repeat(2026)}hunter2!yyy`, true],
    [`:a PRIVMSG #x :${"x".repeat(2030)}hunter2!yyy`, false],
    ["OPER me pw", true],
    [":a PRIVMSG #x :OPER me pw", false],
  ];
  for (const [line] of rows) capture.addRaw("A", "in", line);
  assert.deepEqual(
    capture.tap("A")?.since(0, 9).map((line) => isWithheld(line, secrets)),
    rows.map(([, withheld]) => withheld),
  );
});

Deno.test("DebugCapture keeps 2,000 log lines, only while it is on [RLOG-029 RLOG-030 RLOG-031 SET-062]", () => {
  // Guards the log ring's bound, the cut, and its being empty when off.
  const { capture, log, logged } = fixture(sessionWith("A"));
  log.write("info", "app", "before");
  capture.switchTo(true);
  for (let i = 1; i <= MAX_LOG_LINES + 1; i++) log.write("info", "app", `${i}`);
  assert.equal(MAX_LOG_LINES, 2000);
  assert.equal(logged().length, 2000);
  assert.equal(logged()[0], "2");
  log.write("error", "db", "y".repeat(2050));
  assert.equal(logged().at(-1), "y".repeat(2048) + "…[+2 bytes]");
  capture.switchTo(false);
  log.write("info", "app", "after");
  assert.deepEqual(logged(), []);
});

Deno.test("DebugCapture masks secret-named JSON before a log line is kept [RED-052 RED-053]", () => {
  // Guards that the ring never holds what the key names give away, even where
  // the cut would have hidden it.
  const { capture, log, logged } = fixture(sessionWith("A"));
  capture.switchTo(true);
  log.write("info", "network", 'got {"token":"hunter2","n":1}');
  log.write("info", "network", 'got {"token":"hunt');
  log.write("info", "network", `{"token":"${"h".repeat(3000)}"}`);
  assert.deepEqual(logged(), [
    'got {"token":"********","n":1}',
    UNMASKABLE_NOTE,
    '{"token":"********"}',
  ]);
});

Deno.test("logSecrets() knows running, captured and ended sessions [RED-049 RED-050 RED-051]", () => {
  // Guards that a session's end, or a changed password, frees no old line.
  const [a, b] = [
    sessionWith("A", "alpha-secret"),
    sessionWith("B", "beta-secret"),
  ];
  const { capture, start, stop } = fixture(a);
  const finds = (text: string) => capture.logSecrets()?.inText(text);
  capture.switchTo(true);
  assert.equal(finds("alpha-secret"), true);
  start(b);
  assert.equal(finds("beta-secret"), true);
  a.held = new SecretScan(["alpha-second"]);
  assert.equal(finds("alpha-second"), true);
  assert.equal(finds("alpha-secret"), true);
  stop(b);
  assert.equal(finds("beta-secret"), true);
  capture.switchTo(false);
  capture.switchTo(true);
  assert.equal(finds("beta-secret"), false);
  assert.equal(finds("alpha-secret"), false);
  assert.equal(finds("alpha-second"), true);
});

Deno.test("logSecrets() knows a session that ended before any read [RED-051]", () => {
  // Guards the moments between capture and the first read of the log.
  const [a, b] = [
    sessionWith("A", "alpha-secret"),
    sessionWith("B", "beta-secret"),
  ];
  const { capture, start, stop } = fixture(a, b);
  capture.switchTo(true);
  stop(a);
  const c = sessionWith("C", "gamma-secret");
  start(c);
  stop(c);
  assert.equal(capture.logSecrets()?.inText("alpha-secret"), true);
  assert.equal(capture.logSecrets()?.inText("gamma-secret"), true);
});

Deno.test("logSecrets() is none when secrets cannot be read or nothing runs [RLOG-013 RLOG-015]", () => {
  // Guards that a line is never returned unscanned.
  const a = sessionWith("A", "alpha-secret");
  const b = sessionWith("B");
  b.held = new Error("secrets file refused");
  const { capture, start, stop } = fixture(a);
  capture.switchTo(true);
  assert.notEqual(capture.logSecrets(), undefined);
  start(b);
  assert.equal(capture.logSecrets(), undefined);
  b.held = new SecretScan(["beta-secret"]);
  assert.equal(capture.logSecrets()?.inText("beta-secret"), true);
  b.held = new Error("secrets file refused");
  assert.equal(capture.logSecrets()?.inText("beta-secret"), true);
  stop(a);
  stop(b);
  assert.equal(capture.logSecrets(), undefined);
});

Deno.test("logSecrets() has none of a session that ended unread [RED-073]", () => {
  // Guards the limit the contract lists: it must not stall the log for ever.
  const a = sessionWith("A", "alpha-secret");
  const b = sessionWith("B", "beta-secret");
  const known = b.held;
  b.held = new Error("secrets file refused");
  const { capture, start, stop } = fixture(a);
  capture.switchTo(true);
  start(b);
  stop(b);
  b.held = known;
  assert.equal(capture.logSecrets()?.inText("alpha-secret"), true);
  assert.equal(capture.logSecrets()?.inText("beta-secret"), false);
});

Deno.test("DebugCapture drops the log rather than forget a secret in it", () => {
  // Guards the bound on what is remembered: past it lines go, not secrets.
  const a = sessionWith("A", "alpha-secret");
  const { capture, log, logged } = fixture(a);
  capture.switchTo(true);
  log.write("info", "app", "alpha-secret");
  const many = Array.from({ length: 4096 }, (_, i) => `key-${i}`);
  a.held = new SecretScan(many);
  assert.equal(capture.logSecrets()?.inText("key-7"), true);
  assert.deepEqual(logged(), []);
});
