import assert from "node:assert/strict";
import { connectTo, makeConfig, makeLink, withServer } from "./linked.ts";

Deno.test("createLink() registers, tells every line in order, and quits", async () => {
  // Guards the whole way of a plain connection, up and down.
  await withServer(async (server) => {
    const linked = makeLink(makeConfig(server.port));
    const { link, handler } = linked;
    const peer = await connectTo(server, linked, { isupport: "NETWORK=Lab" });
    assert.deepEqual(peer.received.slice(0, 3), [
      "CAP LS 302",
      "NICK me",
      "USER user 0 * :Real Name",
    ]);
    assert.equal(link.nick, "me");
    assert.equal(link.isupport.network, "Lab");
    await peer.send(":a!b@c PRIVMSG #r :one", ":a!b@c PRIVMSG #r :two");
    await peer.barrier();
    assert.deepEqual(handler.texts("PRIVMSG"), ["#r|one", "#r|two"]);
    assert.equal(await link.send("PRIVMSG #r :hi", { pace: "person" }), true);
    await peer.expect("PRIVMSG #r :hi");
    const gone = link.disconnect("bye");
    await peer.expect("QUIT :bye");
    await peer.close();
    await gone;
    assert.equal(link.state, "disconnected");
    assert.deepEqual(handler.states, [
      "connecting",
      "connected",
      "disconnected",
    ]);
    assert.equal(link.lastError, "");
    assert.ok(handler.wires.includes("in :a!b@c PRIVMSG #r :one"));
    assert.ok(handler.wires.includes("out PRIVMSG #r :hi"));
    assert.ok(handler.wires.includes("out NICK me"));
  });
});
