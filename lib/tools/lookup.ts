/**
 * From the id an agent gives to the session or buffer it names. Ids are shown
 * in upper case; one given in lower case is the same id, as UUIDs are.
 *
 * @module
 */

import type { BufferView, Reader, SessionView } from "../engine/reader.ts";
import { failure } from "./failures.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The running session with this id. Throws `unknown session`. */
export function findSession(reader: Reader, id: string): SessionView {
  const session = reader.session(canonicalId(id));
  if (session === undefined) throw failure("unknownSession");
  return session;
}

/** The listed buffer with this id. Throws `unknown buffer`. */
export function findBuffer(
  reader: Reader,
  id: string,
): { readonly session: SessionView; readonly buffer: BufferView } {
  const found = reader.buffer(canonicalId(id));
  if (found === undefined) throw failure("unknownBuffer");
  return found;
}

/** Whether `id` has the form of an id, whether or not it names anything. */
export function isWellFormedId(id: string): boolean {
  return UUID.test(id);
}

/** The id as the engine spells it; what is no UUID stays as it is. */
export function canonicalId(id: string): string {
  return UUID.test(id) ? id.toUpperCase() : id;
}
