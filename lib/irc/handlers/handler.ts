/**
 * The shape of a row of the handler table: what one command or numeric does to a
 * session. A line with fewer parameters than the row asks for never reaches its
 * handler, so that no handler checks for them again.
 *
 * @module
 */

import type { Line } from "../line.ts";
import type { SessionState } from "../session_state.ts";

/** See the module doc. */
export interface Handler {
  readonly minParams: number;
  readonly run: (state: SessionState, line: Line) => void;
}

/** Handlers by command or numeric. */
export type HandlerTable = Readonly<Record<string, Handler>>;

/** Parameter `at`, `""` when the line has fewer. */
export function param(line: Line, at: number): string {
  return line.params[at] ?? "";
}

/** Parameter `at` as an optional field: absent or empty is none. */
export function optional<Name extends string>(
  name: Name,
  value: string | undefined,
): { readonly [key in Name]?: string } {
  if (value === undefined || value === "") return {};
  return { [name]: value } as { readonly [key in Name]?: string };
}
