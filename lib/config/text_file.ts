/**
 * Reads a small text file of home as a whole, with what the open file's own
 * metadata says of it, so that what was judged is what was read. Errors are in
 * words for the person and name the file.
 *
 * @module
 */

/** No file of home comes near it; one that does is not ours. */
export const MAX_FILE_BYTES = 1_048_576;

/** The file is there and cannot be used. */
export class TextFileError extends Error {
  override readonly name = "TextFileError";
}

/** A file's content and metadata. */
export interface TextFile {
  readonly text: string;
  readonly info: Deno.FileInfo;
}

/**
 * Reads `path`. `judge` sees the metadata before the content is read, and may
 * throw to refuse it.
 *
 * @returns undefined when there is no such file.
 * @throws {TextFileError}
 */
export async function readTextFile(
  path: string,
  judge?: (info: Deno.FileInfo) => void,
): Promise<TextFile | undefined> {
  let file: Deno.FsFile;
  try {
    file = await Deno.open(path, { read: true });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw new TextFileError(`Cannot read ${path}: ${whyNot(error)}.`);
  }
  try {
    const info = await file.stat();
    if (!info.isFile) {
      throw new TextFileError(`Cannot read ${path}: it is not a file.`);
    }
    judge?.(info);
    const bytes = await readAll(file, path);
    return { text: decoded(bytes, path), info };
  } finally {
    file.close();
  }
}

async function readAll(file: Deno.FsFile, path: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  while (true) {
    const chunk = new Uint8Array(65_536);
    const count = await file.read(chunk);
    if (count === null) break;
    size += count;
    if (size > MAX_FILE_BYTES) {
      throw new TextFileError(
        `Cannot use ${path}: it is over ${MAX_FILE_BYTES} bytes.`,
      );
    }
    chunks.push(chunk.subarray(0, count));
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

function decoded(bytes: Uint8Array, path: string): string {
  try {
    // The byte order mark is kept: an edit writes back what it did not change.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
      .decode(bytes);
  } catch {
    throw new TextFileError(`Cannot use ${path}: it is not UTF-8 text.`);
  }
}

function whyNot(error: unknown): string {
  if (error instanceof Deno.errors.NotCapable) {
    return "it is outside of the folder that this build may use";
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    return "the system denies it (see who owns it, and its mode)";
  }
  return error instanceof Error ? error.message : String(error);
}
