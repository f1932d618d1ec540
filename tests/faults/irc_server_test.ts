/**
 * IRC servers that fail in the middle: a connection reset at each step of the
 * registration, bytes that come one at a time, and bytes that never make a line.
 *
 * @module
 */

import assert from "node:assert/strict";
import { FakeClock } from "../fake_clock.ts";
import {
  connectTo,
  makeConfig,
  makeLink,
  quit,
  withServer,
} from "../irc/linked.ts";
import type { ScriptedPeer } from "../irc/scripted_server.ts";

const MEBIBYTE = 1_048_576;
const ENDLESS_MEBIBYTES = 1_024;
/** What reading it may add to the memory held: chunks not yet collected, of both sides. */
const HELD_MEBIBYTES = 512;

/** How far a server goes before the connection is cut. */
const STEPS: readonly (readonly [
  name: string,
  play: (peer: ScriptedPeer) => Promise<unknown>,
])[] = [
  ["at once", () => Promise.resolve()],
  ["after CAP LS", (peer) => peer.until("CAP LS 302")],
  ["after USER", (peer) => peer.until(/^USER /)],
  ["in a line", async (peer) => {
    await peer.until(/^USER /);
    await peer.sendBytes(new TextEncoder().encode(":srv CAP * LS :ba"));
  }],
  ["between two LS lines", async (peer) => {
    await peer.until(/^USER /);
    await peer.send(":srv CAP * LS * :batch sasl=PLAIN");
  }],
  ["after CAP REQ", async (peer) => {
    await peer.until(/^USER /);
    await peer.send(":srv CAP * LS :batch sasl=PLAIN message-tags");
    await peer.until(/^CAP REQ /);
  }],
  ["before the SASL challenge", async (peer) => {
    await toSasl(peer);
  }],
  ["after the SASL answer", async (peer) => {
    await toSasl(peer);
    await peer.send("AUTHENTICATE +");
    await peer.until(/^AUTHENTICATE (?!PLAIN)/);
  }],
  ["after the login", async (peer) => {
    await toSasl(peer);
    await peer.send("AUTHENTICATE +");
    await peer.until(/^AUTHENTICATE (?!PLAIN)/);
    await peer.send(":srv 903 me :ok");
    await peer.until("CAP END");
  }],
  ["in the middle of 001", async (peer) => {
    await toSasl(peer);
    await peer.send("AUTHENTICATE +", ":srv 903 me :ok");
    await peer.until("CAP END");
    await peer.sendBytes(new TextEncoder().encode(":srv 001 me :Wel"));
  }],
];

async function toSasl(peer: ScriptedPeer): Promise<void> {
  await peer.until(/^USER /);
  await peer.send(":srv CAP * LS :sasl=PLAIN");
  const asked = await peer.until(/^CAP REQ /);
  await peer.send(`:srv CAP * ACK ${asked.slice("CAP REQ ".length)}`);
  await peer.until("AUTHENTICATE PLAIN");
}

Deno.test("a connection cut at any step of the registration is made again", async () => {
  // Guards that no step leaves a session behind that waits for the rest of it,
  // takes the cut for a refused login, or tries without a pause.
  await withServer(async (server) => {
    const clock = new FakeClock();
    const linked = makeLink(
      makeConfig(server.port, {
        sasl: { mechanism: "PLAIN", account: "alice", required: true },
      }),
      { clock, secrets: { saslPassword: "s3cret" } },
    );
    const { link, handler } = linked;
    link.connect();
    let waitMs = 2_000;
    for (const [name, play] of STEPS) {
      const states = handler.states.length;
      const peer = await server.accept();
      await play(peer);
      await peer.close();
      await handler.until(
        `the cut ${name}`,
        () => handler.states.slice(states).includes("reconnecting"),
      );
      await clock.advance(waitMs - 1);
      assert.equal(link.state, "reconnecting", name);
      await clock.advance(1);
      waitMs = Math.min(2 * waitMs, 300_000);
    }
    const peer = await server.accept();
    await toSasl(peer);
    await peer.send("AUTHENTICATE +", ":srv 903 me :ok");
    await peer.until("CAP END");
    await peer.send(":srv 001 me :Welcome", ":srv 422 me :none");
    await handler.until("001", () => link.state === "connected");
    await quit(linked, clock);
    assert.equal(clock.pending, 0);
  });
});

Deno.test("a server that sends a byte at a time is understood, and is no reason to wait for ever", async () => {
  // Guards against a registration that is put off by each byte: the whole has
  // one deadline. What came byte by byte counts once it is a line.
  await withServer(async (server) => {
    const clock = new FakeClock();
    const linked = makeLink(makeConfig(server.port), { clock });
    const { link, handler } = linked;
    link.connect();
    const slow = await server.accept();
    await slow.until(/^USER /);
    const notice = new TextEncoder().encode(":srv NOTICE * :" + "x".repeat(60));
    for (const [second, byte] of notice.entries()) {
      if (second >= 60) break;
      await slow.sendBytes(Uint8Array.of(byte));
      await clock.advance(1_000);
    }
    await handler.until("the end", () => link.state === "reconnecting");
    await clock.advance(2_000);
    const peer = await server.accept();
    await peer.until(/^USER /);
    const lines =
      ":srv CAP * LS :\r\n:srv 001 me :Welcome\r\n:srv 422 me :-\r\n";
    for (const byte of new TextEncoder().encode(lines)) {
      await peer.sendBytes(Uint8Array.of(byte));
    }
    await handler.until("422", () => handler.texts("422").length > 0);
    assert.equal(link.state, "connected");
    await quit(linked, clock);
  });
});

Deno.test(`${ENDLESS_MEBIBYTES} MiB without a line end are held nowhere`, async () => {
  // Guards memory, the log, and the others' turns against a server that sends
  // without end; the line after it is read.
  await withServer(async (server) => {
    const linked = makeLink(makeConfig(server.port));
    const { handler, log } = linked;
    const peer = await connectTo(server, linked);
    const chunk = new Uint8Array(MEBIBYTE).fill(0x61);
    const before = Deno.memoryUsage();
    let held = 0;
    for (let sent = 0; sent < ENDLESS_MEBIBYTES; sent++) {
      await peer.sendBytes(chunk);
      const { heapUsed, external } = Deno.memoryUsage();
      held = Math.max(held, heapUsed + external);
    }
    const grown = (held - before.heapUsed - before.external) / MEBIBYTE;
    assert.ok(grown < HELD_MEBIBYTES, `${grown} MiB more`);
    await peer.send("", ":a!b@c PRIVMSG #r :after");
    await peer.barrier();
    assert.deepEqual(handler.texts("PRIVMSG"), ["#r|after"]);
    assert.ok(log.lines.length <= 3, `${log.lines.length} lines`);
    await linked.link.disconnect("");
  });
});
