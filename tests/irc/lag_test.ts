import assert from "node:assert/strict";
import { LAG_WAIT_MS, LagMeter } from "../../lib/irc/lag.ts";
import { parseLine } from "../../lib/irc/parse.ts";
import { FakeClock } from "../fake_clock.ts";

function meter() {
  const clock = new FakeClock();
  const sent: string[] = [];
  const lag = new LagMeter({ clock, send: (line) => void sent.push(line) });
  const hear = (line: string) => {
    const message = parseLine(line);
    assert.ok(message !== undefined);
    lag.heard(message);
  };
  return { clock, sent, lag, hear };
}

Deno.test("measure() counts from its PING to the PONG with its token", async () => {
  // Guards that the answer to another PING is not taken for it.
  const { clock, sent, lag, hear } = meter();
  const measured = lag.measure();
  assert.deepEqual(sent, ["PING :reterm-lag-1"]);
  await clock.advance(10);
  hear(":irc.test PONG irc.test :12345");
  await clock.advance(20);
  hear(":irc.test PONG irc.test :reterm-lag-1");
  assert.equal(await measured, 30);
  assert.equal(clock.pending, 0);
});

Deno.test("measure() asks once for all who ask meanwhile", async () => {
  // Guards the server from a status that is shown in a loop.
  const { clock, sent, lag, hear } = meter();
  const measured = [lag.measure(), lag.measure()];
  await clock.advance(5);
  hear("PONG reterm-lag-1");
  assert.deepEqual(await Promise.all(measured), [5, 5]);
  assert.equal(sent.length, 1);
  void lag.measure();
  assert.equal(sent[1], "PING :reterm-lag-2");
  lag.close();
});

Deno.test("measure() gives up in time, and when the connection ends", async () => {
  // Guards that a status never hangs on a server that does.
  const { clock, lag, hear } = meter();
  const late = lag.measure();
  await clock.advance(LAG_WAIT_MS);
  assert.equal(await late, undefined);
  hear("PONG reterm-lag-1");
  const cut = lag.measure();
  lag.close();
  assert.equal(await cut, undefined);
  assert.equal(clock.pending, 0);
});
