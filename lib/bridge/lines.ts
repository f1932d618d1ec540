/**
 * Standard input as lines, each given whole. A line past the bound is let go
 * to its end and told of, so that what comes after it is still read; a last
 * line without its break is given too.
 *
 * @module
 */

/** Longest line, what a harness may send at once; the service takes less. */
export const MAX_LINE_BYTES = 16_777_216;

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** A line without its break, or undefined for one that was too long. */
export type InputLine = Uint8Array | undefined;

/** The lines of `input`, in order. Empty ones are left out. */
export async function* readLines(
  input: AsyncIterable<Uint8Array>,
  maxBytes = MAX_LINE_BYTES,
): AsyncGenerator<InputLine> {
  let parts: Uint8Array[] = [];
  let size = 0;
  const take = (part: Uint8Array) => {
    size += part.length;
    if (size <= maxBytes) parts.push(part);
    else parts = [];
  };
  const end = (): InputLine | "empty" => {
    const line = size > maxBytes ? undefined : trimmed(joined(parts, size));
    parts = [];
    size = 0;
    return line?.length === 0 ? "empty" : line;
  };
  for await (const chunk of input) {
    let from = 0;
    for (
      let at = chunk.indexOf(LINE_FEED);
      at >= 0;
      at = chunk.indexOf(LINE_FEED, from)
    ) {
      take(chunk.subarray(from, at));
      from = at + 1;
      const line = end();
      if (line !== "empty") yield line;
    }
    take(chunk.slice(from));
  }
  const line = end();
  if (line !== "empty") yield line;
}

function joined(parts: readonly Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function trimmed(line: Uint8Array): Uint8Array {
  return line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line;
}
