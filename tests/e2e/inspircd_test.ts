/**
 * A live session on InspIRCd, over TLS with SASL, read by the official SDK's
 * client: what the program is for, and how it takes a server's death, a nick
 * in use and a netsplit.
 *
 * @module
 */

import assert from "node:assert/strict";
import { PlainClient } from "../plain_client.ts";
import { type Lab, withLab } from "./lab.ts";
import {
  type Row,
  type Service,
  type SessionEntry,
  until,
  withService,
} from "./service.ts";

const ID = "0B7D6E0C-6B0E-4C6F-8E58-0D5A3C1B2F01";

async function sessionOf(
  lab: Lab,
  more: Record<string, unknown> = {},
): Promise<{ session: SessionEntry; files: Record<string, string> }> {
  return {
    session: {
      id: ID,
      name: "Lab",
      host: lab.get("HOST"),
      port: lab.port("INSPIRCD_TLS"),
      tls: true,
      tls_ca: "ca.pem",
      nick: "reader",
      sasl: { mechanism: "PLAIN", account: lab.get("ACCOUNT") },
      channels: ["#e2e"],
      autoconnect: true,
      ...more,
    },
    files: { "ca.pem": await Deno.readTextFile(lab.get("CA")) },
  };
}

async function withSession(
  lab: Lab,
  use: (service: Service) => Promise<void>,
  more: Record<string, unknown> = {},
): Promise<void> {
  const { session, files } = await sessionOf(lab, more);
  const secret = {
    session: "Lab",
    kind: "sasl-password",
    value: lab.get("ACCOUNT_PASSWORD"),
  };
  await withService({ sessions: [session], secrets: [secret], files }, use);
}

/** Somebody who talks in a channel. */
async function talker(
  port: number,
  nick: string,
  ...channels: string[]
): Promise<PlainClient> {
  const client = await PlainClient.connect(port);
  await client.register(nick);
  for (const channel of channels) {
    await client.send(`JOIN ${channel}`);
    await client.until(/ 366 /);
  }
  return client;
}

/** Waits until `client` sees `nick` in a channel that both join. */
async function seesJoin(client: PlainClient, nick: string): Promise<void> {
  await client.until(new RegExp(`^:${nick}!.* JOIN `));
}

Deno.test("service reads a TLS and SASL session on InspIRCd [SES-005, SES-007, MCP-002]", async () => {
  // Guards the whole way from a real server to an agent: the reason to exist.
  await withLab(["inspircd"], async (lab) => {
    const bob = await talker(lab.port("INSPIRCD"), "bob", "#e2e");
    await withSession(lab, async (service) => {
      assert.deepEqual(service.client.getServerVersion()?.name, "reterm");
      await service.sessionIs("Lab", "connected");
      const session = await service.session("Lab");
      assert.equal(session.id, ID);
      assert.equal(session.nick, "reader");
      assert.equal(session.network, "LabNet");
      await seesJoin(bob, "reader");
      await bob.send("PRIVMSG #e2e :hello, café", "WHOIS reader");
      const whois = await bob.until(/ 318 /);
      assert.ok(
        whois.some((line) => / 330 bob reader alice /.test(line)),
        "the session is not logged in",
      );
      const buffer = await service.buffer("Lab", "#e2e");
      const row = await service.said(buffer, "hello, café");
      assert.equal(row.from, "bob");
      assert.equal(row.kind, "privmsg");
      assert.equal(row.untrusted, true);
      assert.equal(typeof row.id, "string");
      assert.deepEqual((await service.nicks(buffer)).sort(), ["bob", "reader"]);
    });
    bob.close();
  });
});

Deno.test("service survives a server that is killed and started again", async () => {
  // Guards the reconnect: the session comes back, joins again and reads on.
  await withLab(["inspircd"], async (lab) => {
    // Services come back seconds after the server, and a login that cannot be
    // made is tried again slowly: that is its own matter.
    const { session, files } = await sessionOf(lab, {
      port: lab.port("INSPIRCD"),
      tls: false,
      sasl: undefined,
    });
    await withService({ sessions: [session], files }, async (service) => {
      const before = await talker(lab.port("INSPIRCD"), "bob", "#e2e");
      const buffer = await service.buffer("Lab", "#e2e");
      await before.send("PRIVMSG #e2e :before the fall");
      await service.said(buffer, "before the fall");
      lab.signal("inspircd", "SIGKILL");
      await service.sessionIs("Lab", "reconnecting");
      before.close();
      assert.deepEqual(await service.nicks(buffer), []);
      await lab.up("inspircd");
      await service.sessionIs("Lab", "connected", 60_000);
      assert.equal(await service.buffer("Lab", "#e2e"), buffer);
      const after = await talker(lab.port("INSPIRCD"), "bob", "#e2e");
      await until(
        "the rejoin",
        async () =>
          (await service.nicks(buffer)).includes("reader") || undefined,
      );
      await after.send("PRIVMSG #e2e :after the fall");
      await service.said(buffer, "after the fall");
      const texts = (await service.rows(buffer)).map((row) => row.payload.text);
      assert.equal(
        texts.filter((text) => text === "before the fall").length,
        1,
      );
      after.close();
    });
  });
});

