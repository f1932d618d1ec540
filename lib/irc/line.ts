/**
 * A line as handlers see it: the parsed message with what every row needs from
 * it worked out once — time, msgid, sender, and whether it is a replay of the
 * past, which may add rows but must never change who is where.
 *
 * @module
 */

import { detach, type Interner } from "../buffers/interner.ts";
import type { Batch, MessageContext } from "./link.ts";
import type { IrcMessage } from "./message.ts";
import { parseServerTime } from "./server_time.ts";

/** See the module doc. */
export interface Line {
  readonly message: IrcMessage;
  readonly command: string;
  readonly params: readonly string[];
  /** Sender's nick, a server's name where it has none, `""` for no source. */
  readonly from: string;
  /** Unix milliseconds. */
  readonly time: number;
  /** Whether `time` is the server's word, and not when the line was received. */
  readonly isServerTime: boolean;
  readonly id: string | undefined;
  /** The batch that replays the past, when the line is in one. */
  readonly replay: Batch | undefined;
}

/** Longer msgids are no ids: they would be kept twice a row. */
const MAX_ID_LENGTH = 512;

/** Batches nest in each other two or three deep; a cycle must not hang us. */
const MAX_BATCH_DEPTH = 16;

/** Works out a {@link Line}. */
export function readLine(
  message: IrcMessage,
  context: MessageContext,
  interner: Interner,
): Line {
  const { tags } = message;
  const id = tags["msgid"];
  const serverTime = parseServerTime(tags["time"]);
  return {
    message,
    command: message.command,
    params: message.params,
    from: interner.intern(message.nick === "" ? message.source : message.nick),
    time: serverTime ?? context.receivedAt,
    isServerTime: serverTime !== undefined,
    id: id === undefined || id === "" || id.length > MAX_ID_LENGTH
      ? undefined
      : detach(id),
    replay: context.batch === undefined ? undefined : findReplay(context.batch),
  };
}

/** The replay that `batch` is or stands in. */
export function findReplay(batch: Batch): Batch | undefined {
  let at: Batch | undefined = batch;
  for (let depth = 0; at !== undefined && depth < MAX_BATCH_DEPTH; depth++) {
    if (isReplayType(at.type)) return at;
    at = at.parent;
  }
  return undefined;
}

/** `chathistory`, `draft/chathistory`, `znc.in/playback` and its kin. */
function isReplayType(type: string): boolean {
  return type.endsWith("chathistory") || type.endsWith("playback");
}
