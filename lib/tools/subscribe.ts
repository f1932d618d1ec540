/**
 * `subscribe`: from now on Rete collects what matches the filters. It adds one
 * subscription and changes nothing else.
 *
 * Spec: "subscribe".
 *
 * @module
 */

import { IDLE_EXPIRY_SECONDS } from "../updates/limits.ts";
import { failure } from "./failures.ts";
import { noteSessions } from "./list_subscriptions.ts";
import type { Parameters } from "./parameters.ts";
import { isoTime } from "./result.ts";
import { normaliseFilters } from "./subscription_filters.ts";
import { defineTool } from "./tool.ts";

/** The arguments, in the contract's order. */
export const SUBSCRIBE_PARAMETERS = {
  sessions: {
    type: "strings",
    description: "Only these session ids.",
  },
  buffers: {
    type: "strings",
    description: "Only these buffer ids.",
  },
  mentions: {
    type: "boolean",
    default: false,
    description: "Only messages that mention the session's current nick.",
  },
  queries: {
    type: "boolean",
    default: false,
    description: "Only messages in query (private message) buffers.",
  },
  from: {
    type: "strings",
    description: "Only messages from these nicks, ignoring case.",
  },
  kinds: {
    type: "strings",
    description:
      "The message kinds to collect: privmsg, action, notice, topic, join, part, quit, nick, mode or kick. Absent: privmsg, action and notice.",
  },
  match: {
    type: "string",
    description: "Only messages whose text or sender matches.",
  },
  match_mode: {
    type: "string",
    default: "substring",
    description:
      "How match is read: substring, or glob (an IRC glob over a whole field).",
  },
  raw: {
    type: "object",
    debugOnly: true,
    description: "Debug filter: raw IRC lines.",
    properties: {
      sessions: {
        type: "strings",
        description: "Only these sessions' raw lines. Absent: every session.",
      },
      commands: {
        type: "strings",
        description: "Only lines with these IRC commands or numerics.",
      },
      direction: { type: "string", description: "in or out." },
    },
  },
  log: {
    type: "object",
    debugOnly: true,
    description: "Debug filter: Rete's own log lines.",
    properties: {
      min_level: {
        type: "string",
        default: "warning",
        description: "Only lines at or above this level.",
      },
      categories: {
        type: "strings",
        description: "Only lines in these categories.",
      },
    },
  },
} as const satisfies Parameters;

export const subscribe = defineTool({
  name: "subscribe",
  tier: "release",
  description:
    "Starts collecting live messages that match every filter given into an inbox, to be drained with read_updates or wait_for_updates. At least one filter is needed. Existing history is never delivered. A subscription that nothing reads for 900 seconds is removed.",
  annotations: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
  },
  parameters: SUBSCRIBE_PARAMETERS,
  run(args, { updates, reader }) {
    const filters = normaliseFilters(args);
    updates.subscriptions.sweep();
    if (updates.subscriptions.isFull) throw failure("tooManySubscriptions");
    const subscription = updates.subscriptions.add(filters);
    noteSessions(subscription, reader);
    const { id, created } = subscription;
    return {
      fields: {
        subscription: {
          id,
          filters,
          created: isoTime(created),
          expires_after_idle: IDLE_EXPIRY_SECONDS,
        },
      },
    };
  },
});