Deno.test("service takes another nick, and the wanted one when it is free", async () => {
  // Guards the collision: no loop of 433, and no session left as reader_.
  await withLab(["inspircd"], async (lab) => {
    const holder = await talker(lab.port("INSPIRCD"), "reader", "#e2e");
    await withSession(lab, async (service) => {
      await service.sessionIs("Lab", "connected");
      assert.equal((await service.session("Lab")).nick, "reader2");
      const buffer = await service.buffer("Lab", "#e2e");
      await seesJoin(holder, "reader2");
      await holder.send("PRIVMSG #e2e :leaving now", "QUIT :bye");
      await service.said(buffer, "leaving now");
      await until(
        "the wanted nick",
        async () =>
          (await service.session("Lab")).nick === "reader" || undefined,
      );
      assert.deepEqual(await service.nicks(buffer), ["reader"]);
    }, { alt_nicks: ["reader2"] });
    holder.close();
  });
});

/**
 * Waits for `far` to be back after the split. Now and then InspIRCd's leaf does
 * not notice that it was split off, and has to be told from its side.
 */
async function rejoined(
  service: Service,
  buffer: string,
  far: PlainClient,
  after: number,
): Promise<Row> {
  const isBack = (row: Row) =>
    row.kind === "join" && row.from === "far" && row.seq > after;
  for (let tries = 0; tries < 5; tries++) {
    try {
      return await service.rowThat(buffer, "the rejoin", isBack, 8_000);
    } catch {
      await far.send("SQUIT irc.lab.test :a split");
    }
  }
  return await service.rowThat(buffer, "the rejoin", isBack);
}

Deno.test("service survives a netsplit and the rejoin after it", async () => {
  // Guards members across a split: gone with it, back after it, once each.
  await withLab(["inspircd", "leaf"], async (lab) => {
    const oper = await talker(lab.port("INSPIRCD"), "oper", "#e2e");
    const far = await talker(lab.port("LEAF"), "far", "#e2e");
    await withSession(lab, async (service) => {
      const buffer = await service.buffer("Lab", "#e2e");
      await until(
        "all three",
        async () => (await service.nicks(buffer)).length === 3 || undefined,
      );
      for (const client of [oper, far]) {
        await client.send(
          `OPER ${lab.get("OPER")} ${lab.get("OPER_PASSWORD")}`,
        );
        await client.until(/ 381 /);
      }
      await oper.send("SQUIT leaf.lab.test :a split");
      const quit = await service.rowThat(
        buffer,
        "the split",
        (row) => row.kind === "quit" && row.from === "far",
      );
      const back = await rejoined(service, buffer, far, quit.seq);
      await far.send("PRIVMSG #e2e :still here");
      const row = await service.said(buffer, "still here");
      assert.ok(row.seq > back.seq);
      assert.deepEqual(
        (await service.nicks(buffer)).sort(),
        ["far", "oper", "reader"],
      );
      assert.equal((await service.session("Lab")).state, "connected");
    });
    far.close();
    oper.close();
  });
});

Deno.test("service does not go on without the login it was told to make", async () => {
  // Guards against a silent join under a name that is not logged in.
  await withLab(["inspircd"], async (lab) => {
    const bob = await talker(lab.port("INSPIRCD"), "bob", "#e2e");
    const { session, files } = await sessionOf(lab);
    const secret = {
      session: "Lab",
      kind: "sasl-password",
      value: "not her password",
    };
    await withService(
      { sessions: [session], secrets: [secret], files },
      async (service) => {
        await until("the refusal", async () => {
          const { state } = await service.session("Lab");
          return state === "disconnected" || state === "reconnecting" ||
            undefined;
        });
        const { out } = await service.run("session", "list");
        assert.match(out, /sasl|login|904/i);
        assert.ok(!out.includes("not her password"));
        await bob.send("NAMES #e2e");
        const names = await bob.until(/ 366 /);
        assert.ok(!names.some((line) => line.includes("reader")));
      },
    );
    bob.close();
  });
});
