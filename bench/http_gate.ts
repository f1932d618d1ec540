/**
 * What the gate costs: requests a second through the whole gate, peer check
 * included, against a bare loop that reads once and writes a constant. Both
 * are asked by the same clients in turns within one run, since the machine's
 * own speed changes more from run to run than what is measured.
 *
 * @module
 */

import type { ServerOrder } from "./http_gate_server.ts";

const CLIENTS = 8;
const ROUNDS = 7;
const REQUESTS_A_ROUND = 2_000;
const TOKEN = "b".repeat(43);
const BODY = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "list_sessions", arguments: {} },
});

/** Requests a second of each, and the median of the rounds' ratios. */
export interface GateFigures {
  readonly ratio: number;
  readonly gate: number;
  readonly bare: number;
}

/** Measures one worker against the other. Takes a few seconds. */
export async function measureGate(): Promise<GateFigures> {
  const workers: Worker[] = [];
  const start = (kind: ServerOrder["kind"]) => {
    const worker = new Worker(new URL("http_gate_server.ts", import.meta.url), {
      type: "module",
    });
    workers.push(worker);
    return portOf(worker, { kind, token: TOKEN });
  };
  try {
    return await compare(await start("gate"), await start("bare"));
  } finally {
    for (const worker of workers) worker.terminate();
  }
}

function portOf(worker: Worker, order: ServerOrder): Promise<number> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = reject;
    worker.postMessage(order);
  });
}

async function compare(gate: number, bare: number): Promise<GateFigures> {
  // The first round of each is warming up, and is not counted.
  await requestsPerSecond(gate);
  await requestsPerSecond(bare);
  const rounds: GateFigures[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const figures = {
      gate: await requestsPerSecond(gate),
      bare: await requestsPerSecond(bare),
    };
    rounds.push({ ...figures, ratio: figures.gate / figures.bare });
  }
  rounds.sort((a, b) => a.ratio - b.ratio);
  return rounds[ROUNDS >> 1] as GateFigures;
}

/** Eight clients, each asking again as soon as it was answered. */
async function requestsPerSecond(port: number): Promise<number> {
  const request = new TextEncoder().encode(
    `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n` +
      `Authorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\n` +
      "Accept: application/json, text/event-stream\r\n" +
      `Content-Length: ${BODY.length}\r\n\r\n${BODY}`,
  );
  let left = REQUESTS_A_ROUND;
  const ask = async () => {
    const answer = new Uint8Array(4_096);
    while (left-- > 0) await askOnce(port, request, answer);
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: CLIENTS }, ask));
  return REQUESTS_A_ROUND / (performance.now() - start) * 1_000;
}

async function askOnce(
  port: number,
  request: Uint8Array,
  answer: Uint8Array,
): Promise<void> {
  using conn = await Deno.connect({ hostname: "127.0.0.1", port });
  await conn.write(request);
  const count = await conn.read(answer);
  // "HTTP/1.1 2": a refusal is quicker than an answer and must not count.
  if (count === null || answer[9] !== 0x32) {
    throw new Error("Cannot measure: a request was not answered with 200");
  }
}

if (import.meta.main) {
  const { ratio, gate, bare } = await measureGate();
  await Deno.stdout.write(
    new TextEncoder().encode(
      `gate ${gate.toFixed(0)}/s bare ${bare.toFixed(0)}/s ` +
        `ratio ${ratio.toFixed(2)}\n`,
    ),
  );
}
