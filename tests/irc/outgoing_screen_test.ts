import assert from "node:assert/strict";
import type { LineSender } from "../../lib/irc/link.ts";
import { connectTo, makeConfig, makeLink, withServer } from "./linked.ts";

Deno.test("OutgoingScreen sees every line of a connection as it goes on the wire [SEND-014 SEND-044]", async () => {
  // Guards that no line, secret or of the protocol, passes a script by.
  const seen: [string, LineSender][] = [];
  await withServer(async (server) => {
    const linked = makeLink(makeConfig(server.port), {
      secrets: { password: "hunter22" },
      screen: {
        permit: (line, sender) => {
          seen.push([line, sender]);
          return true;
        },
      },
    });
    const peer = await connectTo(server, linked);
    await linked.link.send("PRIVMSG #a :hi", { pace: "person" });
    await linked.link.send("PRIVMSG #b :hi", { pace: "agent" });
    peer.send(":srv PING :token\r\n");
    await peer.until("PONG :token");
    await linked.link.disconnect("bye");
    assert.deepEqual(
      seen.slice(0, peer.received.length).map(([line]) => line),
      peer.received,
    );
  });
  assert.ok(seen.some(([line]) => line === "PASS hunter22"));
  assert.deepEqual(
    seen.filter(([line]) => line.startsWith("PRIVMSG")),
    [["PRIVMSG #a :hi", "other"], ["PRIVMSG #b :hi", "agent"]],
  );
  assert.deepEqual(seen.at(-1), ["QUIT :bye", "other"]);
});

Deno.test("OutgoingScreen vetoes a line, and the others keep their order", async () => {
  // Guards that a slow verdict on one line lets no later line overtake it.
  const slow = Promise.withResolvers<boolean>();
  await withServer(async (server) => {
    const linked = makeLink(makeConfig(server.port), {
      screen: {
        permit: (line) => {
          if (line === "VETOED") return Promise.resolve(false);
          return line === "SLOW" ? slow.promise : true;
        },
      },
    });
    const peer = await connectTo(server, linked);
    const { link, handler } = linked;
    const outcomes = ["SLOW", "VETOED", "LAST"].map((line) =>
      link.send(line, { pace: "person" })
    );
    slow.resolve(true);
    assert.deepEqual(await Promise.all(outcomes), [true, false, true]);
    await peer.until("LAST");
    assert.deepEqual(peer.received.slice(-2), ["SLOW", "LAST"]);
    assert.ok(!handler.wires.some((line) => line.includes("VETOED")));
    await link.disconnect("");
  });
});
