import assert from "node:assert/strict";
import { type LogLine, LogWriter } from "../../lib/log.ts";
import { masker } from "../../lib/redact/masks.ts";
import { AgentSender } from "../../lib/sending/agent_sender.ts";
import { FakeClock } from "../fake_clock.ts";

/** Sessions whose connection takes, refuses or holds lines. */
function scene() {
  const clock = new FakeClock();
  const logged: LogLine[] = [];
  const session = (name: string) => {
    const wire: string[] = [];
    const audit: string[] = [];
    return {
      id: name.toUpperCase(),
      name,
      state: "connected",
      wire,
      audit,
      take: (_line: string): boolean | Promise<boolean> => true,
      async sendForAgent(line: string) {
        const taken = await this.take(line);
        if (taken) wire.push(line);
        return taken;
      },
      recordAudit: (text: string) => audit.push(text),
    };
  };
  const [one, two] = [session("one"), session("two")];
  const sender = new AgentSender({
    session: (id) => [one, two].find((s) => s.id === id),
    clock,
    log: new LogWriter(() => clock.now(), [(line) => logged.push(line)]),
    maskLine: (line) => masker.line(line, "agent"),
  });
  return { clock, logged, one, two, sender };
}

Deno.test("AgentSender records a sent line in a row and a log line [SEND-024 SEND-026 SEND-027 SEND-032 INV-010]", async () => {
  // Guards that whatever an agent sends is there for the person to see.
  const { logged, one, sender } = scene();
  const line = "PRIVMSG #rete :hello";
  assert.deepEqual(await sender.send("ONE", line), {
    kind: "sent",
    recorded: line,
  });
  assert.deepEqual(one.wire, [line]);
  assert.deepEqual(one.audit, [`AI access sent: ${line}`]);
  assert.deepEqual(
    logged.map(({ level, category, text }) => [level, category, text]),
    [["info", "network", `AI access sent a line on one: ${line}`]],
  );
});

Deno.test("AgentSender masks the record and not the wire [SEND-033 SEND-034 SEND-037 SEND-038 SEND-039 SEND-040 SEND-041 SEND-042 SEND-043 RED-019 RED-076]", async () => {
  // Guards a password sent by an agent: on the wire, and nowhere else.
  const rows = [
    ["PASS hunter22", "PASS :********"],
    ["PASS :a b", "PASS :********"],
    ["OPER lab hunter22", "OPER lab ********"],
    ["AUTHENTICATE PLAIN", "AUTHENTICATE ********"],
    ["AUTHENTICATE aGk=", "AUTHENTICATE ********"],
    ["authenticate +", "AUTHENTICATE ********"],
    [
      "PRIVMSG NickServ :IDENTIFY hunter22",
      "PRIVMSG NickServ :IDENTIFY ********",
    ],
    ["@a=b OPER lab hunter22", "OPER lab ********"],
    ["JOIN #channel key1", "JOIN #channel key1"],
  ] as const;
  for (const [line, recorded] of rows) {
    const { logged, one, sender } = scene();
    assert.deepEqual(await sender.send("ONE", line), {
      kind: "sent",
      recorded,
    });
    assert.deepEqual(one.wire, [line]);
    assert.deepEqual(one.audit, [`AI access sent: ${recorded}`]);
    assert.equal(
      logged[0]?.text,
      `AI access sent a line on one: ${recorded}`,
    );
  }
});

Deno.test("AgentSender shows the line literally [SEND-028 SEND-029]", async () => {
  // Guards that a line cannot colour, hide or reorder its own record.
  const { one, sender } = scene();
  const line = "PRIVMSG #a :\x02b\x0304,01red\u202egnp\u200b\ufe0f\x1b[2J";
  assert.deepEqual(await sender.send("ONE", line), {
    kind: "sent",
    recorded: line,
  });
  assert.deepEqual(one.audit, [
    "AI access sent: PRIVMSG #a :bred\\u{202E}gnp\\u{200B}\\u{FE0F}\\u{1B}[2J",
  ]);
});

Deno.test("AgentSender leaves no row for a line that was not sent [SEND-025 SEND-030 SEND-031 SEND-050 ERR-023]", async () => {
  // Guards that the record tells of what happened and of nothing else.
  const { logged, one, sender } = scene();
  one.take = () => false;
  for (let i = 0; i < 40; i++) {
    assert.deepEqual(await sender.send("ONE", "PASS hunter22"), {
      kind: "not-sent",
    });
  }
  assert.deepEqual(one.audit, []);
  assert.equal(
    logged[0]?.text,
    "AI access line on one was not sent: PASS :********",
  );
  one.take = () => true;
  assert.equal((await sender.send("ONE", "PING a"))?.kind, "sent");
});

Deno.test("AgentSender limits each session by itself [SEND-046 SEND-047 ERR-025]", async () => {
  // Guards that a burst on one network does not silence another.
  const { one, sender } = scene();
  const burst = await Promise.all(
    Array.from({ length: 8 }, () => sender.send("ONE", "PING a")),
  );
  assert.deepEqual(
    burst.map((outcome) => outcome?.kind),
    ["sent", "sent", "sent", "sent", "sent", "limited", "limited", "limited"],
  );
  assert.deepEqual(burst[7], { kind: "limited", by: "burst" });
  assert.equal(one.wire.length, 5);
  assert.equal((await sender.send("TWO", "PING a"))?.kind, "sent");
  sender.clearLimits();
  assert.equal((await sender.send("ONE", "PING a"))?.kind, "sent");
});

Deno.test("AgentSender caps a minute at thirty lines [SEND-045 ERR-024]", async () => {
  // Guards the cap over any sixty seconds.
  const { clock, one, sender } = scene();
  for (let i = 0; i < 30; i++) {
    assert.equal((await sender.send("ONE", "PING a"))?.kind, "sent");
    await clock.advance(1_950 + (i < 5 ? 50 : 0));
    if (i > 20) await clock.advance(50);
  }
  assert.deepEqual(await sender.send("ONE", "PING a"), {
    kind: "limited",
    by: "per-minute",
  });
  assert.equal(one.wire.length, 30);
});

Deno.test("AgentSender knows connected sessions only [ERR-020 SEND-023]", async () => {
  // Guards that a line is not kept for a connection that is not there.
  const { one, sender } = scene();
  assert.equal(await sender.send("NONE", "PING a"), undefined);
  for (const state of ["connecting", "reconnecting", "disconnected"]) {
    one.state = state;
    assert.deepEqual(await sender.send("ONE", "PING a"), {
      kind: "not-connected",
    });
  }
  assert.deepEqual(one.wire, []);
});
