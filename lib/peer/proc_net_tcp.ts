/**
 * Finds sockets in `/proc/net/tcp` and `/proc/net/tcp6`, for machines where
 * netlink is refused. The tables are read whole, through C calls since Deno
 * keeps programs out of `/proc`; matching rows is a pure function of the text.
 * A table may list one socket twice while others open and close, and may miss
 * one: the first is told apart by inode, the second fails closed.
 *
 * Format: Linux, Documentation/networking/proc_net_tcp.rst.
 *
 * @module
 */

import type { Libc } from "./libc.ts";
import type { SocketAddress, SocketRow, SocketTable } from "./owner.ts";

/** The IPv4 table, and the one with dual-stack sockets. */
export const TABLE_PATHS = ["/proc/net/tcp", "/proc/net/tcp6"] as const;

const HEADING = /^\s*sl\s+local_address\s+\S+\s+st\s/;

/**
 * The rows whose own end is `local` and whose other end is `remote`, IPv4
 * addresses mapped into IPv6 included. Returns undefined for a text that is
 * not such a table.
 */
export function findRows(
  text: string,
  local: SocketAddress,
  remote: SocketAddress,
): SocketRow[] | undefined {
  if (!HEADING.test(text)) return undefined;
  const rows: SocketRow[] = [];
  for (const prefix of ["", MAPPED_PREFIX]) {
    const ends = ` ${prefix}${hexEnd(local)} ${prefix}${hexEnd(remote)} `;
    for (
      let at = text.indexOf(ends);
      at >= 0;
      at = text.indexOf(ends, at + 1)
    ) {
      const row = parseRest(text.slice(at + ends.length, lineEnd(text, at)));
      if (row === undefined) return undefined;
      rows.push(row);
    }
  }
  return rows;
}

// ::ffff:0:0/96 as four words, each printed in the machine's byte order.
const MAPPED_PREFIX = "0000000000000000FFFF0000";

/** An end as the table prints it: the address's bytes backwards, the port. */
function hexEnd({ address, port }: SocketAddress): string {
  const bytes = address.split(".").map(Number).reverse();
  const hex = (value: number, digits: number) =>
    value.toString(16).toUpperCase().padStart(digits, "0");
  return `${bytes.map((byte) => hex(byte, 2)).join("")}:${hex(port, 4)}`;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}

// After the two ends: st tx:rx tr:when retrnsmt uid timeout inode …
const REST =
  /^([0-9A-F]{2}) [0-9A-F]+:[0-9A-F]+ [0-9A-F]+:[0-9A-F]+ [0-9A-F]+ +(\d+) +-?\d+ (\d+)(?: |$)/;

function parseRest(rest: string): SocketRow | undefined {
  const match = REST.exec(rest);
  if (match === null) return undefined;
  return {
    state: Number.parseInt(match[1] as string, 16),
    uid: Number(match[2]),
    inode: Number(match[3]),
  };
}

const O_RDONLY_CLOEXEC = 0o2000000;
const CHUNK_BYTES = 65_536;

// About 50,000 sockets. Reading more would hold the event loop too long, and
// a table that was not read whole cannot admit anyone.
const MAX_TABLE_BYTES = 8 * 1_024 * 1_024;

/** The whole text of a kernel table; undefined when it cannot be read. */
export function readTable(libc: Libc, path: string): string | undefined {
  const name = new TextEncoder().encode(`${path}\0`);
  const file = libc.open(name, O_RDONLY_CLOEXEC);
  if (file < 0) return undefined;
  try {
    return readToEnd(libc, file);
  } finally {
    libc.close(file);
  }
}

function readToEnd(libc: Libc, file: number): string | undefined {
  const decoder = new TextDecoder();
  const chunk = new Uint8Array(CHUNK_BYTES);
  let text = "";
  while (text.length <= MAX_TABLE_BYTES) {
    const count = libc.read(file, chunk, BigInt(CHUNK_BYTES));
    if (count < 0) return undefined;
    if (count === 0) return text;
    text += decoder.decode(chunk.subarray(0, count), { stream: true });
  }
  return undefined;
}

/**
 * The tables below `/proc`, read anew for each question. A machine without
 * IPv6 has no second table; one without the first has no answer.
 */
export function openProcTable(
  libc: Libc,
  read: (path: string) => string | undefined = (path) => readTable(libc, path),
): SocketTable {
  return {
    find(local, remote) {
      const [plain, mapped] = TABLE_PATHS.map(read);
      if (plain === undefined) return undefined;
      const rows = findRows(plain, local, remote);
      if (rows === undefined || mapped === undefined) return rows;
      const more = findRows(mapped, local, remote);
      return more && [...rows, ...more];
    },
    close() {},
  };
}
