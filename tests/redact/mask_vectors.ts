/**
 * Lines with the form they may be shown in, one row or more for each rule of
 * the contract. The mutation test takes single rules away and looks for a row
 * here that notices, so a rule without a row of its own fails there.
 *
 * @module
 */

import type { LineOrigin } from "../../lib/redact/masks.ts";

export interface MaskVector {
  readonly origin: LineOrigin;
  readonly line: string;
  readonly shown: string;
}

/** Lines that hold a credential. */
export const MASKED: readonly MaskVector[] = [
  // PASS
  vector("client", "PASS hunter2", "PASS :********"),
  vector("client", "PASS :a b", "PASS :********"),
  vector("client", "pass hunter2", "PASS :********"),
  vector("agent", "PASS :a b", "PASS :********"),
  vector("agent", "@a=b :me PaSs hunter2", ":me PASS :********"),
  vector("agent", "  PASS   hunter2", "PASS :********"),
  vector("agent", ": PASS hunter2", ": PASS :********"),
  vector("agent", "PASS", "PASS :********"),
  // OPER
  vector("client", "OPER me pw", "OPER me ********"),
  vector("agent", "OPER me pw", "OPER me ********"),
  vector("agent", "oper me :p w", "OPER me ********"),
  vector("agent", "OPER me pw more", "OPER me ********"),
  vector("agent", "OPER pw", "OPER ********"),
  vector("agent", "OPER :me pw", "OPER ********"),
  vector("agent", "@+x=y OPER me pw", "OPER me ********"),
  // AUTHENTICATE
  vector("client", "AUTHENTICATE aGk=", "AUTHENTICATE ********"),
  vector("client", "AUTHENTICATE :aGk=", "AUTHENTICATE ********"),
  vector("client", "AUTHENTICATE PLAIN aGk=", "AUTHENTICATE ********"),
  vector("client", "authenticate plain", "AUTHENTICATE ********"),
  vector("client", "AUTHENTICATE", "AUTHENTICATE ********"),
  vector("agent", "AUTHENTICATE aGk=", "AUTHENTICATE ********"),
  vector("agent", "AUTHENTICATE PLAIN", "AUTHENTICATE ********"),
  vector("agent", "AUTHENTICATE +", "AUTHENTICATE ********"),
  vector("agent", "AUTHENTICATE *", "AUTHENTICATE ********"),
  // NickServ, verb by verb
  ...everyOrigin(
    "PRIVMSG NickServ :IDENTIFY hunter2",
    "PRIVMSG NickServ :IDENTIFY ********",
  ),
  ...everyOrigin(
    "PRIVMSG NickServ :IDENTIFY alice hunter2",
    "PRIVMSG NickServ :IDENTIFY ********",
  ),
  ...everyOrigin(
    "PRIVMSG NickServ :ID alice hunter2",
    "PRIVMSG NickServ :ID ********",
  ),
  ...everyOrigin(
    "PRIVMSG NickServ :REGISTER hunter2 a@example.net",
    "PRIVMSG NickServ :REGISTER ******** a@example.net",
  ),
  ...everyOrigin(
    "PRIVMSG NickServ :REGISTER hunter2",
    "PRIVMSG NickServ :REGISTER ********",
  ),
  ...everyOrigin(
    "PRIVMSG NickServ :GHOST alice hunter2",
    "PRIVMSG NickServ :GHOST alice ********",
  ),
  ...everyOrigin(
    "PRIVMSG NickServ :RECOVER alice hunter2",
    "PRIVMSG NickServ :RECOVER alice ********",
  ),
  ...everyOrigin(
    "PRIVMSG NickServ :SET PASSWORD hunter2",
    "PRIVMSG NickServ :SET PASSWORD ********",
  ),
  ...everyOrigin(
    "PRIVMSG NickServ :GROUP alice hunter2",
    "PRIVMSG NickServ :GROUP alice ********",
  ),
  ...everyOrigin(
    "PRIVMSG NickServ :DROP alice hunter2",
    "PRIVMSG NickServ :DROP alice ********",
  ),
  // The other services
  ...everyOrigin(
    "PRIVMSG X@channels.undernet.org :LOGIN alice hunter2",
    "PRIVMSG X@channels.undernet.org :LOGIN alice ********",
  ),
  ...everyOrigin(
    "PRIVMSG Q@CServe.quakenet.org :AUTH alice hunter2",
    "PRIVMSG Q@CServe.quakenet.org :AUTH alice ********",
  ),
  ...everyOrigin(
    "PRIVMSG AuthServ :AUTH alice hunter2",
    "PRIVMSG AuthServ :AUTH alice ********",
  ),
  vector(
    "agent",
    "privmsg q@cserve.QUAKENET.org :auth alice hunter2 rest",
    "privmsg q@cserve.QUAKENET.org :auth alice ******** rest",
  ),
  // Commands that carry it
  ...everyOrigin(
    "NOTICE NickServ :IDENTIFY hunter2",
    "NOTICE NickServ :IDENTIFY ********",
  ),
  ...everyOrigin(
    "SQUERY NickServ :IDENTIFY hunter2",
    "SQUERY NickServ :IDENTIFY ********",
  ),
  // Spellings
  vector(
    "agent",
    "privmsg NickServ :identify acct pw",
    "privmsg NickServ :identify ********",
  ),
  vector(
    "agent",
    "PRIVMSG nickserv,#x : IDENTIFY pw",
    "PRIVMSG nickserv,#x : IDENTIFY ********",
  ),
  vector(
    "agent",
    "PRIVMSG #x,alice,NickServ :IDENTIFY pw",
    "PRIVMSG #x,alice,NickServ :IDENTIFY ********",
  ),
  vector(
    "agent",
    "PRIVMSG #x,AuthServ,NickServ :AUTH alice pw",
    "PRIVMSG #x,AuthServ,NickServ :AUTH alice ********",
  ),
  vector(
    "agent",
    "PRIVMSG NickServ IDENTIFY pw",
    "PRIVMSG NickServ IDENTIFY ********",
  ),
  vector(
    "agent",
    "PRIVMSG NickServ IDENTIFY :p w",
    "PRIVMSG NickServ IDENTIFY ********",
  ),
  vector(
    "agent",
    "PRIVMSG  NickServ   :IDENTIFY   a   pw ",
    "PRIVMSG  NickServ   :IDENTIFY   ********",
  ),
  vector(
    "agent",
    "@a=b;c=d :me!u@h PRIVMSG NickServ :IDENTIFY pw",
    ":me!u@h PRIVMSG NickServ :IDENTIFY ********",
  ),
  vector(
    "server",
    "@time=2026-09-30T12:00:00Z :me!u@h PRIVMSG NickServ :IDENTIFY pw",
    ":me!u@h PRIVMSG NickServ :IDENTIFY ********",
  ),
  vector(
    "agent",
    "@a=b PRIVMSG NickServ :IDENTIFY pw",
    "PRIVMSG NickServ :IDENTIFY ********",
  ),
  vector(
    "agent",
    "PRIVMSG NickServ :set Password new pass",
    "PRIVMSG NickServ :set Password ********",
  ),
  // Aliases
  ...everyOrigin("NS IDENTIFY hunter2", "NS IDENTIFY ********"),
  ...everyOrigin("NICKSERV IDENTIFY hunter2", "NICKSERV IDENTIFY ********"),
  ...everyOrigin("CS IDENTIFY #x hunter2", "CS IDENTIFY ********"),
  ...everyOrigin("CHANSERV IDENTIFY #x pw", "CHANSERV IDENTIFY ********"),
  vector(
    "agent",
    "NICKSERV SET PASSWORD pw",
    "NICKSERV SET PASSWORD ********",
  ),
  vector("agent", "@a=b :me NS IDENTIFY pw", ":me NS IDENTIFY ********"),
  vector("agent", "ns :identify pw", "ns :identify ********"),
  vector("agent", "NS IDENTIFY :p w", "NS IDENTIFY ********"),
  vector("agent", "NS GHOST alice :p w", "NS GHOST alice ********"),
  vector("agent", "CS DROP #x pw", "CS DROP #x ********"),
];

