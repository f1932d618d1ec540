/**
 * Buffer ids: UUIDs derived from the session, the kind and the folded name, so
 * that they are the same after a restart and differ between sessions. Made as
 * name-based UUIDs are (RFC 9562, version 5), in upper case.
 *
 * Spec: "Release tools" (buffer ids are unique across sessions).
 *
 * @module
 */

import { createHash } from "node:crypto";

/** Kinds of buffers that are listed. */
export type BufferKind = "server" | "channel" | "query";

/** What an id is derived from; `raw` is the buffer that no tool lists. */
export interface BufferIdentity {
  readonly sessionId: string;
  readonly kind: BufferKind | "raw";
  readonly foldedName: string;
  /**
   * Counts up when the plain id is taken: by a buffer that was renamed away
   * from this name and kept its id.
   */
  readonly attempt?: number;
}

/** The upper-case UUID of a buffer. */
export function bufferId(identity: BufferIdentity): string {
  const { sessionId, kind, foldedName, attempt = 0 } = identity;
  // No name on the wire holds a NUL, so no two identities read the same.
  const parts = [sessionId.toUpperCase(), kind, foldedName];
  if (attempt > 0) parts.push(String(attempt));
  const digest = createHash("sha1").update(parts.join("\0")).digest();
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x50;
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  const hex = digest.toString("hex", 0, 16).toUpperCase();
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20, 32),
  ].join("-");
}
