/**
 * Bytes of heap that one message costs while a buffer holds many: realistic
 * lines, with time, msgid and account tags and a text of 60 characters, go
 * through the parser and the session as they would from a socket.
 *
 * The measuring process needs the garbage collector at hand, so it is a child:
 * `deno run --v8-flags=--expose-gc bench/memory.ts` prints one number.
 *
 * @module
 */

import { systemClock } from "../lib/clock.ts";
import { Engine } from "../lib/engine/engine.ts";
import { Isupport } from "../lib/irc/isupport.ts";
import type { Link, LinkHandler } from "../lib/irc/link.ts";
import { parseLine } from "../lib/irc/parse.ts";
import { LogWriter } from "../lib/log.ts";

/** Messages held while the heap is measured. */
export const MESSAGES = 100_000;

/** People who talk: as many as a large channel has speakers. */
const SPEAKERS = 200;

const TEXT_LENGTH = 60;

/** Measures in a child process. Rejects when the child fails. */
export async function measureBytesPerMessage(): Promise<number> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--quiet",
      "--no-prompt",
      "--v8-flags=--expose-gc",
      new URL(import.meta.url).pathname,
    ],
    stdout: "piped",
    stderr: "piped",
  }).output();
  if (!success) {
    throw new Error(`Cannot measure: ${new TextDecoder().decode(stderr)}`);
  }
  return Number(new TextDecoder().decode(stdout));
}

/** The lines of `count` messages, each made when it is asked for. */
function lineOf(index: number): string {
  const speaker = `speaker${index % SPEAKERS}`;
  const time = new Date(Date.UTC(2026, 8, 30) + index * 250).toISOString();
  const words = `message ${index} of a conversation that goes on `;
  const text = words.repeat(2).slice(0, TEXT_LENGTH);
  return `@time=${time};msgid=Kx3${index.toString(36).padStart(19, "-")};` +
    `account=${speaker} :${speaker}!~user${index % SPEAKERS}@host-` +
    `${index % SPEAKERS}.example.net PRIVMSG #conversation :${text}`;
}

/** Heap bytes a message, at {@link MESSAGES} held. Needs `--expose-gc`. */
function measure(): number {
  let handler: LinkHandler | undefined;
  const engine = new Engine({
    clock: systemClock,
    log: new LogWriter(() => 0),
    bufferLimit: MESSAGES,
    createLink: (options) => {
      handler = options.handler;
      return idleLink();
    },
  });
  engine.startSession({
    id: "6F1C3B1E-2F0B-4C53-9D0F-2F6B7A1C9E10",
    name: "bench",
    host: "127.0.0.1",
    port: 6667,
    tls: false,
    tlsVerify: true,
    nick: "me",
    altNicks: [],
    username: "me",
    realname: "me",
    channels: [],
    autoconnect: false,
  }, { channelKeys: new Map() });
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const feed = (line: string) => {
    // Through bytes, as from a socket: what is cut out of the line must show.
    const message = parseLine(decoder.decode(encoder.encode(line)));
    if (message === undefined) return;
    handler?.message(message, { receivedAt: Date.now() });
  };
  feed(":me!me@host JOIN #conversation");
  // Once through first: caches and compiled code are not a message's cost.
  for (let i = 0; i < 2000; i++) feed(lineOf(i));
  const before = usedHeap();
  for (let i = 2000; i < MESSAGES; i++) feed(lineOf(i));
  const after = usedHeap();
  const held = engine.sessions()[0]?.buffers()[1]?.messages.size ?? 0;
  if (held !== MESSAGES) throw new Error(`Held ${held} of ${MESSAGES}`);
  return (after - before) / (MESSAGES - 2000);
}

function usedHeap(): number {
  const { gc } = globalThis as { gc?: () => void };
  if (gc === undefined) throw new Error("Cannot measure without --expose-gc");
  gc();
  gc();
  return Deno.memoryUsage().heapUsed;
}

function idleLink(): Link {
  return {
    state: "connected",
    nick: "me",
    isupport: new Isupport(),
    capabilities: new Set(["echo-message", "account-tag", "server-time"]),
    availableCapabilities: new Map(),
    lastError: "",
    connect: () => {},
    disconnect: () => Promise.resolve(),
    send: () => Promise.resolve(true),
    sendTogether: () => Promise.resolve(true),
    changeNick: () => {},
  };
}

if (import.meta.main) {
  const bytes = measure();
  await Deno.stdout.write(new TextEncoder().encode(`${Math.round(bytes)}\n`));
  // The session's timers would keep the process alive.
  Deno.exit(0);
}
