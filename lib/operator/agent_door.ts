/**
 * What a worker's process and the service say to each other through the
 * operator's door: what was heard in a channel since a cursor, and what is to
 * be sent there. Data, and how it is read; both sides go by this file.
 *
 * @module
 */

import type { Envelope } from "../envelope/envelope.ts";
import { parseEnvelope } from "../envelope/parse_envelope.ts";

/** The word such a request goes under; no command has its name. */
export const AGENT_WORD = "agent-door";

/** Asks for the envelopes in a channel beyond a cursor. */
export interface HearRequest {
  /** Name or id; the only session when absent. */
  readonly session?: string;
  readonly channel: string;
  /** From an earlier answer; absent to begin with what comes from now on. */
  readonly cursor?: string;
  /** The presence of the last answer: another one is answered at once. */
  readonly presence?: string;
  /** How long to wait for the first one. */
  readonly waitMs: number;
}

/** An envelope, and the line that brought it. */
export interface HeardEnvelope {
  /** The nick IRC says it is from. */
  readonly from: string;
  /** When it was said, Unix milliseconds by the server's clock. */
  readonly time: number;
  /** It was replayed, or landed in the middle of the buffer. */
  readonly history: boolean;
  readonly envelope: Envelope;
}

/** What was heard. */
export interface Heard {
  /** Where the next request goes on. */
  readonly cursor: string;
  /** The session's nick. */
  readonly nick: string;
  /** `""` while not in the channel; another text after each join. */
  readonly presence: string;
  /** The time of now as rows have it. */
  readonly now: number;
  /** Messages beyond the cursor are not held any more, or may never have been. */
  readonly isGap: boolean;
  readonly envelopes: readonly HeardEnvelope[];
}

/** Asks to send an envelope to a channel, or a nick. */
export interface SendRequest {
  readonly session?: string;
  readonly channel: string;
  /** Its `from` is replaced by the session's nick. */
  readonly envelope: Envelope;
  /** The text of the payload that may be cut so that one line holds it all. */
  readonly cut?: string;
}

/** How sending went. The same id asked again is never sent twice. */
export type Sending =
  | { readonly kind: "sent"; readonly envelope: Envelope }
  /** It waits for its turn: ask again to learn how it went. */
  | { readonly kind: "waiting" }
  /** Nothing was sent, and it may be tried again later. */
  | { readonly kind: "offline"; readonly reason: string }
  /** Nothing was sent, and it will not be. */
  | { readonly kind: "refused"; readonly reason: string };

/** A request as it comes through the door. */
export type AgentRequest =
  | { readonly hear: HearRequest; readonly send?: undefined }
  | { readonly send: SendRequest; readonly hear?: undefined };

/** Reads a request; undefined for what no worker sends. */
export function parseAgentRequest(text: string): AgentRequest | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { hear, send } = fieldsOf(value);
  if (hear !== undefined) {
    const fields = fieldsOf(hear);
    const fits = isName(fields["channel"]) &&
      ["session", "cursor", "presence"].every((name) =>
        isNameOrAbsent(fields[name])
      ) && typeof fields["waitMs"] === "number";
    return fits ? { hear: hear as HearRequest } : undefined;
  }
  const fields = fieldsOf(send);
  const { envelope } = parseEnvelope(JSON.stringify(fields["envelope"]) ?? "");
  const fits = envelope !== undefined && isName(fields["channel"]) &&
    ["session", "cut"].every((name) => isNameOrAbsent(fields[name]));
  return fits ? { send: { ...send as SendRequest, envelope } } : undefined;
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null
    ? value as Record<string, unknown>
    : {};
}

function isName(value: unknown): boolean {
  return typeof value === "string";
}

function isNameOrAbsent(value: unknown): boolean {
  return value === undefined || isName(value);
}
