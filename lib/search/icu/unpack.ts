/**
 * Unpacks the character data that is kept compressed: base64 of Brotli enters,
 * the text leaves. Takes a few milliseconds, and is done once, when a pattern
 * first needs the data.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { brotliDecompressSync } from "node:zlib";

/** The text that was packed; ASCII only. */
export function unpack(packed: string): string {
  return brotliDecompressSync(Buffer.from(packed, "base64")).toString("latin1");
}
