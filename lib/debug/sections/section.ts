/**
 * What a section of `engine_state` is: a number and a line for the index, and
 * the state itself. A section is read from one session at one instant, without
 * waiting, and changes nothing.
 *
 * Spec: "engine_state".
 *
 * @module
 */

import type { LinkInspection } from "../../irc/link_inspection.ts";
import type { Session } from "../../irc/session.ts";

/** A section as the engine fills it. */
export interface Section {
  /** The headline number of the index. */
  readonly count: number;
  /** One line for the index. */
  readonly summary: string;
  /** JSON-like; never a secret that the engine holds. */
  readonly state: Readonly<Record<string, unknown>>;
}

/** How many things scripts have bound, and nothing else of them (spec). */
export interface ScriptCounts {
  readonly inputCallbackCount: number;
  readonly menuItemCount: number;
  readonly buttonCount: number;
}

/** A session as its sections read it. */
export interface Inspected {
  readonly session: Pick<
    Session,
    "inner" | "config" | "link" | "state" | "nick" | "network" | "lastError"
  >;
  /** Undefined where the connection cannot be looked into. */
  readonly link: LinkInspection | undefined;
  readonly scripts: ScriptCounts;
}

/** Reads a section; undefined when the engine does not fill it. */
export type ReadSection = (inspected: Inspected) => Section | undefined;

/** A count with its noun: `1 channel`, `2 channels`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** A time as sections show it; undefined stays so. */
export function timeOf(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}
