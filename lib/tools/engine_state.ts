/**
 * `engine_state`: the inner state of a session, as an index or as sections. An
 * answer in which any section holds a secret is withheld whole, and the log
 * names the section. What does not fit the budget is left out by name.
 *
 * Spec: "engine_state", "Redaction" (on the way out).
 *
 * @module
 */

import {
  type EngineSnapshot,
  isSectionName,
  type SectionName,
  SECTIONS,
} from "../debug/engine_state.ts";
import type { SecretScan } from "../redact/secrets.ts";
import { envelopeBytes, RowBudget } from "./budget.ts";
import { findDebug } from "./debug_lookup.ts";
import { failure, unknownSection } from "./failures.ts";
import { findSession } from "./lookup.ts";
import { Pace } from "./pace.ts";
import {
  EncodedRows,
  encodeJson,
  type Fields,
  isoTime,
  utf8Length,
} from "./result.ts";
import { defineTool, READ_ONLY, type ToolContext } from "./tool.ts";

const INDEX_BYTES = envelopeBytes({
  index: [],
  truncated: true,
  untrusted: true,
});

const ALL_SECTIONS = Object.keys(SECTIONS);

/** Room for everything beside the sections, every name standing twice. */
const SECTIONS_BYTES = envelopeBytes({
  omitted: ALL_SECTIONS,
  sections: {},
  taken_at: { core: isoTime(0), store: isoTime(0) },
  truncated: true,
  unavailable: ALL_SECTIONS,
  untrusted: true,
});

export const engineState = defineTool({
  name: "engine_state",
  tier: "debug",
  description:
    "Debug, unstable. Shows the engine's inner state of a session: without sections an index of them with a number and a line each, else the sections named, all of one instant. Names and summaries are untrusted text from IRC.",
  annotations: READ_ONLY,
  parameters: {
    session: {
      type: "string",
      required: true,
      description: "A session id from list_sessions.",
    },
    sections: {
      type: "strings",
      description: "Section names. Absent or []: the index.",
    },
  },
  async run(args, context) {
    const session = findSession(context.reader, args.session);
    const names = checkNames(args.sections ?? []);
    const snapshot = findDebug(context).snapshot(session.id);
    if (snapshot === undefined) throw failure("unknownSession");
    const secrets = session.secrets();
    return {
      fields: names.length === 0
        ? indexOf(snapshot, secrets, context)
        : await sectionsOf(snapshot, names, secrets, context),
    };
  },
});

function checkNames(names: readonly string[]): readonly SectionName[] {
  return [...new Set(names)].map((name) => {
    if (!isSectionName(name)) throw unknownSection(name);
    return name;
  });
}

function indexOf(
  snapshot: EngineSnapshot,
  secrets: SecretScan,
  context: ToolContext,
): Fields {
  const budget = new RowBudget({
    budgetBytes: context.budgetBytes,
    envelopeBytes: INDEX_BYTES,
  });
  let isCut = false;
  for (const [section, { count, summary }] of snapshot.sections) {
    refuseSecret(section, { count, summary }, secrets, context);
    const row = encodeJson({ section, count, summary });
    if (budget.offer(row) !== "taken") isCut = true;
  }
  return {
    index: new EncodedRows(budget.rows),
    truncated: isCut || undefined,
    untrusted: true,
  };
}

// The snapshot is a copy: a rest between two sections makes them no older.
async function sectionsOf(
  snapshot: EngineSnapshot,
  names: readonly SectionName[],
  secrets: SecretScan,
  context: ToolContext,
): Promise<Fields> {
  const budget = new RowBudget({
    budgetBytes: context.budgetBytes,
    envelopeBytes: SECTIONS_BYTES,
  });
  const sections: Record<string, unknown> = {};
  const omitted: string[] = [];
  const unavailable: string[] = [];
  const pace = new Pace(context);
  for (const name of names) {
    if (pace.isDue) await pace.rest();
    const state = snapshot.sections.get(name)?.state;
    if (state === undefined) {
      unavailable.push(name);
      continue;
    }
    // Before the budget: a section that is left out was asked for too.
    refuseSecret(name, state, secrets, context);
    const bytes = utf8Length(encodeJson({ [name]: state }));
    if (budget.spend(bytes)) sections[name] = state;
    else omitted.push(name);
  }
  const takenAt = isoTime(snapshot.takenAt);
  return {
    sections,
    taken_at: { core: takenAt, store: takenAt },
    untrusted: true,
    truncated: omitted.length > 0 || undefined,
    omitted: omitted.length > 0 ? omitted : undefined,
    unavailable: unavailable.length > 0 ? unavailable : undefined,
  };
}

function refuseSecret(
  section: SectionName,
  state: Fields,
  secrets: SecretScan,
  context: ToolContext,
): void {
  if (!secrets.inValue(state)) return;
  context.log.write(
    "warning",
    "app",
    `engine_state withheld: the section ${section} holds a secret`,
  );
  throw failure("secretDetected");
}
