import assert from "node:assert/strict";
import {
  MAX_AWAITED_ECHOES,
  SensitiveEchoes,
} from "../../lib/redact/sensitive_echo.ts";
import { FakeClock } from "../fake_clock.ts";

const sameName = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

function fixture() {
  const clock = new FakeClock();
  return { clock, echoes: new SensitiveEchoes(clock, sameName) };
}

Deno.test("SensitiveEchoes recognises an echo once, as a line and as a row [RED-066]", () => {
  // Guards that a second copy is not taken for the echo, and that one copy is
  // masked in both places it comes up.
  const { echoes } = fixture();
  echoes.sent("Alice", "hunter2");
  assert.equal(echoes.takeLine("alice", "hunter2"), true);
  assert.equal(echoes.takeRow("ALICE", "hunter2"), true);
  assert.equal(echoes.takeLine("alice", "hunter2"), false);
  assert.equal(echoes.takeRow("alice", "hunter2"), false);
});

Deno.test("SensitiveEchoes recognises an echo within ten seconds [RED-065]", async () => {
  // Guards both sides of the window.
  for (const [waited, isMasked] of [[10_000, true], [10_001, false]] as const) {
    const { clock, echoes } = fixture();
    echoes.sent("alice", "hunter2");
    await clock.advance(waited);
    assert.equal(echoes.takeLine("alice", "hunter2"), isMasked);
    assert.equal(echoes.takeRow("alice", "hunter2"), isMasked);
  }
});

Deno.test("SensitiveEchoes recognises only the target and text that were sent", () => {
  // Guards that talk of others is not masked while an echo is awaited.
  const { echoes } = fixture();
  echoes.sent("alice", "hunter2");
  assert.equal(echoes.takeLine("bob", "hunter2"), false);
  assert.equal(echoes.takeLine("alice", "hunter"), false);
  assert.equal(echoes.takeLine("alice", "hunter2"), true);
});

Deno.test("SensitiveEchoes awaits one echo for each sending of a text", () => {
  // Guards that the same text sent twice is masked twice.
  const { echoes } = fixture();
  echoes.sent("alice", "hunter2");
  echoes.sent("alice", "hunter2");
  const taken = [1, 2, 3].map(() => echoes.takeRow("alice", "hunter2"));
  assert.deepEqual(taken, [true, true, false]);
});

Deno.test("SensitiveEchoes keeps a bounded number, and none past their time", async () => {
  // Guards the memory: neither many sendings nor old ones pile up.
  const { clock, echoes } = fixture();
  for (let i = 0; i < MAX_AWAITED_ECHOES + 5; i++) {
    echoes.sent("alice", `secret ${i}`);
  }
  assert.equal(echoes.size, MAX_AWAITED_ECHOES);
  assert.equal(echoes.takeRow("alice", "secret 0"), false);
  await clock.advance(10_001);
  assert.equal(echoes.size, 0);
  echoes.sent("alice", "hunter2");
  echoes.clear();
  assert.equal(echoes.takeRow("alice", "hunter2"), false);
});