/** Lines that hold nothing the table knows. */
export const UNMASKED: readonly MaskVector[] = [
  ...same("server", [
    "",
    "   ",
    ":irc.example.net 001 me :Welcome",
    "@only-tags",
    ":only.source",
    "PING :pass",
    ":alice!a@h PRIVMSG #rete :PASS hunter2",
    ":alice!a@h PRIVMSG me :IDENTIFY hunter2",
    ":alice!a@h NOTICE * :OPER me pw",
    "AUTHENTICATE aGk=",
    "PASS hunter2",
    "OPER me pw",
    ":alice!a@h PRIVMSG",
    ":alice!a@h PRIVMSG NickServ",
    ":alice!a@h PRIVMSG NickServ :",
  ]),
  ...same("client", [
    "AUTHENTICATE PLAIN",
    "AUTHENTICATE EXTERNAL",
    "AUTHENTICATE SCRAM-SHA-256",
    "AUTHENTICATE +",
    "AUTHENTICATE *",
    "NICK pass",
    "PASSWORD x",
    "OPERWALL :hello",
    "JOIN #x hunter2",
  ]),
  ...same("quoted", [
    "PASS hunter2",
    "OPER me pw",
    "AUTHENTICATE aGk=",
    "JOIN #channel :key",
  ]),
  ...same("agent", [
    "JOIN #channel key",
    "PRIVMSG NickServ IDENTIFY",
    "PRIVMSG NickServ :IDENTIFY",
    "PRIVMSG NickServ :IDENTIFY  ",
    "PRIVMSG NickServ :HELP IDENTIFY",
    "PRIVMSG NickServ :SET EMAIL a@example.net",
    "PRIVMSG NickServ :SET PASSWORD",
    "PRIVMSG NickServ :GROUP",
    "PRIVMSG NickServ :GROUP alice",
    "PRIVMSG NickServ :DROP alice",
    "PRIVMSG NickServ :GHOST alice",
    "PRIVMSG NickServ :REGISTER",
    "PRIVMSG NickServ :AUTH alice hunter2",
    "PRIVMSG AuthServ :IDENTIFY hunter2",
    "PRIVMSG X@channels.undernet.org :AUTH alice hunter2",
    "PRIVMSG Q@CServe.quakenet.org :LOGIN alice hunter2",
    "PRIVMSG X :LOGIN alice hunter2",
    "PRIVMSG ChanServ :IDENTIFY #x hunter2",
    "PRIVMSG #NickServ :IDENTIFY hunter2",
    "PRIVMSG Nick\u017ferv :IDENTIFY hunter2",
    "TAGMSG NickServ",
    "NS HELP",
    "NS",
    "MS IDENTIFY hunter2",
    "@tag=PASS PRIVMSG #x :hello",
  ]),
];

function vector(origin: LineOrigin, line: string, shown: string): MaskVector {
  return { origin, line, shown };
}

// A service login is one whoever sent it.
function everyOrigin(line: string, shown: string): MaskVector[] {
  const origins = ["server", "client", "quoted", "agent"] as const;
  return origins.map((origin) => ({ origin, line, shown }));
}

function same(origin: LineOrigin, lines: readonly string[]): MaskVector[] {
  return lines.map((line) => ({ origin, line, shown: line }));
}
