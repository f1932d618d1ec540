import assert from "node:assert/strict";
import { masker } from "../../lib/redact/masks.ts";
import { commandOf } from "../../lib/redact/wire_words.ts";
import { MASKED, type MaskVector, UNMASKED } from "./mask_vectors.ts";

const CITED =
  "[RED-001 RED-002 RED-003 RED-004 RED-020 RED-021 RED-022 RED-023 RED-024 " +
  "RED-025 RED-026 RED-027 RED-028 RED-029 RED-030 RED-031 RED-032 RED-033 " +
  "RED-034]";

Deno.test(`line() masks every spelling of a credential ${CITED}`, () => {
  // Guards that no spelling of the contract's table shows a password.
  assert.deepEqual(MASKED.filter(isWrong).map(shown), []);
});

Deno.test("line() returns the same string when nothing is secret [RED-003 RED-029 RED-030 RED-061 RED-077 RED-078]", () => {
  // Guards that masking changes nothing it does not know: text of people, and
  // what the contract lists as not recognised.
  assert.deepEqual(UNMASKED.filter(isWrong).map(shown), []);
});

Deno.test("line() finds a credential behind any tags and source", () => {
  // Guards that no head of a line hides its command.
  for (const head of ["", " ", "@a ", "@a=b  ", ":me ", "@a :me  ", "@ : "]) {
    for (const { origin, line, shown } of MASKED) {
      if (/^[@: ]/.test(line)) continue;
      const masked = masker.line(head + line, origin);
      assert.equal(masked.replace(/^:\S* /, ""), shown, head + line);
    }
  }
});

Deno.test("text() masks a row to a login service [RED-014 RED-015 RED-016]", () => {
  // Guards that a row, unlike a line, is masked by its target and text alone.
  const rows: [string, string, string][] = [
    ["NickServ", "IDENTIFY pw", "IDENTIFY ********"],
    ["nickserv", "  identify a pw", "  identify ********"],
    ["#x,NickServ", "IDENTIFY pw", "IDENTIFY ********"],
    ["NickServ", "hello\nIDENTIFY pw", "hello\nIDENTIFY ********"],
    ["AuthServ", "AUTH a :pw", "AUTH a ********"],
    ["NickServ", ":IDENTIFY pw", ":IDENTIFY pw"],
    ["NickServ", "thanks", "thanks"],
    ["NickServ", "", ""],
    ["", "IDENTIFY pw", "IDENTIFY pw"],
    ["#rete", "IDENTIFY pw", "IDENTIFY pw"],
    ["alice,bob", "IDENTIFY pw", "IDENTIFY pw"],
    ["nobody", "IDENTIFY pw", "IDENTIFY pw"],
  ];
  for (const [target, text, shown] of rows) {
    assert.equal(masker.text(target, text), shown);
  }
});

Deno.test("commandOf() reads past tags and source [RAW-025]", () => {
  // Guards that search_raw and raw subscriptions see the real command.
  const rows: [string, string][] = [
    ["PING :x", "PING"],
    ["ping", "PING"],
    [":irc.example.net 354 me 7", "354"],
    ["@time=x :irc.example.net 354 me", "354"],
    ["@time=x privmsg #x :hi", "PRIVMSG"],
    ["@time=x", ""],
    [":source", ""],
    ["", ""],
  ];
  for (const [line, command] of rows) assert.equal(commandOf(line), command);
});

function isWrong({ origin, line, shown }: MaskVector): boolean {
  return masker.line(line, origin) !== shown;
}

function shown({ origin, line, shown }: MaskVector): string {
  return `${origin}: ${line} -> ${masker.line(line, origin)}, not ${shown}`;
}
