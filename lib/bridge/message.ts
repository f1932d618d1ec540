/**
 * What a harness writes, as far as the bridge must know it: whether an answer
 * is due, under which id, and whether it takes another request back. Nothing
 * else of a message is looked at; it is passed on as it came.
 *
 * Spec: JSON-RPC 2.0; MCP, "Cancellation".
 *
 * @module
 */

/** The id of a request. */
export type RequestId = string | number;

/** A message by what it asks of the bridge. */
export type ClientMessage =
  | { readonly kind: "request"; readonly id: RequestId }
  /** Takes the request with this id back. */
  | { readonly kind: "cancel"; readonly id: RequestId }
  /** A notification, or an answer: nothing comes back. */
  | { readonly kind: "one-way" }
  | { readonly kind: "not-json" }
  /** JSON that is no single message. */
  | { readonly kind: "not-a-message" };

/** JSON-RPC's codes. */
export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
/** The first of those that are a server's own: the bridge could not relay. */
export const NOT_RELAYED = -32_000;

/** Reads one line. */
export function readMessage(line: Uint8Array): ClientMessage {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(line));
  } catch {
    return { kind: "not-json" };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { kind: "not-a-message" };
  }
  const { id, method, params, result, error } = value as Record<
    string,
    unknown
  >;
  if (typeof method !== "string") {
    const isAnswer = result !== undefined || error !== undefined;
    return { kind: isAnswer ? "one-way" : "not-a-message" };
  }
  if (isId(id)) return { kind: "request", id };
  if (id !== undefined) return { kind: "not-a-message" };
  if (method === "notifications/cancelled") {
    const { requestId } = (params ?? {}) as { requestId?: unknown };
    if (isId(requestId)) return { kind: "cancel", id: requestId };
  }
  return { kind: "one-way" };
}

function isId(value: unknown): value is RequestId {
  return typeof value === "string" || typeof value === "number";
}

/** An error answer as a line; without an id when the request had none. */
export function errorLine(
  id: RequestId | null,
  error: { readonly code: number; readonly message: string },
): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error });
}

/** Whether `text` is a JSON-RPC answer, and its one-line form. */
export function answerLine(text: string): string | undefined {
  try {
    const value = JSON.parse(text);
    if (typeof value !== "object" || value === null) return undefined;
    // As it came, unless a line break in it would end the message early.
    return /[\r\n]/.test(text) ? JSON.stringify(value) : text;
  } catch {
    return undefined;
  }
}
