import assert from "node:assert/strict";
import { detach, Interner } from "../../lib/buffers/interner.ts";

Deno.test("detach() and Interner.intern() give back the same characters", () => {
  // Guards that what saves memory changes no text.
  const interner = new Interner();
  for (
    const text of [
      "",
      "a",
      "short",
      "naïve 🙂 text that is long enough",
      "x".repeat(500),
    ]
  ) {
    assert.equal(detach(text), text);
    assert.equal(interner.intern(text), text);
    assert.equal(interner.intern(text), text);
  }
});

Deno.test("Interner goes on past its bound", () => {
  // Guards that a flood of names neither grows it nor breaks it.
  const interner = new Interner();
  for (let i = 0; i < 20_000; i++) interner.intern(`name-number-${i}`);
  assert.equal(interner.intern("name-number-3"), "name-number-3");
});
