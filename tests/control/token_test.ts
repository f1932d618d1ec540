import assert from "node:assert/strict";
import { SecretsFile, TOKEN_ENTRY } from "../../lib/config/secrets_file.ts";
import { generateToken, tokenStore } from "../../lib/control/token.ts";
import { withHome } from "../temp_home.ts";

Deno.test("generateToken() makes 43 random characters of base64url [SET-046]", () => {
  // Guards that a token can be neither guessed nor mangled by a shell.
  const tokens = new Set(Array.from({ length: 200 }, generateToken));
  assert.equal(tokens.size, 200);
  for (const token of tokens) assert.match(token, /^[A-Za-z0-9_-]{43}$/);
});

Deno.test("tokenStore() makes a token once and reuses it [SET-046, SET-047]", async () => {
  // Guards that clients keep working over restarts.
  await withHome(async (home) => {
    const token = await tokenStore(new SecretsFile(home)).load();
    assert.equal(token.length, 43);
    assert.equal(await tokenStore(new SecretsFile(home)).load(), token);
    const renewed = await tokenStore(new SecretsFile(home)).renew();
    assert.notEqual(renewed, token);
    assert.equal(await tokenStore(new SecretsFile(home)).load(), renewed);
  });
});

for (const stored of ["", "short", "a b".repeat(10), "ä".repeat(43)]) {
  Deno.test(`tokenStore() refuses the stored token "${stored}"`, async () => {
    // Guards that an edited file never leads to a token that is no barrier.
    await withHome(async (home) => {
      const secrets = new SecretsFile(home);
      await secrets.change(new Map([[TOKEN_ENTRY, stored]]));
      await assert.rejects(tokenStore(secrets).load(), {
        name: "TokenError",
        message:
          `the token in ${home.secretsFile} is not one that reterm can ` +
          `use: remove its entry and a new one is made`,
      });
    });
  });
}
