/**
 * `list_subscriptions`: every live subscription and how it fares. It touches
 * none: an idle one stays idle.
 *
 * Spec: "list_subscriptions".
 *
 * @module
 */

import type { Reader } from "../engine/reader.ts";
import type { Subscription } from "../updates/subscriptions.ts";
import { envelopeBytes, RowBudget } from "./budget.ts";
import { EncodedRows, encodeJson, isoTime } from "./result.ts";
import { defineTool, READ_ONLY } from "./tool.ts";

const ENVELOPE_BYTES = envelopeBytes({ subscriptions: [], truncated: true });

export const listSubscriptions = defineTool({
  name: "list_subscriptions",
  tier: "release",
  description:
    "Lists every live subscription, oldest first: its filters, how many events wait in its inbox, how many were dropped, and whether what it names is still there.",
  annotations: READ_ONLY,
  parameters: {},
  run(_, { updates, reader, switches, budgetBytes }) {
    updates.forgetPausedLines(switches.debug);
    const budget = new RowBudget({
      budgetBytes,
      envelopeBytes: ENVELOPE_BYTES,
    });
    let isCut = false;
    for (const subscription of updates.subscriptions.all()) {
      const object = describe(subscription, reader, switches.debug);
      if (budget.offer(encodeJson(object)) === "taken") continue;
      isCut = true;
      break;
    }
    return {
      fields: {
        subscriptions: new EncodedRows(budget.rows),
        truncated: isCut || undefined,
      },
    };
  },
});

function describe(
  subscription: Subscription,
  reader: Reader,
  isDebugOn: boolean,
): Readonly<Record<string, unknown>> {
  const { id, filters, inbox, created, lastRead } = subscription;
  const takesLines = filters.raw !== undefined || filters.log !== undefined;
  return {
    id,
    filters,
    created: isoTime(created),
    last_read: lastRead === undefined ? undefined : isoTime(lastRead),
    pending: inbox.events.length,
    dropped: inbox.lines.dropped,
    state: stateOf(subscription, reader),
    paused: takesLines && !isDebugOn ? "debug off" : undefined,
  };
}

/** A subscription's state, in the contract's order. */
function stateOf(
  subscription: Subscription,
  reader: Reader,
): "session_disconnected" | "buffer_gone" | "active" {
  const { sessions = [], buffers = [], raw } = subscription.filters;
  noteSessions(subscription, reader);
  const named = [
    ...sessions,
    ...(raw?.sessions ?? []),
    ...subscription.bufferSessions.values(),
  ];
  if (named.some((id) => isDisconnected(reader, id))) {
    return "session_disconnected";
  }
  const isGone = buffers.some((id) => reader.buffer(id) === undefined);
  return isGone ? "buffer_gone" : "active";
}

/**
 * Remembers whose the buffers are that a subscription names: once a session is
 * gone, nothing else tells that it was theirs.
 */
export function noteSessions(subscription: Subscription, reader: Reader): void {
  for (const id of subscription.filters.buffers ?? []) {
    const found = reader.buffer(id);
    if (found !== undefined) {
      subscription.bufferSessions.set(id, found.session.id);
    }
  }
}

function isDisconnected(reader: Reader, id: string): boolean {
  return (reader.session(id)?.state ?? "disconnected") === "disconnected";
}
