import assert from "node:assert/strict";
import { SECTIONS, takeSnapshot } from "../../lib/debug/engine_state.ts";
import { NO_SCRIPTS } from "../../lib/debug/live_capture.ts";
import type { Section } from "../../lib/debug/sections/section.ts";
import { makeRig, type Rig } from "../irc/fake_link.ts";
import { withLiveDebug } from "./live_debug.ts";

function snapshotOf(rig: Rig) {
  return takeSnapshot({
    session: rig.session,
    link: rig.session.link.inspect?.(),
    scripts: NO_SCRIPTS,
  }, rig.clock.now());
}

function sectionOf(rig: Rig, name: keyof typeof SECTIONS): Section {
  const section = snapshotOf(rig).sections.get(name);
  assert.ok(section !== undefined, `${name} is not filled`);
  return section;
}

const JOIN = (name: string) => `:me!me@h JOIN ${name}`;

Deno.test("the whox section shows the queue of own WHOs [ENG-008 ENG-009 ENG-010 ENG-011 ENG-012]", async () => {
  // Guards the contract's field names, and that the queue is as it says: one
  // at a time, each until it is answered or 45 seconds have gone.
  const rig = makeRig();
  rig.link.welcome();
  const whos = () => rig.link.takeSent().filter((l) => l.startsWith("WHO"));
  rig.link.feed(["#a", "#b", "#c"].map(JOIN).join("\n"));
  assert.deepEqual(whos(), ["WHO #a"]);
  assert.deepEqual(sectionOf(rig, "whox"), {
    count: 3,
    summary: "WHO #a in flight, 2 queued",
    state: {
      silentWhoInFlight: "#a",
      silentWhoDeadline: "2026-09-30T12:00:45.000Z",
      silentWhoQueued: ["#b", "#c"],
    },
  });
  await rig.session.quote("WHO #typed");
  assert.deepEqual(whos(), ["WHO #typed"]);
  assert.deepEqual(sectionOf(rig, "whox").state.silentWhoQueued, ["#b", "#c"]);
  await rig.clock.advance(44_999);
  assert.deepEqual(whos(), []);
  await rig.clock.advance(1);
  assert.deepEqual(whos(), ["WHO #b"]);
  rig.link.feed(":srv 315 me #b :End of /WHO list.");
  assert.deepEqual(whos(), ["WHO #c"]);
  rig.link.feed(":srv 315 me #c :End of /WHO list.");
  assert.deepEqual(sectionOf(rig, "whox"), {
    count: 0,
    summary: "no WHO in flight",
    state: {
      silentWhoInFlight: undefined,
      silentWhoDeadline: undefined,
      silentWhoQueued: [],
    },
  });
  await rig.engine.close("");
});

Deno.test("the scripts section holds counts and nothing else [ENG-007]", async () => {
  // Guards that no state of a script is shown, whatever a script has.
  const rig = makeRig();
  const counts = {
    inputCallbackCount: 2,
    menuItemCount: 0,
    buttonCount: 0,
    callbacks: ["secret"],
  };
  const { sections } = takeSnapshot({
    session: rig.session,
    link: undefined,
    scripts: counts,
  }, 0);
  assert.deepEqual(sections.get("scripts"), {
    count: 2,
    summary: "2 input callbacks",
    state: { inputCallbackCount: 2, menuItemCount: 0, buttonCount: 0 },
  });
  await rig.engine.close("");
});

Deno.test("the sections about names show channels, queries and buffers", async () => {
  // Guards the counts, and that a channel's key is not shown.
  const rig = makeRig();
  rig.link.welcome();
  rig.link.feed([
    JOIN("#a"),
    ":srv 353 me = #a :me alice",
    ":srv 366 me #a :End",
    ":srv 332 me #a :the topic",
    ":srv 324 me #a +ntk open-sesame",
    JOIN("#b"),
    ":me!me@h PART #b",
    ":alice!a@h PRIVMSG me :hello",
  ].join("\n"));
  const channels = sectionOf(rig, "channels");
  assert.deepEqual(
    [channels.count, channels.summary],
    [1, "1 joined, 2 buffers"],
  );
  const [a, b] = channels.state.channels as Record<string, unknown>[];
  assert.deepEqual({ ...a, buffer: "" }, {
    name: "#a",
    buffer: "",
    isJoined: true,
    isJoining: false,
    members: 2,
    topic: "the topic",
    modes: { n: "", t: "", k: "********" },
  });
  assert.equal(b?.isJoined, false);
  const queries = sectionOf(rig, "queries");
  assert.deepEqual([queries.count, queries.summary], [1, "1 open"]);
  const buffers = sectionOf(rig, "buffers");
  assert.equal(buffers.count, 4);
  assert.match(buffers.summary, /^4 buffers, \d+ rows$/);
  await rig.engine.close("");
});

