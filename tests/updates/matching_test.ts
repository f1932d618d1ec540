import assert from "node:assert/strict";
import type { MessageKind, Payload } from "../../lib/buffers/message.ts";
import { mentionsNick } from "../../lib/updates/mentions.ts";
import { fakeId } from "../tools/fake_engine.ts";
import { drain, scene, subscribe } from "./observed_engine.ts";

Deno.test("mentionsNick() wants the nick as a word of nick characters [SUB-031 SUB-034 SUB-035 SUB-036 SUB-037]", () => {
  // Guards that a longer nick is not taken for the own one.
  const rows: [string, boolean][] = [
    ["mriron", true],
    ["MrIron:", true],
    ["@mriron!", true],
    ["hi (mriron)", true],
    ["mrironman mriron", true],
    ["mrironman", false],
    ["xmriron", false],
    ["mriron_", false],
    ["[mriron]", false],
    ["mriron-", false],
    ["mriron\\", false],
    ["`mriron", false],
    ["mriron^", false],
    ["{mriron", false],
    ["mriron|away", false],
    ["mriron}", false],
    ["1mriron", false],
    ["émriron", false],
    ["mriron日", false],
    ["\u{1f600}mriron\u{1f600}", true],
    ["\u{20000}mriron", false],
    ["", false],
  ];
  for (const [text, expected] of rows) {
    assert.equal(mentionsNick(text, "mriron"), expected, text);
  }
  assert.equal(mentionsNick("anything", ""), false);
});

Deno.test("subscribe mentions: looks at text fields and not at the sender [SUB-032]", async () => {
  // Guards that what the own nick says is no mention of it.
  const { engine, session, channel, clock, caller } = scene();
  await subscribe(caller, { mentions: true });
  engine.say(session, channel, { from: "mriron", text: "hello" });
  engine.say(session, channel, { from: "bob", text: "ping mriron" });
  await clock.advance(20);
  assert.deepEqual(await drain(caller), ["ping mriron"]);
});

Deno.test("subscribe mentions: follows a nick change [SUB-033]", async () => {
  // Guards that the nick is the one held when the batch is matched.
  const { engine, session, channel, clock, caller } = scene();
  await subscribe(caller, { mentions: true });
  session.nick = "iron2";
  engine.say(session, channel, { text: "mriron?" });
  engine.say(session, channel, { text: "iron2?" });
  await clock.advance(20);
  assert.deepEqual(await drain(caller), ["iron2?"]);
});

Deno.test("subscribe collects privmsg, action and notice by default [SUB-024 SUB-025]", async () => {
  // Guards the default kinds, and each kind that may be asked for.
  const { engine, session, channel, clock, caller } = scene();
  const said = { text: "t", target: "#rete" };
  const rows: [MessageKind, Payload][] = [
    ["privmsg", { caseName: "privmsg", ...said }],
    ["action", { caseName: "action", ...said }],
    ["notice", { caseName: "notice", ...said }],
    ["topic", { caseName: "topicChanged", topic: "t" }],
    ["join", { caseName: "userJoined", nick: "a" }],
    ["part", { caseName: "userParted", nick: "a" }],
    ["quit", { caseName: "userQuit", nick: "a" }],
    ["nick", { caseName: "nickChanged", newNick: "b" }],
    ["mode", { caseName: "modeChanged", modes: "+o", params: ["a"] }],
    ["kick", { caseName: "userKicked", victim: "b" }],
    ["server", { caseName: "serverText", code: "001", text: "t" }],
    ["ctcp", { caseName: "ctcp", command: "VERSION", text: "" }],
  ];
  const kindsOf = async (filters: Record<string, unknown>) => {
    const id = await subscribe(caller, { buffers: [channel.id], ...filters });
    for (const [kind, payload] of rows) {
      engine.say(session, channel, { kind, payload });
    }
    await clock.advance(20);
    const page = await caller.call("read_updates", { id, detail: "full" });
    await caller.call("unsubscribe", { id });
    return page.updates[0].events.map(
      (event: { message: { kind: string } }) => event.message.kind,
    );
  };
  assert.deepEqual(await kindsOf({}), ["privmsg", "action", "notice"]);
  const all = rows.slice(0, 10).map(([kind]) => kind);
  assert.deepEqual(await kindsOf({ kinds: all }), all);
});

