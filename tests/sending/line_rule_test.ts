import assert from "node:assert/strict";
import { findLineFault } from "../../lib/sending/line_rule.ts";

const TAGGED = { hasMessageTags: true };
const PLAIN = { hasMessageTags: false };

Deno.test("findLineFault() finds each line break and NUL, ends included [SEND-005 SEND-006]", () => {
  // Guards that no line can become two on the wire.
  const breaks = ["\r", "\n", "\v", "\f", "\u0085", "\u2028", "\u2029", "\0"];
  for (const character of breaks) {
    for (const line of [`A${character}B`, `${character}A`, `A${character}`]) {
      assert.equal(findLineFault(line, TAGGED), "line-break");
    }
    assert.equal(findLineFault(character, TAGGED), "line-break");
  }
});

Deno.test("findLineFault() finds an empty line and one of whitespace [ERR-021]", () => {
  // Guards that nothing is sent for a line that says nothing.
  for (const line of ["", " ", "\t \t", "\u00a0\u3000"]) {
    assert.equal(findLineFault(line, TAGGED), "empty");
  }
});

Deno.test("findLineFault() counts 510 bytes of message, not of tags [SEND-007 SEND-008]", () => {
  // Guards the limit in bytes: a server would cut what passes it.
  assert.equal(findLineFault("a".repeat(510), PLAIN), undefined);
  assert.equal(findLineFault("a".repeat(511), PLAIN), "too-long");
  assert.equal(findLineFault("é".repeat(255), PLAIN), undefined);
  assert.equal(findLineFault("é".repeat(256), PLAIN), "too-long");
  const tags = "@a=" + "x".repeat(4092);
  assert.equal(findLineFault(`${tags} ${"a".repeat(510)}`, TAGGED), undefined);
  assert.equal(findLineFault(`${tags} ${"a".repeat(511)}`, TAGGED), "too-long");
});

Deno.test("findLineFault() counts 4094 bytes of tag data [SEND-009]", () => {
  // Guards the tag limit, with and without a message after the tags.
  const fits = "@" + "x".repeat(4094);
  assert.equal(findLineFault(`${fits} PING a`, TAGGED), undefined);
  assert.equal(findLineFault(`${fits}x PING a`, TAGGED), "tags-too-long");
  assert.equal(findLineFault(`${fits}x`, TAGGED), "tags-too-long");
  assert.equal(
    findLineFault("@" + "é".repeat(2048) + " PING a", TAGGED),
    "tags-too-long",
  );
});

Deno.test("findLineFault() finds tags that no message follows [SEND-010 SEND-011 SEND-012]", () => {
  // Guards that a line of tags alone is refused in its own words.
  for (const line of ["@a=b", "@", "@ x", "@a=b ", "@a=b   "]) {
    assert.equal(findLineFault(line, TAGGED), "tags-without-message");
  }
});

Deno.test("findLineFault() wants message-tags for a tagged line, last [ERR-022]", () => {
  // Guards the order of the rules: the capability is asked after the rest.
  const line = "@+typing=active TAGMSG #r";
  assert.equal(findLineFault(line, PLAIN), "tags-not-negotiated");
  assert.equal(findLineFault(line, TAGGED), undefined);
  assert.equal(findLineFault("@a=b", PLAIN), "tags-without-message");
  assert.equal(findLineFault("PRIVMSG #r :@a=b c", PLAIN), undefined);
});
