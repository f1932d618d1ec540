/**
 * The command line as people meet it: a process of its own (`Deno.Command`),
 * under the shipped permissions, its exit codes and its words.
 *
 * @module
 */

import { freePort } from "../free_port.ts";
import assert from "node:assert/strict";
import { addressIn, postMcp } from "../mcp_post.ts";
import { ProgramHome, type ServedProgram } from "../start_program.ts";

async function withProgram(
  test: (home: ProgramHome) => Promise<void>,
): Promise<void> {
  const home = await ProgramHome.make();
  try {
    await test(home);
  } finally {
    await home.remove();
  }
}

/** Runs `test` with a service that is ended whatever happens. */
async function withServed(
  test: (home: ProgramHome, served: ServedProgram) => Promise<void>,
  config: unknown = {},
): Promise<void> {
  await withProgram(async (home) => {
    await home.write("config.json", JSON.stringify(config));
    const served = await home.serve();
    try {
      await test(home, served);
    } finally {
      try {
        served.kill("SIGKILL");
      } catch {
        // It has ended.
      }
      await served.ended();
    }
  });
}

async function modeOf(path: string): Promise<number> {
  return ((await Deno.stat(path)).mode ?? 0) & 0o777;
}

Deno.test("reterm --help, --version and COMMAND --help need no home", async () => {
  // Guards that help is there for who has nothing set up yet.
  await withProgram(async (home) => {
    const env = { HOME: "", RETE_SECRETS_FILE: "" };
    const help = await home.run(["--help"], { env });
    assert.equal(help.code, 0);
    assert.match(
      help.out,
      /^reterm: an IRC client .*\n\nUsage: reterm COMMAND/,
    );
    for (const words of [["serve"], ["session", "add"], ["control", "token"]]) {
      const { code, out } = await home.run([...words, "--help"], { env });
      assert.equal(code, 0);
      assert.ok(out.startsWith(`Usage: reterm ${words.join(" ")}`), out);
    }
    const { code, out } = await home.run(["--version"], { env });
    assert.equal(code, 0);
    assert.match(out, /^reterm \d+\.\d+\.\d+\n$/);
  });
});

Deno.test("reterm exits 2 for what it cannot understand", async () => {
  // Guards that a script can tell wrong usage from a failure.
  await withProgram(async (home) => {
    for (
      const [words, err] of [
        [["bogus"], 'No command "bogus": see reterm --help.\n'],
        [["session"], /^reterm session takes one of: list, add, /],
        [["serve", "now"], /^There is a word too many\. Usage: reterm serve/],
        [["set", "--all"], "No flag --all: see reterm set --help.\n"],
        [
          ["session", "add", "x"],
          "--host is missing: see reterm session add --help.\n",
        ],
        [
          ["serve", "--log-level", "loud"],
          /^--log-level takes one of debug, info, /,
        ],
        [[], /^reterm: an IRC client/],
      ] as const
    ) {
      const ended = await home.run(words, { asRoot: false });
      assert.equal(ended.code, 2, ended.err);
      assert.equal(ended.out, "");
      if (typeof err === "string") assert.equal(ended.err, err);
      else assert.match(ended.err, err);
    }
  });
});

