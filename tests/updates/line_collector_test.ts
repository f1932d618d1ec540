import assert from "node:assert/strict";
import { LOG_CATEGORIES, LOG_LEVELS } from "../../lib/log.ts";
import type { Result } from "../tools/tool_calls.ts";
import { LineScene } from "./line_scene.ts";

Deno.test("A raw event is a line of raw_since [RLOG-016 UPD-006]", async () => {
  // Guards the event's shape, to the byte, and that both show one line alike.
  const scene = new LineScene();
  const { id } = scene.session();
  await scene.subscribe({ raw: {} });
  scene.raw(":irc.example.net 354 me 7 #rete alice");
  scene.raw("PASS :********", { dir: "out" });
  scene.raw("x".repeat(3_000));
  await scene.poll();
  const { lines } = await scene.caller.call("raw_since", { session: id });
  const text = await scene.caller.text("read_updates", { detail: "full" });
  const { updates: [{ events }] } = JSON.parse(text);
  assert.deepEqual(
    events,
    lines.map((line: Result) => ({ type: "raw", session: id, line })),
  );
  assert.ok(text.includes(
    `{"line":{"dir":"in","line":":irc.example.net 354 me 7 #rete alice",` +
      `"seq":1,"time":"2026-09-30T12:00:00Z","untrusted":true},` +
      `"session":"${id}","type":"raw"}`,
  ));
  assert.match(events[2].line.line, /^x{2048}…\[\+952 bytes\]$/);
});

Deno.test("A log event is a line of read_log [UPD-007]", async () => {
  // Guards the event's shape, to the byte, and that both show one line alike.
  const scene = new LineScene();
  await scene.subscribe({ log: {} });
  scene.log.write("error", "network", "connection reset");
  await scene.poll();
  const { lines } = await scene.caller.call("read_log");
  const text = await scene.caller.text("read_updates", { detail: "full" });
  const { updates: [{ events }] } = JSON.parse(text);
  assert.deepEqual(
    events,
    lines.map((line: Result) => ({ type: "log", line })),
  );
  assert.ok(text.includes(
    `{"line":{"category":"network","level":"error","seq":1,` +
      `"text":"connection reset","time":"2026-09-30T12:00:00Z",` +
      `"untrusted":true},"type":"log"}`,
  ));
});

Deno.test("raw.sessions and raw.direction choose lines [RLOG-017]", async () => {
  // Guards that absent means every one, and that both filters must match.
  const scene = new LineScene({ sessions: 2 });
  const [first, second] = [scene.session(0), scene.session(1)];
  const every = await scene.subscribe({ raw: {} });
  const named = await scene.subscribe({ raw: { sessions: [second.id] } });
  const sent = await scene.subscribe({
    raw: { sessions: [second.id], direction: "out" },
  });
  scene.raw("A in", { session: first });
  scene.raw("A out", { session: first, dir: "out" });
  scene.raw("B in", { session: second });
  scene.raw("B out", { session: second, dir: "out" });
  await scene.poll();
  const { updates } = await scene.read({ detail: "full", peek: true });
  assert.deepEqual(
    updates[0].events.map((e: Result) => [e.session, e.line.line]),
    [
      [first.id, "A in"],
      [first.id, "A out"],
      [second.id, "B in"],
      [second.id, "B out"],
    ],
  );
  assert.equal((await scene.drain(every)).length, 4);
  assert.deepEqual(await scene.drain(named), ["B in", "B out"]);
  assert.deepEqual(await scene.drain(sent), ["B out"]);
});

Deno.test("raw.commands are compared as search_raw reads commands [RLOG-018 RLOG-019]", async () => {
  // Guards the exact comparison, past tags and source, in any case of either.
  const scene = new LineScene();
  const lines = [
    "PRIVMSG #a :plain",
    ":alice!a@h PRIVMSG #a :with a source",
    "@time=2026-09-30T12:00:00Z;+x=PING :alice PRIVMSG #a :with tags",
    "@a=b  :c   privmsg #a :in lower case",
    ":PRIVMSG NOTICE #a :PRIVMSG",
    "@PRIVMSG PING :x",
    "PRIVMSGS #a :longer",
    "PRIV #a :shorter",
    ":irc.example.net 354 me 7",
    ":irc.example.net 3540 me 7",
    ":only-a-source",
    "",
  ];
  for (const commands of [["PrivMsg"], ["354"], [" PRIVMSG"], ["p", "PING"]]) {
    const id = await scene.subscribe({ raw: { commands } });
    for (const line of lines) scene.raw(line);
    await scene.poll();
    const got = await scene.drain(id);
    assert.deepEqual(
      got,
      commands[0] === "PrivMsg"
        ? lines.slice(0, 4)
        : commands[0] === "354"
        ? [lines[8]]
        : commands[0] === "p"
        ? [lines[5]]
        : [],
    );
    await scene.caller.call("unsubscribe", { id });
  }
  const found = await scene.caller.call("search_raw", {
    session: scene.session().id,
    commands: ["privmsg"],
    limit: 4,
  });
  assert.deepEqual(found.lines.map((l: Result) => l.line), lines.slice(0, 4));
});

