/**
 * What a person may ask of the program, whether it is running as a service or
 * only its files are there. The command line and the operator's door both end
 * here; who implements it decides what takes effect at once.
 *
 * @module
 */

import type { JsonValue } from "../config/json_edit.ts";
import type { SecretKind } from "../config/secrets_file.ts";
import type { EnvelopeContent } from "../envelope/envelope.ts";
import type { Role } from "../envelope/recipients.ts";

/** How a command ended: exit code, and the texts for both outputs. */
export interface Answer {
  /** 0 done, 1 failed, 2 wrong usage. */
  readonly exit: number;
  /** Without a final line break; `""` prints nothing. */
  readonly out: string;
  readonly err: string;
  /** For a command that goes on: what to ask on from for the rest. */
  readonly next?: string;
}

/** Done, with what there is to show. */
export function done(out = ""): Answer {
  return { exit: 0, out, err: "" };
}

/** Not done, with why. */
export function failed(err: string, out = ""): Answer {
  return { exit: 1, out, err };
}

/** Cannot be understood, with what to write instead. */
export function misused(err: string): Answer {
  return { exit: 2, out: "", err };
}

/** A session as a person describes it: fields of `config.json` by their names. */
export interface NewSession {
  readonly name: string;
  readonly fields: { readonly [field: string]: JsonValue };
}

/** Which secret is set, and its value; undefined removes it. */
export interface SecretChange {
  /** Name or id of the session. */
  readonly session: string;
  readonly kind: SecretKind;
  readonly channel?: string;
  readonly value: string | undefined;
}

/** Where a typed line goes. */
export interface LineTarget {
  /** Name or id; the only session when undefined. */
  readonly session?: string;
  /** Buffer name; the server buffer when undefined. */
  readonly buffer?: string;
}

/** An agent envelope that a person sends. */
export interface EnvelopeToSend {
  /** Name or id; the only session when undefined. */
  readonly session?: string;
  /** A channel, or a nick. */
  readonly channel: string;
  /** What it is made of; without it, `text` is the envelope. */
  readonly content?: Omit<EnvelopeContent, "from">;
  readonly text?: string;
}

/** Which envelopes of a channel a person follows. */
export interface EnvelopeTail {
  readonly session?: string;
  readonly channel: string;
  /** Only these types; all when empty. */
  readonly types: readonly string[];
  /** Only those of others that match the session's nick and this role. */
  readonly me?: { readonly role?: Role };
  /** Where an earlier answer ended; absent to begin with what is next. */
  readonly after?: string;
}

/** Which messages a person follows. */
export interface MessageTail {
  /** Name or id; every session when undefined. */
  readonly session?: string;
  /** Buffer name; every buffer when undefined. */
  readonly buffer?: string;
  /** Where an earlier answer ended; absent to begin with what is next. */
  readonly after?: string;
}

/** See the module doc. Nothing here throws for what a person did wrong. */
export interface Operator {
  showSettings(): Promise<Answer>;
  showSetting(key: string): Promise<Answer>;
  changeSetting(key: string, value: string): Promise<Answer>;
  /** How everything stands, for a person or for a script. */
  status(form: "text" | "json"): Promise<Answer>;
  /** Messages as they come; waits some seconds when there is none. */
  tailMessages(request: MessageTail, signal?: AbortSignal): Promise<Answer>;
  controlStatus(): Promise<Answer>;
  controlToken(): Promise<Answer>;
  regenerateToken(): Promise<Answer>;
  accessLog(): Promise<Answer>;
  /**
   * The access log's rows beyond `after`, as an earlier answer's `next` gave
   * it; undefined for all. Waits some seconds for one when there is none.
   */
  followAccessLog(
    after: string | undefined,
    signal?: AbortSignal,
  ): Promise<Answer>;
  listSessions(): Promise<Answer>;
  addSession(session: NewSession): Promise<Answer>;
  removeSession(session: string): Promise<Answer>;
  connectSession(session: string): Promise<Answer>;
  disconnectSession(session: string, reason: string): Promise<Answer>;
  changeSecret(change: SecretChange): Promise<Answer>;
  typeLine(line: string, target: LineTarget): Promise<Answer>;
  sendEnvelope(request: EnvelopeToSend): Promise<Answer>;
  tailEnvelopes(request: EnvelopeTail, signal?: AbortSignal): Promise<Answer>;
  /** What a worker's process asks, and is answered: see `agent_door.ts`. */
  serveAgent(request: string, signal?: AbortSignal): Promise<Answer>;
}
