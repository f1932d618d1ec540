import assert from "node:assert/strict";
import type { SendOptions } from "../../lib/irc/link.ts";
import { SendQueue } from "../../lib/irc/send_queue.ts";
import { FakeClock } from "../fake_clock.ts";

function queue() {
  const clock = new FakeClock();
  const written: string[] = [];
  const sink = {
    unsentBytes: 0,
    writeLine(line: string, done: (sent: boolean) => void) {
      written.push(line);
      done(true);
    },
  };
  const paced = { on: true };
  const lines = new SendQueue({ clock, sink, isPaced: () => paced.on });
  const sendMany = (count: number, pace: SendOptions["pace"], name = "L") =>
    Array.from({ length: count }, (_, i) => lines.send(`${name}${i}`, pace));
  return { clock, written, sink, paced, lines, sendMany };
}

Deno.test("SendQueue refuses what is no single line", async () => {
  // Guards against a second command hidden in a text.
  const { written, lines } = queue();
  for (
    const line of ["a\nQUIT", "a\rb", "a\0b", "\n", "PRIVMSG x :y\r\n", ""]
  ) {
    for (const pace of ["reply", "person", "agent"] as const) {
      assert.equal(await lines.send(line, pace), false, JSON.stringify(line));
    }
  }
  assert.deepEqual(written, []);
  assert.equal(await lines.send("a\u2028\u0085\v", "person"), true);
});

Deno.test("SendQueue lets a burst through and paces the rest", async () => {
  // Guards against being disconnected for excess flood.
  const { clock, written, lines, sendMany } = queue();
  const sent = sendMany(8, "person");
  assert.equal(written.length, 5);
  await clock.advance(999);
  assert.equal(written.length, 5);
  await clock.advance(1);
  assert.equal(written.length, 6);
  await clock.advance(2_000);
  assert.deepEqual(written, Array.from({ length: 8 }, (_, i) => `L${i}`));
  assert.deepEqual(await Promise.all(sent), Array(8).fill(true));
  assert.equal(lines.waiting, 0);
  assert.equal(clock.pending, 0);
});

Deno.test("SendQueue paces an agent more, and people go first", async () => {
  // Guards that an agent's lines do not hold up what a person types.
  const { clock, written, sendMany } = queue();
  sendMany(7, "agent", "A");
  assert.equal(written.length, 5);
  sendMany(1, "person", "P");
  await clock.advance(1_000);
  assert.equal(written.at(-1), "P0");
  await clock.advance(1_000);
  assert.equal(written.at(-1), "A5");
  await clock.advance(1_999);
  assert.equal(written.at(-1), "A5");
  await clock.advance(1);
  assert.equal(written.at(-1), "A6");
});

Deno.test("SendQueue lets a person's protocol verbs wait for nothing, and an agent's wait [SEND-016 SEND-019 SEND-020]", async () => {
  // Guards that no verb and no tag lets an agent past the pace.
  const verbs = ["PING", "pong", "QUIT", "PASS", "USER", "CAP", "AUTHENTICATE"];
  const lines = verbs.flatMap((verb) => [
    `${verb} x`,
    `@a=b ${verb} x`,
    `@a=b :me ${verb} x`,
  ]);
  for (const line of lines) {
    const person = queue();
    person.sendMany(6, "person");
    person.lines.send(line, "person");
    assert.equal(person.written.at(-1), line);
    person.lines.close();
  }
  for (const line of [...lines, "@a=b PRIVMSG #a :x", "WHO me"]) {
    const agent = queue();
    agent.sendMany(5, "agent");
    agent.lines.send(line, "agent");
    await agent.clock.advance(1_999);
    assert.equal(agent.written.length, 5, line);
    await agent.clock.advance(1);
    assert.equal(agent.written.at(-1), line);
  }
});

Deno.test("SendQueue sends replies at once, past the queue", async () => {
  // Guards that a PONG is never late because somebody types.
  const { written, lines, sendMany } = queue();
  sendMany(50, "person");
  assert.equal(await lines.send("PONG :x", "reply"), true);
  assert.equal(written.at(-1), "PONG :x");
  lines.close();
});

Deno.test("SendQueue sends at once while pacing is off [SEND-017]", () => {
  // Guards the flood_throttle setting, which may change at any time.
  const { written, paced, lines, sendMany } = queue();
  paced.on = false;
  sendMany(100, "agent");
  assert.equal(written.length, 100);
  assert.equal(lines.waiting, 0);
});

Deno.test("SendQueue waits for a peer that does not read", async () => {
  // Guards memory: a full socket takes no more, and replies to it are dropped.
  const { clock, written, sink, lines, sendMany } = queue();
  sink.unsentBytes = 1_000_000;
  assert.equal(await lines.send("PONG :x", "reply"), false);
  sendMany(1, "person");
  await clock.advance(5_000);
  assert.deepEqual(written, []);
  sink.unsentBytes = 0;
  await clock.advance(100);
  assert.deepEqual(written, ["L0"]);
});

Deno.test("SendQueue is bounded and settles all when it closes", async () => {
  // Guards that no caller waits for ever, and that lines cannot pile up.
  const { clock, lines, sendMany } = queue();
  const sent = sendMany(1_006, "person");
  assert.equal(lines.waiting, 1_000);
  assert.equal(await sent.at(-1), false);
  lines.close();
  const results = await Promise.all(sent);
  assert.equal(results.filter((wasSent) => wasSent).length, 5);
  assert.equal(await lines.send("x", "person"), false);
  assert.equal(clock.pending, 0);
});
