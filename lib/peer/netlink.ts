/**
 * Asks the kernel for one TCP socket by its exact four-tuple, over
 * `NETLINK_SOCK_DIAG`. The answer's cost does not grow with the machine's
 * connections, where the table below `/proc` is read whole. Messages are laid
 * out and read by pure functions; the socket is a thin layer around them.
 *
 * Layouts: linux/netlink.h, linux/sock_diag.h, linux/inet_diag.h. Numbers are
 * little-endian, as on every machine Deno runs on, but for ports and
 * addresses, which travel in network order.
 *
 * @module
 */

import type { Libc } from "./libc.ts";
import type { SocketAddress, SocketRow, SocketTable } from "./owner.ts";

const AF_INET = 2;
const AF_NETLINK = 16;
const NETLINK_SOCK_DIAG = 4;
const IPPROTO_TCP = 6;
// type | SOCK_NONBLOCK | SOCK_CLOEXEC
const SOCK_RAW_QUIET = 3 | 0o4000 | 0o2000000;

const SOCK_DIAG_BY_FAMILY = 20;
const NLMSG_ERROR = 2;
const NLMSG_DONE = 3;
const NLM_F_REQUEST = 0x1;
const NLM_F_DUMP = 0x300;
const ENOENT = 2;

const HEADER_BYTES = 16;
const REQUEST_BYTES = HEADER_BYTES + 56;
const ANSWER_BYTES = HEADER_BYTES + 72;
// An error answer carries the request it is about.
const RECEIVE_BYTES = 4_096;

/** A look-up: which socket, and as seen from which network interface. */
export interface SocketQuery {
  readonly sequence: number;
  readonly local: SocketAddress;
  readonly remote: SocketAddress;
  /** The kernel's interface number; 0 for none in particular. */
  readonly interfaceIndex: number;
}

/** What a datagram from the kernel says about one query. */
export type QueryAnswer = SocketRow | "none" | "failed" | "not ours";

/** The request for one socket. */
export function encodeQuery(query: SocketQuery): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(REQUEST_BYTES);
  const view = new DataView(bytes.buffer);
  putHeader(view, { flags: NLM_F_REQUEST, sequence: query.sequence });
  view.setUint16(24, query.local.port);
  view.setUint16(26, query.remote.port);
  bytes.set(addressBytes(query.local.address), 28);
  bytes.set(addressBytes(query.remote.address), 44);
  view.setUint32(60, query.interfaceIndex, true);
  // No cookie: the socket is known by its addresses alone.
  view.setUint32(64, 0xffffffff, true);
  view.setUint32(68, 0xffffffff, true);
  return bytes;
}

/**
 * A request to list the sockets in no state at all. It tells a kernel that
 * can be asked from one that cannot, whose answer to a query would be the
 * same as for a socket that is not there.
 */
function encodeProbe(sequence: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(REQUEST_BYTES);
  const flags = NLM_F_REQUEST | NLM_F_DUMP;
  putHeader(new DataView(bytes.buffer), { flags, sequence });
  return bytes;
}

function putHeader(
  view: DataView,
  { flags, sequence }: { flags: number; sequence: number },
): void {
  view.setUint32(0, REQUEST_BYTES, true);
  view.setUint16(4, SOCK_DIAG_BY_FAMILY, true);
  view.setUint16(6, flags, true);
  view.setUint32(8, sequence, true);
  view.setUint8(16, AF_INET);
  view.setUint8(17, IPPROTO_TCP);
}

function addressBytes(address: string): number[] {
  return address.split(".").map(Number);
}

/** Reads one datagram as the answer to `query`. */
export function decodeAnswer(
  bytes: Uint8Array,
  query: SocketQuery,
): QueryAnswer {
  if (bytes.length < HEADER_BYTES + 4) return "not ours";
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (view.getUint32(8, true) !== query.sequence) return "not ours";
  const type = view.getUint16(4, true);
  if (type === NLMSG_ERROR) {
    return view.getInt32(HEADER_BYTES, true) === -ENOENT ? "none" : "failed";
  }
  if (type !== SOCK_DIAG_BY_FAMILY || bytes.length < ANSWER_BYTES) {
    return "failed";
  }
  // Where no connection matches, the kernel offers a listener on the port.
  if (!isAbout(view, query)) return "none";
  return {
    state: view.getUint8(17),
    uid: view.getUint32(80, true),
    inode: view.getUint32(84, true),
  };
}

