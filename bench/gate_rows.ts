/**
 * The whole service, gate and peer check included, against the official SDK's
 * stateless server on Node, and against a bare loop that answers a constant.
 * The client is one process, the same for all three.
 *
 * @module
 */

import { Service } from "../tests/e2e/service.ts";
import { denoArgs, runForJson, startChild } from "./child.ts";
import { type BenchRow, type Note, pairedRatio, Skipped } from "./row.ts";

const CLIENTS = 8;
const ROUNDS = 5;
const WARM_SECONDS = 0.5;
const SECONDS = 2;

interface Load {
  readonly answered: number;
  readonly refused: number;
  readonly seconds: number;
  /** Milliseconds that half, and 99 of 100, answers took at most. */
  readonly p50: number;
  readonly p99: number;
}

/** Requests a second of `tools/call list_sessions`. */
async function load(port: number, token: string, note: Note): Promise<number> {
  const { answered, seconds } = await loadOnce(port, token, note);
  return answered / seconds;
}

async function loadOnce(
  port: number,
  token: string,
  note: Note,
): Promise<Load> {
  const figures = await runForJson<Load>(
    Deno.execPath(),
    denoArgs(
      "load_client.ts",
      String(port),
      token,
      String(CLIENTS),
      String(WARM_SECONDS),
      String(SECONDS),
    ),
  );
  const { refused } = figures;
  if (refused > 0) note(`${refused} connections were closed unanswered`);
  return figures;
}

/** A session that is listed and stays disconnected. */
function session(id: string, name: string) {
  return { id, name, host: "127.0.0.1", nick: "bench", autoconnect: false };
}

async function withReterm(
  use: (port: number, token: string, text: string) => Promise<number>,
): Promise<number> {
  const service = await Service.start({
    sessions: [
      session("6F1C3B1E-2F0B-4C53-9D0F-2F6B7A1C9E10", "Libera"),
      session("6F1C3B1E-2F0B-4C53-9D0F-2F6B7A1C9E11", "OFTC"),
    ],
  }, "warning");
  try {
    const result = await service.client.callTool({ name: "list_sessions" });
    const [item] = result.content as { text: string }[];
    const port = Number(new URL(service.url).port);
    return await use(port, service.token, item?.text ?? "");
  } finally {
    await service.stop();
  }
}

function report(
  note: Note,
  name: string,
  pair: { ours: number; theirs: number },
): void {
  note(
    `reterm ${pair.ours.toFixed(0)} requests/s, ${name} ${
      pair.theirs.toFixed(0)
    } requests/s (${CLIENTS} clients, median of ${ROUNDS} rounds of ${SECONDS} s)`,
  );
}

/** Measures reterm and the SDK's server on Node in turns, by `figure`. */
function againstNode(
  figure: (port: number, token: string) => Promise<number>,
  report: (pair: { ours: number; theirs: number }) => void,
): Promise<number> {
  const packages = Deno.env.get("BENCH_NODE_PACKAGES");
  if (!packages) throw new Skipped("the SDK for Node is not installed");
  return withReterm(async (port, token, text) => {
    const node = await startChild("node", [
      new URL("node_sdk_server.mjs", import.meta.url).pathname,
      packages,
      text,
    ]);
    try {
      const pair = await pairedRatio(
        ROUNDS,
        () => figure(port, token),
        () => figure(Number(node.firstLine), token),
      );
      report(pair);
      return pair.ratio;
    } finally {
      await node.stop();
    }
  });
}

export const gateVsNodeSdk: BenchRow = {
  name: "gate_vs_node_sdk",
  target: { op: ">=", number: 6 },
  measure: async (note) =>
    await againstNode(
      (port, token) => load(port, token, note),
      (pair) => report(note, "the SDK on Node", pair),
    ),
};

/** What a client waits, against the same of the SDK's server. */
function waitVsNodeSdk(quantile: "p50" | "p99"): BenchRow {
  return {
    name: `${quantile}_vs_node_sdk`,
    target: { op: "<=", number: 0.25 },
    measure: async (note) =>
      await againstNode(
        async (port, token) => (await loadOnce(port, token, note))[quantile],
        ({ ours, theirs }) =>
          note(
            `reterm ${ours.toFixed(2)} ms, the SDK on Node ${
              theirs.toFixed(2)
            } ms (${CLIENTS} clients, median of ${ROUNDS} rounds)`,
          ),
      ),
  };
}

export const waitRows: readonly BenchRow[] = [
  waitVsNodeSdk("p50"),
  waitVsNodeSdk("p99"),
];

export const gateVsBareListen: BenchRow = {
  name: "gate_vs_bare_listen",
  target: { op: ">=", number: 0.35 },
  measure: (note) =>
    withReterm(async (port, token, text) => {
      const answer = JSON.stringify({
        result: { content: [{ type: "text", text }] },
        jsonrpc: "2.0",
        id: 1,
      });
      const bare = await startChild(
        Deno.execPath(),
        denoArgs("bare_listen.ts", answer),
      );
      try {
        const pair = await pairedRatio(
          ROUNDS,
          () => load(port, token, note),
          () => load(Number(bare.firstLine), token, note),
        );
        report(note, "a bare loop", pair);
        return pair.ratio;
      } finally {
        await bare.stop();
      }
    }),
};
