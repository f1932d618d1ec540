/**
 * A raw line as the debug tools and raw events show it.
 *
 * Spec: "Debug tools" (the example of a raw line).
 *
 * @module
 */

import type { RawLine } from "../debug/raw_tap.ts";
import { type Fields, isoTime } from "./result.ts";

/** The object of a line that passed the screen. */
export function rawLineObject(line: RawLine): Fields {
  return {
    dir: line.dir,
    line: line.text,
    seq: line.seq,
    time: isoTime(line.time),
    untrusted: true,
  };
}
