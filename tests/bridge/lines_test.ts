import assert from "node:assert/strict";
import { readLines } from "../../lib/bridge/lines.ts";

async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield new TextEncoder().encode(text);
}

async function linesOf(
  texts: string[],
  maxBytes?: number,
): Promise<(string | undefined)[]> {
  const lines: (string | undefined)[] = [];
  for await (const line of readLines(chunks(...texts), maxBytes)) {
    lines.push(line && new TextDecoder().decode(line));
  }
  return lines;
}

Deno.test("readLines() gives whole lines whatever the chunks are", async () => {
  // Guards that a message is never relayed in part.
  for (
    const [texts, lines] of [
      [["a\nb\n"], ["a", "b"]],
      [["a", "b", "\nc\n"], ["ab", "c"]],
      [["a\r\n", "\r\n", "\n", "b"], ["a", "b"]],
      [["a\n\nb\n"], ["a", "b"]],
      [[], []],
      [["é".slice(0, 1)], ["é"]],
    ] as [string[], string[]][]
  ) {
    assert.deepEqual(await linesOf(texts), lines, JSON.stringify(texts));
  }
});

Deno.test("readLines() lets a line that is too long go, and reads on", async () => {
  // Guards the bridge's memory, and the messages after such a line.
  assert.deepEqual(
    await linesOf(["abcd\n", "abc", "de", "fgh\nij\n", "abcde"], 4),
    ["abcd", undefined, "ij", undefined],
  );
});
