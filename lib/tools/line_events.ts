/**
 * Raw and log lines as the events of live updates: the same line objects that
 * `raw_since` and `read_log` return.
 *
 * Spec: "Raw and log subscriptions" (events).
 *
 * @module
 */

import type { EncodedEvent } from "../updates/inbox.ts";
import type { LineEvents } from "../updates/line_collector.ts";
import { logLineObject } from "./log_line_object.ts";
import { rawLineObject } from "./raw_line_object.ts";
import { encodeJson, type Fields, utf8Length } from "./result.ts";

/** See {@link LineEvents}. */
export const lineEvents: LineEvents = {
  rawEvent: (session, line) =>
    encoded({ type: "raw", session, line: rawLineObject(line) }),
  logEvent: (line) => encoded({ type: "log", line: logLineObject(line) }),
};

function encoded(event: Fields): EncodedEvent {
  const json = encodeJson(event);
  return { json, bytes: utf8Length(json) };
}
