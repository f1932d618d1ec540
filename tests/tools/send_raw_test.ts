import assert from "node:assert/strict";
import type { Sender, SendOutcome } from "../../lib/engine/sender.ts";
import { FakeEngine, fakeId } from "./fake_engine.ts";
import { Caller, type Sent } from "./tool_calls.ts";

/** Calls with sending on; the sender notes lines and answers `outcome`. */
function scene(outcome?: SendOutcome) {
  const engine = new FakeEngine();
  const session = engine.start("Libera");
  const sent: [string, string][] = [];
  const switches = { debug: false, send: true };
  let isTagged = true;
  session.hasCapability = () => isTagged;
  const sender: Sender = {
    send: (id, line) => {
      sent.push([id, line]);
      return Promise.resolve(outcome ?? { kind: "sent", recorded: line });
    },
  };
  const caller = new Caller(engine, {
    switches: () => switches,
    sender: () => sender,
  });
  return {
    engine,
    session,
    sent,
    switches,
    caller,
    untag: () => isTagged = false,
  };
}

Deno.test("send_raw answers the line as recorded [SEND-055 SEND-056 SEND-057 SEND-058 MSG-034]", async () => {
  // Guards the result's shape, to the byte.
  const { session, sent, caller } = scene({
    kind: "sent",
    recorded: "PASS :********",
  });
  const args = { session: session.id.toLowerCase(), line: "PASS hunter22" };
  assert.equal(
    await caller.text("send_raw", args),
    `{"line":"PASS :********","sent":true,"session":"${session.id}"}`,
  );
  assert.deepEqual(sent, [[session.id, "PASS hunter22"]]);
});

Deno.test("send_raw is served while control.send is on [ERR-005 SEND-001 SET-008 SET-010 MCP-005]", async () => {
  // Guards the switch: before the arguments are looked at, at the next call.
  const { switches, sent, caller, session } = scene();
  const names = () => caller.dispatcher.list().map(({ name }) => name);
  assert.ok(names().includes("send_raw"));
  switches.send = false;
  assert.ok(!names().includes("send_raw"));
  const wrong: Sent[] = [{}, { nonsense: 1 }, { line: 7 }, {
    session: session.id,
    line: "PING a",
  }];
  for (const args of wrong) {
    assert.equal(await caller.fail("send_raw", args), "sending is disabled");
  }
  assert.deepEqual(sent, []);
  switches.send = true;
  await caller.call("send_raw", { session: session.id, line: "PING a" });
});

Deno.test("tools/list holds 12, 13, 16 or 17 tools by the two switches [SET-009 SET-017 SET-018]", () => {
  // Guards that the switches are independent and the allowlist complete.
  const { switches, caller } = scene();
  const count = (debug: boolean, send: boolean) => {
    Object.assign(switches, { debug, send });
    return caller.dispatcher.list().length;
  };
  assert.equal(count(false, false), 12);
  assert.equal(count(false, true), 13);
  assert.equal(count(true, false), 16);
  assert.equal(count(true, true), 17);
});

Deno.test("send_raw carries its annotations [ARG-016]", () => {
  // Guards what a client asks the person before it lets a model send.
  const { caller } = scene();
  const tool = caller.dispatcher.list().find(({ name }) => name === "send_raw");
  assert.deepEqual(tool?.annotations, {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  });
});

Deno.test("send_raw refuses by the line rule and sends nothing [SEND-005 SEND-006 SEND-007 SEND-008 SEND-009 SEND-010 SEND-011 SEND-012 ERR-021 ERR-022]", async () => {
  // Guards the exact texts, and that a refused line is not cut and sent.
  const { session, sent, caller, untag } = scene();
  const fail = (line: string) =>
    caller.fail("send_raw", { session: session.id, line });
  const rows = [
    ["", "line is empty"],
    ["  \t", "line is empty"],
    ["PRIVMSG #r :a\nQUIT", "line contains a line break or NUL"],
    ["A\r", "line contains a line break or NUL"],
    ["\u2028A", "line contains a line break or NUL"],
    ["A\u0085", "line contains a line break or NUL"],
    ["A\u000b", "line contains a line break or NUL"],
    ["A\u000cB", "line contains a line break or NUL"],
    ["A\u2029", "line contains a line break or NUL"],
    ["A\u0000", "line contains a line break or NUL"],
    ["a".repeat(511), "line is longer than 510 bytes"],
    ["é".repeat(256), "line is longer than 510 bytes"],
    [
      "@" + "t".repeat(4095) + " PING a",
      "message tags are longer than 4094 bytes",
    ],
    ["@a=b", "message tags are not followed by a message"],
    ["@ x", "message tags are not followed by a message"],
    ["@a=b  ", "message tags are not followed by a message"],
  ] as const;
  for (const [line, detail] of rows) {
    assert.equal(await fail(line), `invalid arguments: ${detail}`);
  }
  untag();
  assert.equal(
    await fail("@+typing=active TAGMSG #r"),
    "invalid arguments: message tags need the message-tags capability",
  );
  assert.deepEqual(sent, []);
});

Deno.test("send_raw tells why a line was not sent [ERR-020 ERR-023 ERR-024 ERR-025 SEND-023]", async () => {
  // Guards each text that is not about the line.
  const texts = [
    [{ kind: "not-connected" }, "session not connected"],
    [
      { kind: "not-sent" },
      "line not sent: a script blocked it or the connection could not take it",
    ],
    [
      { kind: "limited", by: "per-minute" },
      "too many sends: at most 30 per minute on a session",
    ],
    [{ kind: "limited", by: "burst" }, "too many sends: at most 5 at once"],
  ] as const;
  for (const [outcome, text] of texts) {
    const { session, caller } = scene(outcome);
    const args = { session: session.id, line: "PING a" };
    assert.equal(await caller.fail("send_raw", args), text);
  }
  const { session, caller } = scene();
  assert.equal(
    await caller.fail("send_raw", { session: fakeId(0xdead), line: "" }),
    "unknown session",
  );
  session.state = "reconnecting";
  assert.equal(
    await caller.fail("send_raw", { session: session.id, line: "" }),
    "session not connected",
  );
});

Deno.test("send_raw whose request is cancelled ends, and its line goes on [SEND-053]", async () => {
  // Guards that a request is answered in time whatever the queue does, and
  // that a line handed over is not taken back.
  const engine = new FakeEngine();
  const session = engine.start("Libera");
  const sending = Promise.withResolvers<SendOutcome>();
  const caller = new Caller(engine, {
    switches: () => ({ debug: false, send: true }),
    sender: () => ({ send: () => sending.promise }),
  });
  const controller = new AbortController();
  const args = { session: session.id, line: "PING a" };
  const answer = caller.answer("send_raw", args, controller.signal);
  controller.abort();
  assert.equal((await answer).isError, true);
  sending.resolve({ kind: "sent", recorded: "PING a" });
  await sending.promise;
});
