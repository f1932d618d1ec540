import assert from "node:assert/strict";
import { FakeEngine } from "./fake_engine.ts";
import { Caller } from "./tool_calls.ts";

Deno.test("list_sessions() gives every running session in order [SES-001 SES-003 SES-007 SES-008 SES-010 SES-011 MSG-029 INV-003]", async () => {
  // Guards the shape an agent starts every walk from.
  const engine = new FakeEngine();
  const states = [
    "connected",
    "connecting",
    "reconnecting",
    "disconnected",
  ] as const;
  for (const state of states) {
    Object.assign(engine.start(`S ${state}`), { state });
  }
  Object.assign(engine.list[0] ?? {}, {
    network: "Libera.Chat",
    nick: "alice",
  });
  const result = await new Caller(engine).call("list_sessions");
  assert.deepEqual(result, {
    sessions: engine.list.map((session, index) => ({
      id: session.id,
      name: `S ${states[index]}`,
      network: index === 0 ? "Libera.Chat" : "",
      transport: "irc",
      state: states[index],
      nick: index === 0 ? "alice" : "me",
    })),
    untrusted: true,
  });
});

Deno.test("list_sessions() without sessions is an empty list [SES-007]", async () => {
  // Guards that nothing running is an answer and not an error.
  assert.equal(
    await new Caller(new FakeEngine()).text("list_sessions"),
    '{"sessions":[],"untrusted":true}',
  );
});

Deno.test("list_sessions() takes no argument [SES-006 SES-013]", async () => {
  // Guards that it has no cursor either.
  for (const name of ["cursor", "limit", "session"]) {
    assert.equal(
      await new Caller(new FakeEngine()).fail("list_sessions", {
        [name]: null,
      }),
      `invalid arguments: unknown argument "${name}"`,
    );
  }
});

Deno.test("list_sessions() says truncated only when the budget cut it [SES-012 BUD-002]", async () => {
  // Guards that a long list is cut and says so.
  const engine = new FakeEngine();
  for (let i = 0; i < 20; i++) engine.start("n".repeat(5000));
  const result = await new Caller(engine).call("list_sessions");
  assert.equal(result.truncated, true);
  assert.equal(result.sessions.length, 11);
  engine.list.length = 11;
  const whole = await new Caller(engine).call("list_sessions");
  assert.equal("truncated" in whole, false);
});

Deno.test("list_sessions() steps over a session no result could hold", async () => {
  // Guards that one absurd name does not hide the sessions after it.
  const engine = new FakeEngine();
  engine.start("n".repeat(61_000));
  engine.start("Libera");
  const result = await new Caller(engine).call("list_sessions");
  assert.deepEqual(result.sessions.map((s: { name: string }) => s.name), [
    "Libera",
  ]);
  assert.equal(result.truncated, true);
});

Deno.test("list_sessions() does not scan names for secrets", async () => {
  // Guards what the contract says: session information is not scanned.
  const engine = new FakeEngine();
  const session = engine.start("hunter22");
  const { SecretScan } = await import("../../lib/redact/secrets.ts");
  session.scan = new SecretScan(["hunter22"]);
  const result = await new Caller(engine).call("list_sessions");
  assert.equal(result.sessions[0].name, "hunter22");
});
