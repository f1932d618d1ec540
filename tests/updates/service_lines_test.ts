import assert from "node:assert/strict";
import { done } from "../../lib/operator/operator.ts";
import { type Service, startService } from "../../lib/service.ts";
import { FakeClock } from "../fake_clock.ts";
import { callTool } from "../mcp_post.ts";
import { withHome } from "../temp_home.ts";
import type { Result, Sent } from "../tools/tool_calls.ts";

/** A running service with debug on and one session, and calls of its tools. */
async function withService(
  test: (running: {
    readonly service: Service;
    readonly clock: FakeClock;
    readonly call: (name: string, args?: Sent) => Promise<Result>;
  }) => Promise<void>,
): Promise<void> {
  await withHome(async (home) => {
    await Deno.writeTextFile(home.configFile, "{}", { mode: 0o600 });
    const clock = new FakeClock();
    const service = await startService({
      home,
      config: {
        enabled: true,
        debug: true,
        port: 0,
        floodThrottle: true,
        bufferLimit: 1000,
        sessions: [],
        warnings: [],
      },
      run: () => Promise.resolve(done("")),
      sink: () => {},
      peer: { judge: () => "same-user" },
      // Whoever runs the tests owns the home.
      uid: null,
      clock,
    });
    service.engine.startSession({
      id: "6F1C3B1E-2F0B-4C53-9D0F-2F6B7A1C9E10",
      name: "Net",
      host: "127.0.0.1",
      port: 1,
      tls: false,
      tlsVerify: true,
      nick: "me",
      altNicks: [],
      username: "me",
      realname: "Me",
      channels: [],
      autoconnect: false,
    }, { channelKeys: new Map() });
    try {
      const call = (name: string, args: Sent = {}) => {
        const port = Number(
          /port (\d+)/.exec(service.access.status().text)?.[1],
        );
        return callTool(
          { port, token: service.access.token ?? "" },
          name,
          args,
        );
      };
      await test({ service, clock, call });
    } finally {
      await service.stop();
    }
  });
}

Deno.test("control.debug off and on again takes collected lines from a running service [RLOG-033 RLOG-036 RLOG-037]", () =>
  withService(async ({ service, clock, call }) => {
    // Guards the wiring: the person's switch, the capture and the inboxes.
    await call("subscribe", { log: {} });
    service.log.write("fault", "app", "before");
    await clock.advance(1_000);
    const peek = await call("read_updates", { peek: true, detail: "full" });
    const { events } = peek.updates[0];
    assert.deepEqual(events, [{
      type: "log",
      line: {
        seq: events[0].line.seq,
        time: "2026-09-30T12:00:00Z",
        level: "fault",
        category: "app",
        text: "before",
        untrusted: true,
      },
    }]);
    await service.operator.changeSetting("control.debug", "off");
    service.log.write("fault", "app", "while off");
    await service.operator.changeSetting("control.debug", "on");
    service.log.write("fault", "app", "after");
    const { updates } = await call("read_updates");
    assert.deepEqual([updates[0].dropped, updates[0].log], [1, undefined]);
    await clock.advance(1_000);
    const after = await call("read_updates", { detail: "full" });
    assert.deepEqual(
      after.updates[0].events.map(({ line }: Result) => line.text),
      ["after"],
    );
  }));

Deno.test("Stopping the server ends the polls of a running service", () =>
  withService(async ({ service, clock, call }) => {
    // Guards that no timer of a subscription outlives the server.
    const before = clock.pending;
    await call("subscribe", { raw: {}, log: {} });
    assert.ok(clock.pending > before);
    await service.operator.changeSetting("control.enabled", "off");
    assert.equal(clock.pending, before);
  }));
