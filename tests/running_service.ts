/**
 * The whole service in one process on a home of its own, for tests that hold
 * several parts together: its commands run as the command line sends them, and
 * its log lines can be waited for.
 *
 * @module
 */

import { freePort } from "./free_port.ts";
import assert from "node:assert/strict";
import { runForDoor } from "../lib/cli/program.ts";
import { ConfigFile } from "../lib/config/config_file.ts";
import type { Home } from "../lib/home.ts";
import type { LogLine } from "../lib/log.ts";
import type { Answer } from "../lib/operator/operator.ts";
import type { PeerCheck } from "../lib/peer/owner.ts";
import { type Service, startService } from "../lib/service.ts";
import { addressIn, postMcp } from "./mcp_post.ts";
import { withHome } from "./temp_home.ts";

/** For tests that are not about the peer check. */
export const ANYONE: PeerCheck = { judge: () => "same-user" };

/** A running service, its commands as the command line sends them. */
export interface Running {
  readonly home: Home;
  readonly service: Service;
  readonly lines: LogLine[];
  /** Runs the words of a command inside the service. */
  command(...words: string[]): Promise<Answer>;
  /** The same with something on standard input. */
  commandWith(input: string, ...words: string[]): Promise<Answer>;
  /** Waits for a log line. */
  logged(pattern: RegExp): Promise<void>;
}

/** Runs `test` with a service on `config`, and stops it whatever happens. */
export async function withService(
  config: unknown,
  test: (running: Running) => Promise<void> | void,
  options: { uid?: number | null; prepare?: (home: Home) => void } = {},
): Promise<void> {
  await withHome(async (home) => {
    await Deno.writeTextFile(home.configFile, JSON.stringify(config));
    options.prepare?.(home);
    const lines: LogLine[] = [];
    const waiting = new Set<() => void>();
    const service = await startService({
      home,
      config: await new ConfigFile(home).read(),
      run: runForDoor,
      sink: (line) => {
        lines.push(line);
        for (const look of waiting) look();
      },
      peer: ANYONE,
      uid: options.uid === undefined ? Deno.uid() || null : options.uid,
    });
    const commandWith = (input: string, ...command: string[]) =>
      runForDoor(service.operator, { command, input });
    try {
      await test({
        home,
        service,
        lines,
        command: (...words) => commandWith("", ...words),
        commandWith,
        logged: (pattern) =>
          new Promise((resolve) => {
            const look = () => {
              if (!lines.some(({ text }) => pattern.test(text))) return;
              waiting.delete(look);
              resolve();
            };
            waiting.add(look);
            look();
          }),
      });
    } finally {
      await service.stop();
    }
  });
}

/** Settings that serve agents on a port of the moment. */
export const ON = () => ({ control: { enabled: true, port: freePort() } });

/** What `/control token` prints. */
export async function connectCommand({ command }: Running): Promise<string> {
  const { exit, out } = await command("control", "token");
  assert.equal(exit, 0);
  return out;
}

/** The names that `tools/list` answers. */
export async function toolNames(running: Running): Promise<string[]> {
  const address = addressIn(await connectCommand(running));
  const { status, body } = await postMcp(address, "tools/list");
  assert.equal(status, 200);
  return JSON.parse(body).result.tools.map(({ name }: { name: string }) =>
    name
  );
}
