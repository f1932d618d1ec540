/**
 * The C library, for the few calls of the peer check and of telling the service
 * manager. They are made by FFI because Deno refuses every read below `/proc`,
 * has no netlink, and would need the manager's socket among its permissions. Each call answers
 * at once: sockets are made non-blocking, and what is read is a kernel table.
 *
 * The program gives FFI permission for exactly {@link LIBC_PATHS}. Deno
 * compares the path as written, without following links, so the names opened
 * here and the names permitted must be the same strings.
 *
 * @module
 */

/** Where C libraries are, by distribution; nothing else is ever opened. */
export const LIBC_PATHS: readonly string[] = [
  // Debian, Ubuntu
  "/lib/x86_64-linux-gnu/libc.so.6",
  "/lib/aarch64-linux-gnu/libc.so.6",
  // Fedora, RHEL, SUSE
  "/lib64/libc.so.6",
  // Arch and others with one library folder
  "/usr/lib/libc.so.6",
  "/lib/libc.so.6",
];

// Not declared as variadic, though open() is: its third argument is never
// given, and on Linux the others travel the same way.
// Results are read as their lower 32 bits, which hold every size of ours and
// -1 alike: as C has them they would come as bigints, at twice the cost.
const SYMBOLS = {
  socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
  send: { parameters: ["i32", "buffer", "usize", "i32"], result: "i32" },
  recv: { parameters: ["i32", "buffer", "usize", "i32"], result: "i32" },
  open: { parameters: ["buffer", "i32"], result: "i32" },
  read: { parameters: ["i32", "buffer", "usize"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
} as const satisfies Deno.ForeignLibraryInterface;

/** An opened library. No call may be made after it is closed. */
export type LibcLibrary = Deno.DynamicLibrary<typeof SYMBOLS>;

/** The calls, as C has them: -1 is failure. */
export type Libc = LibcLibrary["symbols"];

/**
 * Opens the first library of {@link LIBC_PATHS} that can be opened; undefined
 * when none is there or FFI is not permitted.
 */
export function openLibc(): LibcLibrary | undefined {
  return openLibrary(SYMBOLS);
}

/** The same for other calls of the library. */
export function openLibrary<const S extends Deno.ForeignLibraryInterface>(
  symbols: S,
): Deno.DynamicLibrary<S> | undefined {
  for (const path of LIBC_PATHS) {
    try {
      return Deno.dlopen(path, symbols);
    } catch {
      continue;
    }
  }
  return undefined;
}
