/**
 * How fast the connection layer alone takes lines, from the socket to its
 * handler, against irc-framework alone on the same lines. What `make bench`
 * prints includes the session's state; this tells the two apart.
 *
 *     irc_ingest.ts               both sides in turns, prints the ratio
 *     irc_ingest.ts PORT LINES    one side, in a process of its own
 *
 * @module
 */

import { benchSession } from "./taker.ts";
import { systemClock } from "../lib/clock.ts";
import { createLink } from "../lib/irc/connection.ts";
import { LogWriter } from "../lib/log.ts";
import { denoArgs, runForJson, startChild } from "./child.ts";
import { type Note, pairedRatio } from "./row.ts";

const LINES = 50_000;
const ROUNDS = 5;

interface Figures {
  readonly linesPerSecond: number;
}

/** Lines/s through a link as a multiple of irc-framework's. */
export async function measureLinkVsIrcFramework(note: Note): Promise<number> {
  const feeder = await startChild(Deno.execPath(), denoArgs("line_feeder.ts"));
  const side = async (module: string, ...args: string[]) =>
    (await runForJson<Figures>(
      Deno.execPath(),
      denoArgs(module, ...args, feeder.firstLine, String(LINES)),
    )).linesPerSecond;
  try {
    const pair = await pairedRatio(
      ROUNDS,
      () => side("irc_ingest.ts"),
      () => side("ingest_side.ts", "framework"),
    );
    note(
      `link ${pair.ours.toFixed(0)} lines/s, irc-framework alone ${
        pair.theirs.toFixed(0)
      } lines/s (${LINES} lines, median of ${ROUNDS} rounds)`,
    );
    return pair.ratio;
  } finally {
    await feeder.stop();
  }
}

async function measureLink(port: number, lines: number): Promise<Figures> {
  const joined = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const link = createLink({
    config: { ...benchSession(port), channels: [], autoconnect: false },
    secrets: () => ({ channelKeys: new Map() }),
    clock: systemClock,
    log: new LogWriter(() => Date.now()),
    handler: {
      stateChanged() {},
      registered() {
        link.send("JOIN #bench", { pace: "person" });
      },
      disconnected() {},
      featuresChanged() {},
      nickChanged() {},
      wire() {},
      message({ command, params }) {
        if (command === "366") joined.resolve();
        if (command === "PRIVMSG" && params[1] === "END") ended.resolve();
      },
    },
  });
  link.connect();
  await joined.promise;
  const start = performance.now();
  await link.send(`PRIVMSG feeder :go ${lines}`, { pace: "person" });
  await ended.promise;
  const seconds = (performance.now() - start) / 1000;
  await link.disconnect("done");
  return { linesPerSecond: lines / seconds };
}

function print(stream: { writeSync(bytes: Uint8Array): number }, text: string) {
  stream.writeSync(new TextEncoder().encode(text + "\n"));
}

if (import.meta.main) {
  const [port, lines] = Deno.args;
  if (port === undefined) {
    const ratio = await measureLinkVsIrcFramework((text) =>
      print(Deno.stderr, text)
    );
    print(Deno.stdout, ratio.toFixed(2));
  } else {
    print(
      Deno.stdout,
      JSON.stringify(await measureLink(Number(port), Number(lines))),
    );
  }
}
