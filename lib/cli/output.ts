/**
 * What a command prints, and nothing else does: text for people, with every
 * character that would move a cursor or hide text shown as an escape. Session
 * and buffer names, and the reasons servers give, are strangers' text.
 *
 * @module
 */

import { escapeInvisible } from "../visible_text.ts";

/** The two outputs of a command. */
export interface Output {
  /**
   * Prints `text` and a line break; nothing when it is empty. False when
   * nobody reads any more.
   */
  out(text: string): boolean;
  err(text: string): void;
}

/** Standard output and standard error. */
export const processOutput: Output = {
  out: (text) => print(Deno.stdout, text),
  err: (text) => void print(Deno.stderr, text),
};

function print(
  to: { writeSync(bytes: Uint8Array): number },
  text: string,
): boolean {
  if (text === "") return true;
  const safe = text.split("\n").map(escapeInvisible).join("\n");
  const bytes = new TextEncoder().encode(safe + "\n");
  try {
    for (let done = 0; done < bytes.length;) {
      done += to.writeSync(bytes.subarray(done));
    }
    return true;
  } catch (error) {
    // A reader that had enough, such as head(1), is no failure.
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
    return false;
  }
}