Deno.test("with no service, set edits config.json and control says so", async () => {
  // Guards that a home can be set up before the first start.
  await withProgram(async (home) => {
    assert.equal(
      (await home.run(["set"])).out,
      "control.enabled = off\ncontrol.debug = off\ncontrol.send = off\n" +
        "control.port = 7422\nflood_throttle = on\nbuffer_limit = 20000\n",
    );
    await assert.rejects(Deno.stat(home.path("config.json")));
    const changed = await home.run(["set", "control.port", "80"]);
    assert.deepEqual(changed, {
      code: 0,
      out: "control.port = 1024\n",
      err: "",
    });
    assert.equal(await modeOf(home.path("config.json")), 0o600);
    assert.equal(await modeOf(home.path("")), 0o700);
    assert.deepEqual(await home.run(["set", "control.send", "on"]), {
      code: 1,
      out: "",
      err: "control.send needs the running service: it is never saved. " +
        "Start it with reterm serve.\n",
    });
    assert.deepEqual(await home.run(["set", "control.port", "x"]), {
      code: 1,
      out: "",
      err: "control.port takes a number from 1024 to 65535, " +
        'not "x": nothing changed.\n',
    });
    for (
      const words of [["status"], ["token"], ["token", "regenerate"], ["log"]]
    ) {
      assert.deepEqual(await home.run(["control", ...words]), {
        code: 1,
        out: "",
        err:
          "No service is running on this home: start it with reterm serve.\n",
      });
    }
    assert.equal((await home.run(["do", "/join #x"])).code, 1);
    assert.deepEqual(
      JSON.parse(await Deno.readTextFile(home.path("config.json"))),
      { control: { port: 1024 } },
    );
  });
});

Deno.test("with no service, sessions and secrets are kept in the files", async () => {
  // Guards that a secret is read from standard input and shown nowhere.
  await withProgram(async (home) => {
    const added = await home.run([
      "session",
      "add",
      "Net",
      "--host=127.0.0.1",
      "--nick",
      "alice",
      "--no-tls",
      "--channel",
      "#a",
      "--channel",
      "#b",
      "--sasl",
      "PLAIN",
      "--sasl-account",
      "alice",
    ]);
    assert.equal(added.code, 0, added.err);
    const config = JSON.parse(
      await Deno.readTextFile(home.path("config.json")),
    );
    const [{ id, ...session }] = config.sessions;
    assert.match(id, /^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/);
    assert.deepEqual(session, {
      name: "Net",
      host: "127.0.0.1",
      nick: "alice",
      tls: false,
      sasl: { mechanism: "PLAIN", account: "alice" },
      channels: ["#a", "#b"],
    });
    assert.equal(
      (await home.run(["session", "list"])).out,
      `Net  not running  alice  127.0.0.1:6667 plain  ${id}\n`,
    );
    const secret = ["session", "secret", "net"];
    for (
      const [words, input, out] of [
        [["sasl-password"], "hunter2\n", "Stored the sasl-password of Net.\n"],
        [
          ["channel-key", "#a"],
          "k3y\r\n",
          "Stored the channel-key for #a of Net.\n",
        ],
        [["password"], " sp ace ", "Stored the password of Net.\n"],
      ] as const
    ) {
      assert.deepEqual(await home.run([...secret, ...words], { input }), {
        code: 0,
        out,
        err: "",
      });
    }
    const entries = JSON.parse(
      await Deno.readTextFile(home.path("secrets.json")),
    );
    assert.deepEqual(entries, {
      [`Rete Session ${id}/sasl-password`]: btoa("hunter2"),
      [`Rete Session ${id}/channel-key #a`]: btoa("k3y"),
      [`Rete Session ${id}/password`]: btoa(" sp ace "),
    });
    assert.equal(await modeOf(home.path("secrets.json")), 0o600);
    for (
      const [words, input, code] of [
        [["password"], "", 1],
        [["password"], "two\nlines\n", 1],
        [["tls-client-key"], "no key", 1],
        [["channel-key"], "k", 2],
        [["channel-key", "#a #b"], "k", 1],
        [["channel-key", "#a,#b"], "k", 1],
        [["password", "hunter2"], "", 2],
        [["pass"], "x", 2],
      ] as const
    ) {
      const ended = await home.run([...secret, ...words], { input });
      assert.equal(ended.code, code, ended.err);
      assert.ok(!ended.err.includes("hunter2"));
    }
    const removed = await home.run([...secret, "password", "--remove"]);
    assert.equal(removed.out, "Removed the password of Net.\n");
    assert.equal((await home.run(["session", "remove", "Net"])).code, 0);
    assert.equal(await Deno.readTextFile(home.path("secrets.json")), "{}\n");
  });
});

