import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { SaslConfig } from "../../lib/config/session_config.ts";
import { connectTo, makeConfig, makeLink, withServer } from "./linked.ts";
import type { ScriptedPeer } from "./scripted_server.ts";

const PLAIN: SaslConfig = {
  mechanism: "PLAIN",
  account: "alice",
  required: true,
};
const CREDENTIALS = `AUTHENTICATE ${
  Buffer.from("alice\0alice\0s3cret").toString("base64")
}`;

Deno.test("createLink() answers a PING before 001 with its own token", async () => {
  // Guards servers that prove a client alive before they let it in, and that
  // our own pings start only after 001.
  await withServer(async (server) => {
    const linked = makeLink(makeConfig(server.port), {
      secrets: { password: "pa ss" },
    });
    linked.link.connect();
    const peer = await server.accept();
    await peer.expect("CAP LS 302");
    await peer.expect("PASS :pa ss");
    await peer.send("PING :7A3F", "PING :two words", "PING", ":srv PING x y");
    await peer.until("PONG :7A3F");
    await peer.expect("PONG :two words");
    await peer.expect("PONG :x");
    assert.equal(
      peer.received.some((line) => line.startsWith("PING")),
      false,
    );
    await linked.link.disconnect("");
  });
});

Deno.test("createLink() tries other nicks and believes 001", async () => {
  // Guards that a nick in use, or cut by the server, never keeps us out.
  await withServer(async (server) => {
    const linked = makeLink(
      makeConfig(server.port, { nick: "alice", altNicks: ["al"] }),
    );
    const { link, handler } = linked;
    link.connect();
    const peer = await server.accept();
    await peer.until(/^USER /);
    await peer.send(":srv 433 * alice :in use");
    await peer.until("NICK al");
    await peer.send(":srv 437 * al :unavailable");
    await peer.expect("NICK alice_");
    await peer.send(":srv 432 * alice_ :bad");
    await peer.expect("NICK alice__");
    await peer.send(":srv 001 alice_x :Welcome", ":srv 422 alice_x :none");
    await handler.until("422", () => handler.texts("422").length > 0);
    assert.equal(link.nick, "alice_x");
    assert.deepEqual(
      handler.told.filter(({ kind }) => kind === "nick"),
      [{ kind: "nick", from: "alice", to: "alice_x" }],
    );
    await link.disconnect("");
  });
});

Deno.test("createLink() ends when no nick is taken", async () => {
  // Guards against asking a server for nicks for ever.
  await withServer(async (server) => {
    const { link, handler } = makeLink(makeConfig(server.port));
    link.connect();
    const peer = await server.accept();
    await peer.until(/^USER /);
    for (let i = 0; i < 50; i++) await peer.send(":srv 433 * x :in use");
    const lines = await peer.untilClosed();
    assert.ok(lines.filter((line) => line.startsWith("NICK ")).length <= 6);
    await handler.until("the end", () => link.state === "reconnecting");
    assert.match(link.lastError, /none of the nicks \(433: in use\)/);
    await link.disconnect("");
  });
});

Deno.test("createLink() takes its nick back when it is free, once", async () => {
  // Guards nick regain on a live connection, and that a change by services is
  // not fought.
  await withServer(async (server) => {
    const linked = makeLink(makeConfig(server.port, { altNicks: ["me_"] }));
    const peer = await connectTo(server, linked, {
      nick: "me_",
      isupport: "MONITOR=10",
    });
    await peer.until("MONITOR + me");
    await peer.send(":me!u@old QUIT :gone", ":srv 731 me_ :me");
    await peer.until("NICK me");
    await peer.send(":me_!u@h NICK me");
    await peer.until("MONITOR - me");
    assert.equal(linked.link.nick, "me");
    await peer.send(":me!u@h NICK Guest1", ":x!y@z QUIT :bye");
    await peer.barrier();
    assert.equal(linked.link.nick, "Guest1");
    assert.equal(
      peer.received.filter((line) => line.startsWith("NICK")).length,
      2,
    );
    await linked.link.disconnect("");
  });
});

