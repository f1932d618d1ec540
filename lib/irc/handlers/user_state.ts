/**
 * What users are: away, account, host and real name, told live by the server and
 * in replies to WHO. A change makes one row in the server buffer and updates the
 * user in every channel; a reply to our own WHO makes none.
 *
 * @module
 */

import { detach } from "../../buffers/interner.ts";
import type { Payload } from "../../buffers/message.ts";
import type { Line } from "../line.ts";
import type { SessionState } from "../session_state.ts";
import type { User } from "../users.ts";
import { WHOX_TOKEN } from "../whox.ts";
import { type HandlerTable, param } from "./handler.ts";
import { numeric } from "./server_text.ts";

export const USER_STATE_HANDLERS: HandlerTable = {
  AWAY: { minParams: 0, run: away },
  ACCOUNT: { minParams: 1, run: account },
  CHGHOST: { minParams: 2, run: hostChanged },
  SETNAME: { minParams: 1, run: realnameChanged },
  "352": { minParams: 7, run: whoReply },
  "354": { minParams: 2, run: whoxReply },
  "315": { minParams: 2, run: endOfWho },
};

function away(state: SessionState, line: Line): void {
  const message = detach(param(line, 0));
  const payload: Payload = message === ""
    ? { caseName: "awayChanged", away: false }
    : { caseName: "awayChanged", away: true, message };
  change(state, line, { payload, apply: (user) => user.away = message !== "" });
}

function account(state: SessionState, line: Line): void {
  const name = param(line, 0) === "*"
    ? ""
    : state.interner.intern(param(line, 0));
  const payload: Payload = { caseName: "accountChanged", account: name };
  change(state, line, { payload, apply: (user) => user.account = name });
}

function hostChanged(state: SessionState, line: Line): void {
  const user = state.interner.intern(param(line, 0));
  const host = state.interner.intern(param(line, 1));
  const payload: Payload = { caseName: "hostChanged", user, host };
  const apply = (known: User) => {
    known.user = user;
    known.host = host;
  };
  change(state, line, { payload, apply });
}

function realnameChanged(state: SessionState, line: Line): void {
  const realname = state.interner.intern(param(line, 0));
  const payload: Payload = { caseName: "realnameChanged", realname };
  change(state, line, { payload, apply: (user) => user.realname = realname });
}

function change(
  state: SessionState,
  line: Line,
  { payload, apply }: { payload: Payload; apply: (user: User) => void },
): void {
  if (line.from === "") return;
  const user = state.users.get(line.from);
  if (user !== undefined && line.replay === undefined) apply(user);
  state.add(state.buffers.server, line, payload);
}

// 352 <me> <channel> <user> <host> <server> <nick> <flags> :<hops> <realname>
function whoReply(state: SessionState, line: Line): void {
  const nick = param(line, 5);
  learn(state, nick, {
    user: param(line, 2),
    host: param(line, 3),
    flags: param(line, 6),
  });
  if (!state.whox.ownsReply(param(line, 1))) numeric(state, line);
}

// 354 <me> <token> <channel> <user> <host> <nick> <flags> <account> :<realname>
function whoxReply(state: SessionState, line: Line): void {
  if (param(line, 1) !== WHOX_TOKEN || line.params.length < 8) {
    numeric(state, line);
    return;
  }
  const name = param(line, 7);
  learn(state, param(line, 5), {
    user: param(line, 3),
    host: param(line, 4),
    flags: param(line, 6),
    account: name === "0" || name === "*" ? "" : name,
    realname: param(line, 8),
  });
}

interface WhoFacts {
  readonly user: string;
  readonly host: string;
  readonly flags: string;
  readonly account?: string;
  readonly realname?: string;
}

function learn(state: SessionState, nick: string, facts: WhoFacts): void {
  const known = state.users.get(nick);
  if (known === undefined) return;
  const { interner } = state;
  if (facts.user !== "") known.user = interner.intern(facts.user);
  if (facts.host !== "") known.host = interner.intern(facts.host);
  known.away = facts.flags.startsWith("G");
  if (facts.account !== undefined) {
    known.account = interner.intern(facts.account);
  }
  if (facts.realname !== undefined) {
    known.realname = interner.intern(facts.realname);
  }
}

function endOfWho(state: SessionState, line: Line): void {
  if (!state.whox.ended(param(line, 1))) numeric(state, line);
}
