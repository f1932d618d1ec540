import { freePort } from "./free_port.ts";
import assert from "node:assert/strict";
import type { Home } from "../lib/home.ts";
import { startServer } from "../fixtures/ircd/server.ts";
import { ACCESS_OFF, ROOT_REFUSED } from "../lib/control/access.ts";
import { askDoor } from "../lib/operator/door_client.ts";
import { readDoorFile } from "../lib/operator/door_file.ts";
import { TOOL_TIERS, TOOLS } from "../lib/tools/registry.ts";
import { addressIn, callTool, postMcp } from "./mcp_post.ts";
import { PlainClient } from "./plain_client.ts";
import {
  ANYONE,
  connectCommand,
  ON,
  toolNames,
  withService,
} from "./running_service.ts";

Deno.test("a service with no settings serves nothing until it is told to [SET-001, SET-002, SET-036, SET-046, MCP-001]", async () => {
  // Guards that nothing is reachable, and no token made, before it is asked for.
  await withService({ control: { port: freePort() } }, async (running) => {
    const { command, home } = running;
    assert.equal((await command("control", "token")).out, ACCESS_OFF);
    await assert.rejects(Deno.stat(home.secretsFile), Deno.errors.NotFound);
    assert.deepEqual(await command("set", "control.enabled", "on"), {
      exit: 0,
      out: "control.enabled = on",
      err: "",
    });
    assert.equal(addressIn(await connectCommand(running)).token.length, 43);
    assert.ok((await toolNames(running)).includes("list_sessions"));
  });
});

Deno.test("tools/list holds the release tools with control.enabled only [SET-002, SET-015]", async () => {
  // Guards that no switch that is off shows a tool of its own.
  const release = Object.entries(TOOL_TIERS)
    .filter(([, tier]) => tier === "release").map(([name]) => name);
  assert.equal(release.length, 12);
  await withService(ON(), async (running) => {
    const built = TOOLS.map(({ name }) => name as string);
    assert.deepEqual(
      await toolNames(running),
      release.filter((name) => built.includes(name)),
    );
  });
});

Deno.test("the four control settings are changed with set, and take effect at once [SET-031, SET-014, SET-039]", async () => {
  // Guards that what the person sets is what holds, and what is saved.
  await withService(ON(), async ({ command, home }) => {
    const port = freePort();
    const changes: readonly (readonly [string, string, string])[] = [
      ["control.debug", "on", "control.debug = on"],
      ["control.send", "on", "control.send = on"],
      ["control.port", `${port}`, `control.port = ${port}`],
    ];
    for (const [key, value, out] of changes) {
      assert.deepEqual(await command("set", key, value), {
        exit: 0,
        out,
        err: "",
      });
    }
    assert.equal(
      (await command("control", "status")).out,
      `AI access on, port ${port} · debug · send`,
    );
    assert.equal(
      (await command("do", "/set control.enabled off")).out,
      "control.enabled = off",
    );
    assert.equal((await command("control", "status")).out, ACCESS_OFF);
    assert.deepEqual(JSON.parse(await Deno.readTextFile(home.configFile)), {
      control: { enabled: false, port, debug: true },
    });
  });
});

Deno.test("set refuses a port that is no number, and changes nothing", async () => {
  // Guards that a slip of the hand does not move the port.
  await withService(ON(), async ({ command, home }) => {
    const before = await Deno.readTextFile(home.configFile);
    const status = await command("control", "status");
    const answer = await command("set", "control.port", "abc");
    assert.equal(answer.exit, 1);
    assert.match(answer.err, /not "abc": nothing changed/);
    assert.deepEqual(await command("control", "status"), status);
    assert.equal(await Deno.readTextFile(home.configFile), before);
  });
});

Deno.test("every listener binds 127.0.0.1, and there are two [SET-019, SET-030]", async () => {
  // Guards that nothing is ever reachable from another machine.
  const bound: (string | undefined)[] = [];
  const listen = Deno.listen;
  Deno.listen = ((options: Deno.TcpListenOptions) => {
    bound.push(options.hostname);
    return listen(options);
  }) as typeof Deno.listen;
  try {
    await withService(ON(), async ({ command }) => {
      const port = freePort();
      await command("set", "control.port", `${port}`);
    });
  } finally {
    Deno.listen = listen;
  }
  // freePort() twice, the door, the port, the moved port.
  assert.deepEqual(bound, Array(5).fill("127.0.0.1"));
});

