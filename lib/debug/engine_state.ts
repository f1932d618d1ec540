/**
 * The state of one session as `engine_state` shows it: nineteen sections, all
 * read in one turn of the event loop, so that they agree with each other. A
 * section that cannot be filled is left out and costs no other.
 *
 * Spec: "engine_state".
 *
 * @module
 */

import {
  batches,
  capabilities,
  connection,
  flood,
  isupport,
  reconnect,
  registration,
  sasl,
} from "./sections/connection.ts";
import { buffers, channels, queries } from "./sections/names.ts";
import { chathistory, silentQueries, whox } from "./sections/requests.ts";
import type { Inspected, ReadSection, Section } from "./sections/section.ts";
import {
  config,
  markread,
  scripts,
  silence,
  whois,
} from "./sections/settings.ts";

/** The sections by the contract's names, in its order. */
export const SECTIONS = {
  connection,
  registration,
  sasl,
  capabilities,
  isupport,
  channels,
  queries,
  buffers,
  silentQueries,
  whox,
  chathistory,
  batches,
  reconnect,
  flood,
  config,
  markread,
  silence,
  whois,
  scripts,
} as const satisfies Record<string, ReadSection>;

export type SectionName = keyof typeof SECTIONS;

/** Whether `name`, exactly, is a section's. */
export function isSectionName(name: string): name is SectionName {
  return Object.hasOwn(SECTIONS, name);
}

/** A session's state at one instant. */
export interface EngineSnapshot {
  /** Unix milliseconds. */
  readonly takenAt: number;
  /** The sections that the engine filled, in the contract's order. */
  readonly sections: ReadonlyMap<SectionName, Section>;
}

/** Reads every section now. */
export function takeSnapshot(
  inspected: Inspected,
  takenAt: number,
): EngineSnapshot {
  const sections = new Map<SectionName, Section>();
  for (const [name, read] of Object.entries(SECTIONS)) {
    const section = readSection(read, inspected);
    if (section !== undefined) sections.set(name as SectionName, section);
  }
  return { takenAt, sections };
}

// Debugging must work best when something is broken: one section that throws
// is one that is not filled.
function readSection(
  read: ReadSection,
  inspected: Inspected,
): Section | undefined {
  try {
    return read(inspected);
  } catch {
    return undefined;
  }
}
