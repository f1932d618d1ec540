/**
 * The seam between a connection to an IRC server and the session whose state
 * its lines change. The connection owns bytes, registration, capabilities,
 * ISUPPORT, batches, pings, reconnects and the own nick; the session owns
 * channels, members and buffers. Each sees the other only through this file.
 *
 * @module
 */

import type { SessionState } from "../engine/reader.ts";
import type { IrcMessage } from "./message.ts";
import type { Isupport } from "./isupport.ts";
import type { LinkInspection } from "./link_inspection.ts";

/** A batch that is open, as the lines inside it see it. */
export interface Batch {
  readonly reference: string;
  /** `chathistory`, `znc.in/playback`, `netsplit`, … as sent. */
  readonly type: string;
  readonly params: readonly string[];
  /** The batch this one was opened in. */
  readonly parent?: Batch;
  /** The label of the BATCH line, or of its parents, when there is one. */
  readonly label?: string;
}

/** Where a message stood when it came. */
export interface MessageContext {
  /** The innermost open batch that the line is in. */
  readonly batch?: Batch;
  /** The label of the request it answers (labeled-response). */
  readonly label?: string;
  /** When the line was received, Unix milliseconds. */
  readonly receivedAt: number;
}

/** What a session is told by its connection. Nothing here may throw. */
export interface LinkHandler {
  /** The state changed; `reason` says why in words for the operator. */
  stateChanged(state: SessionState, reason: string): void;
  /**
   * 001 came, and a login that is required is done. The own nick is
   * `link.nick`; channels are to be joined now. `message()` for the 001 follows.
   */
  registered(): void;
  /**
   * The socket is gone: membership ends with it. Open batches are closed, and
   * `link.state` has changed. Only after `registered()`, once for each.
   */
  disconnected(reason: string): void;
  /**
   * A line from the server, in order, from the first to the last, numerics and
   * registration included. A draft/multiline batch comes as one message whose
   * last parameter holds the lines joined by LF; every other line comes when it
   * was received, batch or not. A BATCH line comes with the batch it opened or
   * closed as its context. An own NICK comes before `nickChanged()`, while
   * `link.nick` is still the old one.
   */
  message(message: IrcMessage, context: MessageContext): void;
  /** Capabilities or ISUPPORT changed (CAP NEW, DEL, ACK, or 005). */
  featuresChanged(): void;
  /** The own nick changed, whoever changed it. */
  nickChanged(from: string, to: string): void;
  /** Every line as on the wire, both directions, before anything is masked. */
  wire(direction: "in" | "out", line: string): void;
}

/** Who asks for a line: an agent, or the person or the protocol. */
export type LineSender = "agent" | "other";

/** Looks at each line as it goes on the wire, before it is written. */
export interface OutgoingScreen {
  /**
   * Whether the line may go: true at once when nobody looks, else a promise
   * that settles within a bound and never rejects.
   */
  permit(line: string, sender: LineSender): true | Promise<boolean>;
}

/** How a queued line is treated. */
export interface SendOptions {
  /**
   * `reply`: goes ahead of the queue and is not paced (PONG). `person`: paced
   * as a client paces what is typed. `agent`: paced whatever its command.
   */
  readonly pace: "reply" | "person" | "agent";
  /** Sent as the `label` tag where labeled-response is enabled. */
  readonly label?: string;
}

/** A session's connection, across reconnects. */
export interface Link {
  readonly state: SessionState;
  /** The nick the server knows; the wanted one before 001. */
  readonly nick: string;
  readonly isupport: Isupport;
  /** Capabilities enabled now. */
  readonly capabilities: ReadonlySet<string>;
  /** Capabilities the server offers, with their values (`""` for none). */
  readonly availableCapabilities: ReadonlyMap<string, string>;
  /** Why the last connection ended or the next is not tried, `""` for none. */
  readonly lastError: string;
  /** Starts connecting, or at once when a reconnect is waiting. */
  connect(): void;
  /** QUITs and stays disconnected; settles when the socket is gone. Bounded. */
  disconnect(reason: string): Promise<void>;
  /**
   * Queues one line, without its line ending. Resolves true once it was
   * written to the socket, false when it never will be. A line with CR, LF or
   * NUL is refused: resolves false, nothing is written.
   */
  send(line: string, options: SendOptions): Promise<boolean>;
  /**
   * Queues lines that go one behind the other with nothing of the same pace
   * between them, or none of them. Resolves whether all of them were written.
   */
  sendTogether(
    lines: readonly string[],
    options: Pick<SendOptions, "pace">,
  ): Promise<boolean>;
  /** Asks for another nick now, and wants it from here on. */
  changeNick(nick: string): void;
  /**
   * Milliseconds the server takes to answer, asked now; undefined when it does
   * not in time or is not connected. A link of a test may have none.
   */
  measureLag?(): Promise<number | undefined>;
  /** Where it stands, for who debugs it; a link of a test may have none. */
  inspect?(): LinkInspection;
}
