/**
 * Where the service is and how it is entered, looked up anew for each message,
 * so that a moved port, a new token or a restart needs no new bridge: the port
 * from `config.json`, the token from `secrets.json`, and, when nobody listens,
 * why not from the operator's door.
 *
 * @module
 */

import { ConfigError, type ConfigFile } from "../config/config_file.ts";
import {
  SecretsError,
  type SecretsFile,
  TOKEN_ENTRY,
} from "../config/secrets_file.ts";
import { isUsableToken } from "../control/token.ts";
import type { Home } from "../home.ts";
import { askDoor } from "../operator/door_client.ts";
import { readDoorFile } from "../operator/door_file.ts";
import type { PeerCheck } from "../peer/owner.ts";
import { BRIDGE_FAILURES, RelayError } from "./failures.ts";

const SERVING = /^AI access on, port (\d+)/;

/** Where AI access stands, by the service's own word. */
export type Serving =
  | { readonly kind: "on"; readonly port: number }
  /** Off though the configuration has it on: it is opening, or has just. */
  | { readonly kind: "between" }
  | { readonly kind: "no"; readonly error: RelayError };

/** See the module doc. */
export class ServiceAddress {
  readonly #home: Home;
  readonly #config: ConfigFile;
  readonly #secrets: SecretsFile;
  readonly #peer: PeerCheck;

  constructor(parts: {
    readonly home: Home;
    readonly config: ConfigFile;
    readonly secrets: SecretsFile;
    readonly peer: PeerCheck;
  }) {
    this.#home = parts.home;
    this.#config = parts.config;
    this.#secrets = parts.secrets;
    this.#peer = parts.peer;
  }

  /** The port to try first. A damaged file is the service's to tell of. */
  async port(): Promise<number | undefined> {
    return (await this.#readConfig())?.port;
  }

  /** The token of now. @throws {RelayError} */
  async token(): Promise<string> {
    let token: string | undefined;
    try {
      token = (await this.#secrets.read()).get(TOKEN_ENTRY);
    } catch (error) {
      if (!(error instanceof SecretsError)) throw error;
      throw new RelayError(BRIDGE_FAILURES.unreadable(error.message));
    }
    const { path } = this.#secrets;
    if (token === undefined) {
      throw new RelayError(BRIDGE_FAILURES.noToken(path));
    }
    if (!isUsableToken(token)) {
      throw new RelayError(BRIDGE_FAILURES.badToken(path));
    }
    return token;
  }

  /** What the running service says when nobody listens on the port tried. */
  async serving(): Promise<Serving> {
    const address = await readDoorFile(this.#home);
    const reply = address === undefined
      ? { kind: "nobody" } as const
      : await askDoor(address, { command: ["control", "status"] }, {
        peer: this.#peer,
      });
    switch (reply.kind) {
      case "nobody":
        return no(BRIDGE_FAILURES.notRunning(this.#home.folder));
      case "silent":
        return no(BRIDGE_FAILURES.serviceSilent(reply.reason));
      case "answered":
        return await this.#readStatus(reply.answer.out);
      default:
        return reply satisfies never;
    }
  }

  async #readStatus(status: string): Promise<Serving> {
    const [, port] = SERVING.exec(status) ?? [];
    if (port !== undefined) return { kind: "on", port: Number(port) };
    if (!status.includes("/set control.enabled on")) {
      return no(BRIDGE_FAILURES.accessFailed(status));
    }
    const isWanted = (await this.#readConfig())?.enabled === true;
    return isWanted ? { kind: "between" } : no(BRIDGE_FAILURES.accessOff());
  }

  async #readConfig() {
    try {
      return await this.#config.read();
    } catch (error) {
      if (error instanceof ConfigError) return undefined;
      throw error;
    }
  }
}

function no(message: string): Serving {
  return { kind: "no", error: new RelayError(message) };
}
