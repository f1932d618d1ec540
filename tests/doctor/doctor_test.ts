/**
 * The doctor before homes, machines and services that are broken in one way
 * each: it must name that one, and the command that mends it.
 *
 * @module
 */

import assert from "node:assert/strict";
import { SecretsFile, TOKEN_ENTRY } from "../../lib/config/secrets_file.ts";
import { examine } from "../../lib/doctor/doctor.ts";
import { type Finding, formatFindings } from "../../lib/doctor/finding.ts";
import type { Patient } from "../../lib/doctor/patient.ts";
import { examinePort } from "../../lib/doctor/service.ts";
import type { Home } from "../../lib/home.ts";
import type { PeerCheck } from "../../lib/peer/owner.ts";
import { freePort } from "../free_port.ts";
import { ScriptedServer, within } from "../irc/scripted_server.ts";
import { ANYONE, ON, type Running, withService } from "../running_service.ts";
import { withHome } from "../temp_home.ts";

const SESSION = {
  id: "6F1C3B1E-2F0B-4C53-9D0F-2F6B7A1C9E10",
  name: "Net",
  host: "127.0.0.1",
  port: 1,
  tls: false,
  nick: "me",
  autoconnect: false,
};

/** What the shipped list allows, as Deno would answer. */
function isShipped(permission: Deno.PermissionDescriptor): boolean {
  switch (permission.name) {
    case "read":
    case "write":
      return permission.path !== "/";
    case "net":
      return permission.host?.startsWith("127.0.0.1") === true;
    case "env":
      return ["HOME", "RETE_SECRETS_FILE"].includes(permission.variable ?? "");
    case "sys":
    case "ffi":
      return true;
    default:
      return false;
  }
}

function patient(home: Home, changes: Partial<Patient> = {}): Patient {
  return {
    home,
    uid: Deno.uid() || null,
    peer: ANYONE,
    hasLibc: true,
    isAllowed: isShipped,
    ...changes,
  };
}

function wrongs(findings: readonly Finding[]): string[] {
  return formatFindings(findings.filter(({ kind }) => kind === "wrong"))
    .split("\n").filter((line) => line !== "");
}

/** Says of one port that it is another user's. */
function strangerOn(port: number): PeerCheck {
  return {
    judge: ({ remoteAddr }) =>
      remoteAddr.transport === "tcp" && remoteAddr.port === port
        ? "other-user"
        : "same-user",
  };
}

/** A program of this user that holds a port and answers nothing it is asked. */
async function holding(
  port: number,
  test: () => Promise<void>,
  answer = "",
): Promise<void> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port });
  const serving = (async () => {
    const ended: Promise<void>[] = [];
    for await (const conn of listener) {
      ended.push((async () => {
        const chunk = new Uint8Array(4_096);
        const got = await conn.read(chunk).catch(() => null);
        if (got !== null && answer !== "") {
          await conn.write(new TextEncoder().encode(answer)).catch(() => {});
        }
        conn.close();
      })());
    }
    await Promise.all(ended);
  })();
  try {
    await test();
  } finally {
    listener.close();
    await serving;
  }
}

Deno.test("doctor finds nothing wrong with a service that serves", async () => {
  // Guards that who is well is not sent to mend anything.
  const server = ScriptedServer.listen();
  const session = { ...SESSION, port: server.port, autoconnect: true };
  try {
    await withService({ ...ON(), sessions: [session] }, async (running) => {
      const peer = await server.accept();
      await peer.register();
      await within("the connection", running.logged(/^Net: connected/));
      await Deno.chmod(running.home.configFile, 0o600);
      const examined = examine(patient(running.home));
      const ping = await peer.until(/^PING :reterm-lag/);
      await peer.send(`PONG ${ping.slice("PING ".length)}`);
      const findings = await examined;
      assert.deepEqual(wrongs(findings), []);
      assert.deepEqual(
        findings.map(({ kind, area }) => `${kind} ${area}`),
        [
          "user",
          "home",
          "config",
          "secrets",
          "token",
          "permissions",
          "peer check",
          "service",
          "access",
          "port",
          "gate",
          "session",
        ].map((area) =>
          // Run by root, the test gives the patient no user id.
          `ok ${area}`
        ),
      );
      const lines = formatFindings(findings);
      assert.match(lines, /^ok {5}session {6}Net: connected as me$/m);
      assert.ok(!lines.includes(running.service.access.token ?? "?"));
    });
  } finally {
    await server.close();
  }
});

/** A home without a service, and the one fault beside that. */
interface AtRest {
  readonly fault: string;
  readonly config?: unknown;
  readonly prepare?: (home: Home) => Promise<void>;
  readonly changes?: Partial<Patient>;
  /** Holds the port of the configuration meanwhile. */
  readonly isHeld?: true;
  readonly line: RegExp;
}

const PORT = freePort();
const secret = (name: string, value: string) => async (home: Home) => {
  await new SecretsFile(home).change(new Map([[name, value]]));
};

