/**
 * Lines that are text for people: numerics, ERROR, standard replies and every
 * command that nothing else knows. Each makes one row in the server buffer, with
 * its code and its parameters as the server wrote them.
 *
 * @module
 */

import { detach } from "../../buffers/interner.ts";
import type { Payload } from "../../buffers/message.ts";
import { masker } from "../../redact/masks.ts";
import type { Line } from "../line.ts";
import type { SessionState } from "../session_state.ts";

/** A longer command is noise; what is left of it still tells it apart. */
const MAX_CODE = 32;

/** A row for a numeric: its first parameter, our nick, is left out. */
export function numeric(state: SessionState, line: Line): void {
  const { params } = line;
  const isAddressed = params.length > 1 || params[0] === "*" ||
    state.isOwn(params[0] ?? "");
  const words = isAddressed ? params.slice(1) : params;
  addText(state, line, { text: words.join(" "), from: "" });
}

/** A row for any other command, from the user who sent it if one did. */
export function otherText(state: SessionState, line: Line): void {
  const from = line.message.nick === "" ? "" : line.from;
  // SQUERY and the services' own commands may come back with a login in them.
  const head = `${line.command} `;
  const shown = masker.line(head + line.params.join(" "), "server");
  addText(state, line, { text: shown.slice(head.length), from });
}

function addText(
  state: SessionState,
  line: Line,
  { text, from }: { text: string; from: string },
): void {
  const payload: Payload = {
    caseName: "serverText",
    code: state.interner.intern(line.command.slice(0, MAX_CODE)),
    text: detach(text),
  };
  state.add(state.buffers.server, line, payload, { from });
}
