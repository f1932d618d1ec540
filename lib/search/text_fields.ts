/**
 * The fields of a row that a text search looks at: what somebody wrote, or the
 * names and modes that are what the row says. The sender is not among them:
 * whoever searches adds `from` where the contract says so. Rendered text is
 * never made, and a raw line has no searchable field.
 *
 * The contract names the text, reasons, the kick victim, a new nick, a topic
 * and mode strings, "and so on". Taken as that: real names, away texts, an
 * account or host where the row is about it, the nick and channel of an invite,
 * and a CTCP command. Left out: what repeats the sender or the buffer's name
 * (`target`, the nick of a join, part or quit), the tags on every line
 * (`account`, `envelope`), a join's address, a numeric's code.
 *
 * Spec: "search_messages", and subscribe's `match` and `mentions`.
 *
 * @module
 */

import type { Message, Payload } from "../buffers/message.ts";

/** The text-bearing fields of `message`, the absent ones left out. */
export function textFields(message: Pick<Message, "payload">): string[] {
  const fields: string[] = [];
  for (const field of fieldsOf(message.payload)) {
    if (field !== undefined) fields.push(field);
  }
  return fields;
}

function fieldsOf(payload: Payload): readonly (string | undefined)[] {
  switch (payload.caseName) {
    case "privmsg":
    case "notice":
    case "action":
    case "serverText":
    case "audit":
      return [payload.text];
    case "userJoined":
      return [payload.realname];
    case "userParted":
    case "userQuit":
      return [payload.reason];
    case "userKicked":
      return [payload.victim, payload.reason];
    case "nickChanged":
      return [payload.newNick];
    case "topicChanged":
      return [payload.topic];
    case "modeChanged":
      return [payload.modes, ...payload.params];
    case "invited":
      return [payload.nick, payload.channel];
    case "awayChanged":
      return [payload.message];
    case "hostChanged":
      return [payload.user, payload.host];
    case "accountChanged":
      return [payload.account];
    case "realnameChanged":
      return [payload.realname];
    case "ctcp":
      return [payload.command, payload.text];
    case "rawLine":
      return [];
    default:
      return payload satisfies never;
  }
}
