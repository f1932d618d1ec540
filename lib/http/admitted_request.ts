/**
 * The request a handler gets: the platform's own `Request`, made of a head and
 * a body that passed the gate. The token stays behind, since nothing past the
 * gate has a use for it and much past the gate can log. The body is handed on
 * byte by byte as it was sent: what it means, bytes that are no text included,
 * is not for the gate to say.
 *
 * @module
 */

import type { RequestHead } from "./request.ts";

// What is behind the gate has a use for these. All else stays behind: the
// token first of all, and also what would cost, since building platform headers
// takes time that grows with the square of the number of names, and a head of
// 16 KiB can hold 3,000.
const HANDED: ReadonlySet<string> = new Set([
  "accept",
  "content-type",
  "host",
  "mcp-protocol-version",
]);

/** A head and body that passed the gate, and who cancels the work on them. */
export interface Admission {
  readonly head: RequestHead;
  /** Copied, so that its buffer may be used again. */
  readonly body: Uint8Array<ArrayBuffer>;
  readonly port: number;
  readonly signal: AbortSignal;
}

// Fails on bytes that are not UTF-8 instead of putting U+FFFD in their place.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Given to the platform's constructor, a signal is followed by a second one,
 * which costs as much as the rest of the request; this one is the first itself.
 */
class AdmittedRequest extends Request {
  readonly #signal: AbortSignal;

  constructor(url: string, init: RequestInit, signal: AbortSignal) {
    super(url, init);
    this.#signal = signal;
  }

  override get signal(): AbortSignal {
    return this.#signal;
  }
}

/** Makes the handler's request, its body the bytes that were sent. */
export function admitRequest(admission: Admission): Request {
  const { head, body, port, signal } = admission;
  const headers = head.fields.filter(([name]) => HANDED.has(name));
  const isTyped = headers.some(([name]) => name === "content-type");
  const init = {
    method: head.method,
    headers: headers as [string, string][],
    // Text is read back from a request much faster than bytes; but a request
    // made of text gives itself a type where its client gave none.
    body: (isTyped ? decodeText(body) : undefined) ?? body.slice(),
  };
  const url = `http://127.0.0.1:${port}${head.target}`;
  return new AdmittedRequest(url, init, signal);
}

/** The bytes as the text that is encoded as them; undefined when none is. */
function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
