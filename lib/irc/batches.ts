/**
 * The batches a server has open, so that each line is given with the one it
 * stands in. Nothing is held back for them: a line in a batch is delivered when
 * it comes. The exception is draft/multiline, whose lines are one message and
 * leave as one, at the batch's end, at a bound, or when the connection drops.
 *
 * Batches are bounded in number and depth. At the bound the oldest is closed,
 * and a line that names a batch which is not open is a line of its own: a
 * server that never closes batches costs no memory and loses no line.
 *
 * Follows IRCv3 batch and draft/multiline.
 *
 * @module
 */

import type { CancelTimer, Clock } from "../clock.ts";
import type { Batch, MessageContext } from "./link.ts";
import type { OpenBatch } from "./link_inspection.ts";
import type { IrcMessage } from "./message.ts";

/** Batches open at once. Busy servers nest three; this is for lost ends. */
const MAX_OPEN = 128;
/** Batches within each other, the parents that are closed included. */
const MAX_DEPTH = 16;
/** Lines of one draft/multiline message; servers allow 24 to 100. */
const MAX_LINES = 1_000;
/** Characters held for all draft/multiline messages together. */
const MAX_HELD_CHARS = 262_144;
/** How long a draft/multiline message is waited for. */
const MULTILINE_MS = 10_000;

const MULTILINE = "draft/multiline";
const CONCAT = "draft/multiline-concat";

/** Takes each message with where it stood. */
export type Deliver = (message: IrcMessage, context: MessageContext) => void;

interface Open {
  readonly batch: Batch;
  readonly depth: number;
  readonly multiline?: Multiline;
}

interface Multiline {
  readonly opened: IrcMessage;
  readonly cancelDeadline: CancelTimer;
  first: IrcMessage | undefined;
  text: string;
  lines: number;
  /** A part has left already: the id is used up. */
  isCut: boolean;
}

/** See the module doc. One is made for each connection. */
export class Batches {
  readonly #clock: Clock;
  readonly #deliver: Deliver;
  /** By reference, the oldest first. */
  readonly #open = new Map<string, Open>();
  #heldChars = 0;

  constructor(clock: Clock, deliver: Deliver) {
    this.#clock = clock;
    this.#deliver = deliver;
  }

  /** How many are open. */
  get size(): number {
    return this.#open.size;
  }

  /** The open ones, the oldest first. */
  list(): OpenBatch[] {
    return Array.from(this.#open.values(), ({ batch }) => ({
      reference: batch.reference,
      type: batch.type,
      params: batch.params,
      ...(batch.parent === undefined ? {} : { parent: batch.parent.reference }),
    }));
  }

  /** Delivers one message, or holds it as a part of a multiline one. */
  take(message: IrcMessage): void {
    if (message.command === "BATCH") {
      this.#takeBatch(message);
      return;
    }
    const open = this.#open.get(message.tags.batch ?? "");
    if (open?.multiline !== undefined && isText(message)) {
      this.#append(open, open.multiline, message);
      return;
    }
    this.#give(message, open?.batch);
  }

  /** The open batch that `message` names. */
  batchOf(message: IrcMessage): Batch | undefined {
    const reference = message.tags.batch;
    return reference === undefined
      ? undefined
      : this.#open.get(reference)?.batch;
  }

  /** Closes all, delivering what is held: the connection is gone. */
  close(): void {
    for (const reference of [...this.#open.keys()]) this.#end(reference);
  }

  #takeBatch(message: IrcMessage): void {
    const [word = ""] = message.params;
    const reference = word.slice(1);
    if (reference !== "" && word.startsWith("+")) {
      this.#start(reference, message);
    } else if (reference !== "" && word.startsWith("-")) {
      const open = this.#open.get(reference);
      this.#end(reference);
      if (open?.multiline === undefined) this.#give(message, open?.batch);
    } else this.#give(message, undefined);
  }

  #start(reference: string, message: IrcMessage): void {
    this.#end(reference);
    const [oldest] = this.#open.keys();
    if (this.#open.size >= MAX_OPEN && oldest !== undefined) this.#end(oldest);
    const outer = this.#open.get(message.tags.batch ?? "");
    const isTooDeep = outer !== undefined && outer.depth >= MAX_DEPTH;
    const parent = isTooDeep ? outer.batch.parent : outer?.batch;
    const label = message.tags.label ?? outer?.batch.label;
    const batch: Batch = {
      reference,
      type: message.params[1] ?? "",
      params: message.params.slice(2),
      ...(parent === undefined ? {} : { parent }),
      ...(label === undefined ? {} : { label }),
    };
    const depth = Math.min((outer?.depth ?? 0) + 1, MAX_DEPTH);
    if (batch.type !== MULTILINE) {
      this.#open.set(reference, { batch, depth });
      this.#give(message, batch);
      return;
    }
    const multiline: Multiline = {
      opened: message,
      cancelDeadline: this.#clock.after(
        MULTILINE_MS,
        () => this.#end(reference),
      ),
      first: undefined,
      text: "",
      lines: 0,
      isCut: false,
    };
    this.#open.set(reference, { batch, depth, multiline });
  }

  #end(reference: string): void {
    const open = this.#open.get(reference);
    if (open === undefined) return;
    this.#open.delete(reference);
    if (open.multiline === undefined) return;
    open.multiline.cancelDeadline();
    this.#flush(open, open.multiline);
  }

  #append(open: Open, multiline: Multiline, message: IrcMessage): void {
    const text = message.params[1] ?? "";
    const isFull = multiline.lines >= MAX_LINES ||
      this.#heldChars + text.length + 1 > MAX_HELD_CHARS;
    if (isFull && multiline.lines > 0) {
      this.#flush(open, multiline);
      multiline.isCut = true;
    }
    const isFirst = multiline.first === undefined;
    const joint = isFirst || message.tags[CONCAT] !== undefined ? "" : "\n";
    multiline.first ??= message;
    multiline.text += joint + text;
    multiline.lines++;
    this.#heldChars += joint.length + text.length;
  }

  #flush(open: Open, multiline: Multiline): void {
    const { opened, first, text, isCut } = multiline;
    if (first === undefined) return;
    this.#heldChars -= text.length;
    multiline.first = undefined;
    multiline.text = "";
    multiline.lines = 0;
    const message = assemble(first, opened, { text, isCut });
    this.#give(message, open.batch.parent, { label: open.batch.label });
  }

  #give(
    message: IrcMessage,
    batch: Batch | undefined,
    { label = message.tags.label ?? batch?.label }: {
      label?: string | undefined;
    } = {},
  ): void {
    this.#deliver(message, {
      receivedAt: this.#clock.now(),
      ...(batch === undefined ? {} : { batch }),
      ...(label === undefined ? {} : { label }),
    });
  }
}

/** One message of the parts: id, time and account stand on the BATCH line. */
function assemble(
  first: IrcMessage,
  opened: IrcMessage,
  { text, isCut }: { text: string; isCut: boolean },
): IrcMessage {
  const tags: Record<string, string> = Object.assign(
    Object.create(null),
    first.tags,
    opened.tags,
  );
  delete tags.batch;
  delete tags[CONCAT];
  // A second part under the id of the first would be taken for a repetition.
  if (isCut) delete tags.msgid;
  const { source, nick, user, host } = first.source === "" ? opened : first;
  const target = first.params[0] ?? "";
  const { command } = first;
  return { tags, source, nick, user, host, command, params: [target, text] };
}

function isText({ command }: IrcMessage): boolean {
  return command === "PRIVMSG" || command === "NOTICE";
}
