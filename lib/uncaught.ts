/**
 * The last net: an exception that nobody caught, or a promise that nobody
 * watched, becomes a log line instead of the end of every session. The line
 * goes through the log and so through its screen for secrets.
 *
 * @module
 */

import type { Log } from "./log.ts";

/** What the two events carry, as far as it is read here. */
interface UncaughtEvent extends Event {
  readonly reason?: unknown;
  readonly error?: unknown;
}

/** Logs what `target` reports as uncaught, until the result is called. */
export function logUncaught(
  log: Log,
  target: EventTarget = globalThis,
): () => void {
  const onRejection = (event: UncaughtEvent) => {
    event.preventDefault();
    write(log, "unhandled rejection", event.reason);
  };
  const onError = (event: UncaughtEvent) => {
    event.preventDefault();
    write(log, "uncaught error", event.error);
  };
  target.addEventListener("unhandledrejection", onRejection);
  target.addEventListener("error", onError);
  return () => {
    target.removeEventListener("unhandledrejection", onRejection);
    target.removeEventListener("error", onError);
  };
}

function write(log: Log, what: string, cause: unknown): void {
  // Anything may be thrown; what is no Error may be data from a stranger.
  const text = cause instanceof Error
    ? `${cause.name}: ${cause.message}${placeOf(cause)}`
    : typeof cause;
  log.write("fault", "app", `${what}: ${text}`);
}

/** ` (irc/session.ts:120)`, the innermost line of the program's own. */
function placeOf({ stack = "" }: Error): string {
  const place = /lib\/([\w/]+\.ts:\d+)/.exec(stack)?.[1];
  return place === undefined ? "" : ` (${place})`;
}
