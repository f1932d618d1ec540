/**
 * Gives the row of a message the agent envelope that its text is, if it is one.
 * A NOTICE is for people and never gets one, whatever its text. What is parsed
 * is the text as the row keeps it, masks and all, so that an envelope shows
 * nothing that the text does not.
 *
 * Spec: message types, "Message Types", "NOTICE messages".
 *
 * @module
 */

import type { Payload } from "../buffers/message.ts";
import {
  looksLikeEnvelope,
  parseEnvelope,
} from "../envelope/parse_envelope.ts";

/** A row of talk. */
type TalkPayload = Extract<Payload, { caseName: "privmsg" | "notice" }>;

/** `payload`, with its envelope when its text is a valid one. */
export function withEnvelope(payload: TalkPayload): TalkPayload {
  if (!looksLikeEnvelope(payload.text) || payload.caseName !== "privmsg") {
    return payload;
  }
  const { envelope } = parseEnvelope(payload.text);
  return envelope === undefined ? payload : { ...payload, envelope };
}
