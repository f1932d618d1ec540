/**
 * Every sentence of the bridge about a message it could not relay: what
 * happened, whether anything took effect, what to do. They go to the client
 * and to standard error, and hold nothing of a message.
 *
 * @module
 */

/** Why a message was not answered by the service; `message` is for people. */
export class RelayError extends Error {
  override readonly name = "RelayError";
}

/** The sentences. */
export const BRIDGE_FAILURES = {
  notRunning: (home: string) =>
    `No reterm service runs on ${home}, nothing was relayed: ` +
    `start it with reterm serve.`,
  accessOff: () =>
    "AI access is off, nothing was relayed: reterm set control.enabled on",
  accessFailed: (reason: string) => `Nothing was relayed: ${reason}`,
  serviceSilent: (reason: string) =>
    `Nothing was relayed: the service does not answer (${reason}). ` +
    `See reterm doctor.`,
  noToken: (path: string) =>
    `There is no access token in ${path}, nothing was relayed: ` +
    `make one with reterm control token regenerate.`,
  badToken: (path: string) =>
    `The access token in ${path} is not one that reterm can use, nothing was ` +
    `relayed: make one with reterm control token regenerate.`,
  unreadable: (why: string) => `Nothing was relayed: ${why}`,
  otherUser: (port: number) =>
    `Port ${port} is held by a program of another user, which was sent ` +
    `nothing: neither the token nor the message. Move to another port with ` +
    `reterm set control.port.`,
  unknownUser: (port: number) =>
    `Who holds port ${port} cannot be checked, so nothing was sent there. ` +
    `See reterm doctor.`,
  hangsUp: (port: number) =>
    `Port ${port} hangs up at once, nothing was relayed: the service is ` +
    `busy with other clients, or runs as another user. Try again.`,
  refusedToken: () =>
    "The service refused the access token, nothing was relayed: another " +
    "program of yours holds its port, or the token was changed by hand. " +
    "See reterm doctor.",
  tooLarge: (bytes: number, max: number) =>
    `The message has ${bytes} bytes and the service takes at most ${max}: ` +
    `nothing was relayed. Send less at once.`,
  longLine: (max: number) =>
    `A message of more than ${max} bytes was let go unread: nothing was ` +
    `relayed.`,
  notJson: () => "The message is not JSON, nothing was relayed.",
  notAMessage: () =>
    "The message is not a single JSON-RPC message, nothing was relayed.",
  tooMany: (max: number) =>
    `${max} requests wait already, this one was not relayed: try again.`,
  tooSlow: () =>
    "The service did not answer in time: what was asked may have taken effect.",
  lost: () =>
    "The service closed the connection before its answer was whole, as it " +
    "does when it stops, moves or renews its token: what was asked may have " +
    "taken effect.",
  strange: (status: number) =>
    `The service answered ${status} and no message: what was asked had no ` +
    `result.`,
} as const;
