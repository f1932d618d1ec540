/**
 * A log line as `read_log` and log events show it.
 *
 * Spec: "read_log", "Raw and log subscriptions".
 *
 * @module
 */

import type { KeptLogLine } from "../debug/log_ring.ts";
import { type Fields, isoTime } from "./result.ts";

/** The object of a line that passed the scan. */
export function logLineObject(line: KeptLogLine): Fields {
  return {
    seq: line.seq,
    time: isoTime(line.time),
    level: line.level,
    category: line.category,
    text: line.text,
    untrusted: true,
  };
}
