/**
 * One SASL login, from AUTHENTICATE to its only outcome. Credentials are sent
 * once, and only to the challenge they belong to; whatever else the server
 * does, the login ends: by its success, its refusal, one abort, or a deadline.
 * What the outcome means for the connection is not decided here.
 *
 * Follows IRCv3 sasl-3.1 and sasl-3.2.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { CancelTimer, Clock } from "../clock.ts";
import type { SaslConfig } from "../config/session_config.ts";
import type { IrcMessage } from "./message.ts";
import { ScramClient, ScramError } from "./scram.ts";

/** Bytes of base64 in one AUTHENTICATE; a full one says that more follows. */
const CHUNK_BYTES = 400;
/** Bytes of base64 that a server's challenge may have; SCRAM's have 200. */
const MAX_CHALLENGE_BYTES = 8_192;

/** How a login ended. `reason` is for the operator and holds no secret. */
export type SaslOutcome =
  | { readonly kind: "success" }
  | { readonly kind: "refused" | "unavailable"; readonly reason: string };

export interface SaslOptions {
  readonly config: SaslConfig;
  readonly nick: string;
  readonly password: string | undefined;
  readonly clock: Clock;
  readonly deadlineMs: number;
  /** Writes one protocol line. */
  readonly send: (line: string) => void;
  /** Called once. */
  readonly done: (outcome: SaslOutcome) => void;
}

/** Answers the next whole challenge; undefined when none is expected. */
type Step = (challenge: string) => Promise<string> | string;

/** See the module doc. */
export class SaslLogin {
  readonly #options: SaslOptions;
  #cancelDeadline: CancelTimer | undefined;
  #steps: Step[] = [];
  #challenge = "";
  #proven: boolean;
  #over = false;

  constructor(options: SaslOptions) {
    this.#options = options;
    // SCRAM's server proves itself; a success before that is an impostor's.
    this.#proven = options.config.mechanism !== "SCRAM-SHA-256";
  }

  /**
   * Sends AUTHENTICATE, unless `offered` (the value of the `sasl` capability,
   * `""` when the server names no mechanism) or the configuration rules it out.
   */
  start(offered: string): void {
    const { config, clock, deadlineMs, password } = this.#options;
    const { mechanism } = config;
    if (mechanism !== "EXTERNAL" && password === undefined) {
      this.#finish({ kind: "refused", reason: "no SASL password is set" });
      return;
    }
    const mechanisms = offered.toUpperCase().split(",");
    if (offered !== "" && !mechanisms.includes(mechanism)) {
      this.#finish({
        kind: "unavailable",
        reason: `the server offers no SASL ${mechanism}`,
      });
      return;
    }
    this.#cancelDeadline = clock.after(deadlineMs, () => {
      this.#abort("unavailable", "the SASL login was not answered");
    });
    this.#steps = this.#stepsOf(password ?? "");
    this.#options.send(`AUTHENTICATE ${mechanism}`);
  }

  /** Whether it has ended, however. */
  get isOver(): boolean {
    return this.#over;
  }

  /** Takes AUTHENTICATE and the numerics 900 to 908; others are ignored. */
  handle(message: IrcMessage): void {
    if (this.#over || this.#cancelDeadline === undefined) return;
    switch (message.command) {
      case "AUTHENTICATE":
        this.#receive(message.params[0] ?? "");
        break;
      case "903":
        this.#succeed();
        break;
      case "902":
      case "904":
      case "905":
      case "906":
      case "907":
      case "908":
        this.#fail(message);
        break;
      default:
        break;
    }
  }

  /** Ends it without an outcome: the connection is gone. */
  cancel(): void {
    this.#over = true;
    this.#cancelDeadline?.();
  }

  #stepsOf(password: string): Step[] {
    const { config, nick } = this.#options;
    const account = config.account ?? nick;
    switch (config.mechanism) {
      case "EXTERNAL":
        return [expectEmpty(() => "")];
      case "PLAIN":
        return [expectEmpty(() => `${account}\0${account}\0${password}`)];
      case "SCRAM-SHA-256": {
        const scram = new ScramClient({ account, password });
        return [
          expectEmpty(() => scram.first()),
          (challenge) => scram.final(challenge),
          (challenge) => {
            scram.verify(challenge);
            this.#proven = true;
            return "";
          },
        ];
      }
      default:
        return config.mechanism satisfies never;
    }
  }

  #receive(chunk: string): void {
    if (chunk !== "+") this.#challenge += chunk;
    if (this.#challenge.length > MAX_CHALLENGE_BYTES) {
      this.#abort("refused", "the server's SASL challenge is too long");
      return;
    }
    if (chunk.length === CHUNK_BYTES) return;
    const challenge = Buffer.from(this.#challenge, "base64").toString();
    this.#challenge = "";
    const step = this.#steps.shift();
    if (step === undefined) {
      this.#abort("refused", "the server sent a SASL challenge too many");
      return;
    }
    this.#answer(step, challenge);
  }

  async #answer(step: Step, challenge: string): Promise<void> {
    let answer: string;
    try {
      answer = await step(challenge);
    } catch (error) {
      const why = error instanceof ScramError ? error.message : "it failed";
      this.#abort("refused", `SASL: ${why}`);
      return;
    }
    // The wait above may have outlived the login.
    if (this.#over) return;
    for (const chunk of encodeChunks(answer)) {
      this.#options.send(`AUTHENTICATE ${chunk}`);
    }
  }

  #succeed(): void {
    if (this.#proven) this.#finish({ kind: "success" });
    else {
      this.#finish({
        kind: "refused",
        reason: "the server did not prove that it knows the SASL password",
      });
    }
  }

  #fail(message: IrcMessage): void {
    const text = (message.params.at(-1) ?? "").slice(0, 200);
    const kind = message.command === "908" || soundsAway(text)
      ? "unavailable"
      : "refused";
    this.#finish({
      kind,
      reason: `the SASL login was refused (${message.command}: ${text})`,
    });
  }

  #abort(kind: "refused" | "unavailable", reason: string): void {
    if (this.#over) return;
    this.#finish({ kind, reason }, () => this.#options.send("AUTHENTICATE *"));
  }

  #finish(outcome: SaslOutcome, before?: () => void): void {
    if (this.#over) return;
    this.cancel();
    before?.();
    this.#options.done(outcome);
  }
}

/** Whether a refusal is about the services rather than the credentials. */
function soundsAway(text: string): boolean {
  return /unavailable|not available|offline|\bdown\b|time(d)?[ -]?out|try again|temporar/i
    .test(text);
}

/**
 * A first challenge that must be `+`: anything else would have credentials sent
 * to a question that was not asked.
 */
function expectEmpty(answer: () => string): Step {
  return (challenge) => {
    if (challenge !== "") throw new ScramError("unexpected challenge");
    return answer();
  };
}

/** Base64 in chunks of 400; an empty answer, or a full last chunk, ends in `+`. */
export function encodeChunks(text: string): string[] {
  const encoded = Buffer.from(text, "utf8").toString("base64");
  const chunks: string[] = [];
  for (let at = 0; at < encoded.length; at += CHUNK_BYTES) {
    chunks.push(encoded.slice(at, at + CHUNK_BYTES));
  }
  if (encoded.length % CHUNK_BYTES === 0) chunks.push("+");
  return chunks;
}
