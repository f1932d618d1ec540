import assert from "node:assert/strict";
import {
  Capabilities,
  WANTED_CAPABILITIES,
} from "../../lib/irc/capabilities.ts";
import { parseLine } from "../../lib/irc/parse.ts";
import { FakeClock } from "../fake_clock.ts";

function negotiation({ sasl = false } = {}) {
  const clock = new FakeClock();
  const sent: string[] = [];
  const seen = { settled: 0, changed: 0 };
  const capabilities = new Capabilities({
    clock,
    answerMs: 10_000,
    sasl,
    send: (line) => sent.push(line),
    changed: () => seen.changed++,
    settled: () => seen.settled++,
  });
  capabilities.begin();
  const take = (...lines: string[]) => {
    for (const line of lines) {
      capabilities.handle(parseLine(line)?.params ?? []);
    }
  };
  return { clock, sent, seen, capabilities, take };
}

Deno.test("Capabilities asks once the last LS line came", () => {
  // Guards that an LS over two lines is asked for as one list.
  const { sent, seen, capabilities, take } = negotiation({ sasl: true });
  take("CAP * LS * :batch sasl=PLAIN,EXTERNAL foo/bar");
  assert.deepEqual(sent, []);
  take(":srv CAP * LS :server-time");
  assert.deepEqual(sent, ["CAP REQ :batch sasl server-time"]);
  assert.equal(capabilities.available.get("sasl"), "PLAIN,EXTERNAL");
  assert.equal(capabilities.available.get("foo/bar"), "");
  assert.equal(seen.settled, 0);
});

Deno.test("Capabilities takes an ACK over two lines as one", () => {
  // Guards that negotiation goes on after the whole answer, once.
  const { seen, capabilities, take } = negotiation();
  take("CAP * LS :batch server-time chghost");
  take("CAP * ACK :batch ");
  assert.equal(seen.settled, 0);
  take("CAP * ACK * : server-time  chghost ");
  assert.equal(seen.settled, 1);
  assert.deepEqual([...capabilities.enabled], [
    "batch",
    "server-time",
    "chghost",
  ]);
  take("CAP * ACK :batch");
  assert.equal(seen.settled, 1);
});

Deno.test("Capabilities strips modifiers from every acknowledged name", () => {
  // Guards against waiting for ever for a name that came as `=name`.
  const { seen, capabilities, take } = negotiation();
  take("CAP * LS :batch server-time chghost setname");
  take("CAP * ACK :=batch ~server-time ~=chghost -setname");
  assert.equal(seen.settled, 1);
  assert.deepEqual([...capabilities.enabled], [
    "batch",
    "server-time",
    "chghost",
  ]);
});

Deno.test("Capabilities asks singly after a NAK", () => {
  // Guards that one name a server will not have costs no other.
  const { sent, seen, capabilities, take } = negotiation();
  take("CAP * LS :batch chghost server-time");
  take("CAP * NAK :batch chghost server-time");
  assert.deepEqual(sent.slice(1), ["CAP REQ :batch"]);
  take("CAP * ACK :batch", "CAP * NAK :chghost", "CAP * ACK :server-time");
  assert.deepEqual(sent.slice(2), ["CAP REQ :chghost", "CAP REQ :server-time"]);
  assert.deepEqual([...capabilities.enabled], ["batch", "server-time"]);
  assert.equal(seen.settled, 1);
});

Deno.test("Capabilities asks in lines that fit", () => {
  // Guards that a long list is not cut by a server that counts 512 bytes.
  const { sent, seen, capabilities, take } = negotiation();
  take(`CAP * LS :${[...WANTED_CAPABILITIES].join(" ")}`);
  while (seen.settled === 0) {
    const last = sent.at(-1) ?? "";
    assert.ok(last.length <= 510, last);
    take(`CAP * ACK :${last.slice("CAP REQ :".length)}`);
  }
  assert.deepEqual(
    [...capabilities.enabled].sort(),
    [...WANTED_CAPABILITIES].sort(),
  );
});

Deno.test("Capabilities ends when an answer does not come", async () => {
  // Guards that no server can hang a registration by silence.
  const silent = negotiation();
  await silent.clock.advance(10_000);
  assert.equal(silent.seen.settled, 1);
  const half = negotiation();
  half.take("CAP * LS :batch server-time", "CAP * ACK :batch");
  await half.clock.advance(10_000);
  assert.equal(half.seen.settled, 1);
  assert.deepEqual([...half.capabilities.enabled], ["batch"]);
  assert.equal(half.clock.pending, 0);
});

Deno.test("Capabilities settles at once when nothing wanted is offered", () => {
  // Guards that an empty list needs no deadline.
  for (const list of ["CAP * LS :", "CAP * LS", "CAP * LS :foo sasl"]) {
    const { clock, sent, seen, take } = negotiation();
    take(list);
    assert.deepEqual(sent, []);
    assert.equal(seen.settled, 1, list);
    assert.equal(clock.pending, 0);
  }
});

Deno.test("Capabilities follows NEW and DEL after registration", () => {
  // Guards that features switch with the server, and that sasl does not start
  // a second login.
  const { clock, sent, seen, capabilities, take } = negotiation({ sasl: true });
  take("CAP * LS :echo-message sasl", "CAP * ACK :echo-message sasl");
  capabilities.stop();
  const before = seen.changed;
  take("CAP me DEL :never-had");
  assert.equal(seen.changed, before);
  take("CAP me DEL :echo-message message-tags");
  assert.deepEqual([...capabilities.enabled], ["sasl"]);
  assert.equal(seen.changed, before + 1);
  take("CAP me DEL :sasl", "CAP me NEW :sasl=EXTERNAL,PLAIN message-tags");
  assert.equal(sent.at(-1), "CAP REQ :message-tags");
  assert.equal(capabilities.available.get("sasl"), "EXTERNAL,PLAIN");
  take("CAP me ACK :message-tags");
  assert.equal(capabilities.enabled.has("message-tags"), true);
  const count = sent.length;
  take("CAP me NEW :sasl", "CAP me NEW :foo", "CAP me NEW :");
  assert.equal(sent.length, count);
  assert.equal(seen.settled, 1);
  assert.equal(clock.pending, 0);
});

Deno.test("Capabilities waits for the LS to end before it asks for NEW", () => {
  // Guards that a NEW in the middle of LS does not end the talk early.
  const { sent, seen, take } = negotiation();
  take("CAP * LS * :batch", "CAP * NEW :chghost");
  assert.deepEqual([sent, seen.settled], [[], 0]);
  take("CAP * LS :");
  assert.deepEqual(sent, ["CAP REQ :batch chghost"]);
});

Deno.test("Capabilities survives malformed lines", () => {
  // Guards against an exception, or an endless answer, from a broken server.
  const { sent, seen, capabilities, take } = negotiation();
  take("CAP", "CAP *", "CAP * WHAT :x", "CAP * ACK", "CAP * NAK", "CAP * DEL");
  take("CAP * ACK :- ~ =", "CAP * ACK :sasl", "CAP LS :batch");
  take("CAP * NAK :nothing-we-asked", "CAP * NAK :again");
  assert.deepEqual(sent, ["CAP REQ :batch"]);
  assert.equal(seen.settled, 1);
  assert.deepEqual([...capabilities.enabled], ["sasl"]);
  for (let i = 0; i < 5_000; i++) take(`CAP * NEW :x${i}`, `CAP * ACK :y${i}`);
  assert.ok(capabilities.available.size <= 256);
  assert.ok(capabilities.enabled.size <= 256);
});
