/**
 * One message to the service and its answer back, over a connection of its
 * own. The order is the point: connect, ask the kernel whose the other end is,
 * and only then read the token and write it. Whatever ended before a byte was
 * written is tried again for a while; what came later is told, never repeated,
 * since a line may have been sent to IRC.
 *
 * Spec: "The port-squat risk".
 *
 * @module
 */

import type { Clock } from "../clock.ts";
import { type PostAnswer, sendPost } from "../http/post.ts";
import { dialOwnServer, type OwnServer } from "../peer/own_server.ts";
import type { PeerCheck } from "../peer/owner.ts";
import { BRIDGE_FAILURES, RelayError } from "./failures.ts";
import { answerLine } from "./message.ts";
import type { ServiceAddress } from "./service_address.ts";

/** The path that the service serves MCP on. */
const MCP_PATH = "/mcp";

/** Above the 30 s after which the service itself answers. */
const ANSWER_WAIT_MS = 40_000;

/** How long a port that is closed, or hangs up, is tried again. */
const RETRY_FOR_MS = 4_000;
const RETRY_EVERY_MS = 50;
/** How often a refused token is read anew. */
const REFUSED_TRIES = 4;
const REFUSED_PAUSE_MS = 100;

/** What {@link Relay} is built from. */
export interface RelayParts {
  readonly address: ServiceAddress;
  readonly peer: PeerCheck;
  readonly clock: Clock;
}

/** See the module doc. */
export class Relay {
  readonly #parts: RelayParts;

  constructor(parts: RelayParts) {
    this.#parts = parts;
  }

  /**
   * Sends `body`; resolves the service's message, or undefined where it has
   * none for it. Stops, and closes the connection, when `signal` aborts.
   *
   * @throws {RelayError} when no answer came.
   */
  async send(
    body: Uint8Array,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { address } = this.#parts;
    // A token that is renewed at this moment is in the file before the port
    // knows it. A refused message had no effect, so it may be sent again.
    for (let tries = 1; tries <= REFUSED_TRIES; tries++) {
      const { server, port } = await this.#connect(signal);
      const token = await closing(server, () => address.token());
      const answer = await this.#post(server, { port, token, body, signal });
      if (answer.status !== 403) return messageOf(answer);
      await this.#pause(REFUSED_PAUSE_MS);
    }
    throw new RelayError(BRIDGE_FAILURES.refusedToken());
  }

  async #connect(
    signal: AbortSignal,
  ): Promise<{ readonly server: OwnServer; readonly port: number }> {
    const { address, peer, clock } = this.#parts;
    const deadline = clock.monotonic() + RETRY_FOR_MS;
    let port = await address.port();
    while (true) {
      signal.throwIfAborted();
      const isLast = clock.monotonic() >= deadline;
      const dialled = port === undefined
        ? { kind: "nobody" } as const
        : await dialOwnServer(port, peer, signal);
      switch (dialled.kind) {
        case "own":
          return { server: dialled.server, port: port ?? 0 };
        case "other-user":
          throw new RelayError(BRIDGE_FAILURES.otherUser(port ?? 0));
        case "unknown":
          throw new RelayError(BRIDGE_FAILURES.unknownUser(port ?? 0));
        case "closed":
          if (isLast) throw new RelayError(BRIDGE_FAILURES.hangsUp(port ?? 0));
          break;
        case "nobody": {
          const serving = await address.serving();
          if (serving.kind === "no") throw serving.error;
          if (isLast) throw new RelayError(BRIDGE_FAILURES.accessOff());
          if (serving.kind === "on" && serving.port !== port) {
            port = serving.port;
            continue;
          }
          break;
        }
        default:
          dialled satisfies never;
      }
      await this.#pause(RETRY_EVERY_MS);
      port = await address.port() ?? port;
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resume) => {
      this.#parts.clock.after(ms, resume);
    });
  }

  async #post(
    server: OwnServer,
    { port, token, body, signal }: {
      readonly port: number;
      readonly token: string;
      readonly body: Uint8Array;
      readonly signal: AbortSignal;
    },
  ): Promise<PostAnswer> {
    let isLate = false;
    const close = () => server.close();
    const cancel = this.#parts.clock.after(ANSWER_WAIT_MS, () => {
      isLate = true;
      close();
    });
    signal.addEventListener("abort", close);
    try {
      signal.throwIfAborted();
      const answer = await sendPost(server, {
        port,
        path: MCP_PATH,
        token,
        body,
      });
      signal.throwIfAborted();
      if (isLate) throw new RelayError(BRIDGE_FAILURES.tooSlow());
      if (answer === undefined) throw new RelayError(BRIDGE_FAILURES.lost());
      return answer;
    } finally {
      cancel();
      signal.removeEventListener("abort", close);
      server.close();
    }
  }
}

async function closing<T>(
  server: OwnServer,
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    server.close();
    throw error;
  }
}

function messageOf({ status, body }: PostAnswer): string | undefined {
  if (status === 202) return undefined;
  if (status === 504) throw new RelayError(BRIDGE_FAILURES.tooSlow());
  const line = answerLine(new TextDecoder().decode(body));
  if (status !== 200 || line === undefined) {
    throw new RelayError(BRIDGE_FAILURES.strange(status));
  }
  return line;
}
