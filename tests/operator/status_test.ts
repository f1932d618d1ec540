import assert from "node:assert/strict";
import type { StatusReport } from "../../lib/operator/status_report.ts";
import { freePort } from "../free_port.ts";
import { ScriptedServer, within } from "../irc/scripted_server.ts";
import { addressIn, callTool } from "../mcp_post.ts";
import { connectCommand, withService } from "../running_service.ts";

Deno.test("status tells access, agents, memory and each session with its lag", async () => {
  // Guards what a person looks at first, and what a script reads.
  const server = ScriptedServer.listen();
  const session = (name: string, more: Record<string, unknown>) => ({
    id: crypto.randomUUID(),
    name,
    host: "127.0.0.1",
    port: server.port,
    tls: false,
    nick: "me",
    ...more,
  });
  const port = freePort();
  const config = {
    control: { enabled: true, debug: true, port },
    sessions: [
      session("Net", { channels: [] }),
      session("Resting", { autoconnect: false }),
    ],
  };
  try {
    await withService(config, async (running) => {
      const peer = await server.accept();
      await peer.register();
      await within("the connection", running.logged(/^Net: connected/));
      await peer.send(":me!me@h JOIN #room", ":irc.test 366 me #room :End");
      await peer.barrier();
      const address = addressIn(await connectCommand(running));
      await callTool(address, "subscribe", { queries: true });
      const asked = running.command("status", "--json");
      const ping = await peer.until(/^PING :reterm-lag-\d+$/);
      await peer.send(`:irc.test PONG irc.test ${ping.slice("PING ".length)}`);
      const { exit, out } = await asked;
      assert.equal(exit, 0);
      const report: StatusReport = JSON.parse(out);
      assert.deepEqual(report.access, {
        serving: true,
        port,
        debug: true,
        send: false,
        text: `AI access on, port ${port} · debug`,
      });
      assert.equal(report.home, running.home.folder);
      assert.equal(report.agents.waitingCalls, 0);
      assert.equal(report.agents.subscriptions, 1);
      assert.match(
        report.agents.lastCall?.text ?? "",
        /^subscribe queries=true ok \(\d+ bytes\)$/,
      );
      assert.ok(report.memoryBytes > 1_000_000);
      const [net, resting] = report.sessions;
      assert.ok(net !== undefined && net.lagMs !== null && net.lagMs < 2_000);
      assert.equal(net.state, "connected");
      assert.equal(net.channels, 1);
      assert.ok(net.messages > 0);
      assert.deepEqual(
        [resting?.name, resting?.state, resting?.lagMs],
        ["Resting", "disconnected", null],
      );
      const shown = running.command("status");
      const again = await peer.until(/^PING :reterm-lag-\d+$/);
      await peer.send(`PONG ${again.slice("PING ".length)}`);
      const text = (await shown).out;
      assert.match(text, /^reterm \S+ on \S+, since \S+Z\nAI access on, port /);
      assert.match(
        text,
        /\nagents: 0 waiting calls, 1 subscription, last call \S+Z subscribe /,
      );
      assert.match(text, /\nmemory: \d+ MiB, \d+ messages? held\n/);
      assert.match(
        text,
        /\nNet {6}connected as me, lag \d+ ms, 1 channel, \d+ messages\n/,
      );
      assert.match(text, /\nResting {2}disconnected, 0 channels, 0 messages$/);
    });
  } finally {
    await server.close();
  }
});
