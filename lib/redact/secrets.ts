/**
 * The exact scan on the way out: whether a value that is about to leave holds
 * one of a session's secret values. Rows, members and sections go in; a yes or
 * no comes out, never the secret and never a place in the text.
 *
 * Spec: "Redaction", "On the way out". Secrets under four bytes are not looked
 * for, as the contract lists: a two-byte key would withhold nearly everything.
 *
 * @module
 */

/** Shorter secrets, in UTF-8 bytes, are not scanned for (spec). */
export const MIN_SCANNED_BYTES = 4;

const encoder = new TextEncoder();

/** An immutable set of secret values to look for. */
export class SecretScan {
  readonly #values: readonly string[];

  constructor(secrets: Iterable<string>) {
    const values = new Set<string>();
    for (const secret of secrets) {
      if (encoder.encode(secret).length >= MIN_SCANNED_BYTES) {
        values.add(secret);
      }
    }
    this.#values = [...values];
  }

  /** Whether there is nothing to look for. */
  get isEmpty(): boolean {
    return this.#values.length === 0;
  }

  /** How many values are looked for. */
  get size(): number {
    return this.#values.length;
  }

  /** A scan for the values of both; this one when `other` adds none. */
  with(other: SecretScan): SecretScan {
    const isKnown = (value: string) => this.#values.includes(value);
    if (other.#values.every(isKnown)) return this;
    return new SecretScan([...this.#values, ...other.#values]);
  }

  /** Whether `text` contains a secret. */
  inText(text: string): boolean {
    for (const value of this.#values) {
      if (text.includes(value)) return true;
    }
    return false;
  }

  /** `text` with every secret in it replaced by `mask`. */
  replaceIn(text: string, mask: string): string {
    // The longest first: one secret may hold another.
    const found = this.#values.filter((value) => text.includes(value))
      .sort((a, b) => b.length - a.length);
    return found.reduce((left, value) => left.replaceAll(value, mask), text);
  }

  /**
   * Whether a line that was cut short may have been cut inside a secret: its
   * kept part ends with four or more bytes of a secret's start. A shorter
   * start, up to three bytes, may stay in the line (spec).
   */
  isCutInside(kept: string): boolean {
    const last = kept.charCodeAt(kept.length - 1);
    for (const value of this.#values) {
      for (
        let length = unitsOfFourBytes(value);
        length <= value.length;
        length++
      ) {
        // Looked at first: a long key has many starts, few end like the line.
        if (value.charCodeAt(length - 1) !== last) continue;
        if (kept.endsWith(value.slice(0, length))) return true;
      }
    }
    return false;
  }

  /**
   * Whether any string in `value`, at any depth and key names included,
   * contains a secret. Takes JSON-like values; anything else is not looked at.
   */
  inValue(value: unknown): boolean {
    if (this.isEmpty) return false;
    if (typeof value === "string") return this.inText(value);
    if (typeof value !== "object" || value === null) return false;
    if (Array.isArray(value)) return value.some((item) => this.inValue(item));
    for (const [key, item] of Object.entries(value)) {
      if (this.inText(key) || this.inValue(item)) return true;
    }
    return false;
  }
}

// UTF-16 units of the shortest start of `value` that is long enough to scan.
function unitsOfFourBytes(value: string): number {
  let units = 0;
  let bytes = 0;
  for (const character of value) {
    units += character.length;
    bytes += encoder.encode(character).length;
    if (bytes >= MIN_SCANNED_BYTES) break;
  }
  return units;
}

/** A scan that finds nothing: for a session that has no secret. */
export const NO_SECRETS: SecretScan = new SecretScan([]);
