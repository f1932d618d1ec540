import assert from "node:assert/strict";
import { connectTo, makeConfig, makeLink, withServer } from "./linked.ts";
import {
  readFixture,
  ScriptedServer,
  testIdentity,
} from "./scripted_server.ts";

Deno.test("createLink() takes a flood without holding the event loop", async () => {
  // Guards that everything else goes on while a server sends all it can, and
  // that no line of it is lost or out of order.
  await withServer(async (server) => {
    const linked = makeLink(makeConfig(server.port));
    const peer = await connectTo(server, linked);
    const count = 50_000;
    let received = 0;
    let inOrder = true;
    const { promise: all, resolve } = Promise.withResolvers<void>();
    linked.handler.onMessage = ({ params }) => {
      inOrder &&= params[1] === `flood ${received}`;
      if (++received === count) resolve();
      linked.handler.told.length = 0;
    };
    linked.handler.wire = () => {};
    const lines = Array.from(
      { length: count },
      (_, i) =>
        `@time=2026-09-30T12:00:00.000Z :a!b@c PRIVMSG #r :flood ${i}\r\n`,
    );
    const bytes = new TextEncoder().encode(lines.join(""));
    const turns = watchTurns(() => received);
    await peer.sendBytes(bytes);
    await all;
    const { linesATurn, medianMs } = turns.stop();
    assert.equal(inOrder, true);
    // A turn is one read of 64 KiB or 4 ms of work; a timer on a busy machine
    // sees several as one, and never half of the flood.
    assert.ok(linesATurn <= count / 2, `${linesATurn} lines in a turn`);
    assert.ok(medianMs <= 100, `${medianMs} ms in the median turn`);
    await linked.link.disconnect("");
  });
});

Deno.test("createLink() lets other sockets have their turns in a flood", async () => {
  // Guards the answers to tools: an HTTP request takes a dozen turns of the
  // event loop, and a flood that leaves one between two reads makes each of
  // them wait for a read's worth of lines.
  await withServer(async (server) => {
    const linked = makeLink(makeConfig(server.port));
    const peer = await connectTo(server, linked);
    const count = 20_000;
    let received = 0;
    const { promise: all, resolve } = Promise.withResolvers<void>();
    linked.handler.onMessage = () => {
      // As long as a line takes with all that a session does with it.
      const until = performance.now() + 0.02;
      while (performance.now() < until);
      if (++received === count) resolve();
      linked.handler.told.length = 0;
    };
    linked.handler.wire = () => {};
    const rounds = watchRoundTrips(() => received, all);
    await peer.sendBytes(
      new TextEncoder().encode(":a!b@c PRIVMSG #r :flood\r\n".repeat(count)),
    );
    await all;
    const lines = await rounds;
    // Counted in lines, of which a busy machine makes few more.
    const median = lines[lines.length >> 1] ?? Infinity;
    assert.ok(median <= count / 4, `${median} lines in the median round trip`);
    await linked.link.disconnect("");
  });
});

/** How much is done in each round trip over another socket, until `end`. */
async function watchRoundTrips(done: () => number, end: Promise<void>) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const [near, far] = await Promise.all([
    Deno.connect({ hostname: "127.0.0.1", port: listener.addr.port }),
    listener.accept(),
  ]);
  let isOver = false;
  end.then(() => isOver = true);
  const byte = new Uint8Array(1);
  const echo = async () => {
    const taken = new Uint8Array(1);
    while (await far.read(taken) !== null) await far.write(taken);
  };
  const echoing = echo();
  const lines: number[] = [];
  while (!isOver) {
    const before = done();
    await near.write(byte);
    await near.read(byte);
    if (done() > before) lines.push(done() - before);
  }
  near.close();
  await echoing;
  far.close();
  listener.close();
  return lines.sort((a, b) => a - b);
}

/** Watches how much is done between two turns that a timer gets. */
function watchTurns(done: () => number) {
  let last = performance.now();
  let before = done();
  let linesATurn = 0;
  const stretches: number[] = [];
  const timer = setInterval(() => {
    const now = performance.now();
    stretches.push(now - last);
    linesATurn = Math.max(linesATurn, done() - before);
    last = now;
    before = done();
  }, 1);
  return {
    stop() {
      clearInterval(timer);
      stretches.sort((a, b) => a - b);
      const medianMs = stretches[stretches.length >> 1] ?? 0;
      return { linesATurn, medianMs, longestMs: stretches.at(-1) };
    },
  };
}

Deno.test("createLink() reads all that came before the end", async () => {
  // Guards the last words of a server, and lines still unread when it closes.
  await withServer(async (server) => {
    const linked = makeLink(makeConfig(server.port));
    const { link, handler } = linked;
    const peer = await connectTo(server, linked);
    const lines = Array.from({ length: 5_000 }, (_, i) => `:a!b@c X ${i}`);
    await peer.send(...lines, "ERROR :Closing Link: me (G-Lined)");
    await peer.close();
    await handler.until("the end", () => link.state === "disconnected");
    assert.equal(handler.texts("X").length, 5_000);
    assert.match(link.lastError, /^banned by the server/);
  });
});

Deno.test("createLink() takes a flood over TLS", async () => {
  // Guards that a paused TLS socket loses nothing and goes on.
  await withServer(async (server) => {
    const linked = makeLink(
      makeConfig(server.port, { tls: true, tlsCa: readFixture("ca.pem") }),
    );
    const { link, handler } = linked;
    const peer = await connectTo(server, linked);
    await peer.send(
      ...Array.from({ length: 10_000 }, (_, i) => `:a!b@c X ${i}`),
    );
    await handler.until("the last line", () => handler.told.length > 10_000);
    await peer.barrier();
    assert.deepEqual(
      handler.texts("X"),
      Array.from({ length: 10_000 }, (_, i) => `${i}`),
    );
    await link.disconnect("");
  }, ScriptedServer.listen(testIdentity()));
});

