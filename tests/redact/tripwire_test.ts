import assert from "node:assert/strict";
import { hasCredentialShape } from "../../lib/redact/tripwire.ts";
import { masker } from "../../lib/redact/masks.ts";
import { MASKED } from "./mask_vectors.ts";

Deno.test("hasCredentialShape() finds a PASS whose password is no mask [RED-056 RED-057 RED-067]", () => {
  // Guards that a PASS the masks never saw does not leave.
  const lines = [
    "PASS hunter2",
    "PASS :hunter2",
    "pass hunter2",
    "PASS ******* ",
    "PASS :********x",
    "PASS :******** hunter2",
    "PASS ******** hunter2",
    "@a=b PASS hunter2",
    "@a=b :me PASS hunter2",
    ":me PASS :hunter2",
    "  PASS   hunter2",
    ": PASS hunter2",
    "PASS hunter2\r\n",
    "PASS \nhunter2",
  ];
  assert.deepEqual(lines.filter((line) => !hasCredentialShape(line)), []);
});

Deno.test("hasCredentialShape() finds an AUTHENTICATE with a payload [RED-058 RED-068]", () => {
  // Guards that neither a payload nor a server's challenge leaves.
  const lines = [
    "AUTHENTICATE aGk=",
    "AUTHENTICATE :aGk=",
    ":irc.example.net AUTHENTICATE cj1meWtv",
    "AUTHENTICATE *",
    "AUTHENTICATE plain",
    "AUTHENTICATE PLAINx",
    "AUTHENTICATE PLAIN aGk=",
    "AUTHENTICATE + aGk=",
    "authenticate aGk=",
  ];
  assert.deepEqual(lines.filter((line) => !hasCredentialShape(line)), []);
});

Deno.test("hasCredentialShape() finds an OPER with an unmasked password [RED-059 RED-067]", () => {
  // Guards that /quote OPER is withheld from the raw view.
  const lines = [
    "OPER me pw",
    "OPER me :p w",
    "OPER me ******** pw",
    "OPER pw",
    "@a=b :me oper me pw",
  ];
  assert.deepEqual(lines.filter((line) => !hasCredentialShape(line)), []);
});

Deno.test("hasCredentialShape() passes masks and what is no credential [RED-058 RED-060]", () => {
  // Guards that the tripwire hides nothing but credentials.
  const lines = [
    "",
    " ",
    "@only-tags",
    ":only.source",
    "PASS",
    "PASS :********",
    "OPER",
    "OPER me ********",
    "OPER ********",
    "AUTHENTICATE",
    "AUTHENTICATE +",
    "AUTHENTICATE ********",
    "AUTHENTICATE PLAIN",
    "AUTHENTICATE EXTERNAL",
    "AUTHENTICATE SCRAM-SHA-256",
    ":alice!a@h PRIVMSG #rete :PASS hunter2",
    "PRIVMSG #rete :OPER me pw",
    "PRIVMSG PASS hunter2",
    "PASSWORD hunter2",
    ":PASS hunter2",
    "@PASS hunter2",
  ];
  assert.deepEqual(lines.filter(hasCredentialShape), []);
});

Deno.test("hasCredentialShape() passes every masked form", () => {
  // Guards that what the masks make is not taken for a credential again.
  const shown = MASKED.map(({ line, origin }) => masker.line(line, origin));
  assert.deepEqual(shown.filter(hasCredentialShape), []);
});