const AT_REST: readonly AtRest[] = [
  {
    fault: "root",
    changes: { uid: 0 },
    prepare: (home) => Deno.remove(home.configFile),
    line:
      /^wrong {2}user {9}reterm does not serve as root — mend: run it as an ordinary user$/,
  },
  {
    fault: "a home open to others",
    prepare: (home) => Deno.chmod(home.folder, 0o755),
    line:
      /^wrong {2}home .* is open to others \(mode 755\) — mend: chmod 700 \S+\/\.rete$/,
  },
  {
    fault: "a home that anyone can swap files in",
    prepare: (home) => Deno.chmod(home.folder, 0o777),
    line: /^wrong {2}(home|secrets) .*mend: chmod 700 \S+\/\.rete$/,
  },
  {
    fault: "a config.json that is no JSON",
    prepare: (home) => Deno.writeTextFile(home.configFile, '{\n"control": }'),
    line:
      /^wrong {2}config .*config\.json, line 2.* — mend: edit \S+config\.json there$/,
  },
  {
    fault: "a config.json with an unknown name",
    config: { contrl: {} },
    line: /^wrong {2}config .*contrl.* — mend: edit \S+config\.json there$/,
  },
  {
    fault: "a config.json open to others",
    prepare: (home) => Deno.chmod(home.configFile, 0o644),
    line: /^wrong {2}config .*\(mode 644\) — mend: chmod 600 \S+config\.json$/,
  },
  {
    fault: "a secrets.json open to others",
    prepare: async (home) => {
      await secret("a", "b")(home);
      await Deno.chmod(home.secretsFile, 0o640);
    },
    line:
      /^wrong {2}secrets .*can be read or written by others — mend: chmod 600 \S+secrets\.json$/,
  },
  {
    fault: "a damaged secrets.json",
    prepare: (home) =>
      Deno.writeTextFile(home.secretsFile, '{"a": 1}', { mode: 0o600 }),
    line: /^wrong {2}secrets .*line 1.* — mend: mv \S+ \S+\.damaged, then /,
  },
  {
    fault: "a token that cannot be used",
    prepare: secret(TOKEN_ENTRY, "a b"),
    line: /^wrong {2}token .* — mend: take its entry out of \S+secrets\.json/,
  },
  {
    fault: "permissions that are missing",
    changes: {
      isAllowed: (one) => one.name !== "ffi" && isShipped(one),
    },
    line:
      /^wrong {2}permissions {2}this program was started without: the C library — mend: start it as make install left it/,
  },
  {
    fault: "permissions that are too wide",
    changes: { isAllowed: () => true },
    line:
      /^wrong {2}permissions .*more than it needs: running programs, reading everything, .* — mend: start it as/,
  },
  {
    fault: "no C library",
    changes: { peer: { judge: () => "unknown" }, hasLibc: false },
    line:
      /^wrong {2}peer check {3}no C library could be opened .* — mend: run it on a system with glibc/,
  },
  {
    fault: "a kernel that does not tell",
    changes: { peer: { judge: () => "unknown" } },
    line:
      /^wrong {2}peer check {3}the kernel does not tell .* — mend: allow AF_NETLINK/,
  },
  {
    fault: "a squatter on the port",
    changes: { peer: strangerOn(PORT) },
    isHeld: true,
    line: new RegExp(
      `^wrong {2}port {9}port ${PORT} is held by a program of another user,.*` +
        ` — mend: reterm set control\\.port \\d+, then reterm control token ` +
        `regenerate$`,
    ),
  },
  {
    fault: "another program of one's own on the port",
    isHeld: true,
    line: new RegExp(
      `^wrong {2}port {9}port ${PORT} is held by another program of yours` +
        ` — mend: end it, or reterm set control\\.port \\d+$`,
    ),
  },
  {
    fault: "a server that this build may not reach",
    config: { sessions: [{ ...SESSION, host: "irc.example", port: 6697 }] },
    line:
      /^wrong {2}session {6}Net: this build may not reach irc\.example:6697 — mend: make install IRC_HOSTS=irc\.example:6697/,
  },
  {
    fault: "a server by the name of localhost",
    config: { sessions: [{ ...SESSION, host: "localhost" }] },
    line: /^wrong {2}session .*localhost:1 — mend: write 127\.0\.0\.1 instead/,
  },
  {
    fault: "a certificate file that is missing",
    config: { sessions: [{ ...SESSION, tls: true, tls_ca: "ca.pem" }] },
    line:
      /^wrong {2}session {6}Net: No file \S+ca\.pem.* — mend: put the file there/,
  },
  {
    fault: "a login without its password",
    config: {
      sessions: [{
        ...SESSION,
        sasl: { mechanism: "PLAIN", account: "me" },
      }],
    },
    line:
      /^wrong {2}session {6}Net: it logs in by PLAIN and has no sasl-password — mend: reterm session secret Net sasl-password$/,
  },
  {
    fault: "an operator.json left behind",
    prepare: (home) =>
      Deno.writeTextFile(
        home.operatorFile,
        JSON.stringify({ port: freePort(), key: "left" }),
      ),
    line:
      /^wrong {2}service {6}none runs on this home: \S+operator\.json was left by one that died — mend: reterm serve$/,
  },
];