Deno.test("no section holds a secret of the session [ENG-018]", () =>
  withLiveDebug({
    config: {
      sasl: { mechanism: "PLAIN", account: "me", required: false },
      tls: false,
      tlsClientCert: "CERT-PEM",
      channels: ["#locked"],
    },
    secrets: {
      password: "correct-horse",
      saslPassword: "battery-staple",
      channelKeys: new Map([["#locked", "open-sesame"]]),
      tlsClientKey: "KEY-PEM",
    },
  }, async (live) => {
    // Guards each secret the engine holds, after it has used all of them.
    const peer = await live.connect();
    assert.ok(peer.received.includes("JOIN #locked open-sesame"));
    await peer.send(
      ":me!u@h JOIN #locked",
      ":srv 324 me #locked +k open-sesame",
    );
    await peer.barrier();
    const sections = Object.keys(SECTIONS);
    const text = await live.caller.text("engine_state", {
      session: live.session.id,
      sections,
    });
    const answer = JSON.parse(text);
    assert.deepEqual(Object.keys(answer.sections).sort(), sections.toSorted());
    for (
      const secret of [
        "correct-horse",
        "battery-staple",
        "open-sesame",
        "KEY-PEM",
        "CERT-PEM",
      ]
    ) assert.ok(!text.includes(secret), secret);
  }));

Deno.test("the sections of a live connection show its real state [ENG-003 ENG-005]", () =>
  withLiveDebug({ config: { altNicks: ["me_"] } }, async (live) => {
    // Guards that every section is filled, and from what is, not from what was
    // configured.
    const { session } = live;
    const read = async (...sections: string[]) =>
      (await live.caller.call("engine_state", {
        session: session.id,
        sections,
      })).sections;
    const index = async () => {
      const answer = await live.caller.call("engine_state", {
        session: session.id,
      });
      return new Map<string, { count: number; summary: string }>(
        answer.index.map((
          row: { section: string; count: number; summary: string },
        ) => [row.section, row]),
      );
    };
    const before = await index();
    assert.deepEqual([...before.keys()], Object.keys(SECTIONS));
    assert.equal(before.get("flood")?.summary, "not connected");
    assert.equal(before.get("registration")?.count, 0);

    const peer = await live.connect("batch echo-message tls=6697");
    await peer.send(
      ":srv 005 me NETWORK=Test CASEMAPPING=ascii SILENCE=15 :are supported",
      ":srv BATCH +outer netsplit a b",
      "@batch=outer :srv BATCH +inner chathistory #x",
    );
    await peer.barrier();
    const connected = await index();
    const summaries = Object.fromEntries(
      ["connection", "registration", "sasl", "capabilities", "isupport"]
        .map((name) => [name, connected.get(name)?.summary]),
    );
    assert.deepEqual(summaries, {
      connection: `connected, 127.0.0.1:${live.server.port}`,
      registration: "registered as me",
      sasl: "not configured",
      capabilities: "2 enabled of 3 offered",
      isupport: "3 tokens, casemapping ascii",
    });
    const sections = await read(
      "batches",
      "capabilities",
      "isupport",
      "silence",
      "flood",
      "reconnect",
      "registration",
      "config",
    );
    assert.deepEqual(sections.batches.open, [
      { reference: "outer", type: "netsplit", params: ["a", "b"] },
      {
        reference: "inner",
        type: "chathistory",
        params: ["#x"],
        parent: "outer",
      },
    ]);
    assert.deepEqual(sections.capabilities, {
      available: { "batch": "", "echo-message": "", "tls": "6697" },
      enabled: ["batch", "echo-message"],
    });
    assert.equal(sections.isupport.tokens.NETWORK, "Test");
    assert.equal(sections.silence.serverLimit, "15");
    assert.deepEqual(sections.flood, {
      isPaced: false,
      waitingFromAgents: 0,
      waitingFromPerson: 0,
      unsentBytes: 0,
    });
    assert.equal(sections.reconnect.nextAttemptAt, undefined);
    assert.match(sections.registration.registeredAt, /^\d{4}-.*Z$/);
    assert.deepEqual(sections.config.altNicks, ["me_"]);
  }));

Deno.test("the reconnect section names the next attempt", () =>
  withLiveDebug({}, async (live) => {
    // Guards what a person looks for when a session is down.
    const peer = await live.connect();
    await peer.send("ERROR :Closing Link: too many connections");
    await peer.close();
    const again = await live.server.accept();
    await again.close();
    const next = await live.server.accept();
    const { sections } = await live.caller.call("engine_state", {
      session: live.session.id,
      sections: ["reconnect", "connection"],
    });
    assert.equal(sections.reconnect.failures, 2);
    assert.equal(sections.connection.state, "reconnecting");
    await next.register();
    await next.barrier();
    const { index } = await live.caller.call("engine_state", {
      session: live.session.id,
    });
    assert.match(
      index.find((row: { section: string }) => row.section === "reconnect")
        .summary,
      /^no attempt planned, connected$/,
    );
  }));

Deno.test("a section that fails costs no other [ENG-017]", async () => {
  // Guards that a broken session can still be looked into.
  const rig = makeRig();
  const broken = {
    session: Object.create(rig.session, {
      inner: {
        get() {
          throw new Error("broken");
        },
      },
    }),
    link: undefined,
    scripts: NO_SCRIPTS,
  };
  const { sections } = takeSnapshot(broken, 0);
  assert.equal(sections.has("channels"), false);
  assert.equal(sections.has("whox"), false);
  assert.equal(sections.has("scripts"), true);
  await rig.engine.close("");
});