Deno.test("Link.changeNick() asks, and waits for a nick that is held", async () => {
  // Guards that a new nick is wanted from then on, and an impossible one not.
  await withServer(async (server) => {
    const linked = makeLink(makeConfig(server.port));
    const { link } = linked;
    const peer = await connectTo(server, linked);
    link.changeNick("a b");
    link.changeNick("new");
    await peer.until("NICK new");
    await peer.send(":srv 433 me new :in use", ":new!u@h QUIT :x");
    await peer.expect("NICK new");
    await peer.send(":me!u@h NICK :new");
    await peer.barrier();
    assert.equal(link.nick, "new");
    await link.disconnect("");
    assert.equal(link.nick, "new");
  });
});

Deno.test("Link.changeNick() before 001 is asked for after it", async () => {
  // Guards a nick that was typed while the connection was being made.
  await withServer(async (server) => {
    const { link, handler } = makeLink(makeConfig(server.port));
    link.connect();
    const peer = await server.accept();
    await peer.until(/^USER /);
    link.changeNick("new");
    await peer.send(":srv 001 me :hi");
    await peer.until("NICK new");
    await peer.send(":me!u@h NICK new");
    await handler.until("the nick", () => link.nick === "new");
    await link.disconnect("");
  });
});

/** Answers the capability talk up to the SASL challenge's answer. */
async function challenge(peer: ScriptedPeer, offer = "sasl=PLAIN") {
  await peer.until(/^USER /);
  await peer.send(`:srv CAP * LS :batch ${offer}`);
  await peer.until("CAP REQ :batch sasl");
  // In two lines: a client that acts on each would log in twice.
  await peer.send(":srv CAP * ACK :sasl", ":srv CAP * ACK :batch");
}

Deno.test("createLink() logs in once before it registers", async () => {
  // Guards that credentials are sent once, and that CAP END waits for them.
  await withServer(async (server) => {
    const { link, handler, log } = makeLink(
      makeConfig(server.port, { sasl: PLAIN }),
      { secrets: { saslPassword: "s3cret", password: "other" } },
    );
    link.connect();
    const peer = await server.accept();
    await challenge(peer);
    await peer.until("AUTHENTICATE PLAIN");
    await peer.send("AUTHENTICATE +");
    await peer.expect(CREDENTIALS);
    await peer.send(":srv 900 me m alice :in", ":srv 903 me :ok");
    await peer.expect("CAP END");
    await peer.send(":srv 001 me :hi");
    await handler.until("registered", () => link.state === "connected");
    assert.equal(
      peer.received.filter((line) => line === CREDENTIALS).length,
      1,
    );
    assert.equal(JSON.stringify(log.lines).includes("s3cret"), false);
    await link.disconnect("");
  });
});

Deno.test("createLink() stops when the SASL login is refused", async () => {
  // Guards that nobody joins unauthenticated, and no account is locked by
  // repeated tries.
  await withServer(async (server) => {
    const { link, handler } = makeLink(
      makeConfig(server.port, { sasl: PLAIN }),
      { secrets: { saslPassword: "s3cret" } },
    );
    link.connect();
    const peer = await server.accept();
    await challenge(peer);
    await peer.until("AUTHENTICATE PLAIN");
    await peer.send("AUTHENTICATE +");
    await peer.expect(CREDENTIALS);
    await peer.send(":srv 904 me :SASL authentication failed");
    assert.deepEqual(await peer.untilClosed(), []);
    await handler.until("the end", () => link.state === "disconnected");
    assert.equal(
      link.lastError,
      "the SASL login was refused (904: SASL authentication failed)",
    );
    assert.deepEqual(handler.states, ["connecting", "disconnected"]);
    assert.equal(handler.told.some(({ kind }) => kind === "registered"), false);
  });
});

