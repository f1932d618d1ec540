import assert from "node:assert/strict";
import { withLiveDebug } from "./live_debug.ts";

const PASSWORD = "correct-horse";

Deno.test("the login of a session is shown masked and sent in full [RED-001 RED-002 RED-003 RED-043 RED-044]", () =>
  withLiveDebug({
    config: { sasl: { mechanism: "PLAIN", account: "me", required: true } },
    secrets: { password: PASSWORD, saslPassword: "battery-staple" },
  }, async (live) => {
    // Guards that the raw tap holds neither password nor payload, and that the
    // server still gets both.
    live.session.connect();
    const peer = await live.server.accept();
    await peer.until(`PASS ${PASSWORD}`);
    await peer.until(/^USER /);
    await peer.send(":srv CAP * LS :sasl=PLAIN");
    await peer.until("CAP REQ :sasl");
    await peer.send(":srv CAP * ACK :sasl");
    await peer.until("AUTHENTICATE PLAIN");
    await peer.send("AUTHENTICATE +");
    await peer.until(`AUTHENTICATE ${btoa("me\0me\0battery-staple")}`);
    await peer.send(":srv 903 me :done");
    await peer.until("CAP END");
    await peer.send(":srv 001 me :Welcome");
    await peer.barrier();
    const { lines, withheld } = await live.rawPage();
    const shown = lines.map(({ line }: { line: string }) => line)
      .filter((line: string) => /^(PASS|AUTH)/.test(line));
    assert.deepEqual(shown, [
      "PASS :********",
      "AUTHENTICATE PLAIN",
      "AUTHENTICATE +",
      "AUTHENTICATE ********",
    ]);
    assert.equal(withheld, undefined);
    const { sections } = await live.caller.call("engine_state", {
      session: live.session.id,
      sections: ["sasl"],
    });
    assert.equal(sections.sasl.state, "done");
  }));

Deno.test("a service login is masked in its local row and raw line, and sent in full [RED-014 RED-017 RED-018 RED-035]", () =>
  withLiveDebug({}, async (live) => {
    // Guards what is kept of a login where the server echoes nothing.
    const peer = await live.connect();
    const { session } = live;
    await session.sendText("NickServ", "privmsg", "IDENTIFY hunter2");
    await session.quote("PRIVMSG nickserv,alice :GHOST me hunter2");
    await session.quote("NS IDENTIFY hunter2");
    await peer.until("PRIVMSG NickServ :IDENTIFY hunter2");
    await peer.until("PRIVMSG nickserv,alice :GHOST me hunter2");
    await peer.until("NS IDENTIFY hunter2");
    assert.deepEqual(await live.texts("NickServ"), [
      "IDENTIFY ********",
      "GHOST me ********",
    ]);
    assert.deepEqual(await live.texts("alice"), ["GHOST me ********"]);
    const raw = await live.raw();
    assert.deepEqual(raw.slice(-3), [
      "out PRIVMSG NickServ :IDENTIFY ********",
      "out PRIVMSG nickserv,alice :GHOST me ********",
      "out NS IDENTIFY ********",
    ]);
  }));

Deno.test("a service login is masked in its echo and in replayed history [RED-015 RED-016 RED-017]", () =>
  withLiveDebug({}, async (live) => {
    // Guards the copies of a login that come back from the server.
    const peer = await live.connect(
      "echo-message batch draft/chathistory server-time",
    );
    await live.session.sendText("NickServ", "privmsg", "IDENTIFY hunter2");
    await peer.until("PRIVMSG NickServ :IDENTIFY hunter2");
    await peer.send(
      "@time=2026-09-30T12:00:00.000Z :me!u@h PRIVMSG NickServ :IDENTIFY hunter2",
      ":srv BATCH +1 chathistory NickServ",
      "@batch=1;time=2026-09-29T12:00:00.000Z :me!u@h PRIVMSG NickServ :REGISTER hunter2 a@b.example",
      ":srv BATCH -1",
      ":me!u@h NOTICE AuthServ :AUTH me hunter2",
    );
    await peer.barrier();
    assert.deepEqual((await live.texts("NickServ")).sort(), [
      "IDENTIFY ********",
      "REGISTER ******** a@b.example",
    ]);
    const raw = await live.raw();
    assert.deepEqual(raw.filter((line) => line.includes("********")), [
      "out PRIVMSG NickServ :IDENTIFY ********",
      "in :me!u@h PRIVMSG NickServ :IDENTIFY ********",
      "in :me!u@h PRIVMSG NickServ :REGISTER ******** a@b.example",
      "in :me!u@h NOTICE AuthServ :AUTH me ********",
    ]);
    assert.ok(!JSON.stringify(raw).includes("hunter2"));
    const rows = live.session.buffers().flatMap((b) => b.messages.since(0, 99));
    assert.ok(!JSON.stringify(rows).includes("hunter2"));
  }));

Deno.test("/oper is shown with its name, and sent in full [RED-004]", () =>
  withLiveDebug({}, async (live) => {
    // Guards the act behind the command: what is shown is given beside it.
    const peer = await live.connect();
    await live.session.sendMasked("OPER me hunter2", "OPER me ********");
    await peer.until("OPER me hunter2");
    assert.equal((await live.raw()).at(-1), "out OPER me ********");
  }));

