import assert from "node:assert/strict";
import { SecretScan } from "../../lib/redact/secrets.ts";
import type { Result } from "../tools/tool_calls.ts";
import { LineScene } from "./line_scene.ts";

Deno.test("Raw lines pass the screen of raw_since [RLOG-045]", async () => {
  // Guards each layer: the exact scan, the cut inside a secret, the tripwire.
  const scene = new LineScene();
  const session = scene.session();
  session.scan = new SecretScan(["hunter22"]);
  await scene.subscribe({ raw: {} });
  scene.raw("PRIVMSG #a :it is hunter22");
  scene.raw("x".repeat(2_044) + "hunter22");
  scene.raw("PASS :open", { dir: "out" });
  scene.raw("AUTHENTICATE cGFzcw==", { dir: "out" });
  scene.raw("OPER me open", { dir: "out" });
  scene.raw("PRIVMSG #a :PASS is a command");
  await scene.poll();
  const page = await scene.caller.call("raw_since", { session: session.id });
  assert.equal(page.withheld, 5);
  const entry = await scene.entry({ detail: "full" });
  assert.equal(entry?.withheld, 5);
  assert.deepEqual(entry?.events.map((e: Result) => e.line), page.lines);
  assert.equal(entry?.events.length, 1);
  assert.equal(await scene.entry(), undefined);
});

Deno.test("A raw line is screened by the secrets of its own session", async () => {
  // Guards that one session's key word does not thin out another's lines.
  const scene = new LineScene({ sessions: 2 });
  scene.session(0).scan = new SecretScan(["keyword"]);
  await scene.subscribe({ raw: {} });
  for (const index of [0, 1]) {
    scene.raw(`PING :keyword${index}`, { session: scene.session(index) });
  }
  await scene.poll();
  assert.equal((await scene.entry({ peek: true }))?.withheld, 1);
  assert.deepEqual(await scene.drain(), ["PING :keyword1"]);
});

Deno.test("Log lines pass the engine's scan [RLOG-046]", async () => {
  // Guards the secrets of every session, and a line cut inside one.
  const scene = new LineScene({ sessions: 2 });
  scene.session(0).scan = new SecretScan(["hunter22"]);
  scene.session(1).scan = new SecretScan(["swordfish"]);
  await scene.subscribe({ log: {} });
  scene.log.write("error", "auth", "refused: hunter22");
  scene.log.write("error", "auth", "refused: swordfish");
  scene.log.write("error", "auth", "x".repeat(2_043) + "swordfish");
  scene.log.write("error", "auth", "refused: PASS open");
  await scene.poll();
  assert.equal((await scene.entry({ peek: true }))?.withheld, 3);
  assert.deepEqual(await scene.drain(), ["refused: PASS open"]);
});

Deno.test("A withheld line is counted by all it could concern", async () => {
  // Guards that a command filter cannot tell what a withheld line says, while
  // lines of another direction or level are nobody's business.
  const scene = new LineScene();
  scene.session().scan = new SecretScan(["HUNTER22"]);
  for (
    const filters of [
      { raw: { commands: ["HUNTER22"] } },
      { raw: { commands: ["PING"] } },
      { raw: { direction: "out" } },
      { log: { min_level: "fault" } },
      { log: { categories: ["perf"] } },
      { log: {} },
    ]
  ) await scene.subscribe(filters);
  scene.raw("HUNTER22 :x");
  scene.log.write("error", "app", "HUNTER22");
  await scene.poll();
  const { updates } = await scene.read();
  const ids = (await scene.list()).map(({ id }) => id);
  assert.deepEqual(
    updates.map((u: Result) => [ids.indexOf(u.subscription), u.withheld]),
    [[0, 1], [1, 1], [5, 1]],
  );
});

Deno.test("200 raw and log events are stored in any rolling minute [RLOG-047 UPD-025]", async () => {
  // Guards the inbox against a flood, the count of the rest, told once, and
  // that each subscription has an allowance of its own.
  const scene = new LineScene();
  const id = await scene.subscribe({ raw: {}, log: {} });
  const other = await scene.subscribe({ raw: { direction: "out" } });
  for (let i = 0; i < 150; i++) scene.raw(`PING :${i}`);
  await scene.poll();
  for (let i = 0; i < 60; i++) scene.log.write("fault", "app", `${i}`);
  scene.raw("PONG :x", { dir: "out" });
  await scene.poll();
  let entry = await scene.entry({ id, peek: true });
  assert.deepEqual([entry?.raw, entry?.log, entry?.suppressed], [151, 49, 11]);
  assert.deepEqual(await scene.drain(other), ["PONG :x"]);
  entry = await scene.entry({ id, detail: "full", limit: 500 });
  assert.equal(entry?.suppressed, 11);
  assert.equal(entry?.dropped, undefined);
  assert.equal(await scene.entry({ id }), undefined);

  // The first 150 leave the window one second before the other 50.
  await scene.clock.advance(57_000);
  scene.raw("PING :too early");
  await scene.poll();
  assert.equal((await scene.entry({ id }))?.suppressed, 1);
  for (let i = 0; i < 155; i++) scene.raw(`PING :${i}`);
  await scene.poll();
  entry = await scene.entry({ id });
  assert.deepEqual([entry?.raw, entry?.suppressed], [150, 5]);
  for (let i = 0; i < 55; i++) scene.raw(`PING :${i}`);
  await scene.poll();
  entry = await scene.entry({ id });
  assert.deepEqual([entry?.raw, entry?.suppressed], [50, 5]);
});

