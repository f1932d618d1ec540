import assert from "node:assert/strict";
import { isPossibleNick, nickChoices } from "../../lib/irc/nick_choice.ts";

Deno.test("nickChoices() tries the others, then appends, then shortens", () => {
  // Guards that a nick in use never keeps us out for long, and that it ends.
  assert.deepEqual(nickChoices("me", ["me2", "me"]), [
    "me",
    "me2",
    "me_",
    "me__",
    "me___",
  ]);
  assert.deepEqual(nickChoices("alicealice", []), [
    "alicealice",
    "alicealice_",
    "alicealice__",
    "alicealice___",
    "aliceali_",
    "aliceal__",
    "alicea___",
  ]);
});

Deno.test("isPossibleNick() refuses what would not stay one parameter", () => {
  // Guards against a second parameter or line in a nick.
  for (const nick of ["", "a b", "a\nb", "a\0b", ":a", "a,b", "a!b", "a@b"]) {
    assert.equal(isPossibleNick(nick), false, JSON.stringify(nick));
  }
  for (const nick of ["a", "[a]|^_`{}\\-", "Zoë", "4a"]) {
    assert.equal(isPossibleNick(nick), true, nick);
  }
});
