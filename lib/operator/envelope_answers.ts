/**
 * What the service answers a person, or a worker's process, about envelopes:
 * {@link LiveEnvelopes} put into words, and JSON that is safe on a terminal.
 *
 * @module
 */

import {
  type Envelope,
  EnvelopeMaker,
  serialiseEnvelope,
} from "../envelope/envelope.ts";
import { FAULT_TEXTS, parseEnvelope } from "../envelope/parse_envelope.ts";
import { matchesRecipient } from "../envelope/recipients.ts";
import { visibleJson } from "../visible_text.ts";
import { type HeardEnvelope, parseAgentRequest } from "./agent_door.ts";
import { type LiveEnvelopes, MAX_WAIT_MS } from "./live_envelopes.ts";
import {
  type Answer,
  done,
  type EnvelopeTail,
  type EnvelopeToSend,
  failed,
  misused,
} from "./operator.ts";
import { isForPerson } from "./session_files.ts";

/** See the module doc. */
export class EnvelopeAnswers {
  readonly #envelopes: LiveEnvelopes;
  readonly #maker = new EnvelopeMaker();

  constructor(envelopes: LiveEnvelopes) {
    this.#envelopes = envelopes;
  }

  /** Sends an envelope; the answer is the envelope as it was sent. */
  send(request: EnvelopeToSend): Promise<Answer> {
    return forPerson(async () => {
      const made = this.#read(request);
      if (typeof made === "string") return misused(made);
      const sending = await this.#envelopes.send({
        ...request,
        envelope: made,
      });
      switch (sending.kind) {
        case "sent":
          return done(visibleJson(serialiseEnvelope(sending.envelope)));
        case "waiting":
          return failed(
            `Not sent within ${MAX_WAIT_MS / 1_000} s: ` +
              `${made.id} waits for its turn and may still go out.`,
          );
        case "offline":
        case "refused":
          return failed(`Nothing was sent: ${sending.reason}.`);
        default:
          return sending satisfies never;
      }
    });
  }

  /** The envelopes beyond a cursor, a line each, and where to go on. */
  tail(request: EnvelopeTail, signal?: AbortSignal): Promise<Answer> {
    return forPerson(async () => {
      const { session, channel, after } = request;
      const heard = await this.#envelopes.hear({
        ...(session !== undefined && { session }),
        ...(after !== undefined && { cursor: after }),
        channel,
        waitMs: MAX_WAIT_MS,
      }, signal);
      const lines = heard.envelopes
        .filter((found) => isWanted(found, heard.nick, request))
        .map(({ envelope }) => visibleJson(serialiseEnvelope(envelope)));
      return {
        exit: 0,
        out: lines.join("\n"),
        err: heard.isGap
          ? "(messages may have come and gone before they could be shown)"
          : "",
        next: heard.cursor,
      };
    });
  }

  /** Answers a worker's process: JSON as `agent_door.ts` has it. */
  serveAgent(request: string, signal?: AbortSignal): Promise<Answer> {
    return forPerson(async () => {
      const { hear, send } = parseAgentRequest(request) ?? {};
      if (hear !== undefined) {
        const heard = await this.#envelopes.hear(hear, signal);
        return done(JSON.stringify(heard));
      }
      if (send !== undefined) {
        return done(JSON.stringify(await this.#envelopes.send(send)));
      }
      return misused("The service takes no such request.");
    });
  }

  /** The envelope to send, or what is wrong with it. */
  #read({ content, text }: EnvelopeToSend): Envelope | string {
    const written = content === undefined
      ? text ?? ""
      // The service puts the session's nick in its place.
      : serialiseEnvelope(this.#maker.make({ ...content, from: "reterm" }));
    const { envelope, fault } = parseEnvelope(written);
    return envelope ?? `Not an envelope: ${FAULT_TEXTS[fault]}.`;
  }
}

function isWanted(
  { from, envelope }: HeardEnvelope,
  nick: string,
  { types, me }: EnvelopeTail,
): boolean {
  if (types.length > 0 && !types.includes(envelope.type)) return false;
  return me === undefined ||
    from !== nick && from === envelope.from &&
      matchesRecipient(envelope, { ...me, nick });
}

async function forPerson(act: () => Promise<Answer>): Promise<Answer> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof RangeError) {
      return misused("--after takes what an earlier answer gave.");
    }
    if (isForPerson(error)) return failed(error.message);
    throw error;
  }
}