Deno.test("A line dropped at a ring's capacity before its poll is evicted [RLOG-048]", async () => {
  // Guards that a gap is told once, for either ring, and not of before.
  const scene = new LineScene();
  const session = scene.session();
  const raw = await scene.subscribe({ raw: {} });
  const log = await scene.subscribe({ log: {} });
  for (let i = 0; i < 5_000; i++) scene.raw("PING :x");
  for (let i = 0; i < 2_000; i++) scene.log.write("fault", "app", "x");
  await scene.poll();
  assert.equal((await scene.entry({ id: raw }))?.evicted, undefined);
  assert.equal((await scene.entry({ id: log }))?.evicted, undefined);
  for (let i = 0; i < 5_001; i++) scene.raw("PING :x");
  await scene.poll();
  let entry = await scene.entry({ id: raw });
  assert.deepEqual([entry?.evicted, entry?.suppressed], [true, 5_000]);
  scene.raw("PING :x");
  await scene.poll();
  entry = await scene.entry({ id: raw });
  assert.deepEqual([entry?.evicted, entry?.suppressed], [undefined, 1]);
  for (let i = 0; i < 2_001; i++) scene.log.write("info", "app", "x");
  await scene.poll();
  entry = await scene.entry({ id: log, detail: "full" });
  assert.deepEqual(entry, {
    subscription: log,
    events: [],
    truncated: false,
    evicted: true,
  });
  assert.equal(await scene.entry({ id: log }), undefined);
  const late = await scene.subscribe({ raw: { sessions: [session.id] } });
  scene.raw("PING :x");
  await scene.poll();
  assert.deepEqual(await scene.entry({ id: late }), {
    subscription: late,
    buffers: [],
    raw: 1,
  });
});

Deno.test("A log read that cannot be scanned stalls, and its lines come late [RLOG-049]", async () => {
  // Guards that late is not told as absent, and that no read ends the state.
  const scene = new LineScene();
  const session = scene.session();
  const id = await scene.subscribe({ log: {} });
  const raw = await scene.subscribe({ raw: {} });
  await scene.poll();
  const unread = scene.startUnread();
  scene.log.write("fault", "app", "late");
  await scene.poll();
  const stalled = { subscription: id, buffers: [], stalled: true };
  assert.deepEqual(await scene.entry(), stalled);
  assert.deepEqual(await scene.entry(), stalled);
  assert.equal((await scene.entry({ detail: "full" }))?.stalled, true);
  assert.equal(await scene.entry({ id: raw }), undefined);
  unread.secrets = () => session.scan;
  assert.deepEqual(await scene.entry(), stalled);
  await scene.poll();
  assert.equal((await scene.entry({ peek: true }))?.stalled, undefined);
  assert.deepEqual(await scene.drain(), ["late"]);
  for (const running of [...scene.engine.list]) scene.stop(running);
  await scene.poll();
  assert.deepEqual(await scene.entry(), stalled);
});

Deno.test("A digest counts raw and log events and omits what is not there [UPD-015 RLOG-050]", async () => {
  // Guards the digest's shape, to the key.
  const scene = new LineScene();
  const session = scene.session();
  session.scan = new SecretScan(["hunter22"]);
  const channel = session.open("channel", "#rete");
  const id = await scene.subscribe({ kinds: ["privmsg"], raw: {}, log: {} });
  scene.log.write("fault", "app", "a");
  await scene.poll();
  assert.deepEqual(await scene.read(), {
    untrusted: true,
    updates: [{ subscription: id, buffers: [], log: 1 }],
  });
  scene.raw("PING :a");
  scene.raw("PING :b");
  scene.raw("PASS :hunter22", { dir: "out" });
  scene.engine.say(session, channel, { text: "hello" });
  await scene.poll();
  assert.deepEqual((await scene.read()).updates, [{
    subscription: id,
    buffers: [{
      buffer: channel.id,
      name: "#rete",
      new: 1,
      mentions: 0,
      from: ["alice"],
    }],
    raw: 2,
    withheld: 1,
  }]);
  assert.deepEqual((await scene.read()).updates, []);
});

Deno.test("A full read sums buffers and lines [UPD-022]", async () => {
  // Guards the counts that the digest keeps apart.
  const scene = new LineScene();
  const session = scene.session();
  session.scan = new SecretScan(["hunter22"]);
  const channel = session.open("channel", "#rete");
  await scene.subscribe({ kinds: ["privmsg"], raw: {}, log: {} });
  scene.engine.say(session, channel, { text: "hunter22" });
  scene.raw("PRIVMSG #rete :hunter22");
  scene.log.write("fault", "app", "hunter22");
  for (let i = 0; i < 2_000; i++) scene.log.write("info", "app", "x");
  await scene.poll();
  const digest = await scene.entry({ peek: true });
  assert.deepEqual(
    [digest?.withheld, digest?.evicted, digest?.buffers[0].withheld],
    [1, true, 1],
  );
  assert.equal(digest?.buffers[0].evicted, undefined);
  const full = await scene.entry({ detail: "full" });
  assert.deepEqual([full?.withheld, full?.evicted], [2, true]);
  assert.equal(await scene.entry(), undefined);
});
