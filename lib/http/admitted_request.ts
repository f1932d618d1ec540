/**
 * The request a handler gets: the platform's own `Request`, made of a head and
 * a body that passed the gate. The token stays behind, since nothing past the
 * gate has a use for it and much past the gate can log.
 *
 * @module
 */

import type { RequestHead } from "./request.ts";

// The token, and what framed the request on a wire that the handler never sees.
const WITHHELD: ReadonlySet<string> = new Set([
  "authorization",
  "connection",
  "content-length",
  "expect",
]);

// Building platform headers takes time that grows with the square of their
// number; a head of 16 KiB can hold 4,000, and no client sends a tenth.
const MAX_HANDED_FIELDS = 256;

/** A head and body that passed the gate, and who cancels the work on them. */
export interface Admission {
  readonly head: RequestHead;
  /** Copied, so that its buffer may be used again. */
  readonly body: Uint8Array<ArrayBuffer>;
  readonly port: number;
  readonly signal: AbortSignal;
}

const decoder = new TextDecoder();

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

/** Makes the handler's request. Fields past the 256th are not handed on. */
export function admitRequest(admission: Admission): Request {
  const { head, body, port, signal } = admission;
  const headers: [string, string][] = [];
  let isTyped = false;
  for (const [name, value] of head.fields) {
    if (headers.length === MAX_HANDED_FIELDS) break;
    if (name === "content-type") isTyped = true;
    if (!WITHHELD.has(name)) headers.push([name, value]);
  }
  const init = {
    method: head.method,
    headers,
    // Text is read back from a request much faster than bytes; but a request
    // made of text gives itself a type where its client gave none.
    body: isTyped ? decoder.decode(body) : body.slice(),
  };
  const url = `http://127.0.0.1:${port}${head.target}`;
  return new AdmittedRequest(url, init, signal);
}
