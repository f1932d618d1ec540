/**
 * From a line to its handler, through one table. What no row knows is a numeric
 * or a command of a later day, and becomes text for people.
 *
 * @module
 */

import type { Line } from "../line.ts";
import type { SessionState } from "../session_state.ts";
import { CHANNEL_STATE_HANDLERS } from "./channel_state.ts";
import type { Handler } from "./handler.ts";
import { MEMBERSHIP_HANDLERS } from "./membership.ts";
import { numeric, otherText } from "./server_text.ts";
import { SESSION_WIDE_HANDLERS } from "./session_wide.ts";
import { TEXT_HANDLERS } from "./text.ts";
import { USER_STATE_HANDLERS } from "./user_state.ts";

const HANDLERS: ReadonlyMap<string, Handler> = new Map(
  [
    TEXT_HANDLERS,
    MEMBERSHIP_HANDLERS,
    CHANNEL_STATE_HANDLERS,
    USER_STATE_HANDLERS,
    SESSION_WIDE_HANDLERS,
  ].flatMap((table) => Object.entries(table)),
);

const NUMERIC = /^\d{3}$/;

/** Runs the handler of `line`. A line with too few parameters does nothing. */
export function dispatch(state: SessionState, line: Line): void {
  const handler = HANDLERS.get(line.command);
  if (handler !== undefined) {
    if (line.params.length >= handler.minParams) handler.run(state, line);
  } else if (NUMERIC.test(line.command)) {
    numeric(state, line);
  } else {
    otherText(state, line);
  }
}
