import assert from "node:assert/strict";
import type { Message, Payload } from "../../lib/buffers/message.ts";
import { NO_SECRETS, SecretScan } from "../../lib/redact/secrets.ts";
import { messageObject } from "../../lib/tools/message_object.ts";
import { encodeJson } from "../../lib/tools/result.ts";
import { NOON } from "./fake_engine.ts";

function row(payload: Payload, more: Partial<Message> = {}): Message {
  return {
    seq: 42,
    id: undefined,
    time: NOON + 999,
    from: "alice",
    kind: "privmsg",
    payload,
    history: false,
    ...more,
  };
}

const HELLO: Payload = { caseName: "privmsg", text: "hello", target: "#rete" };

Deno.test("messageObject() has exactly the contract's fields [MSG-002 MSG-005 MSG-014 INV-003 MCP-026]", () => {
  // Guards the shape every message leaves in, whether it has an id or not.
  assert.equal(
    encodeJson(messageObject(row(HELLO, { id: "msgid-123" }), NO_SECRETS)),
    '{"from":"alice","id":"msgid-123","kind":"privmsg","payload":{"caseName":"privmsg","target":"#rete","text":"hello"},"seq":42,"time":"2026-09-30T12:00:00Z","untrusted":true}',
  );
  assert.equal(
    encodeJson(messageObject(row(HELLO), NO_SECRETS)).includes('"id"'),
    false,
  );
});

Deno.test("messageObject() hands kind, from and payload on as stored [MSG-009 MSG-010 MSG-011 MSG-012 MSG-013]", () => {
  // Guards that nothing is rendered: control codes and markup stay text.
  const payload: Payload = {
    caseName: "topicChanged",
    topic: "\x02bold\x0f <script> \u202e",
  };
  const object = messageObject(
    row(payload, { kind: "topic", from: "" }),
    NO_SECRETS,
  );
  assert.deepEqual(object?.payload, payload);
  assert.equal(object?.kind, "topic");
  assert.equal(object?.from, "");
});

Deno.test("messageObject() withholds a raw line [MSG-017]", () => {
  // Guards that release reads never return a raw IRC line.
  const raw = row({ caseName: "rawLine", line: "PING :x" }, { kind: "raw" });
  assert.equal(messageObject(raw, NO_SECRETS), undefined);
});

Deno.test("messageObject() withholds a row with a secret in any place [MSG-016]", () => {
  // Guards every string of a row that comes from IRC.
  const secrets = new SecretScan(["hunter22"]);
  const held: Message[] = [
    row({ ...HELLO, text: "my hunter22." }),
    row({ ...HELLO, target: "hunter22" }),
    row({ ...HELLO, account: "hunter22" }),
    row(HELLO, { from: "hunter22" }),
    row(HELLO, { id: "x-hunter22-x" }),
    row({ caseName: "modeChanged", modes: "+k", params: ["a", "hunter22"] }),
    row({ caseName: "userKicked", victim: "bob", reason: "hunter22" }),
    row({ caseName: "audit", text: "AI access sent: JOIN #a hunter22" }),
    row({
      caseName: "privmsg",
      text: "",
      target: "",
      envelope: { a: ["hunter22"] },
    }),
    row({
      caseName: "privmsg",
      text: "",
      target: "",
      envelope: { hunter22: 1 },
    }),
  ];
  for (const message of held) {
    assert.equal(messageObject(message, secrets), undefined);
  }
  assert.notEqual(
    messageObject(row({ ...HELLO, text: "hunter2" }), secrets),
    undefined,
  );
});

Deno.test("messageObject() does not take its own field names for a secret", () => {
  // Guards that a channel key "text" or "privmsg" does not blind every read.
  const secrets = new SecretScan(["text", "privmsg", "untrusted", "payload"]);
  assert.notEqual(messageObject(row(HELLO), secrets), undefined);
});
