/**
 * Tells whose the other end of a loopback connection is, by the kernel's
 * word and no one else's. It answers at once, so that the check is over before
 * a byte of the request is read, and it fails closed: whatever cannot be told
 * for certain is `unknown`.
 *
 * Works from either side: on an accepted connection the other end is the
 * client, on an outgoing one the server.
 *
 * Spec: "Setup", "Who may connect".
 *
 * @module
 */

import { openLibc } from "./libc.ts";
import { openNetlinkTable } from "./netlink.ts";
import { openProcTable } from "./proc_net_tcp.ts";

/** One end of a connection. */
export interface SocketAddress {
  /** An IPv4 address in dotted decimal. */
  readonly address: string;
  readonly port: number;
}

/** A socket as the kernel lists it. */
export interface SocketRow {
  /** The kernel's number of the TCP state. */
  readonly state: number;
  readonly uid: number;
  /** 0 when no process holds the socket any more. */
  readonly inode: number;
}

/** Where sockets are looked up. */
export interface SocketTable {
  /**
   * The sockets whose own end is `local` and whose other end is `remote`,
   * dual-stack sockets included; undefined when the table cannot be read.
   */
  find(
    local: SocketAddress,
    remote: SocketAddress,
  ): readonly SocketRow[] | undefined;
  /** Ends the use of the table. Nothing may be looked up any more. */
  close(): void;
}

export type PeerVerdict = "same-user" | "other-user" | "unknown";

/** The two ends of a connection, as `Deno.TcpConn` has them. */
export interface ConnectionAddresses {
  readonly localAddr: Deno.Addr;
  readonly remoteAddr: Deno.Addr;
}

/** Judges who is at the other end of a connection. */
export interface PeerCheck {
  judge(connection: ConnectionAddresses): PeerVerdict;
}

// States that say nothing about who holds the socket: half-open ones belong
// to no process yet, closing ones to none any more (include/net/tcp_states.h).
const SYN_SENT = 2;
const SYN_RECV = 3;
const TIME_WAIT = 6;
const CLOSE = 7;
const LISTEN = 10;
const NEW_SYN_RECV = 12;
const UNCOUNTED: ReadonlySet<number> = new Set([
  SYN_RECV,
  TIME_WAIT,
  CLOSE,
  LISTEN,
  NEW_SYN_RECV,
]);

/** Judges the rows found for one connection against the user `uid`. */
export function judgeSockets(
  rows: readonly SocketRow[] | undefined,
  uid: number,
): PeerVerdict {
  const owners = new Map<number, number>();
  for (const row of rows ?? []) {
    // A socket that no process holds is listed as root's, or as its last
    // user's, by kernel; it is nobody's.
    if (UNCOUNTED.has(row.state) || row.inode === 0) continue;
    // A connection is accepted once its client has left this state, so this
    // is a second socket, which the kernel shows in front of the client.
    if (row.state === SYN_SENT) return "unknown";
    owners.set(row.inode, row.uid);
  }
  if (owners.size !== 1) return "unknown";
  const [owner] = owners.values();
  return owner === uid ? "same-user" : "other-user";
}

/** A check that looks connections up in `table` and compares with `uid`. */
export function createPeerCheck(
  table: Pick<SocketTable, "find">,
  uid: number,
): PeerCheck {
  return {
    judge({ localAddr, remoteAddr }) {
      const local = ipv4(remoteAddr);
      const remote = ipv4(localAddr);
      if (local === undefined || remote === undefined) return "unknown";
      return judgeSockets(table.find(local, remote), uid);
    },
  };
}

function ipv4(addr: Deno.Addr): SocketAddress | undefined {
  if (addr.transport !== "tcp" || addr.hostname.includes(":")) return undefined;
  return { address: addr.hostname, port: addr.port };
}

/** A check that holds the machine's socket table open. */
export interface OpenPeerCheck extends PeerCheck {
  /** Lets the table go, after which nothing may be judged any more. */
  close(): void;
}

/**
 * Opens the machine's socket table. Call it once, before FFI permission is
 * revoked; the check works on without it. Where the table cannot be opened
 * the check answers `unknown` for everyone. On macOS there is no check, and
 * everyone is `same-user`.
 */
export function openPeerCheck(): OpenPeerCheck {
  if (Deno.build.os === "darwin") return constantCheck("same-user");
  const library = openLibc();
  const uid = Deno.uid();
  if (library === undefined || uid === null) return constantCheck("unknown");
  const libc = library.symbols;
  const table = openNetlinkTable(libc) ?? openProcTable(libc);
  return {
    ...createPeerCheck(table, uid),
    close() {
      table.close();
      library.close();
    },
  };
}

function constantCheck(verdict: PeerVerdict): OpenPeerCheck {
  return { judge: () => verdict, close() {} };
}
