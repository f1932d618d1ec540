import assert from "node:assert/strict";
import type { Libc } from "../../lib/peer/libc.ts";
import {
  decodeAnswer,
  encodeQuery,
  openNetlinkTable,
  REQUEST_BYTES,
  type SocketQuery,
} from "../../lib/peer/netlink.ts";

const QUERY: SocketQuery = {
  sequence: 0x01020304,
  local: { address: "127.0.0.1", port: 0xc351 },
  remote: { address: "127.0.0.2", port: 0x1cfe },
  interfaceIndex: 1,
};

const hex = (bytes: Uint8Array) => bytes.toHex();

/** A datagram as the kernel sends it about {@link QUERY}. */
function answer(change: Record<number, number> = {}): Uint8Array {
  const bytes = Uint8Array.fromHex(
    "58000000" + "1400" + "0000" + "04030201" + "00000000" + // header
      "02010000" + "c351" + "1cfe" + // family, state; ports
      "7f000001".padEnd(32, "0") + "7f000002".padEnd(32, "0") +
      "00000000" + "0000000000000000" + // interface, cookie
      "000000000000000000000000" + // expires, queues
      "e8030000" + "39300000", // uid 1000, inode 12345
  );
  for (const [at, byte] of Object.entries(change)) bytes[Number(at)] = byte;
  return bytes;
}

Deno.test("encodeQuery() lays the question out as the kernel reads it", () => {
  // Guards the layout byte by byte, also over what was there before.
  const bytes = new Uint8Array(REQUEST_BYTES);
  encodeQuery(bytes, { ...QUERY, sequence: 7 });
  encodeQuery(bytes, QUERY);
  assert.equal(
    hex(bytes),
    "48000000" + "1400" + "0100" + "04030201" + "00000000" +
      "02060000" + "00000000" + "c351" + "1cfe" +
      "7f000001".padEnd(32, "0") + "7f000002".padEnd(32, "0") +
      "01000000" + "ffffffffffffffff",
  );
});

Deno.test("decodeAnswer() reads a plain and a dual-stack socket [GATE-002]", () => {
  // Guards what is read of an answer, whichever family the client's is.
  const due = { state: 1, uid: 1000, inode: 12345, interfaceIndex: 0 };
  assert.deepEqual(decodeAnswer(answer(), QUERY), due);
  const mapped = answer({ 16: 10, 56: 1 });
  mapped.set(Uint8Array.fromHex("00000000000000000000ffff7f000001"), 24);
  mapped.set(Uint8Array.fromHex("00000000000000000000ffff7f000002"), 40);
  assert.deepEqual(decodeAnswer(mapped, QUERY), { ...due, interfaceIndex: 1 });
});

Deno.test("decodeAnswer() takes no answer that is not about the query [GATE-004] [GATE-005]", () => {
  // Guards that only an exact match is a socket, and that what cannot be
  // read is a failure, which refuses.
  const error = (code: string) =>
    Uint8Array.fromHex(
      "24000000" + "0200" + "0000" + "04030201" + "00000000" +
        code,
    );
  const rows: [string, Uint8Array, string][] = [
    ["another sequence number", answer({ 8: 5 }), "not ours"],
    ["nothing", new Uint8Array(0), "not ours"],
    ["a header alone", answer().subarray(0, 16), "not ours"],
    ["cut short", answer().subarray(0, 80), "failed"],
    ["another type", answer({ 4: 99 }), "failed"],
    ["no such socket", error("feffffff"), "none"],
    ["not permitted", error("ffffffff"), "failed"],
    ["another local port", answer({ 20: 1 }), "none"],
    ["another remote port", answer({ 22: 1 }), "none"],
    ["another local address", answer({ 27: 9 }), "none"],
    ["another remote address", answer({ 43: 9 }), "none"],
    ["an IPv6 address that is not mapped", answer({ 16: 10 }), "none"],
    ["a listener", answer({ 17: 10, 22: 0, 23: 0, 40: 0, 43: 0 }), "none"],
  ];
  for (const [name, bytes, due] of rows) {
    assert.equal(decodeAnswer(bytes, QUERY), due, name);
  }
});

/** C calls of which some fail, and what was closed. */
function brokenLibc(calls: Partial<Record<keyof Libc, unknown>>) {
  const closed: number[] = [];
  const libc = {
    socket: () => 5,
    send: (_: number, bytes: Uint8Array) => bytes.length,
    recv: () => -1,
    close: (file: number) => closed.push(file),
    ...calls,
  } as unknown as Libc;
  return { libc, closed };
}

Deno.test("openNetlinkTable() gives way where netlink is refused", () => {
  // Guards that a sandbox without netlink, or a kernel without the answering
  // module, falls back to the table and leaves no socket behind.
  const refused = brokenLibc({ socket: () => -1 });
  assert.equal(openNetlinkTable(refused.libc), undefined);
  assert.deepEqual(refused.closed, []);
  const done = (code: string) => (_: number, into: Uint8Array) => {
    const bytes = Uint8Array.fromHex(
      "14000000" + "0300" + "0200" + "01000000" + "00000000" + code,
    );
    into.set(bytes);
    return bytes.length;
  };
  const silent = [
    { send: () => -1 },
    { recv: () => -1 },
    { recv: () => 0 },
    { recv: done("feffffff") },
  ];
  for (const calls of silent) {
    const { libc, closed } = brokenLibc(calls);
    assert.equal(openNetlinkTable(libc), undefined);
    assert.deepEqual(closed, [5]);
  }
  const { libc } = brokenLibc({ recv: done("00000000") });
  assert.ok(openNetlinkTable(libc));
});

Deno.test("netlink table cannot be read when a question fails [GATE-004]", () => {
  // Guards that a socket lost later on refuses everyone, and that answers to
  // other questions do not keep the look-up going for ever.
  let left = 0;
  const { libc } = brokenLibc({
    recv: (_: number, into: Uint8Array) => {
      if (left-- <= 0) return -1;
      into.set(Uint8Array.fromHex(
        "14000000" + "0300" + "0200" + "01000000" + "0000000000000000",
      ));
      return 20;
    },
  });
  left = 1;
  const table = openNetlinkTable(libc);
  left = 3;
  assert.equal(table?.find(QUERY.local, QUERY.remote), undefined);
});
