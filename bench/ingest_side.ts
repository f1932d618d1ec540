/**
 * One side of the ingest rows in a process of its own: connects to the feeder,
 * takes its lines, and prints JSON: lines a second, and for the engine the
 * bytes of heap that each row it holds takes.
 *
 *     ingest_side.ts engine|framework PORT LINES
 *
 * @module
 */

import { benchSession } from "./taker.ts";
import { Client } from "irc-framework";
import { systemClock } from "../lib/clock.ts";
import { Engine } from "../lib/engine/engine.ts";
import { createLink } from "../lib/irc/connection.ts";
import { LogWriter } from "../lib/log.ts";

const [side, port, count] = Deno.args;
const lines = Number(count);

interface Figures {
  readonly linesPerSecond: number;
  readonly heapBytesPerLine: number;
}

/** Heap in use once the garbage is gone. */
function heap(): number {
  const { gc } = globalThis as unknown as { gc: () => void };
  gc();
  gc();
  return Deno.memoryUsage().heapUsed;
}

async function measureEngine(): Promise<Figures> {
  const engine = new Engine({
    clock: systemClock,
    log: new LogWriter(() => Date.now()),
    bufferLimit: 2 * lines,
    createLink,
  });
  const joined = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  engine.observe({
    messageAdded(_session, _buffer, { kind, payload }) {
      if (kind === "join") joined.resolve();
      if (payload.caseName === "privmsg" && payload.text === "END") {
        ended.resolve();
      }
    },
  });
  const session = engine.startSession(benchSession(Number(port)), {
    channelKeys: new Map(),
  });
  await joined.promise;
  const before = heap();
  const start = performance.now();
  await session.quote(`PRIVMSG feeder :go ${lines}`);
  await ended.promise;
  const seconds = (performance.now() - start) / 1000;
  const after = heap();
  const held = session.buffers()
    .find(({ name }) => name === "#bench")?.messages.size ?? 0;
  if (held < lines) throw new Error(`Only ${held} of ${lines} rows are held`);
  await engine.close("done");
  return {
    linesPerSecond: lines / seconds,
    heapBytesPerLine: (after - before) / lines,
  };
}

async function measureFramework(): Promise<Figures> {
  const client = new Client();
  const joined = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  client.on("registered", () => client.join("#bench"));
  client.on("join", () => joined.resolve());
  client.on("privmsg", (event: { message: string }) => {
    if (event.message === "END") ended.resolve();
  });
  client.connect({
    host: "127.0.0.1",
    port: Number(port),
    nick: "bench",
    username: "bench",
    gecos: "bench",
    auto_reconnect: false,
  });
  await joined.promise;
  const start = performance.now();
  client.raw(`PRIVMSG feeder :go ${lines}`);
  await ended.promise;
  const seconds = (performance.now() - start) / 1000;
  return { linesPerSecond: lines / seconds, heapBytesPerLine: 0 };
}

const figures =
  await (side === "engine" ? measureEngine() : measureFramework());
Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(figures)));
Deno.exit(0);
