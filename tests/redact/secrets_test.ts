import assert from "node:assert/strict";
import { NO_SECRETS, SecretScan } from "../../lib/redact/secrets.ts";

Deno.test("SecretScan finds whole values only [RED-071]", () => {
  // Guards that a row is withheld exactly when it holds a secret, not a part.
  const scan = new SecretScan(["hunter2"]);
  assert.equal(scan.inText("it is hunter2!"), true);
  assert.equal(scan.inText("xhunter2y"), true);
  assert.equal(scan.inText("it is hunter"), false);
  assert.equal(scan.inText("it is Hunter2"), false);
  assert.equal(scan.inText(""), false);
});

Deno.test("SecretScan looks for nothing under four bytes [RED-070]", () => {
  // Guards that a two-byte key does not withhold nearly everything, and that
  // the measure is bytes.
  const scan = new SecretScan(["", "k", "key", "é€"]);
  assert.equal(scan.inText("the key k is é€"), true);
  assert.equal(scan.inText("the key k is"), false);
  assert.equal(new SecretScan(["abc"]).isEmpty, true);
  assert.equal(new SecretScan(["abcd"]).isEmpty, false);
});

Deno.test("SecretScan withholds a word that is also a channel key [RED-069]", () => {
  // Guards that the scan fails closed on an ordinary word.
  const scan = new SecretScan(["open"]);
  assert.equal(scan.inText("the door is opening"), true);
  assert.equal(scan.inValue({ text: "reopened" }), true);
});

Deno.test("SecretScan looks at strings and keys at any depth", () => {
  // Guards that no nesting of a row or section hides a secret.
  const scan = new SecretScan(["hunter2"]);
  const holding = [
    "hunter2",
    ["a", ["hunter2"]],
    { a: { b: [{ c: "x hunter2" }] } },
    { hunter2: 1 },
    { a: { "b hunter2": true } },
  ];
  for (const value of holding) assert.equal(scan.inValue(value), true);
  for (const value of [null, undefined, 7, true, {}, [], { a: "hunter" }]) {
    assert.equal(scan.inValue(value), false);
  }
});

Deno.test("isCutInside() wants four bytes of a start and no more", () => {
  // Guards the cut rule on the scan itself: starts, not middles or ends.
  const scan = new SecretScan(["hunter2", "abcdef"]);
  const rows: [string, boolean][] = [
    ["", false],
    ["hun", false],
    ["hunt", true],
    ["x hunter", true],
    ["unter2", false],
    ["xabcd", true],
    ["abcd ", false],
  ];
  for (const [kept, isCut] of rows) assert.equal(scan.isCutInside(kept), isCut);
  assert.equal(NO_SECRETS.isCutInside("hunter"), false);
});
