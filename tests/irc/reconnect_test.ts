import assert from "node:assert/strict";
import net from "node:net";
import { FakeClock } from "../fake_clock.ts";
import { connectTo, makeConfig, makeLink, quit, withServer } from "./linked.ts";
import { ScriptedServer } from "./scripted_server.ts";

Deno.test("createLink() reconnects, and only after the wait", async () => {
  // Guards that a dropped connection comes back by itself with a clean state.
  await withServer(async (server) => {
    const clock = new FakeClock();
    const linked = makeLink(makeConfig(server.port), { clock });
    const { link, handler } = linked;
    const peer = await connectTo(server, linked, {
      caps: "batch",
      isupport: "NETWORK=Lab",
    });
    await peer.send("BATCH +o draft/multiline #r", "@batch=o PRIVMSG #r :held");
    await peer.barrier();
    await peer.close();
    await handler.until("the drop", () => link.state === "reconnecting");
    const tail = handler.told.slice(-3).map((told) =>
      told.kind === "message" ? told.message.command : told.kind
    );
    assert.deepEqual(tail, ["PRIVMSG", "disconnected", "state"]);
    assert.equal(link.capabilities.size, 0);
    assert.equal(await link.send("PRIVMSG #r :x", { pace: "person" }), false);
    await clock.advance(1_999);
    assert.equal(handler.states.at(-1), "reconnecting");
    await clock.advance(1);
    const again = await server.accept();
    await again.register();
    await handler.until("registered", () => link.state === "connected");
    assert.equal(link.isupport.network, "");
    assert.equal(link.lastError, "");
    await quit(linked, clock);
    assert.equal(clock.pending, 0);
  });
});

