/**
 * A session on ngIRCd, a plain old server without IRCv3: what is missing is
 * done without, and a connection that goes dead without a word is noticed.
 *
 * @module
 */

import assert from "node:assert/strict";
import { PlainClient } from "../plain_client.ts";
import { type Lab, withLab } from "./lab.ts";
import { until, withService } from "./service.ts";

/** 60 s of silence, a ping, 30 s for its answer, and some slack. */
const HALF_OPEN_MS = 100_000;

function sessionOf(lab: Lab) {
  return {
    id: "0B7D6E0C-6B0E-4C6F-8E58-0D5A3C1B2F02",
    name: "Old",
    host: "127.0.0.1",
    port: lab.port("NGIRCD"),
    tls: false,
    nick: "reader",
    channels: ["#old"],
    autoconnect: true,
  };
}

async function talker(lab: Lab, nick: string): Promise<PlainClient> {
  const client = await PlainClient.connect(lab.port("NGIRCD"));
  await client.register(nick);
  await client.send("JOIN #old");
  await client.until(/ 366 /);
  return client;
}

Deno.test("service reads a server that knows no IRCv3 [MSG-008]", async () => {
  // Guards that capabilities make rows better and are never needed for them.
  await withLab(["ngircd"], async (lab) => {
    const bob = await talker(lab, "bob");
    await withService({ sessions: [sessionOf(lab)] }, async (service) => {
      const buffer = await service.buffer("Old", "#old");
      await bob.until(/^:reader!.* JOIN /);
      const before = Math.floor(Date.now() / 1000) * 1000;
      await bob.send("PRIVMSG #old :from the old days");
      const row = await service.said(buffer, "from the old days");
      assert.equal(row.id, undefined);
      assert.ok(Date.parse(row.time) >= before);
      await service.run("do", "--buffer", "#old", "hello from here");
      await bob.until(/^:reader!.* PRIVMSG #old :hello from here/);
      // Without echo-message the row is made here, once.
      const own = (await service.rows(buffer))
        .filter(({ payload }) => payload.text === "hello from here");
      assert.deepEqual(own.map(({ from }) => from), ["reader"]);
      assert.deepEqual((await service.nicks(buffer)).sort(), ["bob", "reader"]);
    });
    bob.close();
  });
});

Deno.test("service notices a half-open connection and comes back", async () => {
  // Guards the quiet death: no FIN, no reset, only nothing any more.
  await withLab(["ngircd"], async (lab) => {
    await withService({ sessions: [sessionOf(lab)] }, async (service) => {
      const buffer = await service.buffer("Old", "#old");
      await until(
        "the join",
        async () =>
          (await service.nicks(buffer)).includes("reader") || undefined,
      );
      lab.signal("ngircd", "SIGSTOP");
      try {
        await service.sessionIs("Old", "reconnecting", HALF_OPEN_MS);
      } finally {
        lab.signal("ngircd", "SIGCONT");
      }
      await service.sessionIs("Old", "connected", 60_000);
      const bob = await talker(lab, "bob");
      await until(
        "the rejoin",
        async () => (await service.nicks(buffer)).length >= 2 || undefined,
        60_000,
      );
      await bob.send("PRIVMSG #old :awake again");
      await service.said(buffer, "awake again");
      bob.close();
    });
  });
});
