import assert from "node:assert/strict";
import type { FailureKind } from "../../lib/irc/failure.ts";
import { DEFAULT_LIMITS } from "../../lib/irc/limits.ts";
import { ReconnectPolicy } from "../../lib/irc/reconnect_policy.ts";

function policy(random = () => 0): ReconnectPolicy {
  return new ReconnectPolicy({ ...DEFAULT_LIMITS, random });
}

Deno.test("ReconnectPolicy doubles from 2 s to 5 min", () => {
  // Guards servers against a client that knocks all the time.
  const steps = policy();
  const waits = Array.from({ length: 10 }, () => {
    const next = steps.ended("unreachable", 0);
    return next.kind === "wait" ? next.ms / 1_000 : "stop";
  });
  assert.deepEqual(waits, [2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
});

Deno.test("ReconnectPolicy starts over after a minute connected only", () => {
  // Guards that a server which lets us in and throws us out is left alone.
  const steps = policy();
  for (let i = 0; i < 5; i++) steps.ended("closed", 59_999);
  assert.deepEqual(steps.ended("closed", 59_999), { kind: "wait", ms: 64_000 });
  assert.deepEqual(steps.ended("closed", 60_000), { kind: "wait", ms: 2_000 });
  assert.deepEqual(steps.ended("closed", 0), { kind: "wait", ms: 4_000 });
  steps.reset();
  assert.deepEqual(steps.ended("closed", 0), { kind: "wait", ms: 2_000 });
});

Deno.test("ReconnectPolicy spreads the waits", () => {
  // Guards against all clients of a server coming back in the same second.
  assert.deepEqual(policy(() => 0.999).ended("ping", 0), {
    kind: "wait",
    ms: 1_600,
  });
  assert.deepEqual(policy(() => 0.5).ended("ping", 0), {
    kind: "wait",
    ms: 1_800,
  });
});

Deno.test("ReconnectPolicy stops where trying again cannot help", () => {
  // Guards against looking like an attack, and against locking an account.
  const rows: Record<FailureKind, number | "stop"> = {
    "unreachable": 2_000,
    "not-permitted": "stop",
    "timeout": 2_000,
    "tls": "stop",
    "closed": 2_000,
    "banned": "stop",
    "password": 300_000,
    "sasl-refused": "stop",
    "sasl-unavailable": 20_000,
    "nick": 300_000,
    "ping": 2_000,
    "requested": "stop",
  };
  for (const [kind, wanted] of Object.entries(rows)) {
    const next = policy().ended(kind as FailureKind, 0);
    assert.equal(next.kind === "wait" ? next.ms : "stop", wanted, kind);
  }
});

Deno.test("ReconnectPolicy asks soon for services that are away, and then seldom", () => {
  // Guards that a network's restart does not keep a session off for minutes.
  const limits = { ...DEFAULT_LIMITS, random: () => 0 };
  const policy = new ReconnectPolicy(limits);
  const waits = Array.from({ length: 6 }, () => {
    const next = policy.ended("sasl-unavailable", 0);
    return next.kind === "wait" ? next.ms / 1000 : 0;
  });
  assert.deepEqual(waits, [20, 40, 80, 160, 300, 300]);
});
