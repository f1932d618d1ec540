/**
 * `wait_for_updates`: a read that waits for an event first. The place it takes
 * is given back however the wait ends.
 *
 * Spec: "wait_for_updates".
 *
 * @module
 */

import { CallCancelled, failure } from "./failures.ts";
import {
  checkDetail,
  findTarget,
  READ_PARAMETERS,
  readInboxes,
} from "./read_updates.ts";
import { defineTool, READ_ONLY } from "./tool.ts";

/** Seconds, always under the request's own deadline (spec). */
const MAX_TIMEOUT_S = 20;

export const waitForUpdates = defineTool({
  name: "wait_for_updates",
  tier: "release",
  description:
    "Waits up to timeout seconds until a subscription has an event, then answers as read_updates does. timed_out means that nothing came and nothing was read. At most two calls wait at once.",
  annotations: READ_ONLY,
  parameters: {
    ...READ_PARAMETERS,
    timeout: {
      type: "integer",
      default: MAX_TIMEOUT_S,
      min: 1,
      max: MAX_TIMEOUT_S,
      description: "Seconds to wait, 1 to 20.",
    },
  },
  async run(args, context) {
    checkDetail(args.detail);
    const { updates, switches, signal } = context;
    updates.forgetPausedLines(switches.debug);
    const target = findTarget(args.id, context);
    if (updates.waiting.isFull) throw failure("tooManyWaits");
    const targets = target ? [target] : updates.subscriptions.all();
    for (const subscription of targets) {
      updates.subscriptions.touch(subscription);
    }
    context.noteWaiting();
    const outcome = await updates.waiting.wait(target, {
      timeoutMs: args.timeout * 1000,
      signal,
    });
    switch (outcome) {
      case "event":
        return { fields: readInboxes(args, context) };
      case "timeout":
        return { fields: { updates: [], timed_out: true, untrusted: true } };
      case "removed":
        throw failure("unknownSubscription");
      case "cancelled":
        throw new CallCancelled();
      default:
        return outcome satisfies never;
    }
  },
});
