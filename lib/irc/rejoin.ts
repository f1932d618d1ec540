/**
 * Which channels to be in after the next welcome: the configured ones, and those
 * the person joined since. One that was parted is not joined again. Keys are
 * kept beside their channel and leave only in the JOIN line.
 *
 * @module
 */

import type { Names } from "./names.ts";

/** Bytes of one JOIN line's two lists: well inside 510 with the command. */
const MAX_LIST_BYTES = 400;

/** Channels in one JOIN: networks that limit the targets allow at least ten. */
const MAX_CHANNELS_A_LINE = 10;

/** Channels remembered: as many as a session can hold buffers. */
const MAX_WANTED = 2000;

const encoder = new TextEncoder();

/** See the module doc. */
export class Rejoin {
  readonly #names: Names;
  #wanted = new Map<string, string>();
  // With the name as given: another case mapping folds it anew from there.
  #keys = new Map<string, { channel: string; key: string }>();

  constructor(names: Names, channels: readonly string[]) {
    this.#names = names;
    for (const channel of channels) this.want(channel);
  }

  /** Takes the configured keys, by channel. Replaces those of before. */
  setKeys(keys: ReadonlyMap<string, string>): void {
    for (const [channel, key] of keys) this.setKey(channel, key);
  }

  /** The key of one channel, as the person gave it with a join. */
  setKey(channel: string, key: string): void {
    this.#keys.set(this.#names.fold(channel), { channel, key });
  }

  /** Every key held: secrets, for the scan. */
  keys(): string[] {
    return Array.from(this.#keys.values(), ({ key }) => key);
  }

  want(channel: string): void {
    if (this.#wanted.size >= MAX_WANTED) return;
    const key = this.#names.fold(channel);
    if (!this.#wanted.has(key)) this.#wanted.set(key, channel);
  }

  forget(channel: string): void {
    this.#wanted.delete(this.#names.fold(channel));
  }

  /** A wanted channel goes by another name from here on. */
  rename(from: string, to: string): void {
    const held = this.#keys.get(this.#names.fold(from));
    if (this.#wanted.has(this.#names.fold(from))) {
      this.forget(from);
      this.want(to);
    }
    if (held !== undefined) this.setKey(to, held.key);
  }

  /** Goes by the folding of now: call it after the case mapping changed. */
  rekey(): void {
    const wanted = [...this.#wanted.values()];
    const keys = [...this.#keys.values()];
    this.#wanted.clear();
    this.#keys.clear();
    for (const channel of wanted) this.want(channel);
    for (const { channel, key } of keys) this.setKey(channel, key);
  }

  /** The JOIN lines for all wanted channels; those with keys come first. */
  lines(): string[] {
    const entries = Array.from(this.#wanted, ([folded, name]) => ({
      name,
      key: this.#keys.get(folded)?.key,
    }));
    const lines: string[] = [];
    const keyed = entries.filter((e) => e.key !== undefined && isWord(e.key));
    const open = entries.filter((e) => !keyed.includes(e));
    for (const group of pack(keyed)) {
      const keys = group.map((e) => e.key).join(",");
      lines.push(`JOIN ${group.map((e) => e.name).join(",")} ${keys}`);
    }
    for (const group of pack(open)) {
      lines.push(`JOIN ${group.map((e) => e.name).join(",")}`);
    }
    return lines;
  }
}

interface Entry {
  readonly name: string;
  readonly key: string | undefined;
}

/** A key with a space or comma would be read as something else. */
function isWord(key: string): boolean {
  return key !== "" && !/[\s,\0]/.test(key) && !key.startsWith(":");
}

function pack(entries: readonly Entry[]): Entry[][] {
  const groups: Entry[][] = [];
  let group: Entry[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const size = encoder.encode(entry.name + (entry.key ?? "")).length + 2;
    const isFull = group.length >= MAX_CHANNELS_A_LINE ||
      bytes + size > MAX_LIST_BYTES;
    if (isFull && group.length > 0) {
      groups.push(group);
      group = [];
      bytes = 0;
    }
    group.push(entry);
    bytes += size;
  }
  if (group.length > 0) groups.push(group);
  return groups;
}
