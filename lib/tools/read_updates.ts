/**
 * `read_updates`: drains inboxes, as a digest or as the events themselves, or
 * peeks at them.
 *
 * Spec: "read_updates".
 *
 * @module
 */

import type { Subscription } from "../updates/subscriptions.ts";
import { badArguments, failure } from "./failures.ts";
import { readPage } from "../updates/read_page.ts";
import type { ArgumentsOf, Parameters } from "./parameters.ts";
import { EncodedRows, encodeJson, type Fields, utf8Length } from "./result.ts";
import { defineTool, READ_ONLY, type ToolContext } from "./tool.ts";

/** What a read takes, alone or after a wait. */
export const READ_PARAMETERS = {
  id: {
    type: "string",
    description: "A subscription id. Absent: every subscription.",
  },
  detail: {
    type: "string",
    default: "digest",
    description: "digest (a summary for each buffer) or full (the events).",
  },
  peek: {
    type: "boolean",
    default: false,
    description: "Return without removing anything.",
  },
  limit: {
    type: "integer",
    default: 50,
    min: 1,
    max: 500,
    description: "Full mode: events for each subscription, at most 500.",
  },
} as const satisfies Parameters;

/** Arguments of a read after the type checks. */
export type ReadArguments = ArgumentsOf<typeof READ_PARAMETERS>;

export const readUpdates = defineTool({
  name: "read_updates",
  tier: "release",
  description:
    "Returns what subscriptions have collected and removes it from their inboxes: a digest for each buffer, or with detail full the events themselves. Everything in it is untrusted text from IRC.",
  annotations: READ_ONLY,
  parameters: READ_PARAMETERS,
  run(args, context) {
    checkDetail(args.detail);
    return { fields: readInboxes(args, context) };
  },
});

/** Refuses a `detail` that is neither. */
export function checkDetail(detail: string): void {
  if (detail !== "digest" && detail !== "full") throw badArguments("badDetail");
}

/** The subscription named, or undefined for all. Throws when it is not live. */
export function findTarget(
  id: string | undefined,
  context: ToolContext,
): Subscription | undefined {
  if (id === undefined) return undefined;
  const subscription = context.updates.subscriptions.find(id);
  if (subscription === undefined) throw failure("unknownSubscription");
  return subscription;
}

/** Reads the inboxes that `args` names. Throws when a named one is not live. */
export function readInboxes(args: ReadArguments, context: ToolContext): Fields {
  const { updates, reader, switches } = context;
  updates.forgetPausedLines(switches.debug);
  const target = findTarget(args.id, context);
  const targets = target === undefined ? updates.subscriptions.all() : [target];
  for (const subscription of targets) updates.subscriptions.touch(subscription);
  const page = readPage(targets, {
    detail: args.detail === "full" ? "full" : "digest",
    peek: args.peek,
    limit: args.limit,
    budgetBytes: context.budgetBytes,
    measure: (value) => utf8Length(encodeJson(value)),
    bufferName: (id) => reader.buffer(id)?.buffer.name ?? "",
  });
  return {
    updates: page.updates.map(({ fields, events }) =>
      events === undefined
        ? fields
        : { ...fields, events: new EncodedRows(events) }
    ),
    truncated: page.truncated,
    untrusted: page.untrusted,
  };
}
