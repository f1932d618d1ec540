/**
 * From CAP LS to CAP END: which capabilities are enabled, and whether the SASL
 * login that is configured took place. A login that is required and did not
 * ends the connection, whichever way it was missed; one that is not required is
 * told to the log and gone without.
 *
 * @module
 */

import type { Clock } from "../clock.ts";
import type {
  SessionConfig,
  SessionSecrets,
} from "../config/session_config.ts";
import type { Log } from "../log.ts";
import { Capabilities } from "./capabilities.ts";
import { LinkFailure } from "./failure.ts";
import type { LinkLimits } from "./limits.ts";
import type { SaslState } from "./link_inspection.ts";
import type { IrcMessage } from "./message.ts";
import { SaslLogin, type SaslOutcome } from "./sasl.ts";

export interface LoginOptions {
  readonly config: SessionConfig;
  readonly secrets: SessionSecrets;
  /** The account's name where none is configured. */
  readonly nick: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: Pick<LinkLimits, "capabilityMs" | "saslMs">;
  readonly send: (line: string) => void;
  /** Capabilities changed. */
  readonly changed: () => void;
  readonly failed: (failure: LinkFailure) => void;
}

/** See the module doc. One is made for each connection. */
export class Login {
  readonly capabilities: Capabilities;
  readonly #options: LoginOptions;
  #sasl: SaslLogin | undefined;
  #isLoggedIn = false;
  #isOver = false;

  constructor(options: LoginOptions) {
    const { config, clock, limits, send, changed } = options;
    this.#options = options;
    this.capabilities = new Capabilities({
      clock,
      answerMs: limits.capabilityMs,
      sasl: config.sasl !== undefined,
      send,
      changed,
      settled: () => this.#capabilitiesSettled(),
    });
  }

  /** Where the SASL login stands. */
  get saslState(): SaslState {
    if (this.#options.config.sasl === undefined) return "none";
    if (this.#isLoggedIn) return "done";
    if (this.#isOver || this.#sasl?.isOver === true) return "failed";
    return this.#sasl === undefined ? "waiting" : "running";
  }

  /** CAP LS is on its way. */
  begin(): void {
    this.capabilities.begin();
  }

  /** Takes AUTHENTICATE and the numerics of SASL. */
  handle(message: IrcMessage): void {
    this.#sasl?.handle(message);
  }

  /**
   * 001 came. False, and `failed` was told, when the login that is required is
   * not done: whatever the server offered or answered, nobody goes on.
   */
  complete(): boolean {
    if (this.#options.config.sasl?.required === true && !this.#isLoggedIn) {
      const reason = "the server let us in without a SASL login";
      this.#options.failed(new LinkFailure("sasl-unavailable", reason));
      return false;
    }
    this.stop();
    return true;
  }

  /** Waits for nothing any more. */
  stop(): void {
    this.#isOver = true;
    this.capabilities.stop();
    this.#sasl?.cancel();
  }

  #capabilitiesSettled(): void {
    const { config, secrets, nick, clock, limits, send } = this.#options;
    if (config.sasl === undefined) {
      send("CAP END");
      return;
    }
    if (!this.capabilities.enabled.has("sasl")) {
      const reason = "the server offers no SASL login";
      this.#saslEnded({ kind: "unavailable", reason });
      return;
    }
    this.#sasl = new SaslLogin({
      config: config.sasl,
      nick,
      password: secrets.saslPassword,
      clock,
      deadlineMs: limits.saslMs,
      send,
      done: (outcome) => this.#saslEnded(outcome),
    });
    this.#sasl.start(this.capabilities.available.get("sasl") ?? "");
  }

  #saslEnded(outcome: SaslOutcome): void {
    const { config, log, send, failed } = this.#options;
    if (outcome.kind === "success") this.#isLoggedIn = true;
    else if (config.sasl?.required === true) {
      failed(new LinkFailure(`sasl-${outcome.kind}`, outcome.reason));
      return;
    } else {
      log.write(
        "warning",
        "auth",
        `${config.name}: going on without a login: ${outcome.reason}`,
      );
    }
    send("CAP END");
  }
}
