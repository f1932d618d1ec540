/**
 * The bridge between a scripted harness and a service that is a function, so
 * that each test decides when an answer comes.
 *
 * @module
 */

import assert from "node:assert/strict";
import {
  MAX_IN_FLIGHT,
  MAX_WAITING,
  runBridge,
} from "../../lib/bridge/bridge.ts";
import { RelayError } from "../../lib/bridge/failures.ts";

interface Sent {
  readonly body: string;
  readonly signal: AbortSignal;
  answer(text: string | undefined): void;
  fail(error: Error): void;
}

/** A bridge with its four ends in the test's hands. */
class Harness {
  readonly written: string[] = [];
  readonly told: string[] = [];
  readonly sent: Sent[] = [];
  readonly done: Promise<void>;
  isRead = true;
  readonly #input = new TransformStream<Uint8Array, Uint8Array>();
  readonly #writer = this.#input.writable.getWriter();
  readonly #waiting = new Set<() => void>();

  constructor() {
    this.done = runBridge({
      input: this.#input.readable,
      write: (line) => {
        this.written.push(line);
        this.#look();
        return Promise.resolve(this.isRead);
      },
      tell: (text) => {
        this.told.push(text);
      },
      send: (bytes, signal) =>
        new Promise((answer, fail) => {
          signal.addEventListener("abort", () => fail(signal.reason));
          const body = new TextDecoder().decode(bytes);
          this.sent.push({ body, signal, answer, fail });
          this.#look();
        }),
    });
  }

  async type(...messages: unknown[]): Promise<void> {
    for (const message of messages) {
      const text = typeof message === "string"
        ? message
        : JSON.stringify(message);
      await this.#writer.write(new TextEncoder().encode(`${text}\n`));
    }
  }

  end(): Promise<void> {
    return this.#writer.close();
  }

  until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!holds()) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }

  #look(): void {
    for (const look of [...this.#waiting]) look();
  }
}

function ping(id: number | string) {
  return { jsonrpc: "2.0", id, method: "ping" };
}

function pong(id: number | string): string {
  return JSON.stringify({ jsonrpc: "2.0", id, result: {} });
}

function errorOf(line: string | undefined) {
  const { id, error } = JSON.parse(line ?? "{}");
  return { id, code: error.code, message: error.message as string };
}

Deno.test("runBridge() answers requests as their answers come", async () => {
  // Guards that a call that waits holds up no other one.
  const harness = new Harness();
  await harness.type(ping(1), ping("1"), ping(2));
  await harness.until(() => harness.sent.length === 3);
  assert.deepEqual(
    harness.sent.map(({ body }) => JSON.parse(body)),
    [ping(1), ping("1"), ping(2)],
  );
  harness.sent[2]?.answer(pong(2));
  await harness.until(() => harness.written.length === 1);
  await harness.end();
  harness.sent[1]?.answer(pong("1"));
  harness.sent[0]?.answer(pong(1));
  await harness.done;
  assert.deepEqual(
    harness.written,
    [pong(2), pong("1"), pong(1)].map((line) => `${line}\n`),
  );
  assert.deepEqual(harness.told, []);
});

Deno.test("runBridge() forwards notifications and answers, and answers none", async () => {
  // Guards that a client is never given an answer that it did not ask for.
  const harness = new Harness();
  await harness.type(
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: 9, result: {} },
  );
  await harness.until(() => harness.sent.length === 2);
  harness.sent[0]?.answer(undefined);
  harness.sent[1]?.fail(new RelayError("not there"));
  await harness.end();
  await harness.done;
  assert.deepEqual(harness.written, []);
  assert.deepEqual(harness.told, ["not there"]);
});

