import assert from "node:assert/strict";
import { openLibc } from "../../lib/peer/libc.ts";
import { openNetlinkTable } from "../../lib/peer/netlink.ts";
import {
  createPeerCheck,
  judgeSockets,
  openPeerCheck,
  type PeerCheck,
  type SocketRow,
  type SocketTable,
} from "../../lib/peer/owner.ts";
import { openProcTable } from "../../lib/peer/proc_net_tcp.ts";
import {
  OK_ANSWER,
  openGate,
  post,
  RawClient,
  roundTrip,
} from "../http/gate_harness.ts";

const ESTABLISHED = 1;
const ME = 1000;

function row(change: Partial<SocketRow> = {}): SocketRow {
  return { state: ESTABLISHED, uid: ME, inode: 77, ...change };
}

/** The kernel's table, asked both ways; closed when disposed of. */
function openTables(): Disposable & { list: [string, SocketTable][] } {
  const library = openLibc();
  assert.ok(library, "a C library is needed");
  const netlink = openNetlinkTable(library.symbols);
  assert.ok(netlink, "netlink is needed");
  return {
    list: [
      ["netlink", netlink],
      ["/proc", openProcTable(library.symbols)],
    ],
    [Symbol.dispose]() {
      netlink.close();
      library.close();
    },
  };
}

function ownUid(): number {
  const uid = Deno.uid();
  assert.ok(uid !== null);
  return uid;
}

/** A connection and both its ends; `hostname` decides the client's family. */
async function connected(
  hostname: string,
  judge: (accepted: Deno.TcpConn, client: Deno.TcpConn) => void,
): Promise<void> {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  using client = await Deno.connect({ hostname, port: listener.addr.port });
  using accepted = await listener.accept();
  judge(accepted, client);
}

Deno.test("judgeSockets() admits one live socket of the same user and nothing else [GATE-003] [GATE-004] [GATE-005] [GATE-006] [GATE-007] [GATE-008]", () => {
  // Guards the verdict by table: whatever is not certain is unknown, and
  // unknown is refused.
  const closing = [3, 6, 7, 10, 12].map((state) => row({ state, inode: 9 }));
  const rows: [string, SocketRow[] | undefined, string][] = [
    ["the client", [row()], "same-user"],
    ["another user", [row({ uid: 1001 })], "other-user"],
    ["root", [row({ uid: 0 })], "other-user"],
    ["a table that cannot be read", undefined, "unknown"],
    ["no row", [], "unknown"],
    ["closing and half-open only", closing, "unknown"],
    ["the client among closing ones", [...closing, row()], "same-user"],
    ["a socket nobody holds", [row({ inode: 0 })], "unknown"],
    ["a socket nobody holds, beside", [row({ inode: 0 }), row()], "same-user"],
    ["listed twice", [row(), row()], "same-user"],
    ["two live sockets", [row(), row({ inode: 78 })], "unknown"],
    ["two, one another's", [row(), row({ inode: 78, uid: 0 })], "unknown"],
    ["one that only asks to connect", [row({ state: 2 })], "unknown"],
    ["a client about to close", [row({ state: 4 })], "same-user"],
  ];
  for (const [name, found, due] of rows) {
    assert.equal(judgeSockets(found, ME), due, name);
  }
});

Deno.test("PeerCheck knows its own user on plain and dual-stack sockets [GATE-002]", async () => {
  // Guards that both kinds of client are found by both ways of asking, from
  // either side of the connection.
  using tables = openTables();
  for (const [name, table] of tables.list) {
    const check = createPeerCheck(table, ownUid());
    for (const hostname of ["127.0.0.1", "::ffff:127.0.0.1"]) {
      await connected(hostname, (accepted) => {
        assert.equal(check.judge(accepted), "same-user", `${name} ${hostname}`);
      });
    }
    await connected("127.0.0.1", (_, client) => {
      assert.equal(check.judge(client), "same-user", `${name} outgoing`);
    });
  }
});

Deno.test("PeerCheck tells another user's socket [GATE-003]", async () => {
  // Guards the comparison with the kernel's word, by claiming to be another.
  using tables = openTables();
  for (const [name, table] of tables.list) {
    const check = createPeerCheck(table, ownUid() + 1);
    for (const hostname of ["127.0.0.1", "::ffff:127.0.0.1"]) {
      await connected(hostname, (accepted) => {
        assert.equal(check.judge(accepted), "other-user", name);
      });
    }
  }
});

Deno.test("PeerCheck finds nobody behind a socket that was closed [GATE-006]", async () => {
  // Guards against taking a closing socket, which the kernel may list as
  // anyone's, for a client.
  using tables = openTables();
  for (const [name, table] of tables.list) {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr;
    const client = await Deno.connect({ hostname: "127.0.0.1", port });
    using accepted = await listener.accept();
    client.close();
    const check = createPeerCheck(table, ownUid());
    assert.equal(check.judge(accepted), "unknown", name);
  }
});

