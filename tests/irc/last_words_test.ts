import assert from "node:assert/strict";
import { LastWords } from "../../lib/irc/last_words.ts";
import { parseLine } from "../../lib/irc/parse.ts";

function kindAfter(...lines: string[]): string | undefined {
  const words = new LastWords();
  for (const line of lines) {
    const message = parseLine(line);
    if (message !== undefined) words.hear(message);
  }
  return words.toFailure()?.kind;
}

Deno.test("LastWords takes a ban for one only when nothing follows", () => {
  // Guards that a banned client stops, and that talk about bans stops nobody.
  const banned = [
    ["ERROR :Closing Link (K-Lined)"],
    ["ERROR :Closing Link: h (Z:Lined (x))"],
    ["ERROR :Closing Link: h (G-line: no)"],
    ["ERROR :You are banned from this server"],
    ["ERROR :Closing Link: [1.2.3.4] (User has been banned)"],
    ["ERROR :AKILL: spam"],
    [":srv 465 me :You are banned", "ERROR :Closing Link: h (go)"],
  ];
  for (const lines of banned) assert.equal(kindAfter(...lines), "banned");
  assert.equal(
    kindAfter("ERROR :K-Lined", ":a!b@c PRIVMSG #r :hello"),
    undefined,
  );
  assert.equal(kindAfter(":srv 465 me :no", "PING :x"), undefined);
  assert.equal(kindAfter("ERROR :Closing Link (Ping timeout)"), "closed");
  assert.equal(kindAfter("ERROR :Reconnecting too fast"), "closed");
  assert.equal(
    kindAfter("ERROR :Closing link: (u@h) [Killed (op (K-lined, banned))]"),
    "closed",
  );
  assert.equal(kindAfter(":a!b@c PRIVMSG #r :K-Lined"), undefined);
  assert.equal(kindAfter("ERROR"), undefined);
});