Deno.test("/smsg masks its text, its row and its echo, once [RED-036 RED-037 RED-064 RED-066]", () =>
  withLiveDebug({}, async (live) => {
    // Guards a sensitive text wherever it is shown or stored, and that a second
    // copy shows in clear and withholds nothing.
    const peer = await live.connect("echo-message");
    const sending = live.session.sendMasked(
      "PRIVMSG alice :hunter2",
      "PRIVMSG alice :********",
    );
    await peer.until("PRIVMSG alice :hunter2");
    assert.equal(await sending, true);
    await peer.send(
      ":alice!a@h PRIVMSG me :hunter2",
      "@msgid=1 :me!u@h PRIVMSG alice :hunter2",
      "@msgid=2 :me!u@h PRIVMSG alice :hunter2",
    );
    await peer.barrier();
    assert.deepEqual(await live.texts("alice"), [
      "hunter2",
      "********",
      "hunter2",
    ]);
    const { lines, withheld } = await live.rawPage();
    const shown = lines.map(({ line }: { line: string }) => line);
    assert.deepEqual(
      shown.filter((line: string) => line.includes("PRIVMSG")),
      [
        "PRIVMSG alice :********",
        ":alice!a@h PRIVMSG me :hunter2",
        ":me!u@h PRIVMSG alice :********",
        "@msgid=2 :me!u@h PRIVMSG alice :hunter2",
      ],
    );
    assert.equal(withheld, undefined);
  }));

Deno.test("/smsg masks its local row where nothing is echoed [RED-037]", () =>
  withLiveDebug({}, async (live) => {
    // Guards the row that is made when the line was written.
    const peer = await live.connect();
    await live.session.sendMasked(
      "PRIVMSG alice :hunter2",
      "PRIVMSG alice :********",
    );
    await peer.until("PRIVMSG alice :hunter2");
    assert.deepEqual(await live.texts("alice"), ["********"]);
  }));

Deno.test("a line of an agent is masked by what it is [RED-022 RED-024]", () =>
  withLiveDebug({}, async (live) => {
    // Guards that every spelling an agent may send is shown masked and sent in
    // full, a mechanism line included.
    const peer = await live.connect();
    const rows = [
      ["PASS :a b", "PASS :********"],
      ["oper me pw", "OPER me ********"],
      ["AUTHENTICATE PLAIN", "AUTHENTICATE ********"],
      ["@a=b :me NS IDENTIFY pw", ":me NS IDENTIFY ********"],
      ["PRIVMSG NickServ IDENTIFY pw", "PRIVMSG NickServ IDENTIFY ********"],
      ["JOIN #x key", "JOIN #x key"],
    ] as const;
    for (const [line] of rows) {
      assert.equal(await live.session.sendForAgent(line), true);
      await peer.until(line);
    }
    const raw = await live.raw();
    assert.deepEqual(
      raw.slice(-rows.length),
      rows.map(([, shown]) => `out ${shown}`),
    );
  }));

Deno.test("what is quoted is not masked at the source but withheld [RED-067 RED-077 RED-078]", () =>
  withLiveDebug({
    secrets: { channelKeys: new Map([["#locked", "open-sesame"]]) },
  }, async (live) => {
    // Guards both halves of what the contract lists: no mask, and no showing.
    const peer = await live.connect();
    const lines = [
      "PASS hunter2",
      "OPER me hunter2",
      "JOIN #other :hunter2",
      "JOIN #locked open-sesame",
      "WHO #other",
    ];
    for (const line of lines) {
      await live.session.quote(line);
      await peer.until(line);
    }
    const tap = live.capture.tap(live.session.id)?.since(0, 999) ?? [];
    assert.deepEqual(tap.slice(-5).map(({ text }) => text), lines);
    const { lines: shown, withheld } = await live.rawPage();
    assert.equal(withheld, 3);
    assert.deepEqual(
      shown.slice(-2).map(({ line }: { line: string }) => line),
      ["JOIN #other :hunter2", "WHO #other"],
    );
  }));

Deno.test("a server's AUTHENTICATE challenge is withheld, talk of PASS is not [RED-060 RED-068]", () =>
  withLiveDebug({}, async (live) => {
    // Guards the tripwire on what comes in.
    const peer = await live.connect();
    const before = (await live.raw()).length;
    await peer.send(
      "AUTHENTICATE cj1meWtv",
      ":alice!a@h PRIVMSG me :PASS hunter2",
    );
    await peer.barrier();
    const { lines, withheld } = await live.rawPage();
    assert.equal(withheld, 1);
    assert.equal(lines[before].line, ":alice!a@h PRIVMSG me :PASS hunter2");
  }));

