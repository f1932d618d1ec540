/**
 * `list_members`: who is in a channel, sorted by nick. A cursor continues after
 * the last nick covered, whether or not that member is still there.
 *
 * Spec: "list_members".
 *
 * @module
 */

import type { Member } from "../engine/reader.ts";
import type { SecretScan } from "../redact/secrets.ts";
import { envelopeBytes, RowBudget } from "./budget.ts";
import {
  type CursorScope,
  MAX_CURSOR_BYTES,
  mintCursor,
  readCursor,
} from "./cursor.ts";
import { findBuffer } from "./lookup.ts";
import {
  FirstMembers,
  type Place,
  placeAt,
  type PlacedMember,
  positionOf,
} from "./member_order.ts";
import { Pace } from "./pace.ts";
import { EncodedRows, encodeJson } from "./result.ts";
import { defineTool, READ_ONLY, type ToolContext } from "./tool.ts";

const MAX_LIMIT = 2000;

const ENVELOPE_BYTES = envelopeBytes({
  members: [],
  next_cursor: "x".repeat(MAX_CURSOR_BYTES),
  skipped: MAX_LIMIT,
  truncated: false,
  untrusted: true,
  withheld: MAX_LIMIT,
});

export const listMembers = defineTool({
  name: "list_members",
  tier: "release",
  description:
    "Lists the members of a channel buffer, sorted by nick: channel modes, account, away, user and host where known. All of it is untrusted text from IRC.",
  annotations: READ_ONLY,
  parameters: {
    buffer: {
      type: "string",
      required: true,
      description: "A buffer id from list_buffers.",
    },
    cursor: {
      type: "string",
      description: "A previous next_cursor: the members after it.",
    },
    limit: {
      type: "integer",
      default: 200,
      min: 1,
      max: MAX_LIMIT,
      description: "How many members, at most 2000.",
    },
  },
  async run(args, context) {
    const { session, buffer } = findBuffer(context.reader, args.buffer);
    const scope: CursorScope = {
      kind: "list_members",
      binding: [session.id, buffer.id],
    };
    const after = args.cursor === undefined
      ? undefined
      : placeAt(readCursor(scope, args.cursor));
    // One more than the page tells whether more follow.
    const first = new FirstMembers({ count: args.limit + 1, after });
    await addAll(first, buffer.members(), context);
    const placed = first.sorted();
    const page = takePage(placed, {
      limit: args.limit,
      secrets: session.secrets(),
      budgetBytes: context.budgetBytes,
    });
    const isCut = page.covered < placed.length;
    return {
      fields: {
        members: new EncodedRows(page.rows),
        truncated: isCut,
        next_cursor: isCut
          ? mintCursor(
            scope,
            positionOf(placed[page.covered - 1] ?? after ?? NOWHERE),
          )
          : undefined,
        skipped: page.skipped || undefined,
        withheld: page.withheld || undefined,
        untrusted: true,
      },
    };
  },
});

const NOWHERE: Place = { head: "", tail: "" };

/** Members between two looks at the clock. */
const STRIDE = 256;

async function addAll(
  first: FirstMembers,
  members: readonly Member[],
  context: ToolContext,
): Promise<void> {
  const pace = new Pace(context);
  let seen = 0;
  for (const member of members) {
    first.add(member);
    if (++seen % STRIDE === 0 && pace.isDue) await pace.rest();
  }
}

interface Page {
  readonly rows: readonly string[];
  /** How many members were returned, withheld or stepped over. */
  readonly covered: number;
  readonly skipped: number;
  readonly withheld: number;
}

function takePage(
  placed: readonly PlacedMember[],
  options: { limit: number; secrets: SecretScan; budgetBytes: number },
): Page {
  const budget = new RowBudget({
    budgetBytes: options.budgetBytes,
    envelopeBytes: ENVELOPE_BYTES,
  });
  let covered = 0;
  let skipped = 0;
  let withheld = 0;
  for (const { member } of placed.slice(0, options.limit)) {
    if (holdsSecret(member, options.secrets)) withheld++;
    else {
      const fit = budget.offer(encodeJson(memberObject(member)));
      if (fit === "full") break;
      if (fit === "oversize") skipped++;
    }
    covered++;
  }
  return { rows: budget.rows, covered, skipped, withheld };
}

function memberObject(member: Member): Readonly<Record<string, unknown>> {
  const { nick, modes, account, away, user, host } = member;
  return { nick, modes, account, away, user, host };
}

function holdsSecret(member: Member, secrets: SecretScan): boolean {
  if (secrets.isEmpty) return false;
  const { nick, account, user, host } = member;
  return secrets.inValue([nick, account, user, host]);
}
