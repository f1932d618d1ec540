/**
 * A worker's way to the service: asks through the operator's door, finds the
 * door anew for each request, since a service that was restarted has another
 * one, and tells the operator once when nobody answers.
 *
 * @module
 */

import type { Home } from "../home.ts";
import type { Envelope } from "../envelope/envelope.ts";
import {
  AGENT_WORD,
  type AgentRequest,
  type Heard,
  type HearRequest,
  type Sending,
} from "../operator/agent_door.ts";
import { askDoor } from "../operator/door_client.ts";
import { readDoorFile } from "../operator/door_file.ts";
import type { PeerCheck } from "../peer/owner.ts";

/** Which channel of which session. */
export interface Place {
  /** Name or id; the only session when absent. */
  readonly session?: string;
  readonly channel: string;
}

/** What a door is made of. */
export interface ServiceDoorOptions {
  readonly home: Home;
  readonly peer: PeerCheck;
  readonly place: Place;
  /** A line for the operator. */
  readonly log: (text: string) => void;
}

/** See the module doc. */
export class ServiceDoor {
  readonly #options: ServiceDoorOptions;
  #problem = "";

  constructor(options: ServiceDoorOptions) {
    this.#options = options;
  }

  /** What was heard; undefined while the service cannot be asked. */
  async hear(
    request: Omit<HearRequest, keyof Place>,
  ): Promise<Heard | undefined> {
    const hear = { ...this.#options.place, ...request };
    return await this.#ask({ hear }) as Heard | undefined;
  }

  /** How sending went; undefined while the service cannot be asked. */
  async send(
    envelope: Envelope,
    cut: string,
  ): Promise<Sending | undefined> {
    const send = { ...this.#options.place, envelope, cut };
    return await this.#ask({ send }) as Sending | undefined;
  }

  /** The service is the same program: what it answers is taken as it is. */
  async #ask(request: AgentRequest): Promise<unknown> {
    const { home, peer } = this.#options;
    const address = await readDoorFile(home);
    if (address === undefined) return this.#fail("no service is running");
    const reply = await askDoor(address, {
      command: [AGENT_WORD],
      input: JSON.stringify(request),
    }, { peer });
    switch (reply.kind) {
      case "nobody":
        return this.#fail("no service is running");
      case "silent":
        return this.#fail(`the service does not answer: ${reply.reason}`);
      case "answered":
        if (reply.answer.exit !== 0) return this.#fail(reply.answer.err);
        return this.#read(reply.answer.out);
      default:
        return reply satisfies never;
    }
  }

  #read(text: string): unknown {
    try {
      const value = JSON.parse(text);
      this.#problem = "";
      return value;
    } catch {
      // A service of another version, which will be restarted one day.
      return this.#fail("the service answers in words of another version");
    }
  }

  #fail(problem: string): undefined {
    if (problem !== this.#problem) {
      this.#options.log(`waiting: ${problem}`);
      this.#problem = problem;
    }
    return undefined;
  }
}
