import assert from "node:assert/strict";
import type { Payload } from "../../lib/buffers/message.ts";
import { textFields } from "../../lib/search/text_fields.ts";

const CASES: readonly (readonly [Payload, readonly string[]])[] = [
  [{
    caseName: "privmsg",
    text: "\x02hi\x02",
    target: "#rete",
    account: "alice",
  }, ["\x02hi\x02"]],
  [{ caseName: "notice", text: "note", target: "#rete" }, ["note"]],
  [{ caseName: "action", text: "waves", target: "#rete" }, ["waves"]],
  [{
    caseName: "userJoined",
    nick: "bob",
    user: "u",
    host: "h",
    account: "b",
    realname: "Bob B",
  }, ["Bob B"]],
  [{ caseName: "userJoined", nick: "bob" }, []],
  [{ caseName: "userParted", nick: "bob", reason: "tea" }, ["tea"]],
  [{ caseName: "userQuit", nick: "bob" }, []],
  [{ caseName: "userQuit", nick: "bob", reason: "split" }, ["split"]],
  [
    { caseName: "userKicked", victim: "eve", reason: "spam" },
    ["eve", "spam"],
  ],
  [{ caseName: "nickChanged", newNick: "bobby" }, ["bobby"]],
  [{ caseName: "topicChanged", topic: "news" }, ["news"]],
  [
    { caseName: "modeChanged", modes: "+ov", params: ["bob", "eve"] },
    ["+ov", "bob", "eve"],
  ],
  [
    { caseName: "invited", nick: "bob", channel: "#den" },
    ["bob", "#den"],
  ],
  [{ caseName: "awayChanged", away: true, message: "lunch" }, ["lunch"]],
  [{ caseName: "awayChanged", away: false }, []],
  [{ caseName: "hostChanged", user: "u", host: "h.example" }, [
    "u",
    "h.example",
  ]],
  [{ caseName: "accountChanged", account: "bob2" }, ["bob2"]],
  [{ caseName: "realnameChanged", realname: "Bobby" }, ["Bobby"]],
  [{ caseName: "ctcp", command: "PING", text: "123" }, ["PING", "123"]],
  [{ caseName: "serverText", code: "372", text: "motd" }, ["motd"]],
  [{ caseName: "audit", text: "enabled" }, ["enabled"]],
  [{ caseName: "rawLine", line: ":a PRIVMSG #rete :hi" }, []],
];

Deno.test("textFields() gives what each payload says [SRCH-014, SRCH-015, SRCH-016]", () => {
  // Guards that search reads the words on the wire and never a raw line or
  // anything made for display.
  for (const [payload, fields] of CASES) {
    assert.deepEqual(textFields({ payload }), fields, payload.caseName);
  }
});
