import assert from "node:assert/strict";
import {
  CommandWordsError,
  splitCommand,
} from "../../lib/agent/command_words.ts";

Deno.test("splitCommand() goes by its rules and by no others", () => {
  // Guards that no character of a command means what it means to a shell.
  const rows: [string, string[]][] = [
    ["work", ["work"]],
    ["  ./work \t --fast  x ", ["./work", "--fast", "x"]],
    ["a 'b c' \"d e\"", ["a", "b c", "d e"]],
    ["a b'c d'e\"f g\"", ["a", "bc def g"]],
    ["a '' \"\"", ["a", "", ""]],
    [`a '"' "'" "\\"" "\\\\" "\\n"`, ["a", '"', "'", '"', "\\", "\\n"]],
    ["a b\\ c \\' \\\\", ["a", "b c", "'", "\\"]],
    ["a 'b\\' c", ["a", "b\\", "c"]],
    ["a $HOME `id` $(id) *.ts ~ #x", [
      "a",
      "$HOME",
      "`id`",
      "$(id)",
      "*.ts",
      "~",
      "#x",
    ]],
    ["a;b | c && d > e &", ["a;b", "|", "c", "&&", "d", ">", "e", "&"]],
    ["a\nb", ["a\nb"]],
  ];
  for (const [text, words] of rows) {
    assert.deepEqual(splitCommand(text), words, text);
  }
});

Deno.test("splitCommand() refuses what is not finished or names no program", () => {
  // Guards against a command that is other than it was meant.
  const rows: [string, RegExp][] = [
    ["", /names no program/],
    ["  \t", /names no program/],
    ["'' x", /names no program/],
    ["a 'b", /' is not closed/],
    ['a "b', /" is not closed/],
    ['a "b\\"', /" is not closed/],
    ["a b\\", /stands at its end/],
    ["a\0b", /NUL/],
  ];
  for (const [text, message] of rows) {
    assert.throws(() => splitCommand(text), (error) => {
      assert.ok(error instanceof CommandWordsError, text);
      assert.match(error.message, message);
      return true;
    });
  }
});
