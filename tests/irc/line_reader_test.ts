import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { LineReader, MAX_LINE_BYTES } from "../../lib/irc/line_reader.ts";

function readAll(chunks: (string | Uint8Array)[]): string[] {
  const reader = new LineReader();
  const lines: string[] = [];
  for (const chunk of chunks) {
    reader.push(
      typeof chunk === "string" ? Buffer.from(chunk) : Buffer.from(chunk),
    );
    for (let line = reader.next(); line !== undefined; line = reader.next()) {
      lines.push(line);
    }
  }
  return lines;
}

Deno.test("LineReader decodes a character split over two reads", () => {
  // Guards that decoding by chunk does not tear characters apart.
  const bytes = Buffer.from("PRIVMSG #room :café\r\n");
  const split = bytes.indexOf(0xc3) + 1;
  assert.deepEqual(
    readAll([bytes.subarray(0, split), bytes.subarray(split)]),
    ["PRIVMSG #room :café"],
  );
});

Deno.test("LineReader reads a byte at a time as it reads all at once", () => {
  // Guards that no line depends on where the network cut it.
  const bytes = Buffer.from("a\r\n\r\nb c\n:d é\r\r\n");
  assert.deepEqual(
    readAll([...bytes].map((byte) => Uint8Array.of(byte))),
    readAll([bytes]),
  );
  assert.deepEqual(readAll([bytes]), ["a", "", "b c", ":d é"]);
});

Deno.test("LineReader falls back to Latin-1 for one line only", () => {
  // Guards that bytes that are not UTF-8 are kept, and change no other line.
  const lines = readAll([
    Buffer.concat([
      Buffer.from("PRIVMSG #room :na"),
      Uint8Array.of(0xef),
      Buffer.from("ve\r\nPRIVMSG #room :naïve\r\n"),
    ]),
  ]);
  assert.deepEqual(lines, ["PRIVMSG #room :naïve", "PRIVMSG #room :naïve"]);
});

Deno.test("LineReader never gives out a lone surrogate", () => {
  // Guards that results made from lines are valid JSON everywhere.
  const surrogate = Uint8Array.of(0x61, 0xed, 0xa0, 0x80, 0x0a);
  const [line = ""] = readAll([surrogate]);
  assert.equal(line, "a\u00ed\u00a0\u0080");
  assert.equal(line.isWellFormed(), true);
});

Deno.test("LineReader keeps a byte order mark, a NUL and an inner CR", () => {
  // Guards that nothing of a line is lost, and that only LF ends one.
  assert.deepEqual(readAll(["\ufeffa\0b\rc\r\n"]), ["\ufeffa\0b\rc"]);
});

Deno.test("LineReader takes a line of exactly the bound", () => {
  // Guards that the longest tagged line of IRCv3 passes, and the bound itself.
  const longest = `@${"t".repeat(8_189)} ${"x".repeat(510)}`;
  assert.deepEqual(readAll([`${longest}\r\n`]), [longest]);
  const full = "y".repeat(MAX_LINE_BYTES);
  assert.deepEqual(readAll([`${full}\n`]), [full]);
});

Deno.test("LineReader drops an over-long line and goes on", () => {
  // Guards that a server cannot grow memory by never ending a line, and that
  // the lines after it are read.
  const reader = new LineReader(64);
  const chunk = Buffer.alloc(1_024, 0x61);
  for (let i = 0; i < 1_024; i++) {
    reader.push(chunk);
    assert.equal(reader.next(), undefined);
  }
  reader.push(Buffer.from(`tail\nafter\n${"b".repeat(65)}\nlast\n`));
  assert.equal(reader.next(), "after");
  assert.equal(reader.next(), "last");
  assert.equal(reader.next(), undefined);
  assert.equal(reader.discarded, 2);
});
