import assert from "node:assert/strict";
import { Engine, SessionRunningError } from "../../lib/engine/engine.ts";
import type { Observer } from "../../lib/engine/reader.ts";
import { LogWriter } from "../../lib/log.ts";
import { FakeClock } from "../fake_clock.ts";
import { FakeLink, sessionConfig } from "../irc/fake_link.ts";

const NONE = { channelKeys: new Map<string, string>() };
const OTHER_ID = "7F1C3B1E-2F0B-4C53-9D0F-2F6B7A1C9E10";

function makeEngine() {
  const clock = new FakeClock();
  const links = new Map<string, FakeLink>();
  const logged: string[] = [];
  const engine = new Engine({
    clock,
    log: new LogWriter(() => clock.now(), [(line) => logged.push(line.text)]),
    bufferLimit: 100,
    createLink: ({ config, handler }) => {
      const link = new FakeLink(handler, clock, config.nick);
      links.set(config.id, link);
      return link;
    },
  });
  const link = (id: string) => {
    const found = links.get(id);
    assert.ok(found);
    return found;
  };
  return { engine, link, logged };
}

/** An observer that writes down what it is told. */
function recorder(told: string[]): Observer {
  return {
    sessionStarted: (s) => told.push(`started ${s.name}`),
    sessionStopped: (s) => told.push(`stopped ${s.name}`),
    bufferOpened: (s, b) => told.push(`${s.name} opened ${b.name}`),
    bufferClosed: (s, b) => told.push(`${s.name} closed ${b.name}`),
    messageAdded: (s, b, m) => told.push(`${s.name} ${b.name} ${m.kind}`),
  };
}

Deno.test("Engine lists running sessions in order, connected or not, by their exact id [SES-001, SES-003, SES-005]", async () => {
  // Guards list_sessions and every lookup by session id.
  const { engine, link } = makeEngine();
  const config = sessionConfig();
  const first = engine.startSession(config, NONE);
  const second = engine.startSession(
    sessionConfig({
      id: OTHER_ID.toLowerCase(),
      name: "Two",
      autoconnect: true,
    }),
    NONE,
  );
  assert.deepEqual(engine.sessions(), [first, second]);
  assert.deepEqual(engine.sessions().map((s) => s.state), [
    "disconnected",
    "connecting",
  ]);
  assert.ok(engine.sessions().every((s) => s.transport === "irc"));
  assert.equal(engine.session(config.id), first);
  assert.equal(engine.session(config.id.toLowerCase()), undefined);
  assert.equal(second.id, OTHER_ID);
  assert.throws(() => engine.startSession(config, NONE), SessionRunningError);
  await engine.stopSession(config.id, "bye");
  assert.equal(link(config.id).state, "disconnected");
  assert.equal(engine.session(config.id), undefined);
  await engine.stopSession(config.id, "again");
  const again = engine.startSession(config, NONE);
  assert.equal(again.id, config.id);
  await engine.close("end");
  assert.deepEqual(engine.sessions(), []);
});

Deno.test("Engine finds a buffer of any session by an id that is unique across them [BUF-001, BUF-008]", async () => {
  // Guards that a buffer id names one buffer, and that the raw buffer is unknown.
  const { engine, link } = makeEngine();
  const one = engine.startSession(sessionConfig(), NONE);
  const two = engine.startSession(sessionConfig({ id: OTHER_ID }), NONE);
  for (const session of [one, two]) {
    const { welcome, feed } = bound(link(session.id));
    welcome();
    feed(":me!me@h JOIN #room\n:alice!a@h PRIVMSG me :hi");
  }
  const all = [...one.buffers(), ...two.buffers()];
  assert.equal(new Set(all.map((b) => b.id)).size, 6);
  for (const buffer of all) {
    assert.equal(engine.buffer(buffer.id)?.buffer, buffer);
  }
  assert.equal(engine.buffer(two.buffers()[1]?.id ?? "")?.session, two);
  assert.equal(engine.buffer(one.rawBufferId), undefined);
  assert.ok(!all.some((b) => b.id === one.rawBufferId));
  await engine.close("end");
});

Deno.test("Engine gives a buffer the same id after a restart [BUF-001]", async () => {
  // Guards what an agent remembers: the id comes from the names alone.
  const ids: string[][] = [];
  for (let run = 0; run < 2; run++) {
    const { engine, link } = makeEngine();
    const session = engine.startSession(sessionConfig(), NONE);
    const { welcome, feed } = bound(link(session.id));
    welcome();
    feed(":me!me@h JOIN #Room\n:Alice!a@h PRIVMSG me :hi");
    ids.push(session.buffers().map((b) => b.id));
    await engine.close("end");
  }
  assert.deepEqual(ids[0], ids[1]);
});

Deno.test("Engine tells every observer of each change until it stops watching", async () => {
  // Guards live updates: what they are told is all they know.
  const { engine, link, logged } = makeEngine();
  const told: string[] = [];
  const stopped: string[] = [];
  engine.observe({
    messageAdded: () => {
      throw new Error("a fault with a text nobody logs");
    },
  });
  engine.observe(recorder(told));
  const stop = engine.observe(recorder(stopped));
  stop();
  const session = engine.startSession(sessionConfig(), NONE);
  const { welcome, feed } = bound(link(session.id));
  welcome();
  feed(
    ":alice!a@h PRIVMSG me :hi\n@msgid=a :alice!a@h PRIVMSG me :x\n@msgid=a :alice!a@h PRIVMSG me :x",
  );
  session.closeBuffer(session.buffers()[1]?.id ?? "");
  await engine.close("end");
  assert.deepEqual(told, [
    "started Net",
    "Net Net server",
    "Net opened alice",
    "Net alice privmsg",
    "Net alice privmsg",
    "Net closed alice",
    "stopped Net",
  ]);
  assert.deepEqual(stopped, []);
  assert.ok(logged.includes("an observer failed (Error)"));
  assert.ok(!logged.some((text) => text.includes("nobody logs")));
});

Deno.test("Engine.setBufferLimit() holds for buffers that are and buffers to come", async () => {
  // Guards buffer_limit while the service runs.
  const { engine, link } = makeEngine();
  const session = engine.startSession(sessionConfig(), NONE);
  const { welcome, feed } = bound(link(session.id));
  welcome();
  const talk = (nick: string) => {
    for (let i = 0; i < 20; i++) feed(`:${nick}!a@h PRIVMSG me :${i}`);
  };
  talk("alice");
  engine.setBufferLimit(5);
  talk("bob");
  assert.deepEqual(
    session.buffers().slice(1).map((b) => b.messages.size),
    [5, 5],
  );
  await engine.close("end");
});

function bound(link: FakeLink) {
  return {
    welcome: () => link.welcome(),
    feed: (text: string) => link.feed(text),
  };
}
