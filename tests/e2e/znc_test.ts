/**
 * A session behind ZNC, which plays its buffer to whoever attaches, with the
 * same lines each time and no msgid: each line is a row once, and what was
 * played is history.
 *
 * @module
 */

import assert from "node:assert/strict";
import { systemClock } from "../../lib/clock.ts";
import { Engine } from "../../lib/engine/engine.ts";
import { createLink } from "../../lib/irc/connection.ts";
import { LogWriter } from "../../lib/log.ts";
import { PlainClient } from "../plain_client.ts";
import { type Lab, withLab } from "./lab.ts";
import { until, withService } from "./service.ts";

const ID = "0B7D6E0C-6B0E-4C6F-8E58-0D5A3C1B2F03";
const LINES = ["one", "two", "three"];

function password(lab: Lab): string {
  const user = lab.get("ZNC_USER");
  return `${user}/${lab.get("ZNC_NETWORK")}:${lab.get("ZNC_PASSWORD")}`;
}

/** Says the lines in the bouncer's channel while no client is attached. */
async function talkInAbsence(lab: Lab): Promise<PlainClient> {
  const bob = await PlainClient.connect(lab.port("INSPIRCD"));
  await bob.register("bob");
  const channel = lab.get("ZNC_CHANNEL");
  await bob.send(`JOIN ${channel}`);
  await bob.until(/ 366 /);
  for (const text of LINES) await bob.send(`PRIVMSG ${channel} :${text}`);
  // The server has passed on everything before it answers this.
  await bob.send("PING :said");
  await bob.until(/ PONG .*said/);
  return bob;
}

Deno.test("service reads ZNC's playback once, however often it is played [CUR-006]", async () => {
  // Guards against every line twice after each reconnect to the bouncer.
  await withLab(["znc"], async (lab) => {
    const bob = await talkInAbsence(lab);
    const channel = lab.get("ZNC_CHANNEL");
    const sessions = [{
      id: ID,
      name: "Bouncer",
      host: "127.0.0.1",
      port: lab.port("ZNC"),
      tls: false,
      nick: lab.get("ZNC_USER"),
      channels: [],
      autoconnect: true,
    }];
    const secrets = [{
      session: "Bouncer",
      kind: "password",
      value: password(lab),
    }];
    await withService({ sessions, secrets }, async (service) => {
      const buffer = await service.buffer("Bouncer", channel);
      const texts = async () =>
        (await service.rows(buffer)).filter(({ from }) => from === "bob")
          .map(({ payload }) => payload.text);
      await service.said(buffer, "three");
      // Said live, a line that was said before is another one.
      await bob.send(`PRIVMSG ${channel} :two`);
      await bob.send(`PRIVMSG ${channel} :live`);
      await service.said(buffer, "live");
      const all = [...LINES, "two", "live"];
      assert.deepEqual(
        (await texts()).filter((text) => all.includes(String(text))),
        all,
      );
      await service.run("session", "disconnect", "Bouncer");
      await service.sessionIs("Bouncer", "disconnected");
      await bob.send(`PRIVMSG ${channel} :missed`);
      await service.run("session", "connect", "Bouncer");
      await service.said(buffer, "missed");
      await bob.send(`PRIVMSG ${channel} :last`);
      await service.said(buffer, "last");
      const known = [...all, "missed", "last"];
      assert.deepEqual(
        (await texts()).filter((text) => known.includes(String(text))),
        known,
      );
    });
    bob.close();
  });
});

Deno.test("engine marks ZNC's playback as history, and talk as live", async () => {
  // Guards that an agent's live updates will not be filled with old talk.
  await withLab(["znc"], async (lab) => {
    const bob = await talkInAbsence(lab);
    const channel = lab.get("ZNC_CHANNEL");
    const log = new LogWriter(() => Date.now());
    const engine = new Engine({
      clock: systemClock,
      log,
      bufferLimit: 1_000,
      createLink,
    });
    engine.startSession({
      id: ID,
      name: "Bouncer",
      host: "127.0.0.1",
      port: lab.port("ZNC"),
      tls: false,
      tlsVerify: true,
      nick: lab.get("ZNC_USER"),
      altNicks: [],
      username: "zoe",
      realname: "Zoe",
      channels: [],
      autoconnect: true,
    }, { password: password(lab), channelKeys: new Map() });
    const rowsOf = () => {
      const buffer = engine.session(ID)?.buffers()
        .find(({ name }) => name === channel);
      return buffer?.messages.since(0, 1_000)
        .filter(({ from, kind }) => from === "bob" && kind === "privmsg") ?? [];
    };
    const isHeld = (text: string) =>
      Promise.resolve(
        rowsOf().some(({ payload }) =>
          payload.caseName === "privmsg" && payload.text === text
        ) || undefined,
      );
    try {
      await until("the playback", () => isHeld("three"));
      await bob.send(`PRIVMSG ${channel} :live`);
      await until("the live line", () => isHeld("live"));
      assert.deepEqual(
        rowsOf().map(({ history }) => history),
        [...LINES.map(() => true), false],
      );
    } finally {
      await engine.close("done");
      bob.close();
    }
  });
});
