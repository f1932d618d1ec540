/**
 * Rows as the events of live updates: the same message objects that the read
 * tools return, through the same one place where a row is withheld.
 *
 * Spec: "read_updates" (events).
 *
 * @module
 */

import type { MessageEvents } from "../updates/message_collector.ts";
import { messageObject } from "./message_object.ts";
import { encodeJson, utf8Length } from "./result.ts";

/** See {@link MessageEvents}. */
export const messageEvent: MessageEvents = (session, buffer, row) => {
  const message = messageObject(row, session.secrets());
  if (message === undefined) return undefined;
  return () => {
    const json = encodeJson({ type: "message", buffer: buffer.id, message });
    return { json, bytes: utf8Length(json) };
  };
};