Deno.test("createLink() drops an over-long line, tells once, and goes on", async () => {
  // Guards memory against a line that never ends, and the lines after it.
  await withServer(async (server) => {
    const linked = makeLink(makeConfig(server.port));
    const { handler, log } = linked;
    const peer = await connectTo(server, linked);
    await peer.sendBytes(new Uint8Array(1_048_576).fill(0x61));
    await peer.send("", ":a!b@c PRIVMSG #r :after");
    await peer.barrier();
    assert.deepEqual(handler.texts("PRIVMSG"), ["#r|after"]);
    assert.equal(
      log.lines.filter(({ text }) => text.includes("over-long")).length,
      1,
    );
    await linked.link.disconnect("");
  });
});

Deno.test("createLink() contains what a handler throws to its line", async () => {
  // Guards that one bad line, or one fault of ours, costs no other line.
  await withServer(async (server) => {
    const linked = makeLink(makeConfig(server.port));
    const { handler, log } = linked;
    const peer = await connectTo(server, linked);
    handler.onMessage = ({ params }) => {
      if (params[1] === "bad") throw new Error("boom");
    };
    handler.wire = () => {
      throw new Error("tap");
    };
    await peer.send(
      ":a!b@c PRIVMSG #r :bad",
      ":a!b@c PRIVMSG #r :good",
      ":me!u@h NICK",
      ":srv 001",
    );
    await peer.barrier();
    assert.deepEqual(handler.texts("PRIVMSG"), ["#r|bad", "#r|good"]);
    assert.equal(linked.link.state, "connected");
    assert.ok(log.lines.some(({ text }) => text.endsWith("failed: tap")));
    handler.wire = () => {};
    await linked.link.disconnect("");
  });
});

Deno.test("createLink() survives lines that break others, and obeys none [INV-001]", async () => {
  // Guards against every malformed line that made the library throw or hang.
  await withServer(async (server) => {
    const linked = makeLink(makeConfig(server.port));
    const { handler, log } = linked;
    const peer = await connectTo(server, linked);
    const numerics = Array.from(
      { length: 999 },
      (_, i) => String(i + 1).padStart(3, "0"),
    )
      // These end a registration, and this one is over.
      .filter((numeric) => numeric !== "001");
    const words = [
      ...["CAP", "BATCH", "AUTHENTICATE", "PRIVMSG", "NOTICE", "NICK", "JOIN"],
      ...["PART", "KICK", "QUIT", "TOPIC", "MODE", "PING", "PONG", "TAGMSG"],
      ...["ACCOUNT", "AWAY", "CHGHOST", "SETNAME", "INVITE", "RENAME", "FAIL"],
      ...["REDACT", "MARKREAD", "WALLOPS", "KILL", "WHATEVER"],
    ];
    for (const word of [...words, ...numerics]) {
      await peer.send(
        word,
        `${word} `,
        `${word} :`,
        `:srv ${word} me`,
        `:me!u@h ${word} x :y`,
        `@batch=;label;msgid= :me ${word} * *`,
      );
    }
    await peer.send(
      ":srv 005 me CHANTYPES STATUSMSG CHANMODES CLIENTTAGDENY NAMESX :x",
      "CAP * ACK :sasl",
      "AUTHENTICATE +",
      "\u0001",
      "PRIVMSG me :\u0001VERSION\u0001",
    );
    await peer.barrier();
    assert.equal(linked.link.state, "connected");
    assert.deepEqual(log.lines.filter(({ level }) => level === "error"), []);
    // No text from IRC made us say anything but what the protocol asks for.
    const said = peer.received.slice(peer.received.indexOf("CAP END") + 1);
    assert.deepEqual(
      said.filter((line) => !/^PONG :/.test(line)),
      [],
    );
    assert.ok(handler.texts("PRIVMSG").includes("me|\u0001VERSION\u0001"));
    await linked.link.disconnect("");
  });
});

Deno.test("createLink() reads odd bytes and line endings", async () => {
  // Guards text that is not UTF-8, split characters, and servers that end
  // lines with LF alone.
  await withServer(async (server) => {
    const linked = makeLink(makeConfig(server.port));
    const { handler } = linked;
    const peer = await connectTo(server, linked);
    const latin1 = (text: string) =>
      Uint8Array.from(text, (c) => c.charCodeAt(0));
    await peer.sendBytes(latin1(":a!b@c PRIVMSG #room :caf\xc3"));
    await peer.sendBytes(latin1("\xa9\r\n\r\n \r\n:srv\r\n@only-tags\r\n"));
    await peer.sendBytes(latin1(":a!b@c PRIVMSG #room :na\xefve\n"));
    await peer.sendBytes(
      latin1(":a!b@c JOIN #caf\xe9\n:a!b@c PRIVMSG #r :x\0y\n"),
    );
    const tags = `@${"t".repeat(8_189)}`;
    await peer.send(`${tags} :a!b@c PRIVMSG #r :${"x".repeat(490)}`);
    await peer.barrier();
    assert.deepEqual(handler.texts("PRIVMSG"), [
      "#room|café",
      "#room|naïve",
      "#r|x\0y",
      `#r|${"x".repeat(490)}`,
    ]);
    assert.deepEqual(handler.texts("JOIN"), ["#café"]);
    await linked.link.disconnect("");
  });
});
