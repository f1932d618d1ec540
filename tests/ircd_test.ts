/**
 * The embedded IRC server, spoken to in plain IRC: the demonstration and many
 * tests stand on it.
 *
 * @module
 */

import assert from "node:assert/strict";
import { Actors, readConversation } from "../fixtures/ircd/actors.ts";
import { Network } from "../fixtures/ircd/network.ts";
import { type Server, startServer } from "../fixtures/ircd/server.ts";
import { PlainClient } from "./plain_client.ts";

async function withServer(
  run: (server: Server, connect: () => Promise<PlainClient>) => Promise<void>,
): Promise<void> {
  const network = new Network("TestNet", () => Date.parse("2026-09-30T12:00Z"));
  const server = startServer({ network, accounts: new Map([["al", "pw"]]) });
  const clients: PlainClient[] = [];
  try {
    await run(server, async () => {
      const client = await PlainClient.connect(server.port);
      clients.push(client);
      return client;
    });
  } finally {
    for (const client of clients) await client.close();
    await server.close();
  }
}

Deno.test("ircd registers a client once CAP, NICK and USER are done", () =>
  withServer(async (_server, connect) => {
    // Guards the handshake that every demo and engine test begins with.
    const client = await connect();
    await client.send("CAP LS 302", "NICK al", "USER al 0 * :Al");
    const [first = "", second = ""] = await client.until(/LS :?[^*]*$/);
    assert.match(first, /^:irc\.demo\.test CAP \* LS \* :account-notify /);
    assert.match(first + second, / sasl=PLAIN /);
    await client.send("CAP REQ :sasl server-time");
    await client.until(/ACK :sasl server-time/);
    await client.send("AUTHENTICATE PLAIN");
    await client.until(/AUTHENTICATE \+/);
    await client.send(`AUTHENTICATE ${btoa("\0al\0pw")}`);
    await client.until(/ 900 al .* al :You are now logged in as al/);
    await client.send("CAP END");
    const greeting = await client.until(/ 376 /);
    assert.ok(greeting.some((line) => / 005 al .*NETWORK=TestNet /.test(line)));
  }));

Deno.test("ircd refuses a wrong password and an unknown capability", () =>
  withServer(async (_server, connect) => {
    // Guards the failures that a client has to tell its operator about.
    const client = await connect();
    await client.send("CAP REQ :server-time draft/none", "NICK al");
    await client.until(/ NAK :server-time draft\/none/);
    await client.send("AUTHENTICATE PLAIN", `AUTHENTICATE ${btoa("\0al\0no")}`);
    await client.until(/ 904 /);
  }));

Deno.test("ircd refuses a nick in use, at registration and after it", () =>
  withServer(async (_server, connect) => {
    // Guards the collision that a client answers with another nick.
    const first = await connect();
    await first.register("al");
    const second = await connect();
    await second.send("NICK al", "USER al 0 * :Al");
    await second.until(/ 433 \* al /);
    await second.send("NICK bo");
    await second.until(/ 376 bo /);
    await second.send("NICK AL");
    await second.until(/ 433 bo AL /);
  }));

Deno.test("ircd carries talk with the tags that each client can see", () =>
  withServer(async (_server, connect) => {
    // Guards that tags go to those who asked, and lines to everybody else.
    const al = await connect();
    await al.register("al", "server-time message-tags echo-message");
    const bo = await connect();
    await bo.register("bo");
    await al.send("JOIN #a");
    await al.until(/ 366 /);
    await bo.send("JOIN #a");
    await bo.until(/ 366 /);
    await al.send("@+x=1 PRIVMSG #a :hello there");
    assert.equal(await bo.line(), ":al!al@localhost PRIVMSG #a :hello there");
    const [echo = ""] = (await al.until(/PRIVMSG/)).slice(-1);
    assert.match(
      echo,
      /^@time=2026-09-30T12:00:00\.000Z;msgid=[^;]+;\+x=1 :al!al@localhost PRIVMSG #a :hello there$/,
    );
  }));

