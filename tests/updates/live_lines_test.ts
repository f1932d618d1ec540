import assert from "node:assert/strict";
import { withLiveDebug } from "../debug/live_debug.ts";
import { FakeClock } from "../fake_clock.ts";
import { FakeEngine } from "../tools/fake_engine.ts";
import { Caller, type Result } from "../tools/tool_calls.ts";

Deno.test("A raw subscription goes on over a reconnect, from its first line [RLOG-016 RLOG-044]", () =>
  withLiveDebug({ secrets: { password: "hunter22" } }, async (live) => {
    // Guards the lines of a real connection: both logins are shown, masked,
    // and each line is delivered once.
    const clock = new FakeClock();
    const caller = new Caller(new FakeEngine(), {
      reader: live.engine,
      debug: live.capture,
      clock,
      switches: () => ({ debug: true, send: false }),
    });
    await caller.call("subscribe", { raw: {} });
    const first = await live.connect();
    await clock.advance(1_000);
    await first.close();
    const second = await live.server.accept();
    await second.register({ caps: "" });
    await second.barrier();
    await clock.advance(1_000);
    const { updates: [entry] } = await caller.call("read_updates", {
      detail: "full",
      limit: 500,
    });
    const page = await live.rawPage();
    assert.deepEqual(
      entry.events.map(({ line }: Result) => line),
      page.lines,
    );
    const sent = entry.events.map(({ line }: Result) => line)
      .filter(({ dir }: Result) => dir === "out");
    assert.equal(
      sent.filter(({ line }: Result) => line === "PASS :********").length,
      2,
    );
    assert.ok(!JSON.stringify(entry).includes("hunter22"));
  }));
