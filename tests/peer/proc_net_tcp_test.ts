import assert from "node:assert/strict";
import { type Libc, openLibc } from "../../lib/peer/libc.ts";
import {
  findRows,
  openProcTable,
  readTable,
  TABLE_PATHS,
} from "../../lib/peer/proc_net_tcp.ts";

const CLIENT = { address: "127.0.0.1", port: 0xc351 };
const SERVER = { address: "127.0.0.1", port: 0x1cfe };

const HEADING =
  "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
const REST = "00000000:00000000 00:00000000 00000000";
const END = "1 0000000000000000 20 4 30 10 -1\n";
const MAPPED = "0000000000000000FFFF0000";

function line(
  ends: string,
  { state = "01", uid = 1000, inode = 12345 } = {},
): string {
  const user = String(uid).padStart(5);
  return `   4: ${ends} ${state} ${REST} ${user}        0 ${inode} ${END}`;
}

const OURS = "0100007F:C351 0100007F:1CFE";
const ROW = { state: 1, uid: 1000, inode: 12345 };

Deno.test("findRows() finds the rows of exactly these two ends [GATE-002]", () => {
  // Guards the match: the other direction, another port and a listener are
  // other sockets.
  const others = [
    "0100007F:1CFE 0100007F:C351",
    "0100007F:C351 0100007F:1CFD",
    "0100007F:C351 0200007F:1CFE",
    "0100007F:1CFE 00000000:0000",
  ].map((ends) => line(ends)).join("");
  assert.deepEqual(findRows(HEADING + others, CLIENT, SERVER), []);
  assert.deepEqual(
    findRows(HEADING + others + line(OURS) + others, CLIENT, SERVER),
    [ROW],
  );
});

Deno.test("findRows() finds IPv4 addresses mapped into IPv6 [GATE-002]", () => {
  // Guards dual-stack clients, and that another IPv6 address which ends the
  // same way is not one.
  const heading = HEADING.replace("rem_address", "remote_address");
  const mapped = line(`${MAPPED}0100007F:C351 ${MAPPED}0100007F:1CFE`);
  const other = line(
    `${"0".repeat(24)}0100007F:C351 ${"0".repeat(24)}0100007F:1CFE`,
  );
  const text = heading + other + mapped;
  assert.deepEqual(findRows(text, CLIENT, SERVER), [ROW]);
});

Deno.test("findRows() lists every match as it stands [GATE-006] [GATE-007] [GATE-008]", () => {
  // Guards that states, repeats and second sockets reach the verdict.
  const text = HEADING + line(OURS) + line(OURS) +
    line(OURS, { state: "06", uid: 0, inode: 0 }) +
    line(OURS, { uid: 4294967294, inode: 4294967295 });
  assert.deepEqual(findRows(text, CLIENT, SERVER), [
    ROW,
    ROW,
    { state: 6, uid: 0, inode: 0 },
    { state: 1, uid: 4294967294, inode: 4294967295 },
  ]);
});

Deno.test("findRows() reads no table it does not know [GATE-004]", () => {
  // Guards that a text which is not the table, or a matching row cut short,
  // admits nobody.
  for (
    const text of [
      "",
      "not a table\n",
      line(OURS),
      HEADING + line(OURS).slice(0, 60),
      HEADING + line(OURS).replace(" 1000 ", " root "),
    ]
  ) {
    assert.equal(findRows(text, CLIENT, SERVER), undefined);
  }
});

Deno.test("proc table needs the IPv4 table and takes the other where it is [GATE-004]", () => {
  // Guards machines without IPv6, and that a hidden or foreign table refuses.
  const [plain, mapped] = TABLE_PATHS;
  const full = HEADING + line(OURS);
  const rows: [Record<string, string>, unknown][] = [
    [{ [plain]: full, [mapped]: HEADING }, [ROW]],
    [{ [plain]: full, [mapped]: full }, [ROW, ROW]],
    [{ [plain]: full }, [ROW]],
    [{ [mapped]: full }, undefined],
    [{}, undefined],
    [{ [plain]: full, [mapped]: "garbage" }, undefined],
    [{ [plain]: "", [mapped]: full }, undefined],
  ];
  for (const [files, due] of rows) {
    const table = openProcTable({} as Libc, (path) => files[path]);
    assert.deepEqual(table.find(CLIENT, SERVER), due);
  }
});

Deno.test("readTable() reads the kernel's table whole and closes it", () => {
  // Guards reading in chunks, and that no descriptor stays behind.
  const library = openLibc();
  assert.ok(library);
  const libc = library.symbols;
  const before = [...Deno.readDirSync("/proc/self/fd")].length;
  for (let i = 0; i < 20; i++) {
    assert.match(readTable(libc, TABLE_PATHS[0]) ?? "", /local_address/);
    assert.equal(readTable(libc, "/proc/net/none"), undefined);
    assert.equal(readTable(libc, "/proc/net"), undefined);
  }
  assert.equal([...Deno.readDirSync("/proc/self/fd")].length, before);
  library.close();
});
