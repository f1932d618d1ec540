/**
 * Sends a text whole or not at all: on one line when it fits, as one
 * draft/multiline message where the connection has negotiated that, else not.
 * For texts that are worth nothing in part, as an agent envelope is.
 *
 * @module
 */

import { excessBytes, roomBytes } from "../envelope/fit.ts";
import type { Link } from "./link.ts";
import { MULTILINE, multilineLines, readMultilineLimits } from "./multiline.ts";
import { shownAs, type ShownLines } from "./shown_lines.ts";

/** How it went. */
export type WholeText =
  /** Written to the socket. */
  | { readonly kind: "sent" }
  /** Nothing was written: it is too long by so many bytes. */
  | { readonly kind: "too-long"; readonly excessBytes: number }
  /** The connection did not take it, or ended first. */
  | { readonly kind: "not-sent" };

/** What sending needs of its session. */
export interface WholeTextRoute {
  readonly link: Link;
  readonly shown: ShownLines;
  /** What the server puts before the line: `:nick!user@host `. */
  readonly sourceBytes: number;
  /** Makes the row of a line that was written. */
  record(line: string): void;
}

/** A batch is open for a moment only; more than one at a time is none's. */
const REFERENCE = "whole";

/** The text of a person's PRIVMSG as it may be shown. */
const TYPED = { kind: "origin", origin: "quoted" } as const;

/** Sends `text`, without line breaks, to `target`, a single word. */
export async function sendWhole(
  target: string,
  text: string,
  route: WholeTextRoute,
): Promise<WholeText> {
  const whole = `PRIVMSG ${target} :${text}`;
  const planned = planLines(target, text, route);
  if (planned.lines === undefined) {
    return { kind: "too-long", excessBytes: planned.excessBytes };
  }
  const { link, shown } = route;
  const settled = planned.lines.map((line) => shown.expect(line, TYPED));
  try {
    if (!await link.sendTogether(planned.lines, { pace: "person" })) {
      return { kind: "not-sent" };
    }
    route.record(shownAs(whole, TYPED));
    return { kind: "sent" };
  } finally {
    for (const settle of settled) settle();
  }
}

function planLines(
  target: string,
  text: string,
  { link, sourceBytes }: WholeTextRoute,
) {
  const excess = excessBytes({ target, text, sourceBytes });
  if (excess === 0) return { lines: [`PRIVMSG ${target} :${text}`] };
  const limits = link.capabilities.has(MULTILINE) &&
      link.capabilities.has("batch")
    ? readMultilineLimits(link.availableCapabilities.get(MULTILINE) ?? "")
    : undefined;
  return limits === undefined ? { excessBytes: excess } : multilineLines(text, {
    target,
    reference: REFERENCE,
    roomBytes: roomBytes({ target, sourceBytes }),
    limits,
  });
}