Deno.test("log.min_level is warning unless given [RLOG-020 RLOG-022]", async () => {
  // Guards the order of the levels and the default, which read_log lacks.
  for (const [i, min_level] of [undefined, ...LOG_LEVELS].entries()) {
    const scene = new LineScene();
    await scene.subscribe({ log: { ...(min_level && { min_level }) } });
    for (const level of LOG_LEVELS) scene.log.write(level, "app", level);
    await scene.poll();
    const order = [
      "debug",
      "info",
      "scripts",
      "notice",
      "warning",
      "error",
      "fault",
    ];
    const least = i === 0 ? "warning" : order[i - 1] ?? "";
    assert.equal(min_level ?? "warning", least);
    assert.deepEqual(await scene.drain(), order.slice(order.indexOf(least)));
  }
});

Deno.test("log.categories are those named, or every one [RLOG-021 RLOG-023]", async () => {
  // Guards the list of categories and that entries are joined by OR.
  const scene = new LineScene();
  const every = await scene.subscribe({ log: { categories: [] } });
  const two = await scene.subscribe({ log: { categories: ["perf", "auth"] } });
  for (const category of LOG_CATEGORIES) {
    scene.log.write("fault", category, category);
  }
  scene.log.write("info", "perf", "below the level");
  await scene.poll();
  assert.deepEqual(await scene.drain(every), [
    "app",
    "ui",
    "network",
    "db",
    "auth",
    "perf",
    "scripts",
  ]);
  assert.deepEqual(await scene.drain(two), ["auth", "perf"]);
});

Deno.test("A subscription matches messages, lines or both by their own filters [RLOG-024 RLOG-025]", async () => {
  // Guards that one kind of filter does not narrow or widen the other.
  const scene = new LineScene();
  const session = scene.session();
  const channel = session.open("channel", "#rete");
  const lines = await scene.subscribe({ raw: {}, log: {} });
  const both = await scene.subscribe({
    match: "hello",
    raw: { direction: "out" },
    log: { min_level: "fault" },
  });
  const messages = await scene.subscribe({ match: "hello" });
  scene.engine.say(session, channel, { text: "hello" });
  scene.engine.say(session, channel, { text: "goodbye" });
  scene.raw("PRIVMSG #rete :hello");
  scene.raw("PING :x", { dir: "out" });
  scene.log.write("error", "app", "hello");
  scene.log.write("fault", "app", "broken");
  await scene.poll();
  assert.deepEqual(await scene.drain(lines), [
    "PRIVMSG #rete :hello",
    "PING :x",
    "hello",
    "broken",
  ]);
  assert.deepEqual(await scene.drain(both), ["hello", "PING :x", "broken"]);
  assert.deepEqual(await scene.drain(messages), ["hello"]);
});

Deno.test("The rings are polled once a second while a subscription wants them [RLOG-026 RLOG-027 SUB-003]", async () => {
  // Guards that nothing is read for nobody, and no more often than a second.
  const scene = new LineScene();
  const { clock, view } = scene;
  const reads = () => view.looks.filter((look) => look.startsWith("read"));
  scene.raw("PING :x");
  scene.log.write("fault", "app", "x");
  await clock.advance(10_000);
  assert.deepEqual(view.looks, []);
  assert.equal(clock.pending, 0);
  const messages = await scene.subscribe({ mentions: true });
  await clock.advance(10_000);
  assert.deepEqual(view.looks, []);
  await scene.caller.call("unsubscribe", { id: messages });
  assert.equal(clock.pending, 0);

  const id = await scene.subscribe({ raw: {}, log: {} });
  for (let i = 0; i < 50; i++) {
    scene.raw(`PING :${i}`);
    scene.log.write("fault", "app", `${i}`);
    await clock.advance(100);
    assert.equal(reads().length, 2 * Math.floor((i + 1) / 10));
  }
  assert.equal((await scene.drain(id)).length, 100);
  await scene.caller.call("unsubscribe", { id });
  assert.equal(clock.pending, 0);
  const before = view.looks.length;
  scene.raw("PING :y");
  await clock.advance(10_000);
  assert.equal(view.looks.length, before);
});

