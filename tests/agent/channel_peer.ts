/**
 * Somebody in a channel who hands out tasks and reads what workers answer, as
 * lines of plain IRC: it shares no code with the worker but the envelope.
 *
 * @module
 */

import {
  type Envelope,
  EnvelopeMaker,
  type JsonObject,
  serialiseEnvelope,
} from "../../lib/envelope/envelope.ts";
import { parseEnvelope } from "../../lib/envelope/parse_envelope.ts";
import { PlainClient } from "../plain_client.ts";

/** An envelope as it came, with the nick of its line. */
export interface Came {
  readonly from: string;
  readonly envelope: Envelope;
}

/** See the module doc. */
export class ChannelPeer {
  readonly #client: PlainClient;
  readonly #maker = new EnvelopeMaker();
  /** Every envelope that came, in order. */
  readonly came: Came[] = [];
  /** Every envelope that was said, each as often as it was. */
  readonly said: Envelope[] = [];

  private constructor(
    client: PlainClient,
    readonly nick: string,
    readonly channel: string,
  ) {
    this.#client = client;
  }

  /** Connects and joins. */
  static async join(
    port: number,
    nick: string,
    channel: string,
  ): Promise<ChannelPeer> {
    const client = await PlainClient.connect(port);
    await client.register(nick);
    await client.send(`JOIN ${channel}`);
    await client.until(/ 366 /);
    return new ChannelPeer(client, nick, channel);
  }

  /** An envelope of this nick's, not sent. */
  make(type: string, payload?: JsonObject, to?: readonly string[]): Envelope {
    return this.#maker.make({
      type,
      from: this.nick,
      ...(to && { to }),
      ...(payload && { payload }),
    });
  }

  async say(envelope: Envelope, command = "PRIVMSG"): Promise<Envelope> {
    const text = serialiseEnvelope(envelope);
    this.said.push(envelope);
    await this.line(`${command} ${this.channel} :${text}`);
    return envelope;
  }

  async line(text: string): Promise<void> {
    await this.#client.send(text);
  }

  /** The next envelope. */
  async next(): Promise<Came> {
    while (true) {
      const line = await this.#client.line();
      const [, from = "", text = ""] =
        /^(?:@\S+ )?:([^!\s]+)\S* PRIVMSG \S+ :?(.*)$/.exec(line) ?? [];
      const { envelope } = parseEnvelope(text);
      if (envelope === undefined) continue;
      const came = { from, envelope };
      this.came.push(came);
      return came;
    }
  }

  /** Reads up to the first envelope that is wanted. */
  async until(wanted: (came: Came) => boolean): Promise<Came> {
    while (true) {
      const came = await this.next();
      if (wanted(came)) return came;
    }
  }

  /** Reads up to the first answer about a task that has this status. */
  answered(id: string, status: string): Promise<Came> {
    return this.until(({ envelope }) => statusOf(envelope, id) === status);
  }

  /** What came about a task, as its statuses. */
  statuses(id: string): string[] {
    return this.came.map(({ envelope }) => statusOf(envelope, id))
      .filter((status) => status !== undefined);
  }

  close(): void {
    this.#client.close();
  }
}

/** What an envelope says of a task: `complete`, or a status. */
export function statusOf(
  { type, payload }: Envelope,
  id: string,
): string | undefined {
  if (payload?.["task_id"] !== id) return undefined;
  return type === "task.complete" ? "complete" : String(payload["status"]);
}