const AF_INET6 = 10;

function isAbout(view: DataView, { local, remote }: SocketQuery): boolean {
  if (view.getUint16(20) !== local.port) return false;
  if (view.getUint16(22) !== remote.port) return false;
  const isMapped = view.getUint8(16) === AF_INET6;
  return holdsAddress(view, 24, { isMapped, address: local.address }) &&
    holdsAddress(view, 40, { isMapped, address: remote.address });
}

/** Whether 16 bytes are an IPv4 address, plain or mapped into IPv6. */
function holdsAddress(
  view: DataView,
  at: number,
  { isMapped, address }: { isMapped: boolean; address: string },
): boolean {
  const plain = addressBytes(address);
  const wanted = isMapped ? [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255] : [];
  wanted.push(...plain);
  return wanted.every((byte, i) => view.getUint8(at + i) === byte);
}

const LOOPBACK_INTERFACE = 1;
const NO_INTERFACE = 0;

/** Asks the kernel each time. Keeps one socket open for good. */
class NetlinkTable implements SocketTable {
  readonly #libc: Libc;
  readonly #socket: number;
  readonly #received = new Uint8Array(RECEIVE_BYTES);
  #sequence = 0;

  constructor(libc: Libc, socket: number) {
    this.#libc = libc;
    this.#socket = socket;
  }

  /** Whether the kernel answers such questions here. */
  isAnswering(): boolean {
    const sequence = this.#nextSequence();
    if (!this.#send(encodeProbe(sequence))) return false;
    const answer = this.#receive();
    if (answer === undefined || answer.length < HEADER_BYTES + 4) return false;
    const view = new DataView(answer.buffer, 0, answer.length);
    return view.getUint32(8, true) === sequence &&
      view.getUint16(4, true) === NLMSG_DONE &&
      view.getInt32(HEADER_BYTES, true) === 0;
  }

  /**
   * Asks twice: from the loopback interface, as the kernel itself finds the
   * owner of a packet; and from none, which passes over sockets bound to an
   * interface. Two sockets that share a four-tuple differ in that binding.
   */
  find(
    local: SocketAddress,
    remote: SocketAddress,
  ): SocketRow[] | undefined {
    const rows: SocketRow[] = [];
    for (const interfaceIndex of [LOOPBACK_INTERFACE, NO_INTERFACE]) {
      const sequence = this.#nextSequence();
      const answer = this.#ask({ sequence, local, remote, interfaceIndex });
      if (answer === "failed") return undefined;
      if (answer !== "none") rows.push(answer);
    }
    return rows;
  }

  #ask(query: SocketQuery): SocketRow | "none" | "failed" {
    if (!this.#send(encodeQuery(query))) return "failed";
    while (true) {
      const bytes = this.#receive();
      if (bytes === undefined) return "failed";
      const answer = decodeAnswer(bytes, query);
      // The rest of an answer to a question that was given up.
      if (answer !== "not ours") return answer;
    }
  }

  #nextSequence(): number {
    return this.#sequence = (this.#sequence + 1) >>> 0;
  }

  #send(bytes: Uint8Array<ArrayBuffer>): boolean {
    const length = BigInt(bytes.length);
    const sent = this.#libc.send(this.#socket, bytes, length, 0);
    return Number(sent) === bytes.length;
  }

  #receive(): Uint8Array | undefined {
    const room = BigInt(RECEIVE_BYTES);
    const count = Number(
      this.#libc.recv(this.#socket, this.#received, room, 0),
    );
    return count > 0 ? this.#received.subarray(0, count) : undefined;
  }
}

/** The kernel's table by netlink; undefined where netlink is refused. */
export function openNetlinkTable(libc: Libc): SocketTable | undefined {
  const socket = libc.socket(AF_NETLINK, SOCK_RAW_QUIET, NETLINK_SOCK_DIAG);
  if (socket < 0) return undefined;
  const table = new NetlinkTable(libc, socket);
  if (table.isAnswering()) return table;
  libc.close(socket);
  return undefined;
}
