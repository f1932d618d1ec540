import assert from "node:assert/strict";
import type { Payload } from "../../lib/buffers/message.ts";
import { parseEnvelope } from "../../lib/envelope/parse_envelope.ts";
import { SecretScan } from "../../lib/redact/secrets.ts";
import { textFields } from "../../lib/search/text_fields.ts";
import { messageObject } from "../../lib/tools/message_object.ts";
import { encodeJson } from "../../lib/tools/result.ts";
import valid from "../../fixtures/envelopes/valid.json" with { type: "json" };
import refused from "../../fixtures/envelopes/refused.json" with {
  type: "json",
};
import { joinedRig, makeRig, type Rig } from "./fake_link.ts";

const TEXT =
  '{"v":1,"type":"task.create","id":"01HX9Z0000000000000000000A","from":"alice","to":["@workers"],"ts":1712000000000,"payload":{"title":"t"}}';

function envelopeIn(payload: Payload | undefined): unknown {
  return payload !== undefined && "envelope" in payload
    ? payload.envelope
    : undefined;
}

function lastPayload(rig: Rig, buffer = "#room"): Payload | undefined {
  return rig.messages(buffer).at(-1)?.payload;
}

Deno.test("a PRIVMSG that is an envelope carries it parsed, with its text as it came [ENV-001]", () => {
  // Guards that agents need not parse what the service has read already.
  const rig = joinedRig();
  for (const { name, text } of valid) {
    const wire = text.replaceAll("\n", "");
    rig.link.feed(`:alice!a@h PRIVMSG #room :${wire}`);
    assert.deepEqual(lastPayload(rig), {
      caseName: "privmsg",
      text: wire,
      target: "#room",
      envelope: parseEnvelope(text).envelope,
    }, name);
  }
  rig.link.feed(`:carol!c@h PRIVMSG me :${TEXT}`);
  assert.ok(envelopeIn(lastPayload(rig, "carol")) !== undefined);
});

Deno.test("NOTICE, ACTION and CTCP never carry an envelope [ENV-003 ENV-049]", () => {
  // Guards that what is meant for people alone drives no machine.
  const rig = joinedRig();
  for (
    const [line, caseName] of [
      [`NOTICE #room :${TEXT}`, "notice"],
      [`PRIVMSG #room :\x01ACTION ${TEXT}\x01`, "action"],
      [`PRIVMSG #room :\x01PING ${TEXT}\x01`, "ctcp"],
    ]
  ) {
    rig.link.feed(`:alice!a@h ${line}`);
    const payload = lastPayload(rig);
    assert.equal(payload?.caseName, caseName);
    assert.equal(payload !== undefined && "envelope" in payload, false);
  }
});

Deno.test("the NOTICE lines of relay bots are rows for people [ENV-048 ENV-050]", () => {
  // Guards that an operator sees what bots report, with nothing read into it.
  const rig = joinedRig();
  const texts = [
    "claude-myrepo-a1b2c3d4 › bash: go test ./...",
    "claude-myrepo-a1b2c3d4 edit internal/api/chat.go",
  ];
  for (const text of texts) {
    rig.link.feed(`:claude-myrepo-a1b2c3d4!c@h NOTICE #room :${text}`);
    assert.deepEqual(lastPayload(rig), {
      caseName: "notice",
      text,
      target: "#room",
    });
  }
});

Deno.test("a PRIVMSG that is no envelope carries none", () => {
  // Guards that a row never shows an envelope that was not said.
  const rig = joinedRig();
  const base = {
    v: 1,
    type: "x",
    id: "01HX9Z0000000000000000000A",
    from: "bot",
    ts: 0,
  };
  const texts = refused.map((row) => {
    const fields: Record<string, unknown> = { ...base, ...row.set };
    if (row.drop !== undefined) delete fields[row.drop];
    return row.text ?? JSON.stringify(fields);
  });
  for (const text of [...texts, ` ${TEXT}`, `${TEXT}x`, `bot: ${TEXT}`]) {
    rig.link.feed(`:alice!a@h PRIVMSG #room :${text}`);
    const payload = lastPayload(rig);
    assert.equal(payload?.caseName, "privmsg");
    assert.equal("envelope" in payload, false, text);
  }
});