Deno.test("ircd answers CHATHISTORY inside a labelled batch", () =>
  withServer(async (server, connect) => {
    // Guards the nested batches that have broken clients.
    const al = await connect();
    await al.register("al", "batch labeled-response draft/chathistory");
    await al.send("JOIN #a");
    await al.until(/ 366 /);
    for (const text of ["one", "two", "three"]) {
      await al.send(`PRIVMSG #a ${text}`);
    }
    await al.send("@label=L1 CHATHISTORY LATEST #a * 2");
    const lines = await al.until(/BATCH -b2$/);
    assert.deepEqual(lines, [
      "@label=L1 :irc.demo.test BATCH +b2 labeled-response",
      "@batch=b2 :irc.demo.test BATCH +b1 chathistory #a",
      "@batch=b1 :al!al@localhost PRIVMSG #a two",
      "@batch=b1 :al!al@localhost PRIVMSG #a three",
      "@batch=b2 :irc.demo.test BATCH -b1",
      ":irc.demo.test BATCH -b2",
    ]);
    const [, second] = server.network.channel("#a")?.history ?? [];
    const id = second?.line.tags?.msgid ?? "";
    for (
      const [question, texts] of [
        [`BEFORE #a msgid=${id} 5`, ["one"]],
        [`AFTER #a msgid=${id} 5`, ["three"]],
        [`AROUND #a msgid=${id} 3`, ["one", "two", "three"]],
      ] as const
    ) {
      await al.send(`CHATHISTORY ${question}`);
      const said = (await al.until(/BATCH -/)).slice(1, -1)
        .map((line) => line.split(" ").at(-1));
      assert.deepEqual(said, texts, question);
    }
    await al.send("CHATHISTORY LATEST #nowhere * 5");
    await al.until(/FAIL CHATHISTORY INVALID_TARGET/);
  }));

Deno.test("ircd keeps channel modes, and lets operators alone change them", () =>
  withServer(async (_server, connect) => {
    // Guards MODE, KICK and TOPIC, which member tracking is tested against.
    const al = await connect();
    await al.register("al", "multi-prefix");
    const bo = await connect();
    await bo.register("bo");
    await al.send("JOIN #a");
    await al.until(/ 366 /);
    await bo.send("JOIN #a", "TOPIC #a :mine", "MODE #a +m");
    await bo.until(/ 482 .*[\s\S]*/);
    await al.send("MODE #a +vk-t+l al key 5", "MODE #a", "NAMES #a");
    const lines = await al.until(/ 366 /);
    assert.ok(
      lines.includes(":al!al@localhost MODE #a +vk-t+l al key 5"),
      lines.join("\n"),
    );
    assert.ok(lines.some((line) => / 324 al #a \+nkl key 5$/.test(line)));
    assert.ok(lines.some((line) => / 353 al = #a :@\+al bo$/.test(line)));
    await al.send("KICK #a bo :enough");
    await bo.until(/^:al!al@localhost KICK #a bo enough$/);
    await bo.send("JOIN #a");
    await bo.until(/ 475 bo #a /);
  }));

Deno.test("ircd plays a conversation's past before anybody connects", () =>
  withServer(async (server, connect) => {
    // Guards the demonstration: the past is old, the loop speaks to the user.
    const file = new URL(
      "../fixtures/conversations/rete.json",
      import.meta.url,
    );
    const conversation = readConversation(file);
    const actors = new Actors(server.network, conversation, {
      you: "alice",
      speed: 1_000,
    });
    actors.start();
    const history = server.network.channel("#rete")?.history ?? [];
    assert.ok(history.length > 20, `${history.length} rows`);
    assert.ok(history.every(({ time }) => time < server.network.now()));
    const alice = await connect();
    await alice.register("alice", "server-time batch draft/chathistory");
    await alice.send("JOIN #rete");
    const joined = await alice.until(/ 366 /);
    assert.ok(joined.some((line) => / 332 alice #rete :Release/.test(line)));
    try {
      actors.run();
      await alice.until(/PRIVMSG alice :psst/);
      await alice.until(/:ines!ines@harbour\.example QUIT/);
      await alice.until(/:wren!wren@attic\.example NICK wren_on_call/);
      await alice.until(/back from lunch/); // the loop's first line, again
    } finally {
      actors.stop();
    }
  }));
