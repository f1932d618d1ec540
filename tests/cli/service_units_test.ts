import assert from "node:assert/strict";
import {
  launchdAgent,
  ownBinary,
  systemdUnit,
} from "../../lib/cli/service_units.ts";
import { homeIn } from "../temp_home.ts";

const PARTS = {
  binary: "/home/al/.local/bin/reterm",
  home: homeIn("/home/al/.rete"),
  isDefaultHome: true,
};

function settings(unit: string): Map<string, string> {
  return new Map(
    unit.split("\n").filter((line) => line.includes("=")).map((line) => {
      const cut = line.indexOf("=");
      return [line.slice(0, cut), line.slice(cut + 1)];
    }),
  );
}

Deno.test("systemdUnit() is hardened and starts where the home is found", () => {
  // Guards that the service can write its home and nothing else.
  const unit = settings(systemdUnit(PARTS));
  for (
    const [name, value] of [
      ["ExecStart", '"/home/al/.local/bin/reterm" serve'],
      ["WorkingDirectory", "/home/al"],
      ["Type", "notify"],
      ["Restart", "on-failure"],
      ["PrivateUsers", "yes"],
      ["NoNewPrivileges", "yes"],
      ["ProtectSystem", "strict"],
      ["ProtectHome", "read-only"],
      ["ReadWritePaths", '"/home/al/.rete"'],
      [
        "RestrictAddressFamilies",
        "AF_INET AF_INET6 AF_NETLINK AF_UNIX",
      ],
      ["MemoryMax", "2G"],
      ["UMask", "0077"],
      ["WantedBy", "default.target"],
    ] as const
  ) {
    assert.equal(unit.get(name), value, name);
  }
  // JavaScript is compiled at run time.
  assert.equal(unit.has("MemoryDenyWriteExecute"), false);
  assert.equal(unit.has("Environment"), false);
});

Deno.test("systemdUnit() leaves out what a manager without namespaces refuses", () => {
  // Guards that there is a unit that starts on a kernel that keeps its users
  // from namespaces, and that the rest of the hardening stays.
  const whole = systemdUnit(PARTS).split("\n");
  const plain = systemdUnit({ ...PARTS, namespaces: false }).split("\n");
  const left = whole.filter((line) => !plain.includes(line));
  assert.deepEqual(left.map((line) => line.split("=")[0]), [
    "PrivateUsers",
    "ProtectSystem",
    "ProtectHome",
    "ReadWritePaths",
    "PrivateTmp",
    "ProtectControlGroups",
    "ProtectKernelTunables",
    "ProtectProc",
    "CapabilityBoundingSet",
    "PrivateDevices",
    "ProtectClock",
    "ProtectHostname",
    "ProtectKernelLogs",
    "ProtectKernelModules",
  ]);
  assert.ok(plain.includes("NoNewPrivileges=yes"));
  assert.ok(plain.includes("SystemCallFilter=@system-service"));
});

Deno.test("systemdUnit() waits for no word that cannot come", () => {
  // Guards the start on a system where the manager cannot be told.
  const unit = settings(systemdUnit({ ...PARTS, canNotify: false }));
  assert.equal(unit.get("Type"), "simple");
});

Deno.test("systemdUnit() escapes what systemd would read otherwise", () => {
  // Guards that an odd folder name does not change what is run.
  const unit = settings(systemdUnit({
    binary: '/opt/a "b"/$x/%h/reterm',
    home: homeIn("/srv/50% off/rete"),
    isDefaultHome: false,
  }));
  assert.equal(
    unit.get("ExecStart"),
    '"/opt/a \\"b\\"/$$x/%%h/reterm" serve',
  );
  assert.equal(unit.get("WorkingDirectory"), "/srv/50%% off");
  assert.equal(unit.get("ReadWritePaths"), '"/srv/50%% off/rete"');
  assert.equal(
    unit.get("Environment"),
    '"RETE_SECRETS_FILE=/srv/50%% off/rete/secrets.json"',
  );
});

Deno.test("launchdAgent() names the program, the home and no root right", () => {
  // Guards that the agent runs for its user, and that names stay names.
  const agent = launchdAgent({
    ...PARTS,
    binary: "/opt/<a>&b/reterm",
    isDefaultHome: false,
  });
  assert.ok(agent.includes("<string>/opt/&lt;a&gt;&amp;b/reterm</string>"));
  assert.ok(agent.includes("<string>/home/al/.rete/secrets.json</string>"));
  assert.ok(
    agent.includes(
      "<key>WorkingDirectory</key>\n  <string>/home/al</string>",
    ),
  );
  assert.ok(!agent.includes("UserName"));
  assert.ok(!launchdAgent(PARTS).includes("EnvironmentVariables"));
});

Deno.test("ownBinary() finds the compiled program or its launcher", () => {
  // Guards that a unit names something that can be started.
  const parts = { standalone: false, execPath: "/usr/bin/deno" };
  assert.equal(
    ownBinary({
      ...parts,
      standalone: true,
      execPath: "/bin/r",
      mainModule: "",
    }),
    "/bin/r",
  );
  assert.equal(
    ownBinary({ ...parts, mainModule: "file:///home/al/re%20term/main.ts" }),
    "/home/al/re term/dist/reterm",
  );
  assert.equal(
    ownBinary({ ...parts, mainModule: "file:///usr/local/lib/reterm/main.ts" }),
    "/usr/local/bin/reterm",
  );
});
