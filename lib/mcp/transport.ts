/**
 * The SDK's transport interface over exchanges instead of a connection: a
 * request goes in under an id of our own, its answer comes back to whoever put
 * it in. So one long-lived server answers every client, two clients that use
 * the same id never meet, and none of it is bound to HTTP.
 *
 * A cancelled request is not told to the SDK: it would then answer nothing, and
 * the end of the work could not be seen. The work learns of it from the
 * exchange's own signal, and the exchange ends when the work has.
 *
 * Rejected: a server and an HTTP transport for each request, the SDK's usual
 * stateless way, at twenty times the cost.
 *
 * @module
 */

import type { Transport } from "@modelcontextprotocol/sdk/shared/transport";
import type {
  JSONRPCMessage,
  JSONRPCRequest,
  RequestId,
} from "@modelcontextprotocol/sdk/types";

/** The connections served at once and those overrunning are 16 in all. */
export const MAX_EXCHANGES = 64;

/** How an exchange ended. */
export type Reply =
  | { readonly kind: "result"; readonly result: unknown }
  | { readonly kind: "error"; readonly code: number }
  /** The transport was closed, or is full: nothing was answered. */
  | { readonly kind: "closed" };

/** A request being answered. */
export interface OpenExchange {
  /** As the client sent it, its own id included. */
  readonly request: JSONRPCRequest;
  readonly signal: AbortSignal;
}

interface Pending extends OpenExchange {
  readonly settle: (reply: Reply) => void;
}

/** See the module doc. */
export class ExchangeTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport["onmessage"]>;
  readonly #pending = new Map<RequestId, Pending>();
  #lastId = 0;
  #isClosed = false;

  /** Called by the SDK; there is nothing to start. */
  start(): Promise<void> {
    return Promise.resolve();
  }

  /** Hands `request` to the server and waits for what it answers. */
  exchange(request: JSONRPCRequest, signal: AbortSignal): Promise<Reply> {
    const { onmessage } = this;
    if (
      this.#isClosed || !onmessage || this.#pending.size >= MAX_EXCHANGES
    ) {
      return Promise.resolve({ kind: "closed" });
    }
    const id = ++this.#lastId;
    return new Promise((settle) => {
      this.#pending.set(id, { request, signal, settle });
      try {
        onmessage({ ...request, id });
      } catch {
        // Nothing would ever answer it.
        this.#settle(id, { kind: "closed" });
      }
    });
  }

  /** The exchange with one of our ids, while it is being answered. */
  exchangeOf(id: RequestId): OpenExchange | undefined {
    return this.#pending.get(id);
  }

  /** Called by the SDK with an answer. Whatever answers nothing is dropped. */
  send(message: JSONRPCMessage): Promise<void> {
    if ("result" in message) {
      this.#settle(message.id, { kind: "result", result: message.result });
    } else if ("error" in message && message.id !== undefined) {
      this.#settle(message.id, { kind: "error", code: message.error.code });
    }
    return Promise.resolve();
  }

  /** Ends every exchange unanswered. The caller has aborted their signals. */
  close(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#isClosed = true;
    for (const id of [...this.#pending.keys()]) {
      this.#settle(id, { kind: "closed" });
    }
    this.onclose?.();
    return Promise.resolve();
  }

  #settle(id: RequestId, reply: Reply): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    pending?.settle(reply);
  }
}
