import assert from "node:assert/strict";
import { once } from "node:events";
import type net from "node:net";
import tls from "node:tls";
import { FakeClock } from "../fake_clock.ts";
import { connectTo, makeConfig, makeLink, withServer } from "./linked.ts";
import {
  readFixture,
  ScriptedServer,
  testIdentity,
  within,
} from "./scripted_server.ts";

const CA = readFixture("ca.pem");

Deno.test("createLink() connects over TLS to a server its authority signed", async () => {
  // Guards TLS with an authority of one's own, by address.
  await withServer(async (server) => {
    const linked = makeLink(makeConfig(server.port, { tls: true, tlsCa: CA }));
    const peer = await connectTo(server, linked);
    await peer.send(":a!b@c PRIVMSG #r :café");
    await peer.barrier();
    assert.deepEqual(linked.handler.texts("PRIVMSG"), ["#r|café"]);
    await linked.link.disconnect("");
  }, ScriptedServer.listen(testIdentity()));
});

Deno.test("createLink() stops at a certificate it cannot trust", async () => {
  // Guards that nothing is sent to an impostor, and that it is not retried.
  const rows = [
    { identity: "server", ca: undefined, words: /not signed by an authority/ },
    { identity: "wrong_name", ca: CA, words: /is for another name/ },
  ];
  for (const { identity, ca, words } of rows) {
    await withServer(async (server) => {
      const { link, handler } = makeLink(
        makeConfig(server.port, {
          tls: true,
          ...(ca === undefined ? {} : { tlsCa: ca }),
        }),
        { secrets: { password: "s3cret" } },
      );
      link.connect();
      const peer = await server.accept();
      assert.deepEqual(await peer.untilClosed(), []);
      await handler.until("the end", () => link.state === "disconnected");
      assert.match(link.lastError, words);
      assert.deepEqual(handler.states, ["connecting", "disconnected"]);
    }, ScriptedServer.listen(testIdentity(identity)));
  }
});

Deno.test("createLink() trusts any certificate when it is told to", async () => {
  // Guards `tls_verify: false`, the configured exception.
  await withServer(async (server) => {
    const linked = makeLink(
      makeConfig(server.port, { tls: true, tlsVerify: false }),
    );
    await connectTo(server, linked);
    await linked.link.disconnect("");
  }, ScriptedServer.listen(testIdentity("wrong_name")));
});

Deno.test("createLink() says that a port does not speak TLS", async () => {
  // Guards that a wrong port is told in words and not retried.
  await withServer(async (server) => {
    const { link, handler } = makeLink(
      makeConfig(server.port, { tls: true, tlsCa: CA }),
    );
    link.connect();
    const peer = await server.accept();
    await peer.send(":srv NOTICE * :*** Looking up your hostname");
    await handler.until("the end", () => link.state === "disconnected");
    assert.match(link.lastError, /the port does not speak TLS/);
  });
});

Deno.test("createLink() retries a TLS handshake that only broke", async () => {
  // Guards that a server which restarts is not taken for an impostor.
  await withServer(async (server) => {
    const { link, handler } = makeLink(
      makeConfig(server.port, { tls: true, tlsCa: CA }),
    );
    link.connect();
    const peer = await server.accept();
    await peer.close();
    await handler.until("the end", () => link.state === "reconnecting");
    await link.disconnect("");
  });
});

Deno.test("createLink() gives up on a silent TLS handshake", async () => {
  // Guards that a port that accepts and says nothing cannot hold us.
  await withServer(async (server) => {
    const clock = new FakeClock();
    const { link, handler } = makeLink(
      makeConfig(server.port, { tls: true, tlsCa: CA }),
      { clock },
    );
    link.connect();
    const peer = await server.accept();
    // Bytes of the ClientHello show that the handshake has begun.
    await peer.readSome();
    await clock.advance(15_000);
    await handler.until("the end", () => link.state === "reconnecting");
    assert.equal(link.lastError, "the TLS handshake is not answered");
    await link.disconnect("");
    assert.equal(clock.pending, 0);
  });
});