Deno.test("a password in conversation is not recognised [RED-061]", () =>
  withLiveDebug({}, async (live) => {
    // Guards that what is no login is shown as it was said.
    const peer = await live.connect();
    await live.session.sendText("alice", "privmsg", "IDENTIFY hunter2");
    await live.session.sendText("OtherServ", "privmsg", "IDENTIFY hunter2");
    await peer.until("PRIVMSG OtherServ :IDENTIFY hunter2");
    assert.deepEqual(await live.texts("alice"), ["IDENTIFY hunter2"]);
    assert.deepEqual(await live.texts("OtherServ"), ["IDENTIFY hunter2"]);
    assert.equal(
      (await live.raw()).at(-1),
      "out PRIVMSG OtherServ :IDENTIFY hunter2",
    );
  }));

Deno.test("session and buffer names are not scanned [RED-055]", () =>
  withLiveDebug({
    config: { name: "correct-horse" },
    secrets: {
      password: PASSWORD,
      channelKeys: new Map([["#open-sesame", "open-sesame"]]),
    },
  }, async (live) => {
    // Guards the list calls, which the contract leaves unscanned.
    const peer = await live.connect();
    await peer.send(":me!u@h JOIN #open-sesame");
    await peer.barrier();
    const { sessions } = await live.caller.call("list_sessions");
    assert.equal(sessions[0].name, "correct-horse");
    const { buffers } = await live.caller.call("list_buffers", {
      session: live.session.id,
    });
    assert.deepEqual(
      buffers.map(({ name }: { name: string }) => name),
      ["correct-horse", "#open-sesame"],
    );
    const { appearances } = await live.caller.call("find_user", { nick: "me" });
    assert.deepEqual(
      appearances.map(({ channel }: { channel: string }) => channel),
      ["#open-sesame"],
    );
  }));

Deno.test("the TLS client key is not scanned for [RED-063]", () =>
  withLiveDebug(
    { secrets: { tlsClientKey: "key-passphrase" } },
    async (live) => {
      // Guards that what no line of IRC can hold withholds none.
      const peer = await live.connect();
      await peer.send(":alice!a@h PRIVMSG me :key-passphrase");
      await peer.barrier();
      assert.deepEqual(await live.texts("alice"), ["key-passphrase"]);
    },
  ));

Deno.test("rows, members and raw lines with a secret are withheld and counted [RED-041 RED-043 RED-044 RED-045 RED-069 RED-071]", () =>
  withLiveDebug({
    secrets: {
      password: PASSWORD,
      saslPassword: "battery-staple",
      channelKeys: new Map([["#rete", "open"]]),
    },
  }, async (live) => {
    // Guards the scan on the way out for each kind of secret, a channel key
    // that is an ordinary word included.
    const peer = await live.connect();
    await peer.send(
      ":me!u@h JOIN #rete",
      ":srv 353 me = #rete :me alice opener",
      ":srv 366 me #rete :End",
      ":alice!a@h PRIVMSG #rete :correct-horse",
      ":alice!a@h PRIVMSG #rete :is it battery-staple?",
      ":alice!a@h PRIVMSG #rete :the door is opening",
      ":alice!a@h PRIVMSG #rete :correct-hors and battery",
    );
    await peer.barrier();
    const [, channel] = live.session.buffers();
    const buffer = channel?.id;
    const page = await live.caller.call("read_since", { buffer });
    assert.deepEqual(
      [
        page.messages.map(({ payload }: { payload: { text?: string } }) =>
          payload.text
        ),
        page.withheld,
      ],
      [[undefined, "correct-hors and battery"], 3],
    );
    const members = await live.caller.call("list_members", { buffer });
    assert.deepEqual(
      [
        members.members.map(({ nick }: { nick: string }) => nick),
        members.withheld,
      ],
      [["alice", "me"], 1],
    );
    assert.equal((await live.rawPage()).withheld, 4);
  }));

Deno.test("capture switched off and on shows nothing of the time between [RAW-003 RAW-004 SET-063 SET-064]", () =>
  withLiveDebug({}, async (live) => {
    // Guards the switch on a live connection.
    const peer = await live.connect();
    assert.notDeepEqual(await live.raw(), []);
    live.capture.switchTo(false);
    assert.deepEqual(await live.raw(), []);
    await peer.send(":alice!a@h PRIVMSG me :unseen");
    await peer.barrier();
    live.capture.switchTo(true);
    assert.deepEqual(await live.raw(), []);
    await peer.send(":alice!a@h PRIVMSG me :seen");
    await peer.barrier();
    assert.equal((await live.raw())[0], "in :alice!a@h PRIVMSG me :seen");
  }));

Deno.test("a replaced password stays a secret while the connection holds it [RED-044]", () =>
  withLiveDebug({
    secrets: { password: PASSWORD, saslPassword: "battery-staple" },
  }, async (live) => {
    // Guards the cached password: the server may still quote what it was sent.
    const peer = await live.connect();
    live.session.setSecrets({
      saslPassword: "new-staple",
      channelKeys: new Map(),
    });
    await peer.send(
      ":srv NOTICE me :correct-horse",
      ":srv NOTICE me :battery-staple",
      ":srv NOTICE me :new-staple",
    );
    await peer.barrier();
    const before = await live.rawPage();
    assert.equal(before.withheld, 3);
    await peer.close();
    const again = await live.server.accept();
    await again.register();
    await again.barrier();
    assert.equal((await live.rawPage()).withheld, 1);
  }));
