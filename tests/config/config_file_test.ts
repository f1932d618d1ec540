import assert from "node:assert/strict";
import { ConfigFile } from "../../lib/config/config_file.ts";
import { modeOf, withHome } from "../temp_home.ts";

const ID = "6f1c3b1e-2f0b-4c53-9d0f-2f6b7a1c9e10";
const SESSION = { id: ID, host: "127.0.0.1", nick: "alice" };

/** Reads a configuration from its text. */
async function read(text: string) {
  let config;
  await withHome(async (home) => {
    await Deno.writeTextFile(home.configFile, text);
    config = await new ConfigFile(home).read();
  });
  return config;
}

/** The error that a text gives, its path taken off, and that it is untouched. */
async function refusal(text: string | Uint8Array): Promise<string> {
  let words = "";
  await withHome(async (home) => {
    const bytes = typeof text === "string"
      ? new TextEncoder().encode(text)
      : text;
    await Deno.writeFile(home.configFile, bytes);
    const file = new ConfigFile(home);
    for (
      const act of [
        () => file.read(),
        () => file.set(["control", "port"], 8000),
        () => file.addSession(SESSION),
        () => file.removeSession(ID.toUpperCase()),
      ]
    ) {
      const error = await act().then(() => undefined, (error) => error);
      assert.equal(error?.name, "ConfigError");
      assert.ok(error.message.includes(home.configFile), error.message);
      words = error.message.replace(home.configFile, "config.json");
    }
    assert.deepEqual(await Deno.readFile(home.configFile), bytes);
  });
  return words;
}

Deno.test("ConfigFile gives the defaults when there is no file [SET-001, SET-003, SET-012]", async () => {
  // Guards that nothing is served to anyone before a person asked for it.
  await withHome(async (home) => {
    assert.deepEqual(await new ConfigFile(home).read(), {
      enabled: false,
      debug: false,
      port: 7422,
      floodThrottle: true,
      bufferLimit: 20_000,
      sessions: [],
      warnings: [],
    });
  });
});

Deno.test("ConfigFile fills in a session of three fields", async () => {
  // Guards the defaults that a first configuration rests on.
  assert.deepEqual(await read(JSON.stringify({ sessions: [SESSION] })), {
    enabled: false,
    debug: false,
    port: 7422,
    floodThrottle: true,
    bufferLimit: 20_000,
    sessions: [{
      id: ID.toUpperCase(),
      name: "127.0.0.1",
      host: "127.0.0.1",
      port: 6697,
      tls: true,
      tlsVerify: true,
      nick: "alice",
      altNicks: [],
      username: "alice",
      realname: "alice",
      channels: [],
      autoconnect: true,
    }],
    warnings: [],
  });
});

Deno.test("ConfigFile reads every field", async () => {
  // Guards that each documented name means what it says.
  const config = await read(JSON.stringify({
    control: { enabled: true, debug: true, port: 1024 },
    flood_throttle: false,
    buffer_limit: 1_000_000,
    sessions: [{
      ...SESSION,
      name: "Libera",
      port: 6667,
      tls: false,
      tls_ca: "ca.pem",
      tls_verify: false,
      tls_client_cert: "me.pem",
      socks5: "[::1]:1080",
      alt_nicks: ["alice_", "al[i]ce"],
      username: "al",
      realname: "Alice A",
      sasl: { mechanism: "SCRAM-SHA-256", account: "alice", required: false },
      channels: ["#rete", "&local"],
      autoconnect: false,
    }],
  }));
  assert.deepEqual(config, {
    enabled: true,
    debug: true,
    port: 1024,
    floodThrottle: false,
    bufferLimit: 1_000_000,
    sessions: [{
      id: ID.toUpperCase(),
      name: "Libera",
      host: "127.0.0.1",
      port: 6667,
      tls: false,
      tlsCaPath: "ca.pem",
      tlsVerify: false,
      tlsClientCertPath: "me.pem",
      socks5: { host: "::1", port: 1080 },
      nick: "alice",
      altNicks: ["alice_", "al[i]ce"],
      username: "al",
      realname: "Alice A",
      sasl: { mechanism: "SCRAM-SHA-256", account: "alice", required: false },
      channels: ["#rete", "&local"],
      autoconnect: false,
    }],
    warnings: [],
  });
});

