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
const AF_INET6 = 10;
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
/** How long a request is. */
export const REQUEST_BYTES = HEADER_BYTES + 56;
const ANSWER_BYTES = HEADER_BYTES + 72;
// An error answer carries the request it is about.
const RECEIVE_BYTES = 4_096;

// What C calls size_t is a bigint to it.
const REQUEST_SIZE = BigInt(REQUEST_BYTES);
const RECEIVE_SIZE = BigInt(RECEIVE_BYTES);

/** A look-up: which socket, and as seen from which network interface. */
export interface SocketQuery {
  readonly sequence: number;
  readonly local: SocketAddress;
  readonly remote: SocketAddress;
  /** The kernel's interface number; 0 for none in particular. */
  readonly interfaceIndex: number;
}

/** What a datagram from the kernel says about one query. */
export type QueryAnswer = FoundSocket | "none" | "failed" | "not ours";

/** A socket, and the interface it is bound to; 0 when it is not. */
export interface FoundSocket extends SocketRow {
  readonly interfaceIndex: number;
}

/** Writes the request for one socket over `bytes`, a request's length long. */
export function encodeQuery(bytes: Uint8Array, query: SocketQuery): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  putHeader(view, { flags: NLM_F_REQUEST, sequence: query.sequence });
  view.setUint16(24, query.local.port);
  view.setUint16(26, query.remote.port);
  view.setUint32(28, addressNumber(query.local.address));
  view.setUint32(44, addressNumber(query.remote.address));
  view.setUint32(60, query.interfaceIndex, true);
  // No cookie: the socket is known by its addresses alone.
  view.setUint32(64, 0xffffffff, true);
  view.setUint32(68, 0xffffffff, true);
}

/**
 * A request to list the sockets in no state at all. It tells a kernel that
 * can be asked from one that cannot, whose answer to a query would be the
 * same as for a socket that is not there.
 */
function encodeProbe(bytes: Uint8Array, sequence: number): void {
  bytes.fill(0);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  putHeader(view, { flags: NLM_F_REQUEST | NLM_F_DUMP, sequence });
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

/** An address in dotted decimal as the number its four bytes make. */
function addressNumber(address: string): number {
  let number = 0;
  for (const part of address.split(".")) number = number * 256 + Number(part);
  return number;
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
    interfaceIndex: view.getUint32(56, true),
  };
}

function isAbout(view: DataView, { local, remote }: SocketQuery): boolean {
  const isMapped = view.getUint8(16) === AF_INET6;
  return view.getUint16(20) === local.port &&
    view.getUint16(22) === remote.port &&
    readAddress(view, { at: 24, isMapped }) === addressNumber(local.address) &&
    readAddress(view, { at: 40, isMapped }) === addressNumber(remote.address);
}

/** The IPv4 address in 16 bytes, plain or mapped into IPv6; else undefined. */
function readAddress(
  view: DataView,
  { at, isMapped }: { at: number; isMapped: boolean },
): number | undefined {
  if (!isMapped) return view.getUint32(at);
  const isPrefixed = view.getUint32(at) === 0 && view.getUint32(at + 4) === 0 &&
    view.getUint32(at + 8) === 0xffff;
  return isPrefixed ? view.getUint32(at + 12) : undefined;
}

const LOOPBACK_INTERFACE = 1;
const NO_INTERFACE = 0;

/** Asks the kernel each time, over one socket kept open. */
class NetlinkTable implements SocketTable {
  readonly #libc: Libc;
  readonly #socket: number;
  readonly #request = new Uint8Array(REQUEST_BYTES);
  readonly #received = new Uint8Array(RECEIVE_BYTES);
  #sequence = 0;

  constructor(libc: Libc, socket: number) {
    this.#libc = libc;
    this.#socket = socket;
  }

  /** Whether the kernel answers such questions here. */
  isAnswering(): boolean {
    const sequence = this.#nextSequence();
    encodeProbe(this.#request, sequence);
    if (!this.#sendRequest()) return false;
    const answer = this.#receive();
    if (answer === undefined || answer.length < HEADER_BYTES + 4) return false;
    const view = new DataView(answer.buffer, 0, answer.length);
    return view.getUint32(8, true) === sequence &&
      view.getUint16(4, true) === NLMSG_DONE &&
      view.getInt32(HEADER_BYTES, true) === 0;
  }

  /**
   * Asks from the loopback interface, as the kernel itself finds the socket
   * that a packet is for. Two sockets can share a four-tuple when one is bound
   * to an interface, and a question from no interface passes over that one.
   */
  find(
    local: SocketAddress,
    remote: SocketAddress,
  ): SocketRow[] | undefined {
    const first = this.#ask(local, remote, LOOPBACK_INTERFACE);
    if (first === "failed") return undefined;
    if (first === "none") return [];
    if (first.interfaceIndex === NO_INTERFACE) return [first];
    const second = this.#ask(local, remote, NO_INTERFACE);
    if (second === "failed") return undefined;
    return second === "none" ? [first] : [first, second];
  }

  #ask(
    local: SocketAddress,
    remote: SocketAddress,
    interfaceIndex: number,
  ): FoundSocket | "none" | "failed" {
    const sequence = this.#nextSequence();
    const query = { sequence, local, remote, interfaceIndex };
    encodeQuery(this.#request, query);
    if (!this.#sendRequest()) return "failed";
    while (true) {
      const bytes = this.#receive();
      if (bytes === undefined) return "failed";
      const answer = decodeAnswer(bytes, query);
      // The rest of an answer to a question that was given up.
      if (answer !== "not ours") return answer;
    }
  }

  close(): void {
    this.#libc.close(this.#socket);
  }

  #nextSequence(): number {
    return this.#sequence = (this.#sequence + 1) >>> 0;
  }

  #sendRequest(): boolean {
    const sent = this.#libc.send(
      this.#socket,
      this.#request,
      REQUEST_SIZE,
      0,
    );
    return sent === REQUEST_BYTES;
  }

  #receive(): Uint8Array | undefined {
    const count = this.#libc.recv(
      this.#socket,
      this.#received,
      RECEIVE_SIZE,
      0,
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
  table.close();
  return undefined;
}
