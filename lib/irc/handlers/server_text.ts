/**
 * Lines that are text for people: numerics, ERROR, standard replies and every
 * command that nothing else knows. Each makes one row in the server buffer, with
 * its code and its parameters as the server wrote them.
 *
 * @module
 */

import { detach } from "../../buffers/interner.ts";
import type { Line } from "../line.ts";
import type { SessionState } from "../session_state.ts";

/** A longer command is noise; what is left of it still tells it apart. */
const MAX_CODE = 32;

/** A row for a numeric: its first parameter, our nick, is left out. */
export function numeric(state: SessionState, line: Line): void {
  const { params } = line;
  const first = params[0] ?? "";
  const isAddressed = first === "*" || state.isOwn(first) || params.length > 1;
  addText(state, line, isAddressed ? params.slice(1) : params, "");
}

/** A row for any other command. */
export function otherText(state: SessionState, line: Line): void {
  addText(state, line, line.params, line.message.nick);
}

function addText(
  state: SessionState,
  line: Line,
  params: readonly string[],
  from: string,
): void {
  const code = state.interner.intern(line.command.slice(0, MAX_CODE));
  const text = detach(params.join(" "));
  state.addServerText(line, code, text, from === "" ? "" : line.from);
}
