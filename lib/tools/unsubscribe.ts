/**
 * `unsubscribe`: removes one subscription and all that its inbox held.
 *
 * Spec: "unsubscribe".
 *
 * @module
 */

import { failure } from "./failures.ts";
import { defineTool } from "./tool.ts";

export const unsubscribe = defineTool({
  name: "unsubscribe",
  tier: "release",
  description:
    "Removes a subscription and everything its inbox still holds. Any client may remove any subscription.",
  annotations: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
  },
  parameters: {
    id: {
      type: "string",
      required: true,
      description: "A subscription id.",
    },
  },
  run({ id }, { updates }) {
    updates.subscriptions.sweep();
    if (!updates.subscriptions.remove(id)) throw failure("unknownSubscription");
    return { fields: { unsubscribed: id } };
  },
});