Deno.test("the token is shown to who asks and kept nowhere but in secrets.json [SET-035, SET-045]", async () => {
  // Guards that no log, transcript or other file ever holds the token.
  await withService(ON(), async (running) => {
    const first = addressIn(await connectCommand(running)).token;
    const regenerated = await running.command("control", "token", "regenerate");
    const second = addressIn(regenerated.out).token;
    running.service.log.write("error", "app", `a slip: ${second}`);
    for (const { text } of running.lines) {
      assert.ok(!text.includes(first) && !text.includes(second), text);
    }
    for await (const { name } of Deno.readDir(running.home.folder)) {
      const text = await Deno.readTextFile(`${running.home.folder}/${name}`);
      assert.ok(!text.includes(second), name);
      assert.equal(
        text.includes(new TextEncoder().encode(second).toBase64()),
        name === "secrets.json",
      );
    }
  });
});

Deno.test("regenerate drops what is in flight and every subscription [SET-055, SET-056, SET-057, SET-059, SET-060, SET-061, SET-065]", async () => {
  // Guards that nothing under a token that someone stole goes on under the next.
  await withService(ON(), async (running) => {
    const old = addressIn(await connectCommand(running));
    await callTool(old, "subscribe", { match: "x" });
    const waiting = postMcp(old, "tools/call", {
      name: "wait_for_updates",
      arguments: { timeout: 20 },
    });
    // A later request that was answered shows that the wait was taken in.
    await callTool(old, "list_subscriptions");
    const began = performance.now();
    const { out } = await running.command("control", "token", "regenerate");
    const fresh = addressIn(out);
    // Far under the 20 s that it would have waited.
    assert.ok(performance.now() - began < 10_000);
    assert.equal((await waiting).status, 0);
    assert.equal(fresh.port, old.port);
    assert.equal((await postMcp(old, "ping")).status, 403);
    assert.equal((await postMcp(fresh, "ping")).status, 200);
    const { subscriptions } = await callTool(fresh, "list_subscriptions");
    assert.deepEqual(subscriptions, []);
  });
});

Deno.test("moving the port and switching off drop what is in flight [SET-059, SET-065]", async () => {
  // Guards that no request outlives the port that it came through.
  await withService(ON(), async (running) => {
    for (
      const change of [
        ["set", "control.port", `${freePort()}`],
        ["set", "control.enabled", "off"],
      ]
    ) {
      const address = addressIn(await connectCommand(running));
      await callTool(address, "subscribe", { match: "x" });
      const waiting = postMcp(address, "tools/call", {
        name: "wait_for_updates",
        arguments: { timeout: 20 },
      });
      await callTool(address, "list_subscriptions");
      assert.equal((await running.command(...change)).exit, 0);
      assert.equal((await waiting).status, 0);
      await assert.rejects(postMcp(address, "ping"));
    }
  });
});

Deno.test("a taken port is reported, as a notice and to who asks, and got around [SET-037, SET-038, SET-042, SET-067]", async () => {
  // Guards that a squatter on the port is told of when it matters.
  const squatter = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = squatter.addr;
  const text = `Port ${port} is in use — AI access is off`;
  try {
    await withService({ control: { enabled: true, port } }, async (running) => {
      const { command, lines } = running;
      assert.deepEqual(
        lines.filter(({ level }) => level === "notice").map((l) => l.text),
        [text],
      );
      assert.equal((await command("control", "status")).out, text);
      assert.deepEqual(await command("control", "token"), {
        exit: 1,
        out: text,
        err: "",
      });
      assert.deepEqual(await command("set", "control.enabled", "on"), {
        exit: 1,
        out: "control.enabled = on",
        err: text,
      });
      const free = freePort();
      assert.equal((await command("set", "control.port", `${free}`)).exit, 0);
      assert.equal(
        (await command("control", "status")).out,
        `AI access on, port ${free}`,
      );
    });
  } finally {
    squatter.close();
  }
});

Deno.test("as root AI access does not start, and says so [SET-068]", async () => {
  // Guards that a check that cannot tell users apart is never relied on.
  await withService(ON(), async ({ command, lines, home }) => {
    assert.ok(lines.some(({ text }) => text === ROOT_REFUSED));
    assert.equal((await command("control", "token")).out, ROOT_REFUSED);
    await assert.rejects(Deno.stat(home.secretsFile), Deno.errors.NotFound);
  }, { uid: 0 });
});