const one = (fields: unknown) =>
  JSON.stringify({ sessions: [{ ...SESSION, ...(fields as object) }] });

const REFUSED: readonly (readonly [string, string | Uint8Array, string])[] = [
  [
    "a missing comma",
    '{\n  "flood_throttle": true\n  "buffer_limit": 2000\n}',
    'config.json, line 3, column 3: expected "," or "}" after the value',
  ],
  ["an empty file", "", "config.json, line 1, column 1: expected a value"],
  [
    "bytes that are not UTF-8",
    new Uint8Array([0x7b, 0xff, 0x7d]),
    "Cannot use config.json: it is not UTF-8 text.",
  ],
  [
    "a file beyond all measure",
    new Uint8Array(1_048_577).fill(32),
    "Cannot use config.json: it is over 1048576 bytes.",
  ],
  [
    "a list in place of an object",
    "[]",
    "config.json: the file (line 1): expected an object in { }",
  ],
  [
    "an unknown name",
    '{\n "contrl": {}\n}',
    "config.json: contrl (line 2): expected only these names: control, " +
    "flood_throttle, buffer_limit, sessions",
  ],
  [
    "a secret in a session",
    one({ password: "hunter2" }),
    "config.json: sessions[0].password (line 1): expected only these names: " +
    "id, name, host, port, tls, tls_ca, tls_verify, tls_client_cert, socks5, " +
    "nick, alt_nicks, username, realname, sasl, channels, autoconnect",
  ],
  [
    "a switch in words",
    '{"control": {"enabled": "on"}}',
    "config.json: control.enabled (line 1): expected true or false",
  ],
  [
    "a port below the range [SET-014]",
    '{"control": {"port": 1023}}',
    "config.json: control.port (line 1): expected a whole number from 1024 to 65535",
  ],
  [
    "a port above the range [SET-014]",
    '{"control": {"port": 65536}}',
    "config.json: control.port (line 1): expected a whole number from 1024 to 65535",
  ],
  [
    "a port that is text",
    '{"control": {"port": "7422"}}',
    "config.json: control.port (line 1): expected a whole number from 1024 to 65535",
  ],
  [
    "a buffer limit out of range",
    '{"buffer_limit": 999}',
    "config.json: buffer_limit (line 1): expected a whole number from 1000 to 1000000",
  ],
  [
    "a session without a nick",
    JSON.stringify({ sessions: [{ id: ID, host: "h" }] }),
    'config.json: sessions[0] (line 1): expected "nick" in it',
  ],
  [
    "an id that is no UUID",
    one({ id: "1" }),
    "config.json: sessions[0].id (line 1): expected a UUID such as " +
    "6F1C3B1E-2F0B-4C53-9D0F-2F6B7A1C9E10",
  ],
  [
    "an id twice, in any case",
    JSON.stringify({
      sessions: [SESSION, { ...SESSION, id: ID.toUpperCase() }],
    }),
    "config.json: sessions[1].id (line 1): expected an id that no other " +
    "session has",
  ],
  [
    "a host with a port",
    one({ host: "irc.libera.chat:6697" }),
    "config.json: sessions[0].host (line 1): expected a host name or address " +
    "without a port",
  ],
  [
    "a line break in a nick",
    one({ nick: "a\r\nQUIT" }),
    "config.json: sessions[0].nick (line 1): expected a nick, without spaces " +
    "or any of , ! @ * ? without control characters",
  ],
  [
    "a channel with its key",
    one({ channels: ["#a", "#b key"] }),
    "config.json: sessions[0].channels[1] (line 1): expected a channel name " +
    "such as #rete, without key, spaces or commas",
  ],
  [
    "SASL PLAIN without an account",
    one({ sasl: { mechanism: "PLAIN" } }),
    'config.json: sessions[0].sasl (line 1): expected "account" in it, for PLAIN',
  ],
  [
    "an unknown SASL mechanism",
    one({ sasl: { mechanism: "LOGIN", account: "a" } }),
    'config.json: sessions[0].sasl.mechanism (line 1): expected "PLAIN" or ' +
    '"EXTERNAL" or "SCRAM-SHA-256"',
  ],
  [
    "a proxy without a port",
    one({ socks5: "127.0.0.1" }),
    "config.json: sessions[0].socks5 (line 1): expected host:port, such as " +
    "127.0.0.1:1080",
  ],
];

