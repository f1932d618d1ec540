/**
 * The slash commands that act on one session: a table of rows with what each
 * needs and a small act. A row is tried only when what it needs is there, so
 * no act checks again. What the server answers comes later, as rows of its
 * buffers: an act ends when its line was written or never will be.
 *
 * Only what a person typed comes here; nothing from IRC ever does.
 *
 * @module
 */

import type { BufferView, SessionView } from "../engine/reader.ts";
import { MASK } from "../redact/masks.ts";
import type { PersonSession, TextKind } from "./person_session.ts";
import { type Answer, done, failed, misused } from "./operator.ts";

/** What an act works on. */
export interface SlashContext {
  readonly session: PersonSession;
  /** The buffer that the line is typed into, when one was named. */
  readonly buffer: BufferView | undefined;
  /** What follows the command, trimmed. */
  readonly rest: string;
}

/** One row of the table. */
export interface SlashCommand {
  readonly name: string;
  /** What follows the name, for the help. */
  readonly args: string;
  readonly about: string;
  /** Fewest words after the name. */
  readonly least: number;
  /** Whether the session must be connected. */
  readonly online: boolean;
  readonly run: (context: SlashContext) => Promise<Answer> | Answer;
}

/** RFC 1459 with CR LF taken off: longer is cut by the server. */
const MAX_LINE_BYTES = 510;
/** What every network's CHANTYPES is made of. */
const CHANNEL_PREFIXES = "#&+!";

