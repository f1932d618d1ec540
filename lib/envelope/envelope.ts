/**
 * The envelope with which agents speak to each other over IRC, and how one is
 * made: a type, a sender and a payload enter, and an envelope with its id and
 * time leaves. Ids of one process sort in the order they were made, in one
 * millisecond too and when the clock steps back.
 *
 * Spec: message types, "Envelope", "Group addressing".
 *
 * @module
 */

import { monotonicFactory } from "ulid";

/** The envelope version this program speaks. */
export const ENVELOPE_VERSION = 1;

/** A JSON object. */
export type JsonObject = { readonly [key: string]: unknown };

/** See the module doc. Field names are the wire's. */
export interface Envelope {
  readonly v: typeof ENVELOPE_VERSION;
  /** A built-in type or any other string. */
  readonly type: string;
  /** A ULID: sorts by time, unique, safe in a URL. */
  readonly id: string;
  /** The sender's nick. */
  readonly from: string;
  /** Recipients; absent for everyone. Never empty. */
  readonly to?: readonly string[];
  /** Unix milliseconds. */
  readonly ts: number;
  /** What the type calls for; absent for nothing. Never empty. */
  readonly payload?: JsonObject;
}

/** What the sender says; the rest is filled in. */
export interface EnvelopeContent {
  readonly type: string;
  readonly from: string;
  readonly to?: readonly string[];
  readonly payload?: JsonObject;
}

/** Makes envelopes; one for a process, so that its ids stay in order. */
export class EnvelopeMaker {
  readonly #now: () => number;
  readonly #nextId: (time: number) => string;

  constructor(now: () => number = Date.now) {
    this.#now = now;
    const random = () => {
      const [byte = 0] = crypto.getRandomValues(new Uint8Array(1));
      return byte / 256;
    };
    this.#nextId = monotonicFactory(random);
  }

  /** A new envelope. Empty `to` and `payload` count as absent. */
  make(content: EnvelopeContent): Envelope {
    const ts = this.#now();
    const { type, from, to, payload } = content;
    return {
      v: ENVELOPE_VERSION,
      type,
      id: this.#nextId(ts),
      from,
      ...(to !== undefined && to.length > 0 && { to }),
      ts,
      ...(payload !== undefined && Object.keys(payload).length > 0 &&
        { payload }),
    };
  }
}

/** The envelope as it goes on the wire: compact, in the wire's key order. */
export function serialiseEnvelope(envelope: Envelope): string {
  const { v, type, id, from, to, ts, payload } = envelope;
  return JSON.stringify({ v, type, id, from, to, ts, payload });
}
