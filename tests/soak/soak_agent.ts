/**
 * The agents of the soak: one that reads every message by cursor, some that
 * search, one that waits for updates, one that comes and goes. Each answer is
 * looked at, and what was lost, doubled or malformed is counted.
 *
 * @module
 */

import type { FaultyHome } from "../faults/faulty_home.ts";
import { type McpAddress, type McpReply, postMcp } from "../mcp_post.ts";

/** What came of it. */
export interface Tally {
  answers: number;
  malformed: number;
  dropped: number;
  read: number;
  lost: number;
  doubled: number;
  events: number;
  eventsDoubled: number;
  /** Searches that ran out of their time, and said so. */
  stopped: number;
  /** The texts of calls that failed, and should not have. */
  readonly refusals: Set<string>;
}

// deno-lint-ignore no-explicit-any -- a tool's result, whatever the tool
type Result = Record<string, any>;

const SEARCHES: readonly Readonly<Record<string, unknown>>[] = [
  { query: "soak 1" },
  { query: "soak *7", match: "glob" },
  { query: "^soak \\d*99$", match: "regex" },
  { query: "not there" },
];

/** See the module doc. */
export class SoakAgent {
  readonly tally: Tally = {
    answers: 0,
    malformed: 0,
    dropped: 0,
    read: 0,
    lost: 0,
    doubled: 0,
    events: 0,
    eventsDoubled: 0,
    stopped: 0,
    refusals: new Set(),
  };
  readonly #faulty: FaultyHome;
  #address: McpAddress;
  #changing = Promise.resolve();
  #buffer = "";
  #cursor: string | undefined;
  #last = 0;
  #lastEvent = 0;

  private constructor(faulty: FaultyHome, address: McpAddress) {
    this.#faulty = faulty;
    this.#address = address;
  }

  static async start(faulty: FaultyHome): Promise<SoakAgent> {
    const agent = new SoakAgent(faulty, await faulty.address());
    const { sessions } = await agent.#call("list_sessions", {}) ?? {};
    const { buffers } = await agent.#call("list_buffers", {
      session: sessions[0].id,
    }) ?? {};
    agent.#buffer = buffers.find(({ name }: Result) => name === "#r").id;
    return agent;
  }

  /** All of it at once until `end`, in the terms of `performance.now()`. */
  async run(end: number): Promise<void> {
    const loop = async (step: (count: number) => Promise<void>) => {
      for (let n = 0; performance.now() < end; n++) await step(n);
    };
    await Promise.all([
      loop(() => this.#readOn().then(() => {})),
      loop(() => this.#wait()),
      ...[0, 1].map((offset) =>
        loop(async (count) => {
          const search = SEARCHES[(count + offset) % SEARCHES.length] ?? {};
          await this.#call("search_messages", { ...search, limit: 50 });
        })
      ),
      loop(async () => {
        const made = await this.#call("subscribe", { buffers: [this.#buffer] });
        const id = made?.subscription.id;
        if (id === undefined) return;
        await this.#call("read_updates", { id });
        await this.#call("unsubscribe", { id });
        await this.#call("list_subscriptions", {});
      }),
    ]);
  }

  /** A new token: all in flight is dropped, and goes on with the new one. */
  async regenerate(): Promise<void> {
    const change = async () => {
      await this.#faulty.out("control", "token", "regenerate");
      this.#address = await this.#faulty.address();
    };
    this.#changing = change();
    await this.#changing;
  }

  /** Reads to the newest message. */
  async catchUp(): Promise<void> {
    while (await this.#readOn());
  }

  /** Removes what is subscribed. */
  async clear(): Promise<void> {
    const { subscriptions = [] } = await this.#call("list_subscriptions", {}) ??
      {};
    for (const { id } of subscriptions) await this.#call("unsubscribe", { id });
    this.#lastEvent = 0;
  }

  /** A page of messages; false when nothing is left. */
  async #readOn(): Promise<boolean> {
    const page = await this.#call("read_since", {
      buffer: this.#buffer,
      limit: 500,
      ...(this.#cursor !== undefined && { cursor: this.#cursor }),
    });
    if (page === undefined) return true;
    this.#cursor = page.cursor;
    for (const { payload } of page.messages) {
      const number = numberIn(payload);
      if (number === undefined) continue;
      this.tally.read++;
      if (number <= this.#last) this.tally.doubled++;
      else this.tally.lost += number - this.#last - 1;
      this.#last = Math.max(this.#last, number);
    }
    return page.messages.length > 0;
  }

  /** A subscription, some waits for its events, and its end. */
  async #wait(): Promise<void> {
    const made = await this.#call("subscribe", { buffers: [this.#buffer] });
    const id = made?.subscription.id;
    if (id === undefined) return;
    this.#lastEvent = 0;
    for (let i = 0; i < 20; i++) {
      const page = await this.#call("wait_for_updates", {
        id,
        timeout: 2,
        detail: "full",
        limit: 500,
      });
      if (page === undefined) return;
      for (const update of page.updates) {
        for (const { message } of update.events ?? []) {
          const number = numberIn(message?.payload ?? {});
          if (number === undefined) continue;
          this.tally.events++;
          if (number <= this.#lastEvent) this.tally.eventsDoubled++;
          this.#lastEvent = Math.max(this.#lastEvent, number);
        }
      }
    }
    await this.#call("unsubscribe", { id });
  }

  /** A tool's result; undefined for an error, or when it was dropped. */
  async #call(
    name: string,
    args: Readonly<Record<string, unknown>>,
  ): Promise<Result | undefined> {
    await this.#changing;
    let reply: McpReply;
    try {
      const params = { name, arguments: args };
      reply = await postMcp(this.#address, "tools/call", params);
    } catch {
      // The port was closed for the new token.
      this.tally.dropped++;
      return undefined;
    }
    if (reply.status === 0 || reply.status === 403) {
      this.tally.dropped++;
      return undefined;
    }
    this.tally.answers++;
    try {
      const { result } = JSON.parse(reply.body);
      const [{ text }] = result.content;
      if (result.isError) {
        // A search beside all this may run out of its time, and says so.
        if (/"stopped":"search stopped: time budget exceeded"/.test(text)) {
          this.tally.stopped++;
          return undefined;
        }
        // A new token removes every subscription: the next one is made.
        if (!/subscription/.test(text)) this.tally.refusals.add(text);
        return undefined;
      }
      return JSON.parse(text);
    } catch {
      this.tally.malformed++;
      return undefined;
    }
  }
}

function numberIn({ text }: Result): number | undefined {
  const [, number] = /^soak (\d+)$/.exec(text ?? "") ?? [];
  return number === undefined ? undefined : Number(number);
}