/** The table. */
export const SLASH_COMMANDS: readonly SlashCommand[] = [
  {
    name: "join",
    args: "#channel[,#channel…] [key[,key…]]",
    about: "join channels",
    least: 1,
    online: true,
    async run({ session, rest }) {
      const [channels, keys] = words(rest, 2);
      const keyList = keys?.split(",") ?? [];
      const names = (channels ?? "").split(",").filter((name) => name !== "");
      for (const [index, name] of names.entries()) {
        const sent = await session.join(name, keyList[index] || undefined);
        if (sent === false) return notSent(session);
      }
      return done(`Joining ${names.join(", ")} on ${session.name}.`);
    },
  },
  {
    name: "part",
    args: "[#channel] [reason]",
    about: "leave a channel; its buffer stays until /close",
    least: 0,
    online: true,
    run: (context) =>
      inChannel(context, "part", async (channel, reason) => {
        const sent = await context.session.part(channel, reason || undefined);
        return sent === false
          ? notSent(context.session)
          : done(`Leaving ${channel} on ${context.session.name}.`);
      }),
  },
  {
    name: "msg",
    args: "target text",
    about: "send a message",
    least: 2,
    online: true,
    run: (context) => sendTo(context, "privmsg"),
  },
  {
    name: "notice",
    args: "target text",
    about: "send a notice",
    least: 2,
    online: true,
    run: (context) => sendTo(context, "notice"),
  },
  {
    name: "me",
    args: "text",
    about: "send an action to the buffer",
    least: 1,
    online: true,
    run: ({ session, buffer, rest }) =>
      sendToBuffer(session, buffer, { kind: "action", text: rest }),
  },
  {
    name: "query",
    args: "nick [text]",
    about: "open a private conversation",
    least: 1,
    online: false,
    async run(context) {
      const [nick = "", text] = words(context.rest, 2);
      await context.session.openQuery(nick);
      if (text === undefined) return done(`Opened the query with ${nick}.`);
      return await send(context.session, nick, { kind: "privmsg", text });
    },
  },
  {
    name: "nick",
    args: "nick",
    about: "change the nick",
    least: 1,
    online: false,
    async run({ session, rest }) {
      const [nick = ""] = words(rest, 2);
      await session.changeNick(nick);
      return done(`Asking for the nick ${nick} on ${session.name}.`);
    },
  },
  {
    name: "away",
    args: "[message]",
    about: "be away; without a message, be back",
    least: 0,
    online: true,
    run: ({ session, rest }) =>
      quote(session, rest === "" ? "AWAY" : `AWAY :${rest}`),
  },
  {
    name: "topic",
    args: "[#channel] [text]",
    about: "set the topic, or ask for it",
    least: 0,
    online: true,
    run: (context) =>
      inChannel(context, "topic", (channel, text) =>
        quote(
          context.session,
          text === "" ? `TOPIC ${channel}` : `TOPIC ${channel} :${text}`,
        )),
  },
  {
    name: "kick",
    args: "[#channel] nick [reason]",
    about: "remove someone from a channel",
    least: 1,
    online: true,
    run: (context) =>
      inChannel(context, "kick", (channel, rest) => {
        const [nick, reason] = words(rest, 2);
        if (nick === undefined) return usageOf("kick");
        return quote(
          context.session,
          `KICK ${channel} ${nick}${reason === undefined ? "" : ` :${reason}`}`,
        );
      }),
  },
  {
    name: "invite",
    args: "nick [#channel]",
    about: "invite someone to a channel",
    least: 1,
    online: true,
    run({ session, buffer, rest }) {
      const [nick, channel = channelOf(buffer)] = words(rest, 2);
      if (nick === undefined || channel === undefined) {
        return usageOf("invite");
      }
      return quote(session, `INVITE ${nick} ${channel}`);
    },
  },
  {
    name: "mode",
    args: "[target] [modes]",
    about: "change or ask for modes",
    least: 0,
    online: true,
    run({ session, buffer, rest }) {
      const named = rest !== "" && !/^[+-]/.test(rest);
      const target = channelOf(buffer) ?? session.nick;
      return quote(
        session,
        `MODE ${named ? rest : `${target} ${rest}`.trim()}`,
      );
    },
  },
  {
    name: "whois",
    args: "nick",
    about: "ask who someone is",
    least: 1,
    online: true,
    run: ({ session, rest }) => quote(session, `WHOIS ${rest}`),
  },
  {
    name: "oper",
    args: "name password",
    about: "become an operator; shown masked",
    least: 2,
    online: true,
    async run({ session, rest }) {
      const [name = "", password = ""] = words(rest, 2);
      const line = `OPER ${name} ${password}`;
      const shown = `OPER ${name} ${MASK}`;
      const sent = await (session.sendMasked?.(line, shown) ??
        session.quote(line));
      return sent ? done(shown) : notSent(session);
    },
  },
  {
    name: "smsg",
    args: "target text",
    about: "send a message that is shown masked",
    least: 2,
    online: true,
    async run({ session, rest }) {
      const [target = "", text = ""] = words(rest, 2);
      if (session.sendMasked === undefined) {
        return failed("Nothing was sent: this connection cannot mask a text.");
      }
      const line = `PRIVMSG ${target} :${text}`;
      if (isTooLong(line)) return tooLong();
      const shown = `PRIVMSG ${target} :${MASK}`;
      const sent = await session.sendMasked(line, shown);
      return sent ? done(shown) : notSent(session);
    },
  },
  {
    name: "quote",
    args: "line",
    about: "send a line as it is",
    least: 1,
    online: true,
    run: ({ session, rest }) => quote(session, rest),
  },
  {
    name: "close",
    args: "[buffer]",
    about: "close a buffer",
    least: 0,
    online: false,
    async run({ session, buffer, rest }) {
      const named = rest === "" ? buffer : findBuffer(session, rest);
      if (named === undefined) {
        return rest === "" ? needsBuffer() : noBuffer(session, rest);
      }
      if (named.kind === "server") {
        return failed("The server buffer cannot be closed.");
      }
      await session.closeBuffer(named.id);
      return done(`Closed ${named.name} on ${session.name}.`);
    },
  },
  {
    name: "disconnect",
    args: "[reason]",
    about: "disconnect the session, and stay so",
    least: 0,
    online: false,
    async run({ session, rest }) {
      await session.disconnect(rest);
      return done(`Disconnected ${session.name}.`);
    },
  },
];

/** Runs a row when the words and the connection it needs are there. */
export async function runSlashCommand(
  command: SlashCommand,
  context: SlashContext,
): Promise<Answer> {
  const count = context.rest === "" ? 0 : context.rest.split(/ +/).length;
  if (count < command.least) return usageOf(command.name);
  if (command.online && context.session.state !== "connected") {
    return notSent(context.session);
  }
  return await command.run(context);
}