for (const [name, text, words] of REFUSED) {
  Deno.test(`ConfigFile refuses ${name}, and leaves the file as it is`, async () => {
    // Guards that a damaged file is told of in words and never overwritten.
    assert.equal(await refusal(text), words);
  });
}

Deno.test("ConfigFile ignores a saved control.send with a warning [SET-007]", async () => {
  // Guards that sending is off at every launch, whatever a file says.
  await withHome(async (home) => {
    const text = '{"control": {"send": true}}';
    await Deno.writeTextFile(home.configFile, text);
    const config = await new ConfigFile(home).read();
    assert.deepEqual(config.warnings, [
      `${home.configFile}: control.send is ignored: it is never saved, and is ` +
      `off until reterm set control.send on`,
    ]);
    assert.equal("send" in config, false);
    assert.equal(await Deno.readTextFile(home.configFile), text);
  });
});

Deno.test("ConfigFile keeps what the person wrote around an edit", async () => {
  // Guards that a command does not take a file's layout away.
  await withHome(async (home) => {
    const text = '{ "buffer_limit": 5000,\n\t"control": {"port": 8000} }';
    await Deno.writeTextFile(home.configFile, text);
    const config = await new ConfigFile(home).set(["control", "port"], 9000);
    assert.equal(config.port, 9000);
    assert.equal(
      await Deno.readTextFile(home.configFile),
      text.replace("8000", "9000"),
    );
    assert.equal(await modeOf(home.configFile), 0o600);
  });
});

Deno.test("ConfigFile makes edits one after another", async () => {
  // Guards that two commands at once do not lose one's change.
  await withHome(async (home) => {
    const file = new ConfigFile(home);
    await Promise.all([
      file.set(["control", "port"], 9000),
      file.set(["control", "debug"], true),
      file.addSession(SESSION),
      file.set(["buffer_limit"], 1000),
    ]);
    const config = await file.read();
    assert.deepEqual(
      [config.port, config.debug, config.sessions.length, config.bufferLimit],
      [9000, true, 1, 1000],
    );
    await file.removeSession(ID.toUpperCase());
    assert.deepEqual((await file.read()).sessions, []);
  });
});

Deno.test("ConfigFile refuses an edit that would break the file", async () => {
  // Guards that no command writes what the next start refuses.
  await withHome(async (home) => {
    const file = new ConfigFile(home);
    await file.addSession(SESSION);
    const before = await Deno.readTextFile(home.configFile);
    await assert.rejects(file.addSession({ ...SESSION, nick: "a b" }), {
      kind: "schema",
    });
    assert.equal(await Deno.readTextFile(home.configFile), before);
  });
});

Deno.test("ConfigFile says that a folder is not a file", async () => {
  // Guards that what cannot be read is told in words.
  await withHome(async (home) => {
    await Deno.mkdir(home.configFile);
    await assert.rejects(new ConfigFile(home).read(), {
      kind: "unreadable",
      message: `Cannot read ${home.configFile}: it is not a file.`,
    });
  });
});
