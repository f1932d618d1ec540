/**
 * Tells systemd, or what stands in for it, that the service is up, how it
 * stands, and that it stops: datagrams to the socket that `NOTIFY_SOCKET`
 * names. Without that variable nothing is sent. They go by the C library,
 * opened before its permission is given back: Deno's own datagrams would need
 * the socket's path in the permission list, and so a build for each user.
 *
 * Protocol: sd_notify(3).
 *
 * @module
 */

import type { CancelTimer, Clock } from "./clock.ts";
import { openLibrary } from "./peer/libc.ts";

const AF_UNIX = 1;
// SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC
const SOCK_DATAGRAM_QUIET = 2 | 0o4000 | 0o2000000;
const MSG_NOSIGNAL = 0x4000;
/** Bytes of a path in an address. */
const MAX_PATH_BYTES = 107;

/** How often the status line is looked at; it is sent when it has changed. */
export const STATUS_EVERY_MS = 5_000;

const SYMBOLS = {
  socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
  connect: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  send: { parameters: ["i32", "buffer", "usize", "i32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
} as const satisfies Deno.ForeignLibraryInterface;

/** Who is told. */
export interface ServiceManager {
  /** Sends one message of `NAME=value` lines. Lost when it cannot be sent. */
  send(message: string): void;
  close(): void;
}

const NOBODY: ServiceManager = { send() {}, close() {} };

/** What `NOTIFY_SOCKET` says; undefined when there is none to be read. */
export function notifyAddress(): string | undefined {
  const name = "NOTIFY_SOCKET";
  const { state } = Deno.permissions.querySync({ name: "env", variable: name });
  return state === "granted" ? Deno.env.get(name) || undefined : undefined;
}

/** Opens the way to `address`. One that does not work is nobody. */
export function openServiceManager(
  address: string | undefined,
): ServiceManager {
  const bytes = address === undefined ? undefined : socketAddress(address);
  const library = bytes === undefined ? undefined : openLibrary(SYMBOLS);
  if (bytes === undefined || library === undefined) return NOBODY;
  const { socket, connect, send, close } = library.symbols;
  const handle = socket(AF_UNIX, SOCK_DATAGRAM_QUIET, 0);
  if (handle < 0 || connect(handle, bytes, bytes.length) < 0) {
    if (handle >= 0) close(handle);
    library.close();
    return NOBODY;
  }
  return {
    send(message) {
      const text = new TextEncoder().encode(message);
      send(handle, text, BigInt(text.length), MSG_NOSIGNAL);
    },
    close() {
      close(handle);
      library.close();
    },
  };
}

/**
 * The address as the kernel takes it: a path, or with `@` a name that is no
 * file. Undefined for what is neither.
 */
export function socketAddress(
  address: string,
): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[/@][^\0]+$/.test(address)) return undefined;
  const path = new TextEncoder().encode(address);
  if (path.length > MAX_PATH_BYTES) return undefined;
  const isFile = address.startsWith("/");
  // A path ends in a NUL; a name is as long as the address says.
  const bytes = new Uint8Array(2 + path.length + (isFile ? 1 : 0));
  new DataView(bytes.buffer).setUint16(0, AF_UNIX, true);
  bytes.set(path, 2);
  if (!isFile) bytes[2] = 0;
  return bytes;
}

/** Says that it is up, then how it stands whenever that has changed. */
export function reportTo(
  manager: ServiceManager,
  { clock, status }: { readonly clock: Clock; readonly status: () => string },
): { stopping(): void } {
  let said = status();
  let cancel: CancelTimer;
  const watch = () => {
    cancel = clock.after(STATUS_EVERY_MS, () => {
      const now = status();
      if (now !== said) manager.send(statusMessage(now));
      said = now;
      watch();
    });
  };
  manager.send(`READY=1\n${statusMessage(said)}`);
  watch();
  return {
    stopping() {
      cancel();
      manager.send(`STOPPING=1\n${statusMessage("stopping")}`);
    },
  };
}

function statusMessage(text: string): string {
  return `STATUS=${text.replace(/[\r\n]+/g, " ")}`;
}
