import assert from "node:assert/strict";
import {
  findHeadEnd,
  MAX_HEAD_BYTES,
  parseHead,
} from "../../lib/http/request.ts";
import { latin1 } from "./gate_harness.ts";

const HEAD = "POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n";

function parse(text: string) {
  const bytes = latin1(text);
  const end = findHeadEnd(bytes, bytes.length);
  return typeof end === "number" ? parseHead(bytes, end) : end;
}

Deno.test("findHeadEnd() finds the blank line wherever the bytes are cut", () => {
  // Guards that a head is the same head however it arrives: found neither
  // early nor late when what was seen before is passed over.
  const bytes = latin1(HEAD + "{}");
  for (let step = 1; step <= bytes.length; step++) {
    let seen = 0;
    let found: unknown;
    while (found === undefined && seen < bytes.length) {
      const length = Math.min(seen + step, bytes.length);
      found = findHeadEnd(bytes, length, seen);
      if (found === undefined) seen = length;
    }
    assert.equal(found, HEAD.length, `steps of ${step}`);
  }
});

Deno.test("findHeadEnd() tells a bare CR or LF as soon as it is certain [GATE-037]", () => {
  // Guards that a head of bare LFs, which never ends, is answered at once
  // and not left to its deadline.
  const rows: [string, unknown][] = [
    ["GET / HTTP/1.1\n", "400"],
    ["\n", "400"],
    ["GET / HTTP/1.1\r", undefined],
    ["GET / HTTP/1.1\rX", "400"],
    ["GET / HTTP/1.1\r\r\n", "400"],
    ["GET / HTTP/1.1\r\n\n", "400"],
    ["GET / HTTP/1.1\r\n\r", undefined],
    ["GET / HTTP/1.1\r\n\rX", "400"],
    ["GET / HTTP/1.1\r\n\r\n", 18],
    ["GET / HTTP/1.1\r\n\r\n\n\r\0", 18],
    ["GET /\0", "400"],
    ["GET /\t", undefined],
    ["GET /\x1f", "400"],
    ["GET /\x7f", "400"],
    ["GET /\x80\xff", undefined],
    ["\x16\x03\x01", "400"],
  ];
  for (const [text, due] of rows) {
    const bytes = latin1(text);
    assert.equal(findHeadEnd(bytes, bytes.length), due, JSON.stringify(text));
  }
});

Deno.test("findHeadEnd() sees a CR judged by the next read [GATE-037]", () => {
  // Guards that a bare CR at the end of one read is caught by the next.
  const bytes = latin1("GET / HTTP/1.1\rX");
  assert.equal(findHeadEnd(bytes, 15), undefined);
  assert.equal(findHeadEnd(bytes, 16, 15), "400");
});

Deno.test("findHeadEnd() counts a head through its blank line [GATE-045]", () => {
  // Guards the limit on both sides of it, body bytes in the buffer or not.
  const start = "GET / HTTP/1.1\r\nX: ";
  const head = (bytes: number) =>
    start + "x".repeat(bytes - start.length - 4) + "\r\n\r\n";
  for (const rest of ["", "body"]) {
    const within = latin1(head(MAX_HEAD_BYTES) + rest);
    assert.equal(findHeadEnd(within, within.length), MAX_HEAD_BYTES);
    const over = latin1(head(MAX_HEAD_BYTES + 1) + rest);
    assert.equal(findHeadEnd(over, over.length), "431");
  }
  const unfinished = latin1(head(MAX_HEAD_BYTES + 1));
  assert.equal(findHeadEnd(unfinished, MAX_HEAD_BYTES), undefined);
});

Deno.test("parseHead() reads what was sent", () => {
  // Guards the value that the gate judges: names in lower case, values
  // without their edges, everything else untouched and in order.
  assert.deepEqual(
    parse(
      "POST /mcp?a=b HTTP/1.0\r\nHost:\t a b \t\r\nX-Empty:\r\n" +
        "x-empty: caf\xe9:\r\ncontent-LENGTH: 0042 \r\n\r\n",
    ),
    {
      method: "POST",
      target: "/mcp?a=b",
      minorVersion: 0,
      fields: [
        ["host", "a b"],
        ["x-empty", ""],
        ["x-empty", "caf\xe9:"],
        ["content-length", "0042"],
      ],
      bodyBytes: 42,
    },
  );
});

Deno.test("parseHead() drops spaces and tabs from values and no other white space [GATE-027]", () => {
  // Guards that a byte which JavaScript takes for white space stays part of
  // the value, so that a token followed by one is another token.
  const head = parse("GET / HTTP/1.1\r\nX:\xa0t\xa0\r\nY: \t t \t \r\n\r\n");
  assert.ok(typeof head === "object");
  assert.deepEqual(head.fields, [["x", "\xa0t\xa0"], ["y", "t"]]);
});

Deno.test("parseHead() takes a head without header lines", () => {
  // Guards the smallest head there is.
  const head = parse("GET / HTTP/1.1\r\n\r\n");
  assert.ok(typeof head === "object");
  assert.deepEqual([head.fields, head.bodyBytes], [[], 0]);
});

Deno.test("parseHead() refuses a body it could not find the end of [GATE-039] [GATE-040] [GATE-041] [GATE-042] [GATE-043] [GATE-044]", () => {
  // Guards the order of the faults too: a malformed length is 400 before a
  // coding is 411, and a coding before a size is 413.
  const rows: [string, string, unknown][] = [
    ["POST", "Content-Length: 65536", 65_536],
    ["POST", "Content-Length: 65537", "413"],
    ["POST", `Content-Length: ${"9".repeat(400)}`, "413"],
    ["POST", `Content-Length: ${"0".repeat(400)}7`, 7],
    ["POST", "Content-Length: +5", "400"],
    ["POST", "Content-Length: 5,5", "400"],
    ["POST", "Content-Length:", "400"],
    ["POST", "Content-Length: \xb2", "400"],
    ["POST", "Content-Length: 5\r\nContent-Length: 5", "400"],
    ["POST", "Content-Length: 99999\r\nContent-Length: 5", "400"],
    ["POST", "Content-Length: x\r\nTransfer-Encoding: chunked", "400"],
    ["POST", "Content-Length: 99999\r\nTransfer-Encoding: chunked", "411"],
    ["GET", "Transfer-Encoding:", "411"],
    ["POST", "X: y", "411"],
    ["GET", "X: y", 0],
    ["GET", "Content-Length: 3", 3],
    ["post", "X: y", 0],
  ];
  for (const [method, lines, due] of rows) {
    const head = parse(`${method} / HTTP/1.1\r\n${lines}\r\n\r\n`);
    const got = typeof head === "object" ? head.bodyBytes : head;
    assert.equal(got, due, `${method} ${lines.slice(0, 60)}`);
  }
});

Deno.test("parseHead() reads the largest head of short lines in time", () => {
  // Guards that a head cannot be shaped to hold the event loop: work grows
  // with its bytes, and its bytes are limited.
  const lines = "a:\r\n".repeat(4_000);
  const bytes = latin1(`GET / HTTP/1.1\r\n${lines}\r\n`);
  parseHead(bytes, bytes.length);
  const start = performance.now();
  const head = parseHead(bytes, bytes.length);
  assert.ok(performance.now() - start < 500);
  assert.ok(typeof head === "object");
  assert.equal(head.fields.length, 4_000);
});
