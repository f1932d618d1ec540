/**
 * Reads a secret from standard input: whole from a pipe or file, and from a
 * terminal one line that is not shown while it is typed.
 *
 * @module
 */

/** The door takes 65,536 bytes a request; no secret comes near it. */
const MAX_INPUT_BYTES = 32_768;

/** Standard input, as far as it is needed here. */
export interface SecretSource {
  isTerminal(): boolean;
  setRaw(mode: boolean): void;
  read(into: Uint8Array): Promise<number | null>;
}

/** Why there is no secret; `message` is for the person. */
export class SecretInputError extends Error {
  override readonly name = "SecretInputError";
}

/**
 * Reads the secret. Of a `line` the line break at its end is not part.
 *
 * @throws {SecretInputError}
 */
export async function readSecret(
  kind: "line" | "text",
  source: SecretSource,
  prompt: (text: string) => void,
): Promise<string> {
  if (!source.isTerminal()) {
    const text = decoded(await readAll(source));
    return kind === "line" ? text.replace(/\r?\n$/, "") : text;
  }
  if (kind === "text") {
    throw new SecretInputError(
      "Nothing was read: give the file on standard input, with < FILE.",
    );
  }
  prompt("Type the secret, which is not shown, then Enter:");
  source.setRaw(true);
  try {
    return decoded(await readTypedLine(source));
  } finally {
    source.setRaw(false);
  }
}

const CTRL_C = 3;
const CTRL_D = 4;
const BACKSPACE = 8;
const LF = 10;
const CR = 13;
const CTRL_U = 21;
const DELETE = 127;

async function readTypedLine(source: SecretSource): Promise<Uint8Array> {
  const typed: number[] = [];
  const chunk = new Uint8Array(256);
  while (typed.length <= MAX_INPUT_BYTES) {
    const count = await source.read(chunk);
    if (count === null) break;
    for (const byte of chunk.subarray(0, count)) {
      switch (byte) {
        case CR:
        case LF:
        case CTRL_D:
          return Uint8Array.from(typed);
        case CTRL_C:
          throw new SecretInputError("Interrupted, nothing was changed.");
        case CTRL_U:
          typed.length = 0;
          break;
        case BACKSPACE:
        case DELETE:
          removeCharacter(typed);
          break;
        default:
          typed.push(byte);
      }
    }
  }
  return Uint8Array.from(typed);
}

/** Takes the last UTF-8 character off: its continuation bytes, then its first. */
function removeCharacter(typed: number[]): void {
  while (((typed.pop() ?? 0) & 0xc0) === 0x80) {
    // Continuation bytes go with the character.
  }
}

async function readAll(source: SecretSource): Promise<Uint8Array> {
  const bytes = new Uint8Array(MAX_INPUT_BYTES + 1);
  let size = 0;
  while (size < bytes.length) {
    const count = await source.read(bytes.subarray(size));
    if (count === null) return bytes.subarray(0, size);
    size += count;
  }
  throw new SecretInputError(
    `Standard input is over ${MAX_INPUT_BYTES} bytes, nothing was changed.`,
  );
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
      .decode(bytes);
  } catch {
    throw new SecretInputError(
      "Standard input is not UTF-8 text, nothing was changed.",
    );
  }
}