const NOT_RUNNING =
  "wrong  service      none runs on this home — mend: reterm serve";

for (const { fault, config, prepare, changes, isHeld, line } of AT_REST) {
  Deno.test(`doctor names ${fault}, and what mends it`, async () => {
    // Guards that a person is sent to the one thing that is broken.
    await withHome(async (home) => {
      const text = JSON.stringify({ control: { port: PORT }, ...config ?? {} });
      await Deno.writeTextFile(home.configFile, text, { mode: 0o600 });
      await prepare?.(home);
      const test = async () => {
        const findings = await examine(patient(home, changes));
        const found = wrongs(findings);
        const others = found.filter((one) =>
          !line.test(one) && one !== NOT_RUNNING
        );
        assert.ok(found.some((one) => line.test(one)), found.join("\n"));
        // One fault may show in two places; it is never blamed on a third.
        assert.ok(others.length <= 1, found.join("\n"));
      };
      if (isHeld) await holding(PORT, test);
      else await test();
    });
  });
}

Deno.test("doctor says that no service runs, and that this is all", async () => {
  // Guards the first thing that most people will have wrong.
  await withHome(async (home) => {
    assert.deepEqual(wrongs(await examine(patient(home))), [NOT_RUNNING]);
  });
});

async function wrongOf(
  config: unknown,
  spoil: (running: Running) => Promise<unknown>,
  changes: Partial<Patient> = {},
): Promise<{ wrong: string[]; lines: string }> {
  let result: { wrong: string[]; lines: string } | undefined;
  await withService(config, async (running) => {
    await Deno.chmod(running.home.configFile, 0o600);
    await spoil(running);
    const findings = await examine(patient(running.home, changes));
    result = { wrong: wrongs(findings), lines: formatFindings(findings) };
  });
  return result ?? { wrong: [], lines: "" };
}

Deno.test("doctor tells AI access that is off from one that failed", async () => {
  // Guards that a switch somebody set is not called a fault.
  const off = await wrongOf({}, () => Promise.resolve());
  assert.deepEqual(off.wrong, []);
  assert.match(
    off.lines,
    /^note {3}access {7}AI access is off — mend: reterm set control\.enabled on$/m,
  );
  const port = freePort();
  await holding(port, async () => {
    const config = { control: { enabled: true, port } };
    const { wrong } = await wrongOf(config, () => Promise.resolve());
    assert.deepEqual(wrong.length, 2);
    assert.match(
      wrong[0] ?? "",
      new RegExp(
        `^wrong {2}access {7}Port ${port} is in use — AI access is off — ` +
          `mend: reterm set control\\.port ${port + 1}$`,
      ),
    );
    assert.match(wrong[1] ?? "", /held by another program of yours/);
  });
});

Deno.test("doctor sees a token, a port and a session that the service does not have", async () => {
  // Guards who edited a file while the service ran.
  const { wrong } = await wrongOf(ON(), async ({ home }) => {
    const token = new Map([[TOKEN_ENTRY, "w".repeat(43)]]);
    await new SecretsFile(home).change(token);
    const config = { control: { port: 7_422 }, sessions: [SESSION] };
    await Deno.writeTextFile(home.configFile, JSON.stringify(config));
  });
  assert.deepEqual(wrong.map((line) => line.replace(/\d{5}/, "N")), [
    "wrong  config       it says port 7422, and the service is on N — mend: " +
    "reterm set control.port 7422",
    "wrong  gate         it refuses the token of secrets.json — mend: " +
    "reterm control token regenerate",
    "wrong  session      Net: it was not started — mend: " +
    "reterm session connect Net",
  ]);
});

Deno.test("doctor gives a session's last error", async () => {
  // Guards that the reason is found without reading the log.
  const session = { ...SESSION, port: freePort(), autoconnect: true };
  const config = { ...ON(), sessions: [session] };
  const { wrong } = await wrongOf(
    config,
    ({ logged }) => logged(/^Net: reconnecting/),
  );
  assert.equal(wrong.length, 1);
  assert.match(
    wrong[0] ?? "",
    /^wrong {2}session {6}Net: reconnecting: .+ — mend: reterm session connect Net$/,
  );
});

Deno.test("doctor is not taken in by a program that answers for the service", async () => {
  // Guards the self-probe: what lets everyone in is not the gate.
  await withService(ON(), async ({ home, command }) => {
    const report = JSON.parse((await command("status", "--json")).out);
    const port = freePort();
    const answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
    await holding(port, async () => {
      const findings = await examinePort(patient(home), {
        config: undefined,
        secrets: new Map([[TOKEN_ENTRY, "t".repeat(43)]]),
        report: { ...report, access: { ...report.access, port } },
      });
      assert.match(
        wrongs(findings).join(),
        /^wrong {2}gate {9}it does not refuse what it must \(200, 200\)/,
      );
    }, answer);
  });
});
