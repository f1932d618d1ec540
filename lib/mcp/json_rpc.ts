/**
 * JSON-RPC as the endpoint takes it: bytes enter, and one request, one message
 * that wants no answer, or the reason why it is neither leaves. What a request
 * is, the SDK's own schema decides, so that nothing is handed to the SDK that
 * it would drop in silence. Error texts are fixed here; none quotes what was
 * sent or tells what went wrong inside.
 *
 * Spec: "The access gate" (what the MCP transport requires of a POST).
 *
 * @module
 */

// @ts-types="@modelcontextprotocol/sdk/types"
import {
  JSONRPCMessageSchema,
  type JSONRPCRequest,
  JSONRPCRequestSchema,
  type RequestId,
} from "@modelcontextprotocol/sdk/types.js";

/** An answer's `error` member. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
}

export const PARSE_ERROR: RpcError = { code: -32700, message: "Parse error" };
export const INVALID_REQUEST: RpcError = {
  code: -32600,
  message: "Invalid request: expected one JSON-RPC message",
};

// The texts that leave for the codes the SDK answers with. Its own may be a
// validator's report or an exception's message.
const WORDS: Readonly<Record<number, string>> = {
  [-32600]: "Invalid request",
  [-32601]: "Method not found",
  [-32602]: "Invalid params",
  [-32603]: "Invalid or unanswerable request",
};

/** The error of `code` with the words that may leave. */
export function rpcError(code: number): RpcError {
  return { code, message: WORDS[code] ?? "Request failed" };
}

/** A body, read. */
export type Decoded =
  | { readonly kind: "request"; readonly request: JSONRPCRequest }
  /** A notification, or an answer to something never asked. */
  | { readonly kind: "unanswered" }
  | { readonly kind: "refused"; readonly error: RpcError };

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Reads the body of a POST. Never throws. */
export function decodeMessage(body: Uint8Array): Decoded {
  let message: unknown;
  try {
    message = JSON.parse(utf8.decode(body));
  } catch {
    return { kind: "refused", error: PARSE_ERROR };
  }
  if (isPlainRequest(message)) return { kind: "request", request: message };
  if (JSONRPCRequestSchema.safeParse(message).success) {
    // The schema's own output leaves out keys such as "__proto__": what was
    // parsed is kept, so that arguments stay exactly as sent.
    return { kind: "request", request: message as JSONRPCRequest };
  }
  return JSONRPCMessageSchema.safeParse(message).success
    ? { kind: "unanswered" }
    : { kind: "refused", error: INVALID_REQUEST };
}

const REQUEST_KEYS: ReadonlySet<string> = new Set([
  "jsonrpc",
  "id",
  "method",
  "params",
]);

/**
 * Whether `message` is a request at a glance, as nearly all are: the schema
 * would say the same, at the cost of half of what the SDK does with it.
 */
function isPlainRequest(message: unknown): message is JSONRPCRequest {
  if (typeof message !== "object" || message === null) return false;
  const { jsonrpc, id, method, params } = message as Record<string, unknown>;
  return jsonrpc === "2.0" && typeof method === "string" &&
    (typeof id === "string" || Number.isSafeInteger(id)) &&
    Object.keys(message).every((key) => REQUEST_KEYS.has(key)) &&
    (params === undefined || isPlainObject(params));
}

// What clients put into `_meta` has a shape of its own, which the schema knows.
function isPlainObject(value: unknown): boolean {
  return typeof value === "object" && value !== null &&
    !Array.isArray(value) && !Object.hasOwn(value, "_meta");
}

/** An error answer; `id` is null when the request's is not known. */
export function encodeError(error: RpcError, id: RequestId | null): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error });
}

/** A result answer. */
export function encodeResult(result: unknown, id: RequestId): string {
  return JSON.stringify({ jsonrpc: "2.0", id, result });
}