Deno.test("createLink() does not register without the login it requires", async () => {
  // Guards every way around SASL: no CAP, an empty one, NAK, and 001 ahead.
  const ways: Record<string, (peer: ScriptedPeer) => Promise<void>> = {
    "no CAP at all": (peer) => peer.send(":srv 001 me :hi"),
    "empty CAP LS": (peer) => peer.send(":srv CAP * LS :", ":srv 001 me :hi"),
    "NAK": async (peer) => {
      await peer.send(":srv CAP * LS :sasl");
      await peer.until("CAP REQ :sasl");
      await peer.send(":srv CAP * NAK :sasl", ":srv 001 me :hi");
    },
    "001 instead of a challenge": async (peer) => {
      await peer.send(":srv CAP * LS :sasl");
      await peer.until("CAP REQ :sasl");
      await peer.send(":srv CAP * ACK :sasl");
      await peer.until("AUTHENTICATE PLAIN");
      await peer.send(":srv 001 me :hi");
    },
  };
  for (const [way, play] of Object.entries(ways)) {
    await withServer(async (server) => {
      const { link, handler } = makeLink(
        makeConfig(server.port, { sasl: PLAIN }),
        { secrets: { saslPassword: "s3cret" } },
      );
      link.connect();
      const peer = await server.accept();
      await peer.until(/^USER /);
      await play(peer);
      await peer.untilClosed();
      await handler.until(way, () => link.state === "reconnecting");
      assert.match(link.lastError, /SASL/, way);
      assert.equal(
        handler.told.some(({ kind }) => kind === "registered"),
        false,
      );
      assert.match(JSON.stringify(handler.told.at(-1)), /next try in 20 s/);
      await link.disconnect("");
    });
  }
});

Deno.test("createLink() goes on without a login that is not required", async () => {
  // Guards the configured exception, and that it is told.
  await withServer(async (server) => {
    const { link, handler, log } = makeLink(
      makeConfig(server.port, { sasl: { ...PLAIN, required: false } }),
      { secrets: { saslPassword: "s3cret" } },
    );
    link.connect();
    const peer = await server.accept();
    await challenge(peer);
    await peer.until("AUTHENTICATE PLAIN");
    await peer.send("AUTHENTICATE +");
    await peer.expect(CREDENTIALS);
    await peer.send(":srv 904 me :no");
    await peer.expect("CAP END");
    await peer.send(":srv 001 me :hi");
    await handler.until("registered", () => link.state === "connected");
    assert.ok(
      log.lines.some(({ category, text }) =>
        category === "auth" && text.includes("going on without a login")
      ),
    );
    await link.disconnect("");
  });
});

Deno.test("createLink() leaves a server that wants another password", async () => {
  // Guards that a wrong server password is told and not tried in a fast loop.
  await withServer(async (server) => {
    const { link, handler } = makeLink(makeConfig(server.port));
    link.connect();
    const peer = await server.accept();
    await peer.until(/^USER /);
    await peer.send(":irc.znc.in 464 me :Password required");
    await peer.untilClosed();
    await handler.until("the end", () => link.state === "reconnecting");
    assert.match(link.lastError, /server password is missing or wrong/);
    await link.disconnect("");
  });
});

Deno.test("createLink() asks for new capabilities while connected", async () => {
  // Guards that features follow the server without a reconnect or a re-login.
  await withServer(async (server) => {
    const linked = makeLink(
      makeConfig(server.port, { sasl: { ...PLAIN, required: false } }),
      { secrets: { saslPassword: "s3cret" } },
    );
    const { link } = linked;
    const peer = await connectTo(server, linked, {
      caps: "echo-message labeled-response",
    });
    assert.deepEqual([...link.capabilities].sort(), [
      "echo-message",
      "labeled-response",
    ]);
    const options = { pace: "person", label: "L1" } as const;
    await link.send("PRIVMSG #r :x", options);
    await peer.expect("@label=L1 PRIVMSG #r :x");
    await link.send("@+typing=active TAGMSG #r", options);
    await peer.expect("@label=L1;+typing=active TAGMSG #r");
    await peer.send(":srv CAP me DEL :labeled-response echo-message");
    await peer.send(":srv CAP me NEW :sasl=PLAIN message-tags");
    await peer.until("CAP REQ :message-tags");
    await link.send("PRIVMSG #r :y", options);
    await peer.expect("PRIVMSG #r :y");
    await peer.send(":srv CAP me ACK :message-tags");
    await peer.barrier();
    assert.deepEqual([...link.capabilities], ["message-tags"]);
    assert.equal(link.availableCapabilities.get("sasl"), "PLAIN");
    await link.disconnect("");
  });
});