Deno.test("started elsewhere or out of reach, it says which folder and exits 2", async () => {
  // Guards that the permission list is met with words and not with a stack.
  await withProgram(async (home) => {
    const elsewhere = `${home.folder}/elsewhere`;
    await Deno.mkdir(elsewhere);
    const cwd = await home.run(["set"], { cwd: elsewhere });
    assert.deepEqual(cwd, {
      code: 2,
      out: "",
      err: `reterm has no access to its home, ${home.folder}/.rete.\n` +
        `Started in this folder, this build may use ${elsewhere}/.rete ` +
        `and nothing else.\n` +
        `Start it in ${home.folder}:  cd ${home.folder}\n` +
        `Or build it for this home:  make build RETE_HOME=${home.folder}/.rete\n`,
    });
    const env = { RETE_SECRETS_FILE: "/var/lib/rete/secrets.json" };
    const named = await home.run(["serve"], { env });
    assert.equal(named.code, 2);
    assert.match(named.err, /no access to its home, \/var\/lib\/rete\.\n/);
    const baked = await home.run(["set", "control.debug"], {
      allowed: `${home.folder}/.rete`,
      cwd: "/",
    });
    assert.deepEqual(baked, { code: 0, out: "control.debug = off\n", err: "" });
  });
});

Deno.test("RETE_SECRETS_FILE names the secrets file and with it the home [SET-051]", async () => {
  // Guards that the token is where the person said, and nowhere else.
  await withProgram(async (home) => {
    await home.write("config.json", '{"control": {"enabled": true}}');
    const allowed = `${home.folder}/.rete`;
    const env = { RETE_SECRETS_FILE: `${allowed}/keys.json` };
    await home.run([
      "session",
      "add",
      "N",
      "--host",
      "127.0.0.1",
      "--nick",
      "a",
    ], {
      allowed,
      env,
    });
    const { code, err } = await home.run(
      ["session", "secret", "N", "password"],
      {
        allowed,
        env,
        input: "pw",
      },
    );
    assert.equal(code, 0, err);
    assert.equal(await modeOf(home.path("keys.json")), 0o600);
    await assert.rejects(Deno.stat(home.path("secrets.json")));
  });
});

const DAMAGED: readonly (readonly [string, RegExp])[] = [
  [
    "{ oops",
    /config\.json, line 1, column 3: expected a name in double quotes\n$/,
  ],
  ['{"nope": 1}', /config\.json: nope \(line 1\): expected only these names: /],
  [
    '{"sessions": [{"id": "x"}]}',
    /config\.json: sessions\[0\]\.id \(line 1\): expected a UUID/,
  ],
];

for (const [text, words] of DAMAGED) {
  Deno.test(`a config.json of ${text} ends every command with its place`, async () => {
    // Guards that a damaged file shows no stack, and stays as it is.
    await withProgram(async (home) => {
      await home.write("config.json", text);
      for (
        const command of [["serve"], ["set"], ["set", "control.debug", "on"]]
      ) {
        const { code, out, err } = await home.run(command);
        assert.equal(code, 1, err);
        assert.equal(out, "");
        assert.match(err, words);
        assert.ok(!err.includes("    at "), err);
      }
      assert.equal(await Deno.readTextFile(home.path("config.json")), text);
    });
  });
}

