/**
 * What tools may ask of the engine, and nothing else: a view that can read and
 * observe and has no verb that acts. The live engine implements it; tests may
 * too. Every view is live: ask it again after an `await`.
 *
 * Spec: "Invariants" (the read tools reach the engine only through an
 * interface that can read and observe, never act).
 *
 * @module
 */

import type { BufferKind } from "../buffers/buffer_id.ts";
import type { Message } from "../buffers/message.ts";
import type { MessageLogView } from "../buffers/message_log.ts";
import type { Member } from "../buffers/roster.ts";
import type { SecretScan } from "../redact/secrets.ts";

export type SessionState =
  | "connected"
  | "connecting"
  | "reconnecting"
  | "disconnected";

export type { BufferKind, Member };

/** A listed buffer. */
export interface BufferView {
  /** Upper-case UUID, unique across sessions and the same after a restart. */
  readonly id: string;
  readonly name: string;
  readonly kind: BufferKind;
  readonly messages: MessageLogView;
  /** The members of a channel, in no order; empty for other kinds. */
  members(): readonly Member[];
  /** The member with this nick under the session's casemapping. */
  member(nick: string): Member | undefined;
}

/** A session that was started, connected or not. */
export interface SessionView {
  /** Upper-case UUID from the configuration. */
  readonly id: string;
  readonly name: string;
  /** ISUPPORT NETWORK, `""` before it is known. */
  readonly network: string;
  readonly transport: "irc";
  readonly state: SessionState;
  /** The nick the server knows, or the configured one before it has said. */
  readonly nick: string;
  /** Listed buffers: the server buffer, then channels, then queries. */
  buffers(): readonly BufferView[];
  /** The listed buffer with this id. */
  buffer(id: string): BufferView | undefined;
  /** Whether the session has negotiated an IRCv3 capability. */
  hasCapability(name: string): boolean;
  /** Looks for the secret values the session holds now. */
  secrets(): SecretScan;
}

/** Told of changes as they happen, synchronously: must be quick, not throw. */
export interface Observer {
  /** A row entered a listed buffer. */
  messageAdded?(
    session: SessionView,
    buffer: BufferView,
    message: Message,
  ): void;
  bufferOpened?(session: SessionView, buffer: BufferView): void;
  bufferClosed?(session: SessionView, buffer: BufferView): void;
  sessionStarted?(session: SessionView): void;
  sessionStopped?(session: SessionView): void;
}

/** The whole engine, as tools see it. */
export interface Reader {
  /** Running sessions, in the order of the configuration. */
  sessions(): readonly SessionView[];
  /** The running session with this id, matched exactly. */
  session(id: string): SessionView | undefined;
  /** The listed buffer with this id in any running session. */
  buffer(
    id: string,
  ): { readonly session: SessionView; readonly buffer: BufferView } | undefined;
  /** Starts telling `observer`; the result stops it. */
  observe(observer: Observer): () => void;
}
