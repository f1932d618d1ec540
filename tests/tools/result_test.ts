import assert from "node:assert/strict";
import {
  EncodedRows,
  encodeJson,
  isoTime,
  utf8Length,
} from "../../lib/tools/result.ts";

Deno.test("encodeJson() is compact with keys sorted at every depth [MCP-023 MCP-024]", () => {
  // Guards that equal results are equal texts, the payload included.
  const value = { b: [{ z: 1, a: { d: true, c: "x" } }], a: 0, B: null };
  assert.equal(
    encodeJson(value),
    '{"B":null,"a":0,"b":[{"a":{"c":"x","d":true},"z":1}]}',
  );
});

Deno.test("encodeJson() omits undefined fields and never writes null for them [MCP-025]", () => {
  // Guards that an absent optional field is not there at all.
  assert.equal(encodeJson({ a: undefined, b: { c: undefined } }), '{"b":{}}');
});

Deno.test("encodeJson() lets no lone surrogate out", () => {
  // Guards that a result is valid text for every parser, whatever came in.
  const text = encodeJson({ "k\ud800": ["\udc00x", "\u{1F600}"] });
  assert.equal(text, '{"k\ufffd":["\ufffdx","\u{1F600}"]}');
  assert.ok(text.isWellFormed());
});

Deno.test("encodeJson() writes encoded rows as they are", () => {
  // Guards that measuring a row and sending it are one encoding.
  const rows = new EncodedRows(['{"seq":1}', '{"seq":2}']);
  assert.equal(encodeJson({ rows }), '{"rows":[{"seq":1},{"seq":2}]}');
});

Deno.test("encodeJson() keeps numbers, booleans and keys like __proto__", () => {
  // Guards that no key of a payload is taken for something else.
  const value = JSON.parse('{"__proto__":{"x":1},"n":-0.5,"t":false}');
  assert.equal(encodeJson(value), '{"__proto__":{"x":1},"n":-0.5,"t":false}');
});

Deno.test("utf8Length() agrees with the encoder", () => {
  // Guards the budget: it counts bytes that are really sent.
  for (
    const text of ["", "abc", "é", "€", "😀", "a😀é€z", "\ud800", "x\udc00y"]
  ) {
    assert.equal(utf8Length(text), new TextEncoder().encode(text).length, text);
  }
});

Deno.test("isoTime() gives the whole second, truncated [MCP-026]", () => {
  // Guards the one form of time in every result.
  const cases: [number, string][] = [
    [Date.parse("2026-09-30T12:00:00.000Z"), "2026-09-30T12:00:00Z"],
    [Date.parse("2026-09-30T12:00:00.999Z"), "2026-09-30T12:00:00Z"],
    [-1, "1969-12-31T23:59:59Z"],
    [Number.NaN, "1970-01-01T00:00:00Z"],
    [1e300, "9999-12-31T23:59:59Z"],
    [-1e300, "0000-01-01T00:00:00Z"],
  ];
  for (const [ms, text] of cases) assert.equal(isoTime(ms), text);
});