Deno.test("runBridge() closes the request that a client takes back", async () => {
  // Guards the service's few places: a call given up must not run on.
  const harness = new Harness();
  const cancel = (requestId: unknown) => ({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId },
  });
  await harness.type(ping(1), ping("1"));
  await harness.until(() => harness.sent.length === 2);
  await harness.type(cancel(1), cancel("none"), ping(3));
  await harness.until(() => harness.sent.length === 3);
  assert.equal(harness.sent[0]?.signal.aborted, true);
  assert.equal(harness.sent[1]?.signal.aborted, false);
  harness.sent[1]?.answer(pong("1"));
  harness.sent[2]?.answer(pong(3));
  await harness.end();
  await harness.done;
  assert.deepEqual(harness.written, [`${pong("1")}\n`, `${pong(3)}\n`]);
});

Deno.test("runBridge() keeps within its places, and takes back what waits", async () => {
  // Guards the other clients of the service, and the bridge's own memory.
  const harness = new Harness();
  const ids = Array.from(
    { length: MAX_IN_FLIGHT + MAX_WAITING + 1 },
    (_, i) => i + 1,
  );
  await harness.type(...ids.map(ping));
  await harness.until(() => harness.written.length === 1);
  assert.equal(harness.sent.length, MAX_IN_FLIGHT);
  assert.deepEqual(errorOf(harness.written[0]), {
    id: ids.at(-1),
    code: -32_000,
    message:
      `${MAX_WAITING} requests wait already, this one was not relayed: try again.`,
  });
  await harness.type({
    method: "notifications/cancelled",
    params: { requestId: MAX_IN_FLIGHT + 1 },
  });
  for (let at = 0; at < ids.length - 2; at++) {
    await harness.until(() => harness.sent.length > at);
    harness.sent[at]?.answer(pong(at));
  }
  await harness.end();
  await harness.done;
  assert.equal(harness.sent.length, ids.length - 2);
  assert.ok(
    !harness.sent.some(({ body }) => JSON.parse(body).id === MAX_IN_FLIGHT + 1),
  );
});

Deno.test("runBridge() answers what it cannot relay, with no word of it", async () => {
  // Guards that a client is told at once, and that no message gets into a log.
  const harness = new Harness();
  const large = { ...ping(5), params: { text: "s3cret".repeat(12_000) } };
  await harness.type(
    "{s3cret",
    '[{"s3cret":1}]',
    large,
    { method: "notifications/x", params: large.params },
    ping(6),
  );
  await harness.until(() => harness.sent.length === 1);
  harness.sent[0]?.fail(new TypeError("s3cret"));
  await harness.end();
  await harness.done;
  const size = JSON.stringify(large).length;
  assert.deepEqual(harness.written.map(errorOf), [
    {
      id: null,
      code: -32_700,
      message: "The message is not JSON, nothing was relayed.",
    },
    {
      id: null,
      code: -32_600,
      message:
        "The message is not a single JSON-RPC message, nothing was relayed.",
    },
    {
      id: 5,
      code: -32_000,
      message: `The message has ${size} bytes and the service takes at most ` +
        `65536: nothing was relayed. Send less at once.`,
    },
    { id: 6, code: -32_000, message: "The bridge failed: TypeError." },
  ]);
  assert.equal(harness.told.length, 5);
  assert.ok(!harness.told.join().includes("s3cret"));
});

Deno.test("runBridge() answers a message of 16 MiB and reads what follows", async () => {
  // Guards the bound: whatever a harness sends up to there has its answer.
  const harness = new Harness();
  const padding = "x".repeat(16_777_216 - 60);
  const whole = `{"jsonrpc":"2.0","id":7,"method":"m","p":"${padding}"}`;
  await harness.type(whole, `${whole}${" ".repeat(60)}`, ping(8));
  await harness.until(() => harness.sent.length === 1);
  harness.sent[0]?.answer(pong(8));
  await harness.end();
  await harness.done;
  assert.deepEqual(harness.written.map((line) => JSON.parse(line).id), [
    7,
    null,
    8,
  ]);
});

Deno.test("runBridge() ends when nobody reads its answers any more", async () => {
  // Guards that no bridge stays behind when its harness is gone.
  const harness = new Harness();
  harness.isRead = false;
  await harness.type(ping(1), ping(2));
  await harness.until(() => harness.sent.length === 2);
  harness.sent[0]?.answer(pong(1));
  await harness.done;
  harness.sent[1]?.answer(pong(2));
});