/** Sends what was typed without a slash. */
export async function sendTyped(
  session: PersonSession,
  buffer: BufferView | undefined,
  text: string,
): Promise<Answer> {
  if (session.state !== "connected") return notSent(session);
  return await sendToBuffer(session, buffer, { kind: "privmsg", text });
}

/** The listed buffer called `name`, as the session's server compares names. */
export function findBuffer(
  session: SessionView,
  name: string,
): BufferView | undefined {
  const buffers = session.buffers();
  return buffers.find((buffer) => buffer.name === name) ??
    buffers.find((buffer) => buffer.id === name.toUpperCase()) ??
    buffers.find((buffer) => buffer.name.toLowerCase() === name.toLowerCase());
}

/** The answer when a session has no such buffer. */
export function noBuffer(session: SessionView, name: string): Answer {
  return failed(
    `No buffer "${name}" on ${session.name}: /join it, or open it with /query.`,
  );
}

/** The answer when a command's words are not right. */
export function usageOf(name: string): Answer {
  const command = SLASH_COMMANDS.find((row) => row.name === name);
  return misused(`Usage: /${name} ${command?.args ?? ""}`.trimEnd());
}

interface Text {
  readonly kind: TextKind;
  readonly text: string;
}

async function send(
  session: PersonSession,
  target: string,
  { kind, text }: Text,
): Promise<Answer> {
  if (session.state !== "connected") return notSent(session);
  const sent = await session.sendText(target, kind, text);
  return sent ? done(`Sent to ${target}.`) : notSent(session);
}

function sendTo({ session, rest }: SlashContext, kind: TextKind) {
  const [target = "", text = ""] = words(rest, 2);
  return send(session, target, { kind, text });
}

async function sendToBuffer(
  session: PersonSession,
  buffer: BufferView | undefined,
  text: Text,
): Promise<Answer> {
  if (buffer === undefined) return needsBuffer();
  if (buffer.kind === "server") {
    return failed(
      "The server buffer takes commands only: /msg, /join, /quote.",
    );
  }
  return await send(session, buffer.name, text);
}

async function quote(session: PersonSession, line: string): Promise<Answer> {
  if (isTooLong(line)) return tooLong();
  return await session.quote(line)
    ? done(`Sent on ${session.name}.`)
    : notSent(session);
}

function isTooLong(line: string): boolean {
  return new TextEncoder().encode(line).length > MAX_LINE_BYTES;
}

function tooLong(): Answer {
  return failed(`The line is over ${MAX_LINE_BYTES} bytes, nothing was sent.`);
}

/** Splits off a leading channel name, or takes the buffer's. */
async function inChannel(
  { buffer, rest }: SlashContext,
  name: string,
  act: (channel: string, rest: string) => Promise<Answer> | Answer,
): Promise<Answer> {
  const [first = "", others = ""] = words(rest, 2);
  if (first !== "" && CHANNEL_PREFIXES.includes(first.charAt(0))) {
    return await act(first, others);
  }
  const channel = channelOf(buffer);
  return channel === undefined ? usageOf(name) : await act(channel, rest);
}

function channelOf(buffer: BufferView | undefined): string | undefined {
  return buffer?.kind === "channel" ? buffer.name : undefined;
}

function needsBuffer(): Answer {
  return failed("Say into which buffer with --buffer NAME, such as '#rete'.");
}

function notSent(session: PersonSession): Answer {
  if (session.state === "connected") {
    return failed(`Nothing was sent: ${session.name} did not take the line.`);
  }
  const why = session.lastError === "" ? "" : ` (${session.lastError})`;
  return failed(
    `Nothing was sent: ${session.name} is ${session.state}${why}.`,
  );
}

/** The first `count - 1` words, and the rest as it is; absent ones left out. */
function words(text: string, count: number): string[] {
  const found: string[] = [];
  let rest = text.trim();
  while (rest !== "" && found.length < count - 1) {
    const cut = rest.indexOf(" ");
    found.push(cut < 0 ? rest : rest.slice(0, cut));
    rest = cut < 0 ? "" : rest.slice(cut).trimStart();
  }
  if (rest !== "") found.push(rest);
  return found;
}
