import assert from "node:assert/strict";
import { LogWriter } from "../lib/log.ts";
import { logUncaught } from "../lib/uncaught.ts";

/** An event as the runtime makes it. */
function uncaught(type: string, fields: object): Event {
  return Object.assign(new Event(type, { cancelable: true }), fields);
}

Deno.test("logUncaught() makes a fault line of what nobody caught, and goes on", () => {
  // Guards that one broken promise does not end every session.
  const lines: string[] = [];
  const log = new LogWriter(() => 0, [(line) => {
    lines.push(`${line.level} ${line.text}`);
  }]);
  const target = new EventTarget();
  const stop = logUncaught(log, target);
  const error = new TypeError("broken");
  error.stack = "TypeError: broken\n    at f (file:///x/lib/irc/a.ts:12:3)";
  const events = [
    uncaught("unhandledrejection", { reason: error }),
    uncaught("error", { error: new Error("plain") }),
    uncaught("unhandledrejection", { reason: "a stranger's text" }),
  ];
  for (const event of events) {
    target.dispatchEvent(event);
    assert.ok(event.defaultPrevented);
  }
  stop();
  const late = uncaught("error", { error });
  target.dispatchEvent(late);
  assert.equal(late.defaultPrevented, false);
  assert.deepEqual(lines, [
    "fault unhandled rejection: TypeError: broken (irc/a.ts:12)",
    "fault uncaught error: Error: plain",
    "fault unhandled rejection: string",
  ]);
});
