import assert from "node:assert/strict";
import { shownAs, ShownLines } from "../../lib/irc/shown_lines.ts";
import { FakeClock } from "../fake_clock.ts";

function fixture() {
  const clock = new FakeClock();
  const shown = new ShownLines({
    clock,
    sameName: (a, b) => a.toLowerCase() === b.toLowerCase(),
    isOwn: (nick) => nick === "me",
  });
  const smsg = (target: string, text: string) => {
    const settled = shown.expect(`PRIVMSG ${target} :${text}`, {
      kind: "instead",
      shown: `PRIVMSG ${target} :********`,
    });
    const line = shown.written(`PRIVMSG ${target} :${text}`);
    settled();
    return line;
  };
  return { clock, shown, smsg };
}

Deno.test("written() goes by how a line came to be, until it is settled [RED-001 RED-077]", () => {
  // Guards that a person's PASS is not the client's, nor the other way round.
  const { shown } = fixture();
  assert.equal(shown.written("PASS pw"), "PASS :********");
  const settled = shown.expect("PASS pw", { kind: "origin", origin: "quoted" });
  assert.equal(shown.written("PASS pw"), "PASS pw");
  const again = shown.expect("PASS pw", { kind: "origin", origin: "agent" });
  settled();
  assert.equal(shown.written("PASS pw"), "PASS :********");
  again();
  assert.equal(shown.written("PASS pw"), "PASS :********");
  assert.equal(
    shownAs("PASS pw", { kind: "origin", origin: "quoted" }),
    "PASS pw",
  );
});

Deno.test("an echo is masked within ten seconds and once, in line and row [RED-065 RED-066]", async () => {
  // Guards both ends of the window and both places an echo comes up.
  const { clock, shown, smsg } = fixture();
  const echo = "@msgid=1 :me!u@h PRIVMSG alice :hunter2";
  assert.equal(smsg("Alice", "hunter2"), "PRIVMSG Alice :********");
  await clock.advance(10_000);
  assert.equal(shown.received(echo), ":me!u@h PRIVMSG alice :********");
  assert.equal(shown.rowText("alice", "hunter2", true), "********");
  assert.equal(shown.received(echo), echo);
  assert.equal(shown.rowText("alice", "hunter2", true), "hunter2");
  smsg("Alice", "hunter2");
  await clock.advance(10_001);
  assert.equal(shown.received(echo), echo);
  assert.equal(shown.rowText("alice", "hunter2", true), "hunter2");
});

Deno.test("what others say is no echo", () => {
  // Guards that somebody repeating a text in a channel does not use up the mask.
  const { shown, smsg } = fixture();
  smsg("#x", "hunter2");
  const other = ":bob!b@h PRIVMSG #x :hunter2";
  assert.equal(shown.received(other), other);
  assert.equal(shown.rowText("#x", "hunter2", false), "hunter2");
  assert.equal(shown.rowText("#x", "hunter2", true), "********");
});

Deno.test("a sensitive text to several targets awaits an echo of each", () => {
  // Guards the comma list, which a server echoes target by target.
  const { shown, smsg } = fixture();
  smsg("alice,bob", "hunter2");
  assert.equal(shown.rowText("alice", "hunter2", true), "********");
  assert.equal(shown.rowText("bob", "hunter2", true), "********");
});

Deno.test("a lost connection takes its echoes with it", () => {
  // Guards that a new connection's lines are not masked by chance.
  const { shown, smsg } = fixture();
  smsg("alice", "hunter2");
  shown.disconnected();
  assert.equal(shown.rowText("alice", "hunter2", true), "hunter2");
});
