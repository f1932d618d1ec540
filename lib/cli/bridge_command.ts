/**
 * `reterm bridge`: its row in the command table, and how its process becomes a
 * bridge. It gives back what it does not need before it reads its first byte:
 * writing, and loading libraries once the peer check is open.
 *
 * @module
 */

import { runBridge } from "../bridge/bridge.ts";
import { Relay } from "../bridge/relay.ts";
import { ServiceAddress } from "../bridge/service_address.ts";
import { systemClock } from "../clock.ts";
import { ConfigFile } from "../config/config_file.ts";
import { SecretsFile } from "../config/secrets_file.ts";
import { findHome, readingSurroundings } from "../home.ts";
import { type Answer, done } from "../operator/operator.ts";
import { openPeerCheck } from "../peer/owner.ts";
import type { Command } from "./command.ts";

/** The row. */
export const BRIDGE_COMMAND: Command = {
  words: ["bridge"],
  about: "be a stdio MCP server that relays to the running service",
  positionals: [],
  flags: [],
  notes: [
    "  claude mcp add rete -- reterm bridge",
    "The token stays in home: it is read for each request, and sent only once",
    "the kernel has said that the port is held by the same user. It goes on",
    "through restarts, a new token and a moved port.",
  ],
};

/** Relays until standard input ends. */
export async function runBridgeCommand(
  tell: (text: string) => void,
): Promise<Answer> {
  const home = findHome(readingSurroundings);
  const peer = openPeerCheck();
  await Deno.permissions.revoke({ name: "ffi" });
  await Deno.permissions.revoke({ name: "write" });
  await Deno.permissions.revoke({ name: "run" });
  const address = new ServiceAddress({
    home,
    config: new ConfigFile(home),
    secrets: new SecretsFile(home),
    peer,
  });
  const relay = new Relay({ address, peer, clock: systemClock });
  await runBridge({
    input: Deno.stdin.readable,
    write: writeLine,
    tell: (text) => tell(`reterm bridge: ${text}`),
    send: (body, signal) => relay.send(body, signal),
  });
  return done();
}

async function writeLine(line: string): Promise<boolean> {
  const bytes = new TextEncoder().encode(line);
  try {
    for (let done = 0; done < bytes.length;) {
      done += await Deno.stdout.write(bytes.subarray(done));
    }
    return true;
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
    return false;
  }
}
