import assert from "node:assert/strict";
import { answerLine, readMessage } from "../../lib/bridge/message.ts";

Deno.test("readMessage() tells what is due for each kind of message", () => {
  // Guards that every request is answered once, and nothing else ever is.
  for (
    const [text, expected] of [
      ['{"jsonrpc":"2.0","id":1,"method":"ping"}', { kind: "request", id: 1 }],
      ['{"id":"a","method":"ping"}', { kind: "request", id: "a" }],
      ['{"method":"notifications/initialized"}', { kind: "one-way" }],
      [
        '{"method":"notifications/cancelled","params":{"requestId":7}}',
        { kind: "cancel", id: 7 },
      ],
      ['{"method":"notifications/cancelled"}', { kind: "one-way" }],
      ['{"id":1,"result":{}}', { kind: "one-way" }],
      ['{"id":1,"error":{"code":1,"message":""}}', { kind: "one-way" }],
      ['{"id":null,"method":"ping"}', { kind: "not-a-message" }],
      ['{"id":1}', { kind: "not-a-message" }],
      ['[{"id":1,"method":"ping"}]', { kind: "not-a-message" }],
      ["1", { kind: "not-a-message" }],
      ["{", { kind: "not-json" }],
    ] as const
  ) {
    assert.deepEqual(readMessage(new TextEncoder().encode(text)), expected);
  }
  const notUtf8 = new Uint8Array([0x22, 0xff, 0x22]);
  assert.deepEqual(readMessage(notUtf8), { kind: "not-json" });
});

Deno.test("answerLine() keeps an answer as it came, on one line", () => {
  // Guards that a pretty answer does not end after its first line.
  assert.equal(answerLine('{"id":1 ,"a":"é"}'), '{"id":1 ,"a":"é"}');
  assert.equal(answerLine('{\n  "id": 1\r\n}'), '{"id":1}');
  assert.equal(answerLine(""), undefined);
  assert.equal(answerLine("null"), undefined);
});
