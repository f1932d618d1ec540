import assert from "node:assert/strict";
import {
  SecretsFile,
  secretsOfSession,
  sessionEntryName,
  TOKEN_ENTRY,
} from "../../lib/config/secrets_file.ts";
import { modeOf, withHome } from "../temp_home.ts";

const ID = "6F1C3B1E-2F0B-4C53-9D0F-2F6B7A1C9E10";

Deno.test("SecretsFile keeps one flat object of base64 values, mode 0600 [SET-052, SET-053]", async () => {
  // Guards the form that the contract and other tools of the person rely on.
  await withHome(async (home) => {
    const file = new SecretsFile(home);
    await file.change(new Map([[TOKEN_ENTRY, "tøken"]]));
    assert.deepEqual(JSON.parse(await Deno.readTextFile(home.secretsFile)), {
      "Rete Control/mcp-token-reterm": "dMO4a2Vu",
    });
    assert.equal(await modeOf(home.secretsFile), 0o600);
    assert.deepEqual([...await file.read()], [[TOKEN_ENTRY, "tøken"]]);
  });
});

Deno.test("SecretsFile leaves the entries of others alone [SET-048]", async () => {
  // Guards that one frontend's new token does not cost another its own.
  await withHome(async (home) => {
    const other = { "Rete Control/mcp-token": "YWJj" };
    await Deno.writeTextFile(home.secretsFile, JSON.stringify(other), {
      mode: 0o600,
    });
    await new SecretsFile(home).change(new Map([[TOKEN_ENTRY, "t"]]));
    assert.deepEqual(JSON.parse(await Deno.readTextFile(home.secretsFile)), {
      ...other,
      [TOKEN_ENTRY]: "dA==",
    });
  });
});

for (const mode of [0o640, 0o604, 0o660, 0o602, 0o610, 0o644]) {
  Deno.test(`SecretsFile refuses mode ${mode.toString(8)}, and writes nothing`, async () => {
    // Guards that a secret that others could have read or set is not used.
    await withHome(async (home) => {
      const text = `{"${TOKEN_ENTRY}": "YWJj"}`;
      await Deno.writeTextFile(home.secretsFile, text);
      await Deno.chmod(home.secretsFile, mode);
      const file = new SecretsFile(home);
      const words = {
        kind: "exposed",
        message: `${home.secretsFile} can be read or written by others: ` +
          `run chmod 600 ${home.secretsFile}`,
      };
      await assert.rejects(file.read(), words);
      await assert.rejects(file.change(new Map([["a", "b"]])), words);
      assert.equal(await Deno.readTextFile(home.secretsFile), text);
      assert.equal(await modeOf(home.secretsFile), mode);
    });
  });
}

Deno.test("SecretsFile refuses a folder in which anyone can replace it", async () => {
  // Guards that the file's own mode is not all that keeps it.
  await withHome(async (home) => {
    await Deno.chmod(home.folder, 0o777);
    await assert.rejects(new SecretsFile(home).read(), {
      kind: "exposed",
      message: `anyone can replace the files in ${home.folder}: ` +
        `run chmod 700 ${home.folder}`,
    });
  });
});

Deno.test("SecretsFile refuses a file of another user", async () => {
  // Guards that nobody else decides which token is served.
  await withHome(async (home) => {
    await Deno.writeTextFile(home.secretsFile, "{}", { mode: 0o600 });
    const file = new SecretsFile(home, () => 4_000_000);
    await assert.rejects(file.read(), { kind: "owner" });
  });
});

const DAMAGED: readonly (readonly [string, string])[] = [
  [
    `{"a": "c2VjcmV0"`,
    'line 1, column 17: expected "," or "}" after the value',
  ],
  [`["c2VjcmV0"]`, "line 1: expected an object in { }"],
  [
    `{\n"a": "c2VjcmV0!"}`,
    "line 2: expected base64 of UTF-8 text in double quotes",
  ],
  [`{"a": "//8="}`, "line 1: expected base64 of UTF-8 text in double quotes"],
  [`{"a": 7}`, "line 1: expected base64 of UTF-8 text in double quotes"],
  [
    `{"a": {"b": "c2VjcmV0"}}`,
    "line 1: expected base64 of UTF-8 text in double quotes",
  ],
];

for (const [text, words] of DAMAGED) {
  Deno.test(`SecretsFile refuses ${JSON.stringify(text)} without showing it`, async () => {
    // Guards that a damaged file is left alone, and no error holds a value.
    await withHome(async (home) => {
      await Deno.writeTextFile(home.secretsFile, text, { mode: 0o600 });
      const file = new SecretsFile(home);
      const error = await file.change(new Map([["x", "y"]])).then(
        () => undefined,
        (error) => error,
      );
      assert.equal(error?.kind, "damaged");
      assert.equal(error.message, `${home.secretsFile}, ${words}`);
      assert.ok(!error.message.includes("c2VjcmV0"));
      assert.equal(await Deno.readTextFile(home.secretsFile), text);
    });
  });
}

Deno.test("secretsOfSession() picks the session's own by their names", () => {
  // Guards that one network's password never goes to another.
  const other = "00000000-0000-4000-8000-000000000000";
  const entries = new Map([
    [sessionEntryName(ID, "password"), "p"],
    [sessionEntryName(ID, "sasl-password"), "s"],
    [sessionEntryName(ID, "tls-client-key"), "k"],
    [sessionEntryName(ID, "channel-key", "#a"), "1"],
    [sessionEntryName(ID, "channel-key", "#b"), "2"],
    [sessionEntryName(other, "password"), "no"],
    [sessionEntryName(other, "channel-key", "#c"), "no"],
  ]);
  assert.deepEqual(secretsOfSession(entries, ID), {
    password: "p",
    saslPassword: "s",
    tlsClientKey: "k",
    channelKeys: new Map([["#a", "1"], ["#b", "2"]]),
  });
  assert.deepEqual(
    [...entries.keys()].slice(0, 4),
    [
      `Rete Session ${ID}/password`,
      `Rete Session ${ID}/sasl-password`,
      `Rete Session ${ID}/tls-client-key`,
      `Rete Session ${ID}/channel-key #a`,
    ],
  );
});

Deno.test("SecretsFile forgets all of a session and nothing else", async () => {
  // Guards that a removed session leaves no password behind.
  await withHome(async (home) => {
    const file = new SecretsFile(home);
    await file.change(
      new Map([
        [sessionEntryName(ID, "password"), "p"],
        [sessionEntryName(ID, "channel-key", "#a"), "1"],
        [TOKEN_ENTRY, "t"],
      ]),
    );
    await file.forgetSession(ID);
    assert.deepEqual([...await file.read()], [[TOKEN_ENTRY, "t"]]);
  });
});
