/**
 * The tools there are: one reviewed list of seventeen names, in the contract's
 * order, each with the switch that serves it. A tool that is not in this list
 * cannot be called, whatever file it is in; one that is listed and not built is
 * not offered.
 *
 * Spec: "Release tools", "Debug tools", "Live updates", "Sending".
 *
 * @module
 */

import { engineState } from "./engine_state.ts";
import { findUser } from "./find_user.ts";
import { listBuffers } from "./list_buffers.ts";
import { listMembers } from "./list_members.ts";
import { listSessions } from "./list_sessions.ts";
import { listSubscriptions } from "./list_subscriptions.ts";
import { readLog } from "./read_log.ts";
import { readMessages } from "./read_messages.ts";
import { rawSince } from "./raw_since.ts";
import { readSince } from "./read_since.ts";
import { readUpdates } from "./read_updates.ts";
import { searchMessages } from "./search_messages.ts";
import { searchRaw } from "./search_raw.ts";
import { sendRaw } from "./send_raw.ts";
import { subscribe } from "./subscribe.ts";
import type { Tier, Tool } from "./tool.ts";
import { unsubscribe } from "./unsubscribe.ts";
import { waitForUpdates } from "./wait_for_updates.ts";

/** The seventeen names and their tiers. */
export const TOOL_TIERS = {
  list_sessions: "release",
  list_buffers: "release",
  list_members: "release",
  read_messages: "release",
  read_since: "release",
  search_messages: "release",
  find_user: "release",
  raw_since: "debug",
  search_raw: "debug",
  engine_state: "debug",
  subscribe: "release",
  unsubscribe: "release",
  list_subscriptions: "release",
  read_updates: "release",
  wait_for_updates: "release",
  read_log: "debug",
  send_raw: "send",
} as const satisfies Record<string, Tier>;

export type ToolName = keyof typeof TOOL_TIERS;

/** Whether `name`, exactly, is one of the seventeen. */
export function isToolName(name: string): name is ToolName {
  return Object.hasOwn(TOOL_TIERS, name);
}

/** The tools that are built. */
export const TOOLS: readonly Tool[] = [
  listSessions,
  listBuffers,
  listMembers,
  readMessages,
  readSince,
  searchMessages,
  findUser,
  rawSince,
  searchRaw,
  engineState,
  subscribe,
  unsubscribe,
  listSubscriptions,
  readUpdates,
  waitForUpdates,
  readLog,
  sendRaw,
];
