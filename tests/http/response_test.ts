import assert from "node:assert/strict";
import {
  renderAnswer,
  renderResponse,
  StreamedAnswerError,
} from "../../lib/http/response.ts";

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

Deno.test("renderAnswer() states length and closing in every answer [GATE-063]", () => {
  // Guards that a client always knows where an answer ends and that the
  // connection ends with it, whatever the status.
  for (const status of [200, 202, 299, 400, 403, 404, 405, 500, 504]) {
    const text = decode(renderAnswer(status, [["x-a", "b"]], "é"));
    assert.match(
      text,
      new RegExp(
        `^HTTP/1\\.1 ${status} [^\\r]*\\r\\nx-a: b\\r\\n` +
          "Content-Length: 2\\r\\nConnection: close\\r\\n\\r\\né$",
      ),
    );
  }
});

Deno.test("renderAnswer() names neither program nor time", () => {
  // Guards that what answers on this port cannot be told from its answers.
  const headers: [string, string][] = [
    ["server", "x"],
    ["date", "x"],
    ["connection", "keep-alive"],
    ["transfer-encoding", "chunked"],
    ["content-length", "9"],
  ];
  assert.equal(
    decode(renderAnswer(200, headers)),
    "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
  );
});

Deno.test("renderResponse() keeps bytes that are not text", async () => {
  // Guards that only JSON is read as text on the way.
  const body = new Uint8Array([0xff, 0x00, 0xfe]);
  const bytes = await renderResponse(new Response(body));
  assert.deepEqual([...bytes.slice(-3)], [...body]);
});

Deno.test("renderResponse() refuses an event stream and cancels it [GATE-059]", async () => {
  // Guards that a stream is never waited for: it may not end.
  let isCancelled = false;
  const stream = new ReadableStream({
    cancel: () => void (isCancelled = true),
  });
  const headers = { "content-type": "Text/Event-Stream; charset=utf-8" };
  await assert.rejects(
    renderResponse(new Response(stream, { headers })),
    StreamedAnswerError,
  );
  assert.equal(isCancelled, true);
});
