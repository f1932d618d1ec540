import assert from "node:assert/strict";
import { joinedRig } from "./fake_link.ts";
import { connectTo, makeConfig, makeLink, withServer } from "./linked.ts";

const LONG = "x".repeat(16_000);

Deno.test("Session keeps no more of a user's facts than a line of IRC holds", async () => {
  // Guards memory: lines of 16 KiB, each with another nick, host or real name,
  // times the users a session keeps, would be gigabytes.
  const rig = joinedRig({ isupport: "WHOX", caps: ["userhost-in-names"] });
  const { link, session } = rig;
  link.feed(`:irc.test 353 me = #room :${LONG}1!u@h carl!${LONG}@${LONG}`);
  link.feed(`:${LONG}2!u@h JOIN #room`);
  link.feed(`:alice!${LONG}@${LONG} JOIN #room ${LONG} :${LONG}`);
  link.feed(`:bob!b@h NICK ${LONG}3`);
  link.feed(`:irc.test 354 me 771 #room ${LONG} ${LONG} carl H ${LONG} :x`);
  assert.deepEqual(rig.members("#room"), ["carl", "me", "o alice"]);
  for (const nick of ["alice", "carl"]) {
    const member = session.buffers()[1]?.member(nick);
    for (const fact of [member?.user, member?.host, member?.account]) {
      assert.equal(fact?.length, 512, nick);
    }
  }
  await rig.engine.close("");
});

Deno.test("Session keeps no more of a channel's modes than a line of IRC holds", async () => {
  // Guards memory: 64 letters in each of 2,000 channels.
  const rig = joinedRig();
  rig.link.feed(`:alice!a@h MODE #room +k ${LONG}`);
  const modes = rig.session.inner.channel("#room")?.modes;
  assert.equal(modes?.get("k")?.length, 512);
  await rig.engine.close("");
});

Deno.test("Session bounds the WHOs that wait, whatever becomes of their channels", async () => {
  // Guards the queue against channels that are joined and renamed away: each
  // join queues a WHO, and the renamed one is left behind.
  const rig = joinedRig();
  for (let i = 0; i < 3_000; i++) {
    rig.link.feed(`:me!me@h JOIN #c${i}\n:irc.test RENAME #c${i} #same`);
  }
  assert.equal(rig.names().length, 3);
  assert.equal(rig.session.inner.whox.queued.length, 2_000);
  await rig.engine.close("");
});

Deno.test("createLink() answers a PING whose PONG fits a line, and no other", async () => {
  // Guards the connection against a server that tells clients apart by a long
  // token, and the wire against an answer longer than a line.
  await withServer(async (server) => {
    const linked = makeLink(makeConfig(server.port));
    const peer = await connectTo(server, linked);
    const longest = ["t".repeat(504), "\u00e9".repeat(252)];
    const tooLong = ["t".repeat(505), "\u00e9".repeat(253), "t".repeat(16_000)];
    for (const token of [...longest, ...tooLong]) {
      await peer.send(`PING :${token}`);
    }
    await peer.barrier();
    assert.deepEqual(
      peer.received.filter((line) => /^PONG :(?:t|\u00e9){99}/.test(line)),
      longest.map((token) => `PONG :${token}`),
    );
    await linked.link.disconnect("");
  });
});

Deno.test("createLink() finds no fault with a NICK or 001 that names nobody", async () => {
  // Guards the log: what the library throws at such a line was an error in it.
  await withServer(async (server) => {
    const linked = makeLink(makeConfig(server.port));
    const peer = await connectTo(server, linked);
    await peer.send(":me!u@h NICK", ":me!u@h NICK :", ":srv 001", ":srv 001 :");
    await peer.barrier();
    assert.equal(linked.link.nick, "me");
    assert.deepEqual(
      linked.log.lines.filter(({ level }) => level === "error"),
      [],
    );
    await linked.link.disconnect("");
  });
});
