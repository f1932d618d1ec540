/**
 * The last look at a log line before it is shown outside the control surface,
 * on standard error: secret-named JSON is masked, and a line that holds a
 * secret of a running session is replaced by a note. A server's text quoted in
 * a line may hold what it was sent.
 *
 * Spec: "Redaction".
 *
 * @module
 */

import type { LogSink } from "../log.ts";
import { maskJson } from "./json_masks.ts";
import type { SecretScan } from "./secrets.ts";

/** What is shown of a line that held a secret. */
export const SECRET_NOTE = "(a log line that held a secret was not shown)";

/** `sink`, given only what may be shown. `scans` are those of now. */
export function screenedSink(
  sink: LogSink,
  scans: () => Iterable<SecretScan>,
): LogSink {
  return (line) => {
    const text = maskJson(line.text);
    for (const scan of scans()) {
      if (scan.inText(text)) return sink({ ...line, text: SECRET_NOTE });
    }
    sink(text === line.text ? line : { ...line, text });
  };
}