Deno.test("own envelopes make rows that carry them, echoed or not", async () => {
  // Guards that an agent which reads its own channel sees both sides alike.
  for (const caps of [[], ["echo-message"]]) {
    const rig = joinedRig({ caps });
    await rig.session.sendText("#room", "privmsg", TEXT);
    assert.deepEqual(rig.link.takeSent(), [`PRIVMSG #room :${TEXT}`]);
    if (caps.length > 0) rig.link.feed(`:me!me@my.host PRIVMSG #room :${TEXT}`);
    assert.deepEqual(
      envelopeIn(lastPayload(rig)),
      parseEnvelope(TEXT).envelope,
    );
    await rig.session.sendText("#room", "notice", TEXT);
    if (caps.length > 0) rig.link.feed(`:me!me@my.host NOTICE #room :${TEXT}`);
    assert.equal(envelopeIn(lastPayload(rig)), undefined);
    assert.equal(rig.rows("#room").length, 3);
  }
});

Deno.test("an envelope that was sent masked is in no row", async () => {
  // Guards that the parsed form shows nothing that the text hides.
  for (const caps of [[], ["echo-message"]]) {
    const rig = joinedRig({ caps });
    const line = `PRIVMSG #room :${TEXT}`;
    const sending = rig.session.sendMasked(line, "PRIVMSG #room :********");
    rig.session.wire("out", line);
    assert.equal(await sending, true);
    if (caps.length > 0) rig.link.feed(`:me!me@my.host ${line}`);
    assert.deepEqual(rig.rows("#room").slice(1), [
      caps.length > 0
        ? 'privmsg me text="********" target="#room" isEcho=true'
        : 'privmsg me text="********" target="#room"',
    ]);
    assert.equal(JSON.stringify(rig.messages("#room")).includes("task"), false);
  }
});

Deno.test("an envelope in a tool's answer has its keys sorted and hides with its secrets", () => {
  // Guards that an escape in the text cannot carry a secret out in the parsed
  // form, and that a __proto__ key is data there too.
  const rig = joinedRig();
  const odd = TEXT.replace(
    '"title":"t"',
    '"title":"\\u0068unter22","__proto__":{"a":1}',
  );
  rig.link.feed(`:alice!a@h PRIVMSG #room :${odd}`);
  const row = rig.messages("#room").at(-1);
  assert.ok(row !== undefined);
  assert.equal(messageObject(row, new SecretScan(["hunter22"])), undefined);
  assert.equal(
    encodeJson(messageObject(row, new SecretScan(["other"]))?.payload),
    `{"caseName":"privmsg","envelope":{"from":"alice","id":"01HX9Z0000000000000000000A","payload":{"__proto__":{"a":1},"title":"hunter22"},"to":["@workers"],"ts":1712000000000,"type":"task.create","v":1},"target":"#room","text":${
      JSON.stringify(odd)
    }}`,
  );
});

Deno.test("search and subscriptions look at the text of an envelope alone", () => {
  // Guards that a match is found where a person would see it.
  const rig = joinedRig();
  rig.link.feed(`:alice!a@h PRIVMSG #room :${TEXT}`);
  const row = rig.messages("#room").at(-1);
  assert.ok(row !== undefined);
  assert.deepEqual(textFields(row), [TEXT]);
});

Deno.test("rows of envelopes are bounded by what they take when parsed", () => {
  // Guards memory: a flood of envelopes made of empty objects takes far more
  // than its text.
  const nested = TEXT.replace('"t"', `[${"{},".repeat(99)}{}]`);
  const rig = makeRig();
  rig.link.welcome();
  rig.link.feed(":me!me@h JOIN #room");
  const buffer = rig.session.buffers().find(({ name }) => name === "#room");
  const before = buffer?.log.bytes ?? 0;
  rig.link.feed(`:alice!a@h PRIVMSG #room :${nested}`);
  const bytes = (buffer?.log.bytes ?? 0) - before;
  assert.ok(bytes >= 17 * nested.length, `${bytes}`);
});
