import assert from "node:assert/strict";
import { ScriptedServer } from "../irc/scripted_server.ts";
import { ProgramHome } from "../start_program.ts";

Deno.test("reterm tail prints messages as they come, and status counts them", async () => {
  // Guards the way from IRC through the door to a terminal, line by line.
  const server = ScriptedServer.listen();
  const home = await ProgramHome.make();
  try {
    const session = {
      id: "6F1C3B1E-2F0B-4C53-9D0F-2F6B7A1C9E10",
      name: "Net",
      host: "127.0.0.1",
      port: server.port,
      tls: false,
      nick: "me",
    };
    await home.write("config.json", JSON.stringify({ sessions: [session] }));
    const service = await home.serve();
    const peer = await server.accept();
    await peer.register();
    await service.logged(/Net: connected/);
    const tail = await home.start(["tail", "--session", "net"]);
    const said = ":alice!a@h PRIVMSG me :hello \x1b[2Jthere";
    // It follows from its first question on: what comes before is not printed.
    let isPrinted = false;
    while (!isPrinted) {
      await peer.send(said);
      isPrinted = await tail.printed("<alice> hello", 200);
    }
    assert.match(
      tail.lines()[0] ?? "",
      /^\S+Z Net alice <alice> hello \\u\{1B\}\[2Jthere$/,
    );
    const asked = home.run(["status", "--json"]);
    const ping = await peer.until(/^PING :reterm-lag/);
    await peer.send(`PONG ${ping.slice("PING ".length)}`);
    const { code, out } = await asked;
    assert.equal(code, 0);
    const [net] = JSON.parse(out).sessions;
    assert.equal(net.state, "connected");
    assert.ok(net.messages >= 1 && net.lagMs < 2_000);
    service.kill("SIGTERM");
    await service.ended();
    const ended = await tail.ended();
    assert.equal(ended.code, 1);
    assert.match(ended.err, /No service is running|does not answer/);
  } finally {
    await server.close();
    await home.remove();
  }
});