Deno.test("createLink() shows its client certificate", async () => {
  // Guards SASL EXTERNAL, which is worth nothing without it.
  const { promise: subject, resolve } = Promise.withResolvers<string>();
  const server = tls.createServer({
    ...testIdentity(),
    ca: CA,
    requestCert: true,
    rejectUnauthorized: true,
  }, (socket) => {
    socket.on("error", () => {});
    resolve(String(socket.getPeerCertificate().subject?.CN));
    socket.destroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as net.AddressInfo;
  const { link } = makeLink(
    makeConfig(port, {
      tls: true,
      tlsCa: CA,
      tlsClientCert: readFixture("client.pem"),
    }),
    { secrets: { tlsClientKey: readFixture("client.key") } },
  );
  link.connect();
  assert.equal(await within("the certificate", subject), "alice");
  await link.disconnect("");
  await new Promise((resolve) => server.close(resolve));
});

Deno.test("createLink() tells of a client certificate that cannot be used", async () => {
  // Guards against connecting without the certificate one believes to show.
  const rows: [string, string | undefined, RegExp][] = [
    [readFixture("client.pem"), undefined, /certificate has no key/],
    [readFixture("client.pem"), "s3cret", /key that cannot be read/],
    ["s3cret", readFixture("client.key"), /certificate cannot be read/],
    [
      readFixture("client.pem"),
      readFixture("server.key"),
      /is not the one of its key/,
    ],
  ];
  for (const [cert, key, words] of rows) {
    await withServer(async (server) => {
      const { link, handler } = makeLink(
        makeConfig(server.port, { tls: true, tlsCa: CA, tlsClientCert: cert }),
        { secrets: key === undefined ? {} : { tlsClientKey: key } },
      );
      link.connect();
      const peer = await server.accept();
      assert.deepEqual(await peer.untilClosed(), []);
      await handler.until("the end", () => link.state === "disconnected");
      assert.match(link.lastError, words);
      assert.equal(link.lastError.includes("s3cret"), false);
    }, ScriptedServer.listen(testIdentity()));
  }
});

/** A SOCKS5 proxy that reads the greeting and the request, then `answer`s. */
async function withProxy(
  answer: (conn: Deno.Conn, request: Uint8Array) => Promise<void>,
  test: (socks5: { host: string; port: number }) => Promise<void>,
): Promise<void> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const served = (async () => {
    const conn = await listener.accept();
    try {
      const bytes = new Uint8Array(512);
      await conn.read(bytes);
      assert.deepEqual([...bytes.subarray(0, 3)], [5, 1, 0]);
      await conn.write(Uint8Array.of(5, 0));
      const count = await conn.read(bytes) ?? 0;
      await answer(conn, bytes.slice(0, count));
    } finally {
      conn.close();
    }
  })();
  try {
    const { port } = listener.addr as Deno.NetAddr;
    await test({ host: "127.0.0.1", port });
    await within("the proxy", served);
  } finally {
    listener.close();
  }
}

Deno.test("createLink() reaches a server through SOCKS5 by name, with TLS", async () => {
  // Guards that the proxy gets the name, and that the name is verified.
  await withServer(async (server) => {
    const name = "irc.test";
    await withProxy(async (conn, request) => {
      assert.deepEqual([...request.subarray(0, 5)], [5, 1, 0, 3, name.length]);
      assert.equal(new TextDecoder().decode(request.subarray(5, 13)), name);
      assert.equal(((request[13] ?? 0) << 8) + (request[14] ?? 0), server.port);
      const upstream = await Deno.connect({
        hostname: "127.0.0.1",
        port: server.port,
      });
      // The answer in pieces, with a bound name as long as they come.
      await conn.write(Uint8Array.of(5, 0, 0, 3, 255));
      await conn.write(new Uint8Array(257));
      await relay(conn, upstream);
    }, async (socks5) => {
      const linked = makeLink(
        makeConfig(server.port, { host: name, tls: true, tlsCa: CA, socks5 }),
      );
      await connectTo(server, linked);
      await linked.link.disconnect("");
    });
  }, ScriptedServer.listen(testIdentity()));
});

/** Copies both ways until one end closes, then closes the upstream. */
async function relay(a: Deno.Conn, b: Deno.Conn): Promise<void> {
  const pipe = async (from: Deno.Conn, to: Deno.Conn) => {
    const bytes = new Uint8Array(65_536);
    try {
      for (let n = await from.read(bytes); n !== null;) {
        await to.write(bytes.subarray(0, n));
        n = await from.read(bytes);
      }
    } catch {
      // An end is gone: so is the other, in a moment.
    }
  };
  const back = pipe(b, a);
  await pipe(a, b);
  b.close();
  await back;
}

Deno.test("createLink() verifies the address through SOCKS5, not localhost", async () => {
  // Guards that TLS over a proxy to an address checks that address.
  await withServer(async (server) => {
    await withProxy(async (conn, request) => {
      assert.deepEqual([...request.subarray(3, 8)], [1, 127, 0, 0, 1]);
      const upstream = await Deno.connect({
        hostname: "127.0.0.1",
        port: server.port,
      });
      await conn.write(Uint8Array.of(5, 0, 0, 1, 0, 0, 0, 0, 0, 0));
      await relay(conn, upstream);
    }, async (socks5) => {
      const { link, handler } = makeLink(
        makeConfig(server.port, { tls: true, tlsCa: CA, socks5 }),
      );
      link.connect();
      await server.accept();
      await handler.until("the end", () => link.state === "disconnected");
      assert.match(link.lastError, /is for another name/);
    });
  }, ScriptedServer.listen(testIdentity("wrong_name")));
});

Deno.test("createLink() says what a SOCKS5 proxy answered", async () => {
  // Guards that no failure of a proxy is silent.
  const rows: [string, number[], RegExp][] = [
    ["refused", [5, 5, 0, 1, 0, 0, 0, 0, 0, 0], /SOCKS proxy: connection refu/],
    ["rules", [5, 2, 0, 1, 0, 0, 0, 0, 0, 0], /not allowed by its rules/],
    ["unknown", [5, 99, 0, 1], /unknown reply 99/],
    ["not SOCKS", [72, 84, 84, 80], /does not speak SOCKS5/],
    ["malformed", [5, 0, 0, 9, 0], /malformed/],
    ["closed", [], /it closed the connection/],
    ["cut", [5, 0, 0], /it closed the connection/],
  ];
  for (const [name, answer, words] of rows) {
    await withProxy(async (conn) => {
      await conn.write(Uint8Array.from(answer));
    }, async (socks5) => {
      const { link, handler } = makeLink(makeConfig(6667, { socks5 }));
      link.connect();
      await handler.until(name, () => link.state === "reconnecting");
      assert.match(link.lastError, words, name);
      await link.disconnect("");
    });
  }
});

Deno.test("createLink() gives up on a SOCKS5 proxy that does not answer", async () => {
  // Guards the deadline, and that quitting during the negotiation ends it.
  const clock = new FakeClock();
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  await withProxy(async (conn) => {
    resolve();
    await conn.read(new Uint8Array(1));
  }, async (socks5) => {
    const { link, handler } = makeLink(makeConfig(6667, { socks5 }), { clock });
    link.connect();
    await within("the request", asked);
    await clock.advance(20_000);
    await handler.until("the end", () => link.state === "reconnecting");
    assert.equal(link.lastError, "the server does not answer");
    await link.disconnect("");
  });
  const again = Promise.withResolvers<void>();
  await withProxy(async (conn) => {
    again.resolve();
    assert.equal(await conn.read(new Uint8Array(1)), null);
  }, async (socks5) => {
    const { link } = makeLink(makeConfig(6667, { socks5 }), { clock });
    link.connect();
    await within("the request", again.promise);
    await link.disconnect("");
    assert.equal(link.state, "disconnected");
  });
  await clock.advance(0);
  assert.equal(clock.pending, 0);
});