Deno.test("PeerCheck does not take a listener for a client", () => {
  // Guards against an answer about another socket on the same port, which
  // the kernel gives where no connection matches.
  using tables = openTables();
  for (const [name, table] of tables.list) {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr;
    const stranger = { address: "127.0.0.1", port: 1 };
    const rows = table.find({ address: "127.0.0.1", port }, stranger);
    assert.equal(judgeSockets(rows, ownUid()), "unknown", name);
  }
});

Deno.test("PeerCheck answers unknown for what is not an IPv4 connection [GATE-005]", () => {
  // Guards that an address it cannot look up is refused.
  const check = createPeerCheck({ find: () => [row()] }, ME);
  const local: Deno.NetAddr = {
    transport: "tcp",
    hostname: "127.0.0.1",
    port: 1,
  };
  const unix = { transport: "unix", path: "/x" } as const;
  assert.equal(
    check.judge({ localAddr: local, remoteAddr: local }),
    "same-user",
  );
  for (const remoteAddr of [{ ...local, hostname: "::1" }, unix]) {
    assert.equal(check.judge({ localAddr: local, remoteAddr }), "unknown");
  }
});

const REFUSING: [PeerCheck, string, string][] = [
  [{ judge: () => "other-user" }, "peer is another user", "GATE-009"],
  [{ judge: () => "unknown" }, "peer user could not be checked", "GATE-010"],
];
for (const [peer, name, row] of REFUSING) {
  Deno.test(`gate closes unanswered when ${name} [GATE-001] [GATE-003] [${row}] [GATE-011]`, async () => {
    // Guards that such a client gets no byte, that nothing of its request is
    // read, and that the line names the class and no user.
    await using gate = openGate({ peer });
    const silent = await RawClient.connect(gate.port);
    assert.equal(await silent.readToEnd(), "");
    silent.close();
    assert.equal(await roundTrip(gate.port, post(gate.port)), "");
    assert.equal(gate.calls.length, 0);
    assert.deepEqual(gate.lines.map(({ text }) => text), [
      `refused (${name}, closed), 0 more of this class since the last line`,
    ]);
    assert.deepEqual(gate.notices, []);
  });
}

Deno.test("gate with the peer check serves its own user [GATE-001]", async () => {
  // Guards that the check as it is opened for real admits who it should,
  // many times over and on connections opened at once.
  const peer = openPeerCheck();
  {
    await using gate = openGate({ peer });
    for (let round = 0; round < 25; round++) {
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => roundTrip(gate.port, post(gate.port))),
      );
      assert.deepEqual(answers, Array(4).fill(OK_ANSWER));
    }
  }
  peer.close();
});

Deno.test("gate with the peer check closes on another user [GATE-003] [GATE-009]", async () => {
  // Guards the check end to end. Root can be a real other user, and is; any
  // other user claims to be one, and is refused its own connection.
  const isRoot = ownUid() === 0;
  using tables = openTables();
  const [, table] = tables.list[0] as [string, SocketTable];
  const peer = createPeerCheck(table, isRoot ? 0 : ownUid() + 1);
  await using gate = openGate({ peer });
  const answer = isRoot
    ? await roundTripAsNobody(gate.port)
    : await roundTrip(gate.port, post(gate.port));
  assert.equal(answer, "");
  assert.match(gate.lines[0]?.text ?? "", /peer is another user/);
});

async function roundTripAsNobody(port: number): Promise<string> {
  const user = ["--reuid=65534", "--regid=65534", "--clear-groups"];
  const script = `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`;
  const { stdout } = await new Deno.Command("setpriv", {
    args: [...user, "bash", "-c", script],
    stderr: "null",
  }).output();
  return new TextDecoder().decode(stdout);
}

Deno.test("openPeerCheck() works on after FFI permission is revoked", async () => {
  // Guards the order of starting up: the library is opened, the permission
  // given back, and the check still answers; under the program's own flags.
  const { LIBC_PATHS } = await import("../../lib/peer/libc.ts");
  const owner = new URL("../../lib/peer/owner.ts", import.meta.url);
  const code = `
    import { openPeerCheck } from ${JSON.stringify(owner.href)};
    const check = openPeerCheck();
    await Deno.permissions.revoke({ name: "ffi" });
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr;
    const client = await Deno.connect({ hostname: "127.0.0.1", port });
    const accepted = await listener.accept();
    console.log(check.judge(accepted), openPeerCheck().judge(accepted));
    for (const end of [listener, client, accepted]) end.close();
  `;
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      "--ext=ts",
      "--allow-net=127.0.0.1",
      "--allow-sys=uid",
      `--allow-ffi=${LIBC_PATHS.join(",")}`,
      `data:application/typescript,${encodeURIComponent(code)}`,
    ],
  }).output();
  const said = new TextDecoder().decode(stdout);
  assert.equal(said, "same-user unknown\n", new TextDecoder().decode(stderr));
});
