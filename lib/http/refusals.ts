/**
 * The table of every refusal: its class as the log names it, the status the
 * client sees, and whether the AI access log gets a row. A class without a
 * status is a connection closed unanswered. No row holds anything of the
 * request, so nothing of it can reach a log from here.
 *
 * Spec: "The access gate"; "The AI access log" (which refusals make a row).
 *
 * @module
 */

/** What is fixed about a class of refusals. */
export interface Refusal {
  /** 0 when the connection is closed without an answer. */
  readonly status: number;
  /** Whether it counts as AI access: someone tried to come in. */
  readonly isAccess: boolean;
  /** Header lines beyond those every answer carries. */
  readonly headers: readonly (readonly [string, string])[];
}

const ALLOW_POST = [["Allow", "POST"]] as const;

/** The classes, in the contract's order and words. */
export const REFUSALS = {
  "bad or missing token": { status: 403, isAccess: true, headers: [] },
  "Host": { status: 403, isAccess: true, headers: [] },
  "Origin": { status: 403, isAccess: true, headers: [] },
  "OPTIONS": { status: 403, isAccess: true, headers: [] },
  "unknown path": { status: 404, isAccess: false, headers: [] },
  "method": { status: 405, isAccess: false, headers: ALLOW_POST },
  "400": { status: 400, isAccess: false, headers: [] },
  "411": { status: 411, isAccess: false, headers: [] },
  "413": { status: 413, isAccess: false, headers: [] },
  "431": { status: 431, isAccess: false, headers: [] },
  "head deadline": { status: 0, isAccess: false, headers: [] },
  "read deadline": { status: 0, isAccess: false, headers: [] },
  "handler deadline": { status: 504, isAccess: false, headers: [] },
  "handler overran": { status: 504, isAccess: false, headers: [] },
  "peer is another user": { status: 0, isAccess: false, headers: [] },
  "peer user could not be checked": { status: 0, isAccess: false, headers: [] },
} as const satisfies Record<string, Refusal>;

export type RefusalClass = keyof typeof REFUSALS;