Deno.test("a secrets file that others can read keeps access off and sessions unconnected", async () => {
  // Guards that a token or password that leaked is not used, nor overwritten.
  const config = {
    ...ON(),
    sessions: [{
      id: "6F1C3B1E-2F0B-4C53-9D0F-2F6B7A1C9E10",
      name: "Net",
      host: "127.0.0.1",
      nick: "alice",
    }],
  };
  const prepare = (home: Home) => {
    Deno.writeTextFileSync(home.secretsFile, "{}");
    Deno.chmodSync(home.secretsFile, 0o644);
  };
  await withService(config, async ({ command, home, lines }) => {
    const refusal = `${home.secretsFile} can be read or written by others: ` +
      `run chmod 600 ${home.secretsFile}`;
    const reason = `${refusal} — AI access is off`;
    assert.equal((await command("control", "token")).out, reason);
    assert.ok(
      lines.some(({ text }) =>
        text === `Session Net is not connected: ${refusal}`
      ),
    );
    assert.match(
      (await command("session", "list")).out,
      /^Net {2}disconnected/,
    );
    assert.equal(await Deno.readTextFile(home.secretsFile), "{}");
    await Deno.chmod(home.secretsFile, 0o600);
    assert.equal((await command("set", "control.enabled", "on")).exit, 0);
  }, { prepare });
});