Deno.test("the service serves, answers commands, and stops cleanly at SIGTERM", async () => {
  // Guards the life of a service under the permissions it ships with.
  const config = { control: { enabled: true, port: freePort() } };
  await withServed(async (home, served) => {
    const { port } = config.control;
    assert.equal(await modeOf(home.path("operator.json")), 0o600);
    assert.equal(await modeOf(home.path("secrets.json")), 0o600);
    assert.deepEqual(await home.run(["control", "status"]), {
      code: 0,
      out: `AI access on, port ${port}\n`,
      err: "",
    });
    const token = await home.run(["control", "token"]);
    const address = addressIn(token.out.trimEnd());
    assert.equal(address.port, port);
    if (Deno.uid() !== 0) {
      assert.equal((await postMcp(address, "ping")).status, 200);
    } else {
      // A client of another user is closed unanswered.
      assert.equal((await postMcp(address, "ping")).status, 0);
    }
    const regenerated = await home.run(["control", "token", "regenerate"]);
    assert.notEqual(regenerated.out, token.out);
    assert.deepEqual(await home.run(["set", "control.send", "on"]), {
      code: 0,
      out: "control.send = on\n",
      err: "",
    });
    assert.ok(
      !(await Deno.readTextFile(home.path("config.json"))).includes("send"),
    );
    served.kill("SIGTERM");
    const { code, out, err } = await served.ended();
    assert.equal(code, 0);
    assert.equal(out, "");
    for (const line of err.trimEnd().split("\n")) {
      assert.match(line, /^\d{4}-\d\d-\d\dT[\d:.]+Z [a-z]+ [a-z]+: /);
      assert.ok(!line.includes(address.token), line);
    }
    await assert.rejects(Deno.stat(home.path("operator.json")));
  }, config);
});

Deno.test("SIGINT and SIGHUP stop it cleanly too, and sending is off at the next start [SET-007]", async () => {
  // Guards that Ctrl-C and a closed terminal are clean ends, and that sending
  // never comes back alone.
  await withServed(async (home, served) => {
    await home.run(["set", "control.send", "on"]);
    served.kill("SIGINT");
    assert.equal((await served.ended()).code, 0);
    const again = await home.serve();
    assert.equal(
      (await home.run(["set", "control.send"])).out,
      "control.send = off\n",
    );
    again.kill("SIGHUP");
    assert.equal((await again.ended()).code, 0);
  });
});

Deno.test("a second serve on a home refuses and disturbs nothing", async () => {
  // Guards that two services never write one home's files.
  await withServed(async (home) => {
    const before = await Deno.readTextFile(home.path("operator.json"));
    const second = await home.run(["serve"]);
    assert.equal(second.code, 1);
    assert.match(second.err, /^A service runs on \S+\.rete already, or is /);
    assert.equal(await Deno.readTextFile(home.path("operator.json")), before);
    // Even with its address gone, the lock keeps the second away.
    await Deno.remove(home.path("operator.json"));
    assert.equal((await home.run(["serve"])).code, 1);
    await home.write("operator.json", before);
    assert.equal((await home.run(["control", "status"])).code, 0);
  });
});

Deno.test("an operator.json left by a dead service is replaced", async () => {
  // Guards that a crash does not lock the person out.
  await withServed(async (home, served) => {
    const stale = await Deno.readTextFile(home.path("operator.json"));
    served.kill("SIGKILL");
    await served.ended();
    assert.equal(await Deno.readTextFile(home.path("operator.json")), stale);
    const offline = await home.run(["set", "control.debug", "on"]);
    assert.deepEqual(offline, {
      code: 0,
      out: "control.debug = on\n",
      err: "",
    });
    const again = await home.serve();
    assert.notEqual(await Deno.readTextFile(home.path("operator.json")), stale);
    assert.equal(
      (await home.run(["set", "control.debug"])).out,
      "control.debug = on\n",
    );
    again.kill("SIGTERM");
    assert.equal((await again.ended()).code, 0);
  });
});

Deno.test("a secrets.json that others can read keeps access off, with its chmod", async () => {
  // Guards that the person reads what to do, and the file stays as it is.
  await withProgram(async (home) => {
    await home.write("config.json", '{"control": {"enabled": true}}');
    await home.write("secrets.json", "{}", 0o644);
    const served = await home.serve();
    const path = home.path("secrets.json");
    const reason = `${path} can be read or written by others: ` +
      `run chmod 600 ${path} — AI access is off\n`;
    assert.deepEqual(await home.run(["control", "token"]), {
      code: 1,
      out: reason,
      err: "",
    });
    served.kill("SIGTERM");
    assert.equal((await served.ended()).code, 0);
    assert.equal(await modeOf(path), 0o644);
    assert.equal(await Deno.readTextFile(path), "{}");
  });
});

