/**
 * The buffers of one session, by id and by folded name, in listing order: the
 * server buffer, then channels, then queries, each in the order they opened.
 * What opens or closes is told to `events`. A rename or another case mapping
 * keeps ids and rows; where two buffers come to have one name, the one that is
 * renamed stays and takes the rows of the other.
 *
 * Queries are bounded, because anyone on IRC can open one: past the bound the
 * one that slept longest closes, unless the person opened it.
 *
 * Spec: "list_buffers", "Release tools".
 *
 * @module
 */

import { Buffer } from "./buffer.ts";
import { bufferId, type BufferKind } from "./buffer_id.ts";

/** Told as it happens, with the list already changed. */
export interface BufferListEvents {
  opened(buffer: Buffer): void;
  closed(buffer: Buffer): void;
}

/** What a list is made with. */
export interface BufferListOptions {
  readonly sessionId: string;
  readonly serverName: string;
  /** Rows each buffer holds. */
  readonly limit: number;
  /** Folds a name under the session's case mapping of now. */
  readonly fold: (name: string) => string;
  readonly events: BufferListEvents;
  readonly maxQueries?: number;
  readonly maxChannels?: number;
  readonly maxBytes?: number;
}

/** A flood of strangers must not open buffers without end; people use tens. */
export const MAX_QUERIES = 1000;

/** Networks let a client be in 20 to 500 channels; left ones stay listed. */
export const MAX_CHANNELS = 2000;

/**
 * What the rows of a session may take: rows are bounded by number, and a hostile
 * server could make each as large as a line or a multi-line message may be.
 */
export const MAX_SESSION_BYTES = 512 * 1024 * 1024;

/** A row of ordinary traffic; `buffer_limit` of these must fit in any case. */
const ORDINARY_ROW_BYTES = 600;

/** Channels filled to their limit that must fit in any case. */
const FULL_BUFFERS = 8;

/** Rows between two looks at the whole: a look goes over every buffer. */
const ROWS_A_LOOK = 256;

type NamedKind = "channel" | "query";

