/**
 * Replaces a file in one step: whoever opens it sees the old content or the
 * new one, whole, and never a file that others may read. The new content goes
 * to a neighbour that is created with its final mode, is flushed to the disk,
 * and takes the name over. A crash leaves the old file, and at most one
 * neighbour, which the next write removes.
 *
 * @module
 */

/** The one mode that is written: these files hold secrets, or lead to them. */
export const PRIVATE_FILE_MODE = 0o600;

/** What a half-written neighbour is called. */
export const PENDING_SUFFIX = ".new";

/**
 * Writes `text` as the whole content of `path`, mode 0600. On failure the file
 * is as it was. Callers keep two writers of one path apart.
 *
 * @throws what the file system or the permission check said.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const pending = path + PENDING_SUFFIX;
  await removeIfThere(pending);
  // createNew: a name that is taken, or a symbolic link put there, is refused
  // instead of being written through.
  const file = await Deno.open(pending, {
    write: true,
    createNew: true,
    mode: PRIVATE_FILE_MODE,
  });
  try {
    try {
      await writeWhole(file, new TextEncoder().encode(text));
      await file.sync();
    } finally {
      file.close();
    }
    await Deno.rename(pending, path);
  } catch (error) {
    await removeIfThere(pending);
    throw error;
  }
  await flushFolder(path);
}

/** Removes `path`; that it is not there is no error. */
export async function removeIfThere(path: string): Promise<void> {
  try {
    await Deno.remove(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

async function writeWhole(file: Deno.FsFile, bytes: Uint8Array) {
  for (let done = 0; done < bytes.length;) {
    done += await file.write(bytes.subarray(done));
  }
}

// The rename itself survives a power cut only once the folder is flushed. Some
// file systems refuse that for a folder: the rename stands all the same.
async function flushFolder(path: string): Promise<void> {
  const folder = path.slice(0, path.lastIndexOf("/")) || "/";
  try {
    const handle = await Deno.open(folder, { read: true });
    try {
      await handle.sync();
    } finally {
      handle.close();
    }
  } catch {
    // See above.
  }
}
