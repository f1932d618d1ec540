/**
 * One line of `make bench`: what is measured, and what it should come to.
 *
 * @module
 */

/** See the module doc. Names are stable: other programs read them. */
export interface BenchRow {
  readonly name: string;
  readonly target: { readonly op: ">=" | "<="; readonly number: number };
  /** A ratio paired within this run, or a size or count. */
  measure(note: Note): Promise<number>;
}

/** Takes absolute figures and what else is worth seeing, for standard error. */
export type Note = (text: string) => void;

/** Thrown by a row that cannot be measured here; the message says why. */
export class Skipped extends Error {
  override readonly name = "Skipped";
}

/** The middle value; of an even count, the lower of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted[(sorted.length - 1) >> 1];
  if (middle === undefined) throw new RangeError("No values to take from");
  return middle;
}

/**
 * Measures two sides in turns and gives the median of the paired ratios, so
 * that what disturbs the machine for a while disturbs both.
 */
export async function pairedRatio(
  rounds: number,
  ours: () => Promise<number>,
  theirs: () => Promise<number>,
): Promise<{ ratio: number; ours: number; theirs: number }> {
  const pairs: { ours: number; theirs: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    // Whoever goes first finds the machine as the other left it.
    if (round % 2 === 0) {
      const first = await ours();
      pairs.push({ ours: first, theirs: await theirs() });
    } else {
      const first = await theirs();
      pairs.push({ ours: await ours(), theirs: first });
    }
  }
  return {
    ratio: median(pairs.map((pair) => pair.ours / pair.theirs)),
    ours: median(pairs.map((pair) => pair.ours)),
    theirs: median(pairs.map((pair) => pair.theirs)),
  };
}
