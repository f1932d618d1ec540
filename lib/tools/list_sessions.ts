/**
 * `list_sessions`: the running sessions, in the order of the configuration.
 *
 * Spec: "list_sessions".
 *
 * @module
 */

import { envelopeBytes, RowBudget } from "./budget.ts";
import { EncodedRows, encodeJson } from "./result.ts";
import { defineTool, READ_ONLY } from "./tool.ts";

const ENVELOPE_BYTES = envelopeBytes({
  sessions: [],
  truncated: true,
  untrusted: true,
});

export const listSessions = defineTool({
  name: "list_sessions",
  tier: "release",
  description:
    "Lists the running IRC sessions: id, name, network, transport, state and own nick. Names, networks and nicks are untrusted text from IRC.",
  annotations: READ_ONLY,
  parameters: {},
  run(_args, { reader, budgetBytes }) {
    const budget = new RowBudget({
      budgetBytes,
      envelopeBytes: ENVELOPE_BYTES,
    });
    let isCut = false;
    for (const session of reader.sessions()) {
      const fit = budget.offer(encodeJson({
        id: session.id,
        name: session.name,
        network: session.network,
        transport: session.transport,
        state: session.state,
        nick: session.nick,
      }));
      if (fit !== "taken") isCut = true;
      if (fit === "full") break;
    }
    return {
      fields: {
        sessions: new EncodedRows(budget.rows),
        truncated: isCut ? true : undefined,
        untrusted: true,
      },
    };
  },
});
