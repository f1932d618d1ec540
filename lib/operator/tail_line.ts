/**
 * One message as one line for a terminal: when, where, who, what. Formatting
 * codes are left out, and whatever could draw on the terminal or look like a
 * second line comes out as an escape.
 *
 * @module
 */

import type { Message, Payload } from "../buffers/message.ts";
import type { BufferView, SessionView } from "../engine/reader.ts";
import { escapeInvisible, stripFormatting } from "../visible_text.ts";

/** A message and where it stands. */
export interface PlacedMessage {
  readonly session: Pick<SessionView, "name">;
  readonly buffer: Pick<BufferView, "name" | "kind">;
  readonly message: Message;
}

/** The line, without its break. */
export function tailLine({ session, buffer, message }: PlacedMessage): string {
  const time = new Date(message.time).toISOString().replace(/\.\d+Z$/, "Z");
  const place = buffer.kind === "server"
    ? session.name
    : `${session.name} ${buffer.name}`;
  const text = describe(message.from, message.payload);
  return escapeInvisible(stripFormatting(`${time} ${place} ${text}`));
}

function describe(from: string, payload: Payload): string {
  switch (payload.caseName) {
    case "privmsg":
      return `<${from}> ${payload.text}`;
    case "notice":
      return `-${from}- ${payload.text}`;
    case "action":
      return `* ${from} ${payload.text}`;
    case "userJoined":
      return `--> ${payload.nick} joined`;
    case "userParted":
      return `<-- ${payload.nick} left${because(payload.reason)}`;
    case "userQuit":
      return `<-- ${payload.nick} quit${because(payload.reason)}`;
    case "userKicked":
      return `<-- ${from} kicked ${payload.victim}${because(payload.reason)}`;
    case "nickChanged":
      return `--- ${from} is now ${payload.newNick}`;
    case "topicChanged":
      return `--- ${from} set the topic: ${payload.topic}`;
    case "modeChanged":
      return `--- ${from} set ${[payload.modes, ...payload.params].join(" ")}`;
    case "invited":
      return `--- ${from} invited ${payload.nick} to ${payload.channel}`;
    case "awayChanged":
      return `--- ${from} is ${payload.away ? "away" : "back"}` +
        because(payload.message);
    case "hostChanged":
      return `--- ${from} is now ${payload.user}@${payload.host}`;
    case "accountChanged":
      return `--- ${from} is logged in as ${payload.account}`;
    case "realnameChanged":
      return `--- ${from} is now called ${payload.realname}`;
    case "ctcp":
      return `--- ${from} sent CTCP ${payload.command} ${payload.text}`;
    case "serverText":
      return `--- ${payload.text}`;
    case "audit":
      return `--- ${payload.text}`;
    case "rawLine":
      return payload.line;
    default:
      return payload satisfies never;
  }
}

function because(reason: string | undefined): string {
  return reason === undefined || reason === "" ? "" : ` (${reason})`;
}
