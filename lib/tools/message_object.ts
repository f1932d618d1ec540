/**
 * From a row of a buffer to what an agent may read of it. Every row of every
 * tool and of live updates passes here and nowhere else: a row that holds one
 * of its session's secrets, or that is a raw IRC line, does not come out.
 *
 * Spec: "Message objects", "Redaction" ("On the way out").
 *
 * @module
 */

import type { Message, Payload } from "../buffers/message.ts";
import type { SecretScan } from "../redact/secrets.ts";
import { isoTime } from "./result.ts";

/** The contract's message object. */
export interface MessageObject {
  readonly seq: number;
  readonly id: string | undefined;
  readonly time: string;
  readonly from: string;
  readonly kind: string;
  readonly payload: Payload;
  readonly untrusted: true;
}

/** The row as an agent reads it, or undefined when it is withheld. */
export function messageObject(
  row: Message,
  secrets: SecretScan,
): MessageObject | undefined {
  if (isWithheld(row, secrets)) return undefined;
  return {
    seq: row.seq,
    id: row.id,
    time: isoTime(row.time),
    from: row.from,
    kind: row.kind,
    payload: row.payload,
    untrusted: true,
  };
}

/** Whether no tool may show the row, nor say that anything in it matched. */
export function isWithheld(row: Message, secrets: SecretScan): boolean {
  return row.kind === "raw" || holdsSecret(row, secrets);
}

// What came from IRC is looked at, and the names of our own fields are not: a
// channel key "text" would else withhold every row there is.
function holdsSecret(row: Message, secrets: SecretScan): boolean {
  if (secrets.isEmpty) return false;
  if (secrets.inText(row.from)) return true;
  if (row.id !== undefined && secrets.inText(row.id)) return true;
  for (const [field, value] of Object.entries(row.payload)) {
    if (field !== "caseName" && secrets.inValue(value)) return true;
  }
  return false;
}
