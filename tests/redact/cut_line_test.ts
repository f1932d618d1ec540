import assert from "node:assert/strict";
import {
  cutLine,
  holdsSecret,
  MAX_STORED_BYTES,
} from "../../lib/redact/cut_line.ts";
import { SecretScan } from "../../lib/redact/secrets.ts";

const encoder = new TextEncoder();

Deno.test("cutLine() keeps 2,048 bytes and counts the rest [RAW-008 RLOG-030]", () => {
  // Guards the stored length, to the byte, and the number in the mark.
  const whole = "x".repeat(2048);
  assert.deepEqual(cutLine(whole), { text: whole, keptUnits: undefined });
  assert.deepEqual(cutLine(whole + "y"), {
    text: `${whole}…[+1 bytes]`,
    keptUnits: 2048,
  });
  assert.deepEqual(cutLine(whole + "y".repeat(8702)), {
    text: `${whole}…[+8702 bytes]`,
    keptUnits: 2048,
  });
  assert.deepEqual(cutLine(""), { text: "", keptUnits: undefined });
});

Deno.test("cutLine() cuts between characters", () => {
  // Guards that no half of a character, nor a lone surrogate, comes out.
  for (const character of ["é", "€", "😀"]) {
    const size = encoder.encode(character).length;
    for (let lead = 2040; lead <= 2048; lead++) {
      const { text, keptUnits = 0 } = cutLine(
        "x".repeat(lead) + character.repeat(6),
      );
      const kept = encoder.encode(text.slice(0, keptUnits)).length;
      const total = lead + 6 * size;
      assert.ok(kept <= MAX_STORED_BYTES && kept > MAX_STORED_BYTES - size);
      assert.equal((kept - lead) % size, 0);
      assert.equal(text.slice(keptUnits), `…[+${total - kept} bytes]`);
      assert.ok(text.isWellFormed());
    }
  }
});

Deno.test("cutLine() leaves short lines of wide characters whole", () => {
  // Guards the bound being bytes and not characters.
  const exact = "€".repeat(682) + "xx";
  assert.equal(cutLine(exact).text, exact);
  assert.equal(cutLine(exact + "x").text, `${exact}…[+1 bytes]`);
});

Deno.test("holdsSecret() finds a secret that the cut splits [RED-048 RED-072]", () => {
  // Guards that four bytes or more of a secret do not stay before a cut, and
  // that up to three may.
  const secrets = new SecretScan(["hunter2!"]);
  const cases: [number, boolean][] = [
    [0, false],
    [1, false],
    [3, false],
    [4, true],
    [7, true],
    [8, true],
  ];
  for (const [kept, isFound] of cases) {
    const line = cutLine("x".repeat(2048 - kept) + "hunter2!" + "y".repeat(9));
    assert.equal(holdsSecret(line, secrets), isFound, `${kept} bytes kept`);
  }
});

Deno.test("holdsSecret() measures a secret's start in bytes", () => {
  // Guards the rule for secrets that are not ASCII: two characters of two
  // bytes are four.
  const secrets = new SecretScan(["äöü"]);
  const cut = (kept: string) =>
    holdsSecret(
      { text: `x${kept}…[+9 bytes]`, keptUnits: 1 + kept.length },
      secrets,
    );
  assert.equal(cut("ä"), false);
  assert.equal(cut("äö"), true);
});

Deno.test("holdsSecret() takes a whole line's end for no cut", () => {
  // Guards that a stranger writing the mark does not withhold a line.
  const secrets = new SecretScan(["hunter2!"]);
  const line = cutLine("hunter…[+3 bytes]");
  assert.equal(holdsSecret(line, secrets), false);
  assert.equal(holdsSecret(cutLine("a hunter2! b"), secrets), true);
});