/** See the module doc. */
export class BufferList {
  readonly server: Buffer;
  readonly #options: BufferListOptions;
  readonly #max: Record<NamedKind, number>;
  #limit: number;
  #ordered: Record<NamedKind, Buffer[]> = { channel: [], query: [] };
  #byName: Record<NamedKind, Map<string, Buffer>> = {
    channel: new Map(),
    query: new Map(),
  };
  #byId = new Map<string, Buffer>();
  #listed: readonly Buffer[] | undefined;
  #activity = 0;

  constructor(options: BufferListOptions) {
    this.#options = options;
    this.#limit = options.limit;
    this.#max = {
      channel: options.maxChannels ?? MAX_CHANNELS,
      query: options.maxQueries ?? MAX_QUERIES,
    };
    this.server = this.#create("server", options.serverName);
  }

  /** All of them in listing order. A new array whenever one opens or closes. */
  listed(): readonly Buffer[] {
    return this.#listed ??= [
      this.server,
      ...this.#ordered.channel,
      ...this.#ordered.query,
    ];
  }

  byId(id: string): Buffer | undefined {
    return this.#byId.get(id);
  }

  channel(name: string): Buffer | undefined {
    return this.#byName.channel.get(this.#options.fold(name));
  }

  query(nick: string): Buffer | undefined {
    return this.#byName.query.get(this.#options.fold(nick));
  }

  /**
   * The buffer with this name, opened when there is none. Undefined when the
   * bound is reached and no other may be closed: see the module doc for
   * queries; a channel makes room only where `mayClose` lets one go.
   */
  open(
    kind: NamedKind,
    name: string,
    mayClose: (buffer: Buffer) => boolean = (buffer) => !buffer.openedByPerson,
  ): Buffer | undefined {
    const key = this.#options.fold(name);
    const existing = this.#byName[kind].get(key);
    if (existing !== undefined) return existing;
    if (this.#ordered[kind].length >= this.#max[kind]) {
      const victim = longestAsleep(this.#ordered[kind].filter(mayClose));
      if (victim === undefined) return undefined;
      this.close(victim);
    }
    const buffer = this.#create(kind, name);
    buffer.lastActive = ++this.#activity;
    this.#byName[kind].set(key, buffer);
    this.#ordered[kind].push(buffer);
    this.#listed = undefined;
    this.#options.events.opened(buffer);
    return buffer;
  }

  /** Takes a channel or query off the list, rows and all. */
  close(buffer: Buffer): void {
    const { kind } = buffer;
    if (kind === "server" || this.#byId.get(buffer.id) !== buffer) return;
    this.#byId.delete(buffer.id);
    const key = this.#options.fold(buffer.name);
    if (this.#byName[kind].get(key) === buffer) this.#byName[kind].delete(key);
    this.#ordered[kind] = this.#ordered[kind].filter((b) => b !== buffer);
    this.#listed = undefined;
    this.#options.events.closed(buffer);
  }

  /** Notes that `buffer` has news, and now and then keeps all within bounds. */
  touch(buffer: Buffer): void {
    buffer.lastActive = ++this.#activity;
    if (this.#activity % ROWS_A_LOOK === 0) this.#trim();
  }

  /** Gives a channel or query another name. Returns what it was merged with. */
  rename(buffer: Buffer, name: string): Buffer | undefined {
    const { kind } = buffer;
    if (kind === "server") return undefined;
    const map = this.#byName[kind];
    const oldKey = this.#options.fold(buffer.name);
    if (map.get(oldKey) === buffer) map.delete(oldKey);
    const newKey = this.#options.fold(name);
    const other = map.get(newKey);
    buffer.name = name;
    map.set(newKey, buffer);
    if (other === undefined) return undefined;
    this.#merge(buffer, other);
    return other;
  }

  /**
   * Goes by the folding of now: call it after the case mapping changed. Of two
   * buffers that became one, the first opened stays. Returns the pairs merged.
   */
  rekey(): { kept: Buffer; merged: Buffer }[] {
    const pairs: { kept: Buffer; merged: Buffer }[] = [];
    for (const kind of ["channel", "query"] as const) {
      const map = this.#byName[kind];
      map.clear();
      for (const buffer of [...this.#ordered[kind]]) {
        const key = this.#options.fold(buffer.name);
        const kept = map.get(key);
        if (kept === undefined) {
          map.set(key, buffer);
        } else {
          this.#merge(kept, buffer);
          pairs.push({ kept, merged: buffer });
        }
      }
    }
    return pairs;
  }

  /** Changes how many rows every buffer holds. */
  setLimit(limit: number): void {
    this.#limit = limit;
    for (const buffer of this.listed()) buffer.log.setLimit(limit);
  }

  // The heaviest buffer gives a quarter of its rows, until all fit.
  #trim(): void {
    const max = Math.max(
      this.#options.maxBytes ?? MAX_SESSION_BYTES,
      this.#limit * ORDINARY_ROW_BYTES * FULL_BUFFERS,
    );
    let total = 0;
    for (const { log } of this.#byId.values()) total += log.bytes;
    while (total > max) {
      let heaviest = this.server;
      for (const buffer of this.#byId.values()) {
        if (buffer.log.bytes > heaviest.log.bytes) heaviest = buffer;
      }
      const { log } = heaviest;
      const before = log.bytes;
      log.dropOldest(Math.ceil(log.size / 4));
      total -= before - log.bytes;
    }
  }

  #merge(kept: Buffer, merged: Buffer): void {
    kept.log.absorb(merged.log);
    kept.openedByPerson ||= merged.openedByPerson;
    this.close(merged);
  }

  #create(kind: BufferKind, name: string): Buffer {
    const { sessionId, fold } = this.#options;
    const foldedName = kind === "server" ? "" : fold(name);
    let id: string;
    let attempt = 0;
    do {
      id = bufferId({ sessionId, kind, foldedName, attempt: attempt++ });
    } while (this.#byId.has(id));
    const buffer = new Buffer({ id, kind, name, limit: this.#limit });
    this.#byId.set(id, buffer);
    return buffer;
  }
}

function longestAsleep(buffers: readonly Buffer[]): Buffer | undefined {
  let found: Buffer | undefined;
  for (const buffer of buffers) {
    if (found === undefined || buffer.lastActive < found.lastActive) {
      found = buffer;
    }
  }
  return found;
}