Deno.test("commands at once on one home lose nothing", async () => {
  // Guards that two edits of a file never overwrite each other.
  await withProgram(async (home) => {
    await home.write("config.json", "{}");
    const names = ["a", "b", "c", "d"];
    const ended = await Promise.all(
      names.map((name) =>
        home.run(["session", "add", name, "--host", "127.0.0.1", "--nick", "n"])
      ),
    );
    assert.deepEqual(ended.map(({ code }) => code), [0, 0, 0, 0]);
    const { sessions } = JSON.parse(
      await Deno.readTextFile(home.path("config.json")),
    );
    const found = sessions.map(({ name }: { name: string }) => name).sort();
    assert.deepEqual(found, names);
  });
});

Deno.test("files that the system denies are told of, and a start ends with it", async () => {
  // Guards that a wrong owner or mode is met with words, not with a stack.
  await withProgram(async (home) => {
    await home.write("config.json", "{}", 0o000);
    assert.deepEqual(await home.run(["serve"]), {
      code: 1,
      out: "",
      err: `Cannot read ${home.path("config.json")}: the system denies it ` +
        `(see who owns it, and its mode).\n`,
    });
    await Deno.chmod(home.path("config.json"), 0o600);
    await Deno.chmod(home.path(""), 0o500);
    const ended = await home.run(["serve"]);
    assert.equal(ended.code, 1);
    assert.match(
      ended.err,
      /^Cannot start: \S+operator\.json cannot be written/,
    );
    const set = await home.run(["set", "control.debug", "on"]);
    assert.equal(set.code, 1);
    assert.match(
      set.err,
      /^Cannot write \S+config\.json: .*Nothing was changed/,
    );
    await Deno.chmod(home.path(""), 0o700);
  });
});

Deno.test("a server that hangs does not hold the stop, nor the second signal", async () => {
  // Guards that stopping ends, and that who is in a hurry can hurry it.
  const silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const conns: Deno.Conn[] = [];
  const accepting = (async () => {
    for await (const conn of silent) conns.push(conn);
  })();
  const config = {
    sessions: [{
      id: "6F1C3B1E-2F0B-4C53-9D0F-2F6B7A1C9E10",
      host: "127.0.0.1",
      port: silent.addr.port,
      tls: false,
      nick: "alice",
    }],
  };
  try {
    for (const [signals, code] of [[1, 0], [2, 1]]) {
      await withServed(async (_home, served) => {
        served.kill("SIGTERM");
        await served.logged(/stopping/);
        if (signals === 2) served.kill("SIGTERM");
        assert.equal((await served.ended()).code, code);
      }, config);
    }
  } finally {
    silent.close();
    await accepting;
    for (const conn of conns) conn.close();
  }
});

Deno.test("reterm serve refuses to run as root [SET-068]", async () => {
  // Guards that the peer check is never relied on where it cannot tell. Who is
  // not root is it in a user namespace of its own.
  await withProgram(async (home) => {
    assert.deepEqual(await home.run(["serve"], { asRoot: true }), {
      code: 1,
      out: "",
      err: "AI access is not available when Rete runs as root — " +
        "AI access is off\n",
    });
  });
});

Deno.test("reterm service prints units that name the program and home", async () => {
  // Guards that a unit can be installed as it is printed.
  await withProgram(async (home) => {
    const systemd = await home.run(
      ["service", "systemd", "--binary", "/opt/reterm"],
    );
    assert.equal(systemd.code, 0);
    assert.equal(systemd.err, "");
    assert.match(systemd.out, /^ExecStart="\/opt\/reterm" serve$/m);
    assert.ok(systemd.out.includes(`\nWorkingDirectory=${home.folder}\n`));
    assert.ok(
      systemd.out.includes(`\nReadWritePaths="${home.folder}/.rete"\n`),
    );
    const launchd = await home.run(["service", "launchd"]);
    assert.equal(launchd.code, 0);
    assert.match(launchd.out, /<string>\S+\/dist\/reterm<\/string>/);
    assert.equal(
      (await home.run(["service", "systemd", "--binary", "reterm"])).code,
      2,
    );
  });
});