Deno.test("subscribe filters combine by AND, entries of a list by OR [SUB-019 SUB-020 SUB-026]", async () => {
  // Guards what a subscription with several filters means.
  const { engine, session, channel, clock, caller } = scene();
  await subscribe(caller, { from: ["ALICE", "bob"], match: "deploy" });
  engine.say(session, channel, { from: "Alice", text: "Deploy 1" });
  engine.say(session, channel, { from: "BOB", text: "deploy 2" });
  engine.say(session, channel, { from: "carol", text: "deploy 3" });
  engine.say(session, channel, { from: "alice", text: "lunch" });
  await clock.advance(20);
  assert.deepEqual(await drain(caller), ["Deploy 1", "deploy 2"]);
});

Deno.test("subscribe sessions and buffers together are a scope [SUB-021 SUB-022]", async () => {
  // Guards that naming a session and a buffer of another widens the scope.
  const { engine, session, channel, query, clock, caller } = scene();
  const other = engine.start("OFTC");
  const there = other.open("channel", "#there");
  const elsewhere = other.open("channel", "#elsewhere");
  const say = async () => {
    engine.say(session, channel, { text: "channel" });
    engine.say(session, query, { text: "query" });
    engine.say(other, there, { text: "there" });
    engine.say(other, elsewhere, { text: "elsewhere" });
    await clock.advance(20);
  };
  const both = { sessions: [session.id], buffers: [there.id] };
  const id = await subscribe(caller, both);
  await say();
  assert.deepEqual(await drain(caller), ["channel", "query", "there"]);
  await caller.call("unsubscribe", { id });
  await subscribe(caller, { kinds: ["privmsg"] });
  await say();
  assert.deepEqual(await drain(caller), [
    "channel",
    "query",
    "there",
    "elsewhere",
  ]);
});

Deno.test("subscribe queries: takes private messages only, in a new query too [SUB-027 SUB-048]", async () => {
  // Guards that the first message of a stranger is not missed.
  const { engine, session, channel, query, clock, caller } = scene();
  await subscribe(caller, { queries: true });
  engine.say(session, channel, { text: "in channel" });
  engine.say(session, query, { text: "in query" });
  const fresh = session.open("query", "stranger");
  engine.say(session, fresh, { text: "first" });
  await clock.advance(20);
  assert.deepEqual(await drain(caller), ["in query", "first"]);
});

Deno.test("subscribe match is search's substring or glob over sender and text [SUB-028 SUB-029 SUB-030]", async () => {
  // Guards that an agent's filter finds what its search would find.
  const { engine, session, channel, clock, caller } = scene();
  const substring = await subscribe(caller, { match: "STRASSE ΣΊΣΥΦΟΣ" });
  const glob = await subscribe(caller, { match: "*he?lo", match_mode: "glob" });
  const sender = await subscribe(caller, { match: "ali" });
  engine.say(session, channel, { from: "bob", text: "strasse σίσυφος!" });
  engine.say(session, channel, { from: "bob", text: "oh heLlo" });
  engine.say(session, channel, { from: "bob", text: "hello there" });
  engine.say(session, channel, { from: "Alice", text: "nothing" });
  await clock.advance(20);
  assert.deepEqual(await drain(caller, substring), ["strasse σίσυφος!"]);
  assert.deepEqual(await drain(caller, glob), ["oh heLlo"]);
  assert.deepEqual(await drain(caller, sender), ["nothing"]);
});

Deno.test("subscribe accepts a well-formed id that names nothing yet [SUB-023]", async () => {
  // Guards that an agent may subscribe before a channel is joined.
  const { caller } = scene();
  const states = async () =>
    (await caller.call("list_subscriptions")).subscriptions
      .map((entry: { state: string }) => entry.state);
  await subscribe(caller, { sessions: [fakeId(0xfff)] });
  await subscribe(caller, { buffers: [fakeId(0xffe)] });
  assert.deepEqual(await states(), ["session_disconnected", "buffer_gone"]);
});
