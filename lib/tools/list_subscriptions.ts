/**
 * `list_subscriptions`: every live subscription and how it fares. It touches
 * none: an idle one stays idle.
 *
 * Spec: "list_subscriptions".
 *
 * @module
 */

import type { Reader } from "../engine/reader.ts";
import type { Filters } from "../updates/filters.ts";
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
    updates.forgetLinesUnless(switches.debug);
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
    state: stateOf(filters, reader),
    paused: takesLines && !isDebugOn ? "debug off" : undefined,
  };
}

/** A subscription's state, in the contract's order. */
function stateOf(
  filters: Filters,
  reader: Reader,
): "session_disconnected" | "buffer_gone" | "active" {
  const { sessions = [], buffers = [] } = filters;
  const named = [...sessions, ...(filters.raw?.sessions ?? [])];
  const found = buffers.map((id) => reader.buffer(id));
  const isDown = named.some((id) => isDisconnected(reader, id)) ||
    found.some((entry) => entry?.session.state === "disconnected");
  if (isDown) return "session_disconnected";
  return found.includes(undefined) ? "buffer_gone" : "active";
}

function isDisconnected(reader: Reader, id: string): boolean {
  return (reader.session(id)?.state ?? "disconnected") === "disconnected";
}
