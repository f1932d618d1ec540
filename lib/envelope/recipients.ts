/**
 * Whether an envelope is meant for an agent, by its nick and its role.
 *
 * Spec: message types, "Group addressing".
 *
 * @module
 */

import type { Envelope } from "./envelope.ts";

/** Roles an agent registers as, by the token that addresses them all. */
export const ROLE_TOKENS = {
  "@workers": "worker",
  "@operators": "operator",
  "@orchestrators": "orchestrator",
  "@observers": "observer",
} as const;

/** What an agent says it is. */
export type Role = typeof ROLE_TOKENS[keyof typeof ROLE_TOKENS];

/** All roles. */
export const ROLES: readonly Role[] = Object.values(ROLE_TOKENS);

/** An agent as recipients are matched. */
export interface Recipient {
  readonly nick: string;
  /** Absent for one that is registered as nothing. */
  readonly role?: Role;
}

const NICK_PREFIX = /^@(.*-)\*$/s;

/** Whether any token of `to` matches the agent, or there is none. */
export function matchesRecipient(
  envelope: Envelope,
  agent: Recipient,
): boolean {
  const { to } = envelope;
  return to === undefined || to.some((token) => matchesToken(token, agent));
}

function matchesToken(token: string, agent: Recipient): boolean {
  if (token === "@all") return true;
  if (Object.hasOwn(ROLE_TOKENS, token)) {
    return ROLE_TOKENS[token as keyof typeof ROLE_TOKENS] === agent.role;
  }
  const prefix = NICK_PREFIX.exec(token)?.[1];
  if (prefix !== undefined) return agent.nick.startsWith(prefix);
  return token === agent.nick;
}
