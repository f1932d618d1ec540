/**
 * Sends an agent's lines: a line that passed the line rule enters, is judged by
 * the limits of its session, handed to the session, and recorded where the
 * person sees it, masked and made visible. Only a line that was written is
 * recorded and counted.
 *
 * Spec: "Sending".
 *
 * @module
 */

import type { Clock } from "../clock.ts";
import type { Sender, SendOutcome } from "../engine/sender.ts";
import type { Log } from "../log.ts";
import { escapeInvisible, stripFormatting } from "../visible_text.ts";
import { SendLimits } from "./send_limits.ts";

/** A session as far as an agent's lines need it. */
export interface SendingSession {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  /** Sends a line of an agent; whether it was written. */
  sendForAgent(line: string): Promise<boolean>;
  /** Makes an audit row in the server buffer. */
  recordAudit(text: string): unknown;
}

/** What a sender is built from. */
export interface AgentSenderOptions {
  readonly session: (id: string) => SendingSession | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Masks what the line holds of credentials. */
  readonly maskLine: (line: string) => string;
}

/** See the module doc. */
export class AgentSender implements Sender {
  readonly #options: AgentSenderOptions;
  #limits = new Map<string, SendLimits>();

  constructor(options: AgentSenderOptions) {
    this.#options = options;
  }

  async send(
    sessionId: string,
    line: string,
  ): Promise<SendOutcome | undefined> {
    const session = this.#options.session(sessionId);
    if (session === undefined) return undefined;
    if (session.state !== "connected") return { kind: "not-connected" };
    const place = this.#limitsOf(session).reserve();
    if (typeof place === "string") return { kind: "limited", by: place };
    const recorded = this.#options.maskLine(line);
    if (!await session.sendForAgent(line)) {
      place.release();
      this.#log(`AI access line on ${session.name} was not sent: ${recorded}`);
      return { kind: "not-sent" };
    }
    place.sent();
    const shown = escapeInvisible(stripFormatting(recorded));
    session.recordAudit(`AI access sent: ${shown}`);
    this.#log(`AI access sent a line on ${session.name}: ${recorded}`);
    return { kind: "sent", recorded };
  }

  /** Forgets what was sent: the server stopped or its token or port changed. */
  clearLimits(): void {
    for (const limits of this.#limits.values()) limits.clear();
    this.#limits.clear();
  }

  #limitsOf(session: SendingSession): SendLimits {
    const known = this.#limits.get(session.id);
    if (known !== undefined) return known;
    const limits = new SendLimits(this.#options.clock);
    this.#limits.set(session.id, limits);
    return limits;
  }

  #log(text: string): void {
    const shown = escapeInvisible(stripFormatting(text));
    this.#options.log.write("info", "network", shown);
  }
}