Deno.test("the person's commands reach IRC, and stopping says QUIT", async () => {
  // Guards the whole way from a typed line to the server, and a clean end.
  const server = startServer();
  const bob = await PlainClient.connect(server.port);
  try {
    await bob.register("bob");
    await bob.send("JOIN #rete");
    await bob.until(/ 366 /);
    await withService({}, async ({ command, commandWith, logged }) => {
      const added = await command(
        "session",
        "add",
        "Net",
        "--host",
        "127.0.0.1",
        "--port",
        `${server.port}`,
        "--nick",
        "alice",
        "--no-tls",
      );
      assert.equal(added.exit, 0, added.err);
      await logged(/^Net: connected/);
      assert.match((await command("session", "list")).out, /^Net {2}connected/);
      assert.equal((await command("do", "/join #rete")).exit, 0);
      await bob.until(/:alice!\S+ JOIN .*#rete/);
      const said = await command("do", "/msg #rete hello, all");
      assert.deepEqual(said, { exit: 0, out: "Sent to #rete.", err: "" });
      await bob.until(/:alice!\S+ PRIVMSG #rete :hello, all/);
      // The server told bob of the join and us at once: who reads it first is open.
      const type = () => command("do", "--buffer", "#RETE", "more", "text");
      let typed = await type();
      for (let i = 0; i < 100 && typed.err.startsWith("No buffer"); i++) {
        typed = await type();
      }
      assert.equal(typed.exit, 0, typed.err);
      await bob.until(/:alice!\S+ PRIVMSG #rete :more text/);
      const stored = await commandWith(
        "k3y",
        "session",
        "secret",
        "net",
        "channel-key",
        "#rete",
      );
      assert.deepEqual(stored, {
        exit: 0,
        out: "Stored the channel-key for #rete of Net.",
        err: "",
      });
    });
    await bob.until(/:alice!\S+ QUIT .*Service stopped/);
  } finally {
    bob.close();
    await server.close();
  }
});

Deno.test("removing a session takes it off IRC and its secrets away", async () => {
  // Guards that a removed session leaves nothing that acts or can leak.
  const server = startServer();
  const config = {
    sessions: [{
      id: "6F1C3B1E-2F0B-4C53-9D0F-2F6B7A1C9E10",
      name: "Net",
      host: "127.0.0.1",
      port: server.port,
      tls: false,
      nick: "alice",
    }],
  };
  try {
    await withService(config, async (running) => {
      const { command, commandWith, home, service } = running;
      await running.logged(/^Net: connected/);
      await commandWith("pw", "session", "secret", "Net", "password");
      assert.deepEqual(await command("session", "remove", "Net"), {
        exit: 0,
        out: "Removed session Net and its secrets.",
        err: "",
      });
      assert.deepEqual(service.engine.sessions(), []);
      assert.equal(await Deno.readTextFile(home.secretsFile), "{}\n");
      assert.equal(
        (await command("session", "list")).out,
        "There is no session yet: add one with reterm session add.",
      );
    });
  } finally {
    await server.close();
  }
});

Deno.test("commands name the sessions there are when none or two are meant", async () => {
  // Guards that a line never goes to a network that was not meant.
  const entry = (id: string, name: string) => ({
    id: `${id}F1C3B1E-2F0B-4C53-9D0F-2F6B7A1C9E10`,
    name,
    host: "127.0.0.1",
    nick: "alice",
    autoconnect: false,
  });
  const config = { sessions: [entry("6", "A"), entry("7", "B")] };
  await withService(config, async ({ command }) => {
    assert.deepEqual(await command("do", "/join #x"), {
      exit: 1,
      out: "",
      err: "Say which session with --session NAME: there are A, B.",
    });
    assert.deepEqual(await command("session", "connect", "C"), {
      exit: 1,
      out: "",
      err: 'No session "C": there are A, B.',
    });
    assert.deepEqual(await command("do", "--session", "b", "/join #x"), {
      exit: 1,
      out: "",
      err: "Nothing was sent: B is disconnected.",
    });
  });
});

Deno.test("a certificate file that is missing is told of, and the others start", async () => {
  // Guards that one broken session does not take the rest down.
  const entry = (id: string, name: string, more: object) => ({
    id: `${id}F1C3B1E-2F0B-4C53-9D0F-2F6B7A1C9E10`,
    name,
    host: "127.0.0.1",
    nick: "alice",
    autoconnect: false,
    ...more,
  });
  const config = {
    sessions: [entry("6", "A", { tls_ca: "ca.pem" }), entry("7", "B", {})],
  };
  await withService(config, ({ home, lines, service }) => {
    const text = `No file ${home.folder}/ca.pem, the tls_ca of session "A".`;
    assert.ok(lines.some((line) => line.text === text));
    assert.deepEqual(service.engine.sessions().map(({ name }) => name), ["B"]);
  });
});

Deno.test("a damaged config.json refuses changes and the service goes on", async () => {
  // Guards that a slip in an editor costs neither the file nor the sessions.
  await withService(ON(), async ({ command, home }) => {
    await Deno.writeTextFile(home.configFile, "{ oops");
    const answer = await command("set", "control.debug", "on");
    assert.equal(answer.exit, 1);
    assert.match(answer.err, /config\.json, line 1, column 3: expected a name/);
    assert.equal(
      (await command("set", "control.debug")).out,
      "control.debug = off",
    );
    assert.equal(await Deno.readTextFile(home.configFile), "{ oops");
  });
});

Deno.test("the door of a service takes commands, and none it should not", async () => {
  // Guards that the process's own commands cannot be run from outside.
  await withService({}, async ({ home }) => {
    const address = await readDoorFile(home);
    assert.ok(address !== undefined);
    const ask = async (...command: string[]) => {
      const reply = await askDoor(address, { command }, { peer: ANYONE });
      return reply.kind === "answered" ? reply.answer : reply;
    };
    assert.deepEqual(await ask("set", "control.port"), {
      exit: 0,
      out: "control.port = 7422",
      err: "",
    });
    for (const words of [["serve"], ["service", "systemd"], ["--help"], []]) {
      assert.deepEqual(await ask(...words), {
        exit: 2,
        out: "",
        err: "The service takes no such command.",
      });
    }
    assert.deepEqual(await ask("bogus"), {
      exit: 2,
      out: "",
      err: 'No command "bogus": see reterm --help.',
    });
  });
});

Deno.test("the AI access log shows calls and refusals to the person", async () => {
  // Guards that what agents did can be looked at.
  await withService(ON(), async (running) => {
    const address = addressIn(await connectCommand(running));
    await callTool(address, "list_sessions");
    await postMcp({ ...address, token: "x".repeat(43) }, "ping");
    const { out } = await running.command("control", "log");
    const rows = out.split("\n").map((row) => row.replace(/^\S+ /, ""));
    assert.deepEqual(rows.length, 2);
    assert.match(rows[0] ?? "", /^list_sessions ok \(\d+ bytes\)$/);
    assert.equal(rows[1], "refused (bad or missing token, 403)");
  });
});