Deno.test("createLink() waits longer after each refused connection", async () => {
  // Guards the backoff on real sockets, and connect() cutting a wait short.
  const server = ScriptedServer.listen();
  const { port } = server;
  await server.close();
  const clock = new FakeClock();
  const { link, handler } = makeLink(makeConfig(port), { clock });
  link.connect();
  const waits = [2_000, 4_000, 8_000, 16_000, 32_000, 64_000];
  for (const [i, ms] of waits.entries()) {
    await handler.until("refused", () => handler.states.length === i + 2);
    assert.match(link.lastError, /^cannot connect to 127\.0\.0\.1:\d+ \(ECONN/);
    await clock.advance(ms - 1);
    assert.equal(handler.states.length, i + 2);
    await clock.advance(1);
  }
  await handler.until("refused", () => handler.states.length === 8);
  link.connect();
  await handler.until("refused", () => handler.states.length === 10);
  assert.deepEqual(handler.states.slice(-2), ["connecting", "reconnecting"]);
  assert.match(JSON.stringify(handler.told.at(-1)), /next try in 2 s/);
  await quit({ link }, clock);
  assert.equal(link.state, "disconnected");
  assert.equal(clock.pending, 0);
});

Deno.test("createLink() stops after a ban, and only after a ban", async () => {
  // Guards that a banned client does not come back, and that a line that
  // sounds like a ban stops nobody.
  await withServer(async (server) => {
    const linked = makeLink(makeConfig(server.port), {
      limits: { reconnectMinMs: 1 },
    });
    const { link, handler } = linked;
    const peer = await connectTo(server, linked);
    await peer.send("ERROR :Closing Link (K-Lined)", ":a!b@c PRIVMSG #r :no");
    await peer.barrier();
    await peer.close();
    const second = await server.accept();
    await second.register();
    await handler.until(
      "registered again",
      () => handler.texts("422").length === 2,
    );
    await second.send("ERROR :Closing Link: me[h] (K-Lined)");
    await second.close();
    await handler.until("the end", () => link.state === "disconnected");
    assert.equal(
      link.lastError,
      "banned by the server: Closing Link: me[h] (K-Lined)",
    );
  });
});

Deno.test("createLink() notices a server that fell silent", async () => {
  // Guards against a half-open connection, also with data it never takes.
  await withServer(async (server) => {
    const clock = new FakeClock();
    const linked = makeLink(makeConfig(server.port), {
      clock,
      limits: { floodThrottle: () => false },
    });
    const { link, handler } = linked;
    const peer = await connectTo(server, linked);
    const line = `PRIVMSG #r :${"x".repeat(480)}`;
    const sent: Promise<boolean>[] = [];
    // Far more than the kernel and our own queue take.
    for (let i = 0; i < 30_000; i++) {
      sent.push(link.send(line, { pace: "person" }));
    }
    await clock.advance(60_000);
    assert.equal(link.state, "connected");
    await clock.advance(30_000);
    await handler.until("the end", () => link.state === "reconnecting");
    assert.equal(link.lastError, "the server fell silent");
    assert.equal((await Promise.all(sent)).includes(false), true);
    await quit(linked, clock);
    assert.equal(clock.pending, 0);
    await peer.close();
  });
});

Deno.test("createLink() gives up on a server that never registers us", async () => {
  // Guards every wait before 001: a silent server, and one that only talks.
  await withServer(async (server) => {
    const clock = new FakeClock();
    const linked = makeLink(makeConfig(server.port), { clock });
    const { link, handler } = linked;
    link.connect();
    const peer = await server.accept();
    await peer.until(/^USER /);
    await clock.advance(10_000);
    await peer.expect("CAP END");
    await peer.send(":srv NOTICE * :looking up your hostname");
    await peer.barrier();
    await clock.advance(50_000);
    await handler.until("the end", () => link.state === "reconnecting");
    assert.equal(link.lastError, "the server did not complete the login");
    assert.deepEqual(await peer.untilClosed(), []);
    await quit(linked, clock);
    assert.equal(clock.pending, 0);
  });
});

Deno.test("Link.disconnect() is bounded whatever the server does", async () => {
  // Guards that a stop never hangs: no answer to QUIT, or while dialling.
  await withServer(async (server) => {
    const clock = new FakeClock();
    const linked = makeLink(makeConfig(server.port), {
      clock,
      limits: { quitMs: 1_500 },
    });
    const { link } = linked;
    const peer = await connectTo(server, linked);
    const gone = link.disconnect("a\r\nPRIVMSG #r :b");
    await peer.expect("QUIT :a PRIVMSG #r :b");
    assert.equal(await link.send("PRIVMSG #r :x", { pace: "person" }), false);
    link.connect();
    await clock.advance(1_500);
    await gone;
    // connect() while quitting connects once the old socket is gone.
    const again = await server.accept();
    await again.until(/^USER /);
    const dropped = link.disconnect("x");
    await clock.advance(1_500);
    await dropped;
    assert.equal(link.state, "disconnected");
    link.connect();
    await link.disconnect("while dialling");
    assert.equal(link.state, "disconnected");
    await clock.advance(0);
    assert.equal(clock.pending, 0);
  });
});

Deno.test("createLink() leaves nothing behind after many reconnects", async () => {
  // Guards descriptors, timers and listeners; the sanitizers see the rest.
  let accepted = 0;
  const server = net.createServer((socket) => {
    accepted++;
    socket.on("error", () => {});
    socket.on("data", () => {});
    // Some are closed, some reset, at different points of the registration.
    if (accepted % 3 === 0) socket.resetAndDestroy();
    else if (accepted % 3 === 1) socket.end();
    else socket.end("PING :x\r\n:srv 001 me :hi\r\nERROR :bye\r\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as net.AddressInfo;
  const { link, handler } = makeLink(makeConfig(port), {
    limits: { reconnectMinMs: 0, reconnectMaxMs: 0 },
  });
  const descriptors = countDescriptors();
  link.connect();
  while (accepted < 500) {
    const before = handler.told.length;
    await handler.until("another try", () => handler.told.length > before);
    if (handler.told.length > 100) handler.told.length = 0;
  }
  await link.disconnect("");
  await new Promise((resolve) => server.close(resolve));
  assert.ok(countDescriptors() <= descriptors + 2);
});

function countDescriptors(): number {
  return [...Deno.readDirSync("/proc/self/fd")].length;
}