Deno.test("Only rings that some subscription covers are looked at [RLOG-028]", async () => {
  // Guards the cost of a busy session that nobody watches.
  const scene = new LineScene({ sessions: 2 });
  const [first, second] = [scene.session(0), scene.session(1)];
  const looked = async () => {
    scene.view.looks.length = 0;
    scene.raw("PING :x", { session: first });
    scene.raw("PING :x", { session: second });
    scene.log.write("fault", "app", "x");
    await scene.poll();
    return [...new Set(scene.view.looks)].sort();
  };
  const tap = ({ id }: { id: string }) => [`read tap ${id}`, `tap ${id}`];
  const log = ["log", "log secrets", "read log"];
  const raw = await scene.subscribe({ raw: { sessions: [second.id] } });
  assert.deepEqual(await looked(), tap(second).sort());
  const lines = await scene.subscribe({ log: {} });
  assert.deepEqual(await looked(), [...log, ...tap(second)].sort());
  await scene.caller.call("unsubscribe", { id: raw });
  assert.deepEqual(await looked(), log);
  await scene.caller.call("unsubscribe", { id: lines });
  assert.deepEqual(await looked(), []);
  await scene.subscribe({ raw: {} });
  assert.deepEqual(await looked(), [...tap(first), ...tap(second)].sort());
});

Deno.test("A ring is read once a poll, however many follow it", async () => {
  // Guards the cost of sixteen subscriptions, and of a quiet ring.
  const scene = new LineScene();
  for (let i = 0; i < 16; i++) await scene.subscribe({ raw: {}, log: {} });
  scene.raw("PING :x");
  scene.log.write("fault", "app", "x");
  await scene.poll();
  await scene.poll();
  assert.deepEqual(
    scene.view.looks.filter((look) => look.startsWith("read")),
    [`read tap ${scene.session().id}`, "read log"],
  );
  const { updates } = await scene.read();
  assert.equal(updates.length, 16);
  assert.ok(updates.every((u: Result) => u.raw === 1 && u.log === 1));
});

Deno.test("Lines of before the subscription are not delivered [RLOG-041]", async () => {
  // Guards the starting point of each, also beside one that follows already.
  const scene = new LineScene();
  scene.raw("PING :held");
  scene.log.write("fault", "app", "held");
  const first = await scene.subscribe({ raw: {}, log: {} });
  scene.raw("PING :between");
  scene.log.write("fault", "app", "between");
  const second = await scene.subscribe({ raw: {}, log: {} });
  scene.raw("PING :after");
  scene.log.write("fault", "app", "after");
  await scene.poll();
  assert.deepEqual(await scene.drain(first), [
    "PING :between",
    "PING :after",
    "between",
    "after",
  ]);
  assert.deepEqual(await scene.drain(second), ["PING :after", "after"]);
});

Deno.test("A start that cannot be read is taken at the next poll that can [RLOG-042 RLOG-043]", async () => {
  // Guards that what came between is history, in each of the three cases.
  const scene = new LineScene({ sessions: 0 });
  await scene.subscribe({ raw: {}, log: {} });
  scene.log.write("fault", "app", "nothing runs");
  await scene.poll();
  const session = scene.start("Libera");
  scene.raw("PING :early");
  scene.log.write("fault", "app", "early");
  await scene.poll();
  assert.deepEqual(await scene.drain(), []);
  scene.raw("PING :late");
  scene.log.write("fault", "app", "late");
  await scene.poll();
  assert.deepEqual(await scene.drain(), ["PING :late", "late"]);

  const silent = scene.engine.start("No tap yet");
  const named = await scene.subscribe({ raw: { sessions: [silent.id] } });
  await scene.poll();
  scene.capture.sessionStarted(silent);
  scene.raw("PING :early", { session: silent });
  await scene.poll();
  assert.deepEqual(await scene.drain(named), []);
  scene.raw("PING :late", { session: silent });
  await scene.poll();
  assert.deepEqual(await scene.drain(named), ["PING :late"]);

  const unread = scene.startUnread();
  const stalled = await scene.subscribe({ log: {} });
  scene.log.write("fault", "app", "early");
  await scene.poll();
  unread.secrets = () => session.scan;
  await scene.poll();
  assert.deepEqual(await scene.drain(stalled), []);
  scene.log.write("fault", "app", "late");
  await scene.poll();
  assert.deepEqual(await scene.drain(stalled), ["late"]);
});

Deno.test("A new tap of a known session is read from its start [RLOG-044]", async () => {
  // Guards the lines of a registration after a restart, which matter most.
  const scene = new LineScene();
  const session = scene.session();
  await scene.subscribe({ raw: {} });
  scene.raw("PING :old");
  await scene.poll();
  scene.stop(session);
  await scene.poll();
  scene.restart(session);
  scene.raw("NICK me", { dir: "out" });
  scene.raw(":irc.example.net 001 me :Welcome");
  await scene.poll();
  scene.raw("PING :new");
  await scene.poll();
  assert.deepEqual(await scene.drain(), [
    "PING :old",
    "NICK me",
    ":irc.example.net 001 me :Welcome",
    "PING :new",
  ]);
});
