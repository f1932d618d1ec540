import assert from "node:assert/strict";
import { joinedRig } from "../irc/fake_link.ts";
import { tailLine } from "../../lib/operator/tail_line.ts";

Deno.test("tailLine() says when, where, who and what of every kind", () => {
  // Guards that no kind of message is left out of what a person follows.
  const rig = joinedRig();
  const lines: string[] = [];
  rig.engine.observe({
    messageAdded: (session, buffer, message) =>
      void lines.push(
        tailLine({ session, buffer, message }).replace(/^\S+Z /, ""),
      ),
  });
  rig.link.feed([
    ":alice!a@h PRIVMSG #room :hello",
    ":alice!a@h NOTICE #room :note",
    ":alice!a@h PRIVMSG #room :\x01ACTION waves\x01",
    ":alice!a@h PRIVMSG me :\x01VERSION\x01",
    ":carl!c@h JOIN #room",
    ":carl!c@h NICK carla",
    ":alice!a@h TOPIC #room :new topic",
    ":alice!a@h MODE #room +o bob",
    ":carla!c@h PART #room :enough",
    ":alice!a@h KICK #room bob :out",
    ":alice!a@h QUIT :gone",
  ].join("\n"));
  assert.deepEqual(lines, [
    "Net #room <alice> hello",
    "Net #room -alice- note",
    "Net #room * alice waves",
    "Net --- alice sent CTCP VERSION ",
    "Net #room --> carl joined",
    "Net #room --- carl is now carla",
    "Net #room --- alice set the topic: new topic",
    "Net #room --- alice set +o bob",
    "Net #room <-- carla left (enough)",
    "Net #room <-- alice kicked bob (out)",
    "Net #room <-- alice quit (gone)",
  ]);
});

Deno.test("tailLine() is one line that draws nothing on a terminal", () => {
  // Guards the terminal of who watches a channel that anyone may write to.
  const rig = joinedRig();
  rig.link.feed(
    ":alice!a@h PRIVMSG #room :\x02bold\x02 \x0304,01red\x03 \x1b[2J\x07\u202eb",
  );
  const message = rig.messages("#room").at(-1);
  assert.ok(message !== undefined);
  assert.equal(
    tailLine({
      session: { name: "N\n" },
      buffer: { name: "#room", kind: "channel" },
      message,
    }).replace(/^\S+Z /, ""),
    "N\\n #room <alice> bold red \\u{1B}[2J\\u{7}\\u{202E}b",
  );
});
