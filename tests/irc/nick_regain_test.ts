import assert from "node:assert/strict";
import { Isupport } from "../../lib/irc/isupport.ts";
import { NickRegain } from "../../lib/irc/nick_regain.ts";
import { OwnNick } from "../../lib/irc/own_nick.ts";
import { parseLine } from "../../lib/irc/parse.ts";
import { FakeClock } from "../fake_clock.ts";

function regain(tokens: string[] = []) {
  const clock = new FakeClock();
  const sent: string[] = [];
  const isupport = new Isupport();
  isupport.add(tokens);
  const nicks = new NickRegain({
    clock,
    isupport,
    intervalMs: 60_000,
    send: (line) => sent.push(line),
  });
  const see = (...lines: string[]) => {
    for (const line of lines) {
      const message = parseLine(line);
      if (message !== undefined) nicks.see(message);
    }
  };
  return { clock, sent, isupport, nicks, see };
}

Deno.test("NickRegain takes the nick when its holder leaves, once", async () => {
  // Guards that our nick comes back, and that no server can make it a loop.
  for (
    const sign of [
      ":me!u@old QUIT :gone",
      ":ME!u@old NICK other",
      ":srv 731 me_ :x,me!u@h",
      ":srv 303 me_ :somebody",
    ]
  ) {
    const { clock, sent, nicks, see } = regain();
    nicks.watch("me");
    for (let i = 0; i < 100; i++) see(sign);
    assert.deepEqual(sent, ["NICK me"], sign);
    await clock.advance(60_000);
    see(sign);
    assert.deepEqual(sent, ["NICK me", "ISON me", "NICK me"]);
    nicks.close();
    assert.equal(clock.pending, 0);
  }
});

Deno.test("NickRegain tries nothing while the nick is held", () => {
  // Guards against attempts that can only fail.
  const { sent, nicks, see } = regain();
  see(":me!u@old QUIT :before it is watched");
  nicks.watch("me");
  see(
    ":other!u@h QUIT :x",
    ":me!u@h NICK Me",
    ":srv 303 me_ :a ME b",
    ":srv 731 me_ :other",
    ":srv 730 me_ :me!u@h",
    "QUIT",
    "NICK",
  );
  assert.deepEqual(sent, []);
  nicks.close();
});

Deno.test("NickRegain uses MONITOR where there is one", () => {
  // Guards that the nick is noticed free when its holder shares no channel.
  const { sent, isupport, nicks } = regain();
  nicks.watch("me");
  assert.deepEqual(sent, []);
  isupport.add(["MONITOR=100"]);
  nicks.featuresChanged();
  nicks.featuresChanged();
  assert.deepEqual(sent, ["MONITOR + me"]);
  nicks.stop();
  assert.deepEqual(sent, ["MONITOR + me", "MONITOR - me"]);
});

Deno.test("NickRegain asks less and less often", async () => {
  // Guards against polling for as long as a connection lives.
  const { clock, sent, nicks } = regain();
  nicks.watch("me");
  await clock.advance(3_600_000);
  assert.ok(sent.length <= 10, `${sent.length}`);
  assert.ok(sent.every((line) => line === "ISON me"));
  nicks.close();
  assert.equal(clock.pending, 0);
});

Deno.test("OwnNick waits for no nick that is its own", async () => {
  // Guards against a NICK that only text from the server led to: 433 for a nick
  // that we hold is about something else.
  const clock = new FakeClock();
  const sent: string[] = [];
  const own = new OwnNick({
    clock,
    isupport: new Isupport(),
    intervalMs: 60_000,
    wanted: "me",
    send: (line) => sent.push(line),
    changed: () => {},
  });
  own.welcomed("me");
  own.watch("me");
  for (const line of [":srv 433 me me :in use", ":srv 437 me ME :held"]) {
    const message = parseLine(line);
    if (message !== undefined) own.refused(message);
  }
  const offline = parseLine(":srv 731 me :me");
  if (offline !== undefined) own.see(offline);
  await clock.advance(600_000);
  assert.equal(own.awaited, undefined);
  assert.deepEqual(sent, []);
  own.close();
});
