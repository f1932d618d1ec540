import assert from "node:assert/strict";
import { systemClock } from "../../lib/clock.ts";
import { Engine } from "../../lib/engine/engine.ts";
import { createLink } from "../../lib/irc/connection.ts";
import type { Session } from "../../lib/irc/session.ts";
import { LogWriter } from "../../lib/log.ts";
import { sessionConfig, summary } from "../irc/fake_link.ts";
import {
  type ScriptedPeer,
  ScriptedServer,
  within,
} from "../irc/scripted_server.ts";

const CAPS =
  "server-time message-tags batch echo-message draft/chathistory multi-prefix";

/** An engine with one session of #room on a scripted server. */
class Live {
  readonly server = ScriptedServer.listen();
  readonly engine: Engine;
  readonly session: Session;
  #waiting: (() => void)[] = [];

  constructor() {
    this.engine = new Engine({
      clock: systemClock,
      log: new LogWriter(() => Date.now()),
      bufferLimit: 1000,
      createLink: (options) =>
        createLink({
          ...options,
          limits: { quitMs: 50, reconnectMinMs: 1, random: () => 0 },
        }),
    });
    this.engine.observe({ messageAdded: () => this.#wake() });
    this.session = this.engine.startSession(
      sessionConfig({
        port: this.server.port,
        channels: ["#room"],
        autoconnect: true,
      }),
      { channelKeys: new Map([["#room", "s3cret"]]) },
    );
  }

  /** Welcomes the client, lets it join #room, and gives it the members. */
  async join(): Promise<ScriptedPeer> {
    const peer = await this.server.accept();
    await peer.register({
      caps: CAPS,
      isupport: "NETWORK=Test CHATHISTORY=50",
    });
    await peer.until("JOIN #room s3cret");
    await peer.send(
      "@time=2026-09-30T11:00:00.000Z :me!me@h JOIN #room",
      ":srv 353 me = #room :me @+alice bob",
      ":srv 366 me #room :End",
    );
    return peer;
  }

  rows(name: string): string[] {
    const buffer = this.session.buffers().find((b) => b.name === name);
    return (buffer?.messages.since(0, 1000) ?? []).map(summary);
  }

  members(): string[] {
    const members = this.session.buffers()[1]?.members() ?? [];
    return members.map((m) => `${m.modes} ${m.nick}`.trim()).sort();
  }

  /** Resolves once `holds` is true; looked at after each row. */
  async until(what: string, holds: () => boolean): Promise<void> {
    const wait = async () => {
      while (!holds()) {
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
    };
    await within(what, wait());
  }

  async close(): Promise<void> {
    await this.engine.close("end");
    await this.server.close();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}

async function withLive(test: (live: Live) => Promise<void>): Promise<void> {
  const live = new Live();
  try {
    await test(live);
  } finally {
    await live.close();
  }
}

Deno.test("Engine follows a session over a real connection: members, rows, echo", () =>
  withLive(async (live) => {
    // Guards that the parts fit: bytes in, rows and members out.
    const peer = await live.join();
    await peer.send(
      "@time=2026-09-30T12:00:00.000Z;msgid=m1 :alice!a@h PRIVMSG #room :hi",
      ":srv MODE #room +o bob",
      ":bob!b@h PRIVMSG me :psst",
    );
    await live.until("the query", () => live.rows("bob").length === 1);
    assert.equal(live.session.network, "Test");
    assert.deepEqual(live.members(), ["me", "o bob", "ov alice"]);
    assert.ok(
      live.rows("#room").includes('privmsg alice text="hi" target="#room"'),
    );
    assert.equal(
      await live.session.sendText("#room", "privmsg", "hello"),
      true,
    );
    await peer.until("PRIVMSG #room :hello");
    await peer.send("@msgid=m2 :me!me@h PRIVMSG #room :hello");
    await live.until("the echo", () =>
      live.rows("#room").includes(
        'privmsg me text="hello" target="#room" isEcho=true',
      ));
  }));

Deno.test("Engine survives a lost connection: no ghosts, joined again, gap filled once", () =>
  withLive(async (live) => {
    // Guards what a restart of the server costs: nothing that it remembers.
    const first = await live.join();
    await first.until(/^CHATHISTORY LATEST #room \* 50$/);
    await first.send(
      ":srv BATCH +x chathistory #room",
      ":srv BATCH -x",
      "@time=2026-09-30T12:00:00.000Z;msgid=m1 :alice!a@h PRIVMSG #room :one",
      ":srv NOTICE me :seen",
    );
    await live.until("the row", () => live.rows("#room").length === 2);
    const id = live.session.buffers()[1]?.id;
    await first.close();
    const second = await live.server.accept();
    assert.deepEqual(live.members(), []);
    assert.equal(live.session.state, "reconnecting");
    await second.register({ caps: CAPS, isupport: "CHATHISTORY=50" });
    await second.until("JOIN #room s3cret");
    await second.send(
      "@time=2026-09-30T12:05:00.000Z :me!me@h JOIN #room",
      ":srv 353 me = #room :me bob",
      ":srv 366 me #room :End",
    );
    await second.until(
      "CHATHISTORY AFTER #room timestamp=2026-09-30T11:59:59.999Z 50",
    );
    await second.send(
      ":srv BATCH +y chathistory #room",
      "@batch=y;time=2026-09-30T12:00:00.000Z;msgid=m1 :alice!a@h PRIVMSG #room :one",
      "@batch=y;time=2026-09-30T12:01:00.000Z;msgid=m2 :alice!a@h PRIVMSG #room :two",
      ":srv BATCH -y",
    );
    await live.until("the gap's row", () => live.rows("#room").length === 4);
    assert.equal(live.session.state, "connected");
    assert.deepEqual(live.members(), ["bob", "me"]);
    assert.equal(live.session.buffers()[1]?.id, id);
    const rows = live.session.buffers()[1]?.messages.since(1, 10) ?? [];
    assert.deepEqual(
      rows.map((m) => [m.seq, m.id, m.history]),
      [[2, "m1", false], [3, undefined, false], [4, "m2", true]],
    );
  }));

Deno.test("Engine.close() quits every server and leaves nothing running", async () => {
  // Guards the clean stop: QUIT sent, no timer and no socket left behind.
  const live = new Live();
  const peer = await live.join();
  await peer.until(/^WHO #room/);
  const closed = live.close();
  await peer.until("QUIT :end");
  await closed;
  assert.deepEqual(live.engine.sessions(), []);
});
