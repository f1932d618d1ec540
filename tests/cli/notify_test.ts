import assert from "node:assert/strict";
import { freePort } from "../free_port.ts";
import { ProgramHome } from "../start_program.ts";

/** A service manager: a datagram socket that prints what it is sent. */
const MANAGER = `
  const [path] = Deno.args;
  const socket = Deno.listenDatagram({ transport: "unixpacket", path });
  await Deno.chmod(path, 0o777);
  console.log("bound");
  for await (const [bytes] of socket) {
    const message = new TextDecoder().decode(bytes);
    console.log(JSON.stringify(message));
    if (message.startsWith("STOPPING")) break;
  }
  socket.close();
`;

Deno.test("reterm serve tells the service manager that it is up, and when it stops", async () => {
  // Guards that a unit counts as started once agents are served, under the
  // shipped permissions, with the C library given back.
  const home = await ProgramHome.make();
  const path = `${home.folder}/notify`;
  const manager = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--allow-all", "--unstable-net", "--no-config", "--ext=js"],
      `data:text/javascript,${encodeURIComponent(MANAGER)}`,
      path,
    ],
    stdout: "piped",
  }).spawn();
  try {
    const reader = manager.stdout.getReader();
    let said = "";
    const until = async (text: string) => {
      while (!said.includes(text)) {
        const { done, value } = await reader.read();
        assert.ok(!done, `it ended, and said: ${said}`);
        said += new TextDecoder().decode(value);
      }
    };
    await until("bound\n");
    const port = freePort();
    const config = { control: { enabled: true, port } };
    await home.write("config.json", JSON.stringify(config));
    const env = { NOTIFY_SOCKET: path };
    const service = await home.start(["serve"], { env });
    await until('connected"\n');
    service.kill("SIGTERM");
    assert.equal((await service.ended()).code, 0);
    await until('stopping"\n');
    assert.deepEqual(said.trimEnd().split("\n"), [
      "bound",
      `"READY=1\\nSTATUS=AI access on, port ${port}; ` +
      `0 of 0 sessions connected"`,
      `"STOPPING=1\\nSTATUS=stopping"`,
    ]);
    assert.equal((await reader.read()).done, true);
  } finally {
    try {
      manager.kill("SIGKILL");
    } catch {
      // It has ended.
    }
    await manager.status;
    await home.remove();
  }
});
