import assert from "node:assert/strict";
import {
  escapeInvisible,
  quoteVisibly,
  stripFormatting,
} from "../lib/visible_text.ts";

Deno.test("escapeInvisible() escapes every code point of the contract's classes and no other [ALOG-025 ALOG-026]", () => {
  // Guards a terminal: nothing an agent wrote may draw, hide or reorder.
  const classes = [
    /\p{Cc}/u,
    /\p{Cf}/u,
    /\p{Default_Ignorable_Code_Point}/u,
    /\p{Bidi_Control}/u,
    /[\p{Zl}\p{Zp}]/u,
  ];
  for (let point = 0; point <= 0x10ffff; point++) {
    const isSurrogate = point >= 0xd800 && point <= 0xdfff;
    const character = String.fromCodePoint(point);
    const isInvisible = isSurrogate || classes.some((c) => c.test(character));
    const escaped = escapeInvisible(character);
    if (!isInvisible) assert.equal(escaped, character);
    else assert.match(escaped, /^\\(?:[nrt]|u\{[0-9A-F]+\})$/);
  }
});

Deno.test("escapeInvisible() shows the contract's examples", () => {
  // Guards the shape of the escapes.
  const shown = [
    ["\n", "\\n"],
    ["\u001b", "\\u{1B}"],
    ["\u202e", "\\u{202E}"],
    ["\u200b", "\\u{200B}"],
    ["\u{e0041}", "\\u{E0041}"],
    ["\ufe0f", "\\u{FE0F}"],
    ["\u00ad", "\\u{AD}"],
    ["é 日本", "é 日本"],
  ] as const;
  for (const [text, expected] of shown) {
    assert.equal(escapeInvisible(text), expected);
  }
});

Deno.test("quoteVisibly() cannot be closed from inside", () => {
  // Guards that an argument cannot end its quotes and look like another.
  assert.equal(quoteVisibly('a" b="\\\n'), '"a\\" b=\\"\\\\\\n"');
});

Deno.test("stripFormatting() takes mIRC codes and their digits away [SEND-028]", () => {
  // Guards that an audit row cannot be coloured.
  assert.equal(
    stripFormatting("\x02b\x02 \x0304,12red\x03 \x1di\x0f"),
    "b red i",
  );
  assert.equal(
    stripFormatting("\x04ff0000,00ff00x \x11m\x16r\x1es\x1fu"),
    "x mrsu",
  );
  assert.equal(stripFormatting("\x03123"), "3");
});
