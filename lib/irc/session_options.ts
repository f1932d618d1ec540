/**
 * What a session is given by those who start it: its configuration, the maker
 * of its connection, and who is told of its rows and lines. Types only.
 *
 * @module
 */

import type { Clock } from "../clock.ts";
import type {
  SessionConfig,
  SessionSecrets,
} from "../config/session_config.ts";
import type { Log } from "../log.ts";
import type { Link, LinkHandler } from "./link.ts";
import type { SessionEvents } from "./session_state.ts";

/** Makes a session's connection. */
export type CreateLink = (options: {
  readonly config: SessionConfig;
  readonly secrets: () => SessionSecrets;
  readonly handler: LinkHandler;
  readonly clock: Clock;
  readonly log: Log;
}) => Link;

/** What a session is made with. */
export interface SessionOptions {
  readonly config: SessionConfig;
  readonly secrets: SessionSecrets;
  readonly clock: Clock;
  readonly log: Log;
  /** Rows each buffer holds. */
  readonly bufferLimit: number;
  readonly createLink: CreateLink;
  readonly events: SessionEvents;
  readonly wire?: WireSink | undefined;
}

/** Takes the lines on the wire, both directions, masked at the source. */
export interface WireSink {
  /** Whether lines are wanted: one is masked only when it is. */
  readonly isOn: boolean;
  addRaw(sessionId: string, direction: "in" | "out", line: string): void;
}
