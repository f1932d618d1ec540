import assert from "node:assert/strict";
import { parseLine } from "../../lib/irc/parse.ts";

function parsed(line: string) {
  const message = parseLine(line);
  if (message === undefined) return undefined;
  return { ...message, tags: { ...message.tags } };
}

Deno.test("parseLine() splits tags, source, command and parameters", () => {
  // Guards the shape that all else reads.
  assert.deepEqual(
    parsed("@time=2026;+x/y=a\\sb;flag :al!u@h privmsg #room :two  words "),
    {
      tags: { time: "2026", "+x/y": "a b", flag: "" },
      source: "al!u@h",
      nick: "al",
      user: "u",
      host: "h",
      command: "PRIVMSG",
      params: ["#room", "two  words "],
    },
  );
});

Deno.test("parseLine() takes the last parameter by position, colon or not", () => {
  // Guards that servers which leave the colon out, or put one in, read alike.
  const rows: [string, string[]][] = [
    [":alice!a@h JOIN :#room", ["#room"]],
    [":srv 332 me #room topic", ["me", "#room", "topic"]],
    [":srv 353 me = #room alice", ["me", "=", "#room", "alice"]],
    [":srv 324 me #room :+nt", ["me", "#room", "+nt"]],
    ["MODE #room +o :alice", ["#room", "+o", "alice"]],
    ["PRIVMSG #room ::)", ["#room", ":)"]],
    ["PRIVMSG #room a:b", ["#room", "a:b"]],
    ["PRIVMSG #room :", ["#room", ""]],
    [":srv 251 me :x ", ["me", "x "]],
    [":srv  251   me  x ", ["me", "x"]],
    ["  PING   a  ", ["a"]],
  ];
  for (const [line, params] of rows) {
    assert.deepEqual(parsed(line)?.params, params, line);
  }
});

Deno.test("parseLine() ignores lines without a command", () => {
  // Guards that a blank or broken line is no message, and no exception.
  for (
    const line of [
      "",
      " ",
      ":srv",
      ":srv ",
      "@only-tags",
      "@a=b :srv",
      ":",
      "@",
      "@ :",
    ]
  ) {
    assert.equal(parsed(line), undefined, JSON.stringify(line));
  }
});

Deno.test("parseLine() unescapes tag values as IRCv3 says", () => {
  // Guards message ids and accounts with odd characters.
  assert.deepEqual(
    parsed("@a=\\:\\s\\r\\n\\\\;b=x\\;c=\\b;d=1;d=2;=e;;F=g PING")?.tags,
    { a: "; \r\n\\", b: "x", c: "b", d: "2", F: "g" },
  );
});

Deno.test("parseLine() keeps tag names that objects have by themselves", () => {
  // Guards that a tag named __proto__ cannot change anything but itself.
  const tags = parseLine("@__proto__=a;constructor=b PING")?.tags ?? {};
  assert.equal(Object.getPrototypeOf(tags), null);
  assert.deepEqual(Object.keys(tags), ["__proto__", "constructor"]);
});

Deno.test("parseLine() tells servers from users", () => {
  // Guards that a server's name is not shown as a nick.
  const rows: [string, [string, string, string]][] = [
    ["irc.lab.test", ["", "", ""]],
    ["::1", ["", "", ""]],
    ["NickServ", ["NickServ", "", ""]],
    ["a!b@c", ["a", "b", "c"]],
    ["a@c", ["a", "", "c"]],
    ["a!b", ["a", "b", ""]],
    ["a!b@c@d", ["a", "b@c", "d"]],
    ["", ["", "", ""]],
  ];
  for (const [source, [nick, user, host]] of rows) {
    const message = parsed(`:${source} X`);
    assert.deepEqual(
      [message?.nick, message?.user, message?.host],
      [nick, user, host],
      source,
    );
  }
});

Deno.test("parseLine() takes linear time on hostile lines", () => {
  // Guards that a line made to be slow cannot hold the event loop.
  const hostile = [
    `${"\r".repeat(16_000)}x`,
    `@${";".repeat(16_000)} PING`,
    `@${"a;".repeat(8_000)} PING`,
    `@a=${"\\".repeat(16_000)} PING`,
    `PING ${"a ".repeat(8_000)}`,
    " ".repeat(16_000),
  ];
  const started = performance.now();
  for (const line of hostile) parseLine(line);
  assert.ok(performance.now() - started < 200);
});
