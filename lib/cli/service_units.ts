/**
 * Units that run the service for the current user: what `reterm service`
 * prints. Hardened as far as works with the program: each directive was tried
 * with a user manager of systemd 252. Memory that is both written and run must
 * stay allowed, since JavaScript is compiled at run time, and `/proc/net` seen,
 * by which the peer check goes where netlink is refused.
 *
 * @module
 */

import type { Home } from "../home.ts";

/** What a unit is made of. All paths are absolute. */
export interface UnitParts {
  readonly binary: string;
  readonly home: Home;
  /** Whether the default home is used, so that no variable need name it. */
  readonly isDefaultHome: boolean;
  /** Whether this build finds what it tells the manager by; yes when absent. */
  readonly canNotify?: boolean;
  /** Whether the kernel lets users have namespaces; yes when absent. */
  readonly namespaces?: boolean;
}

/** Room for 64 sessions with full buffers; a leak ends here, not the machine. */
const MEMORY_MAX = "2G";

/** What holds in every user manager. */
const HARDENING = [
  "NoNewPrivileges=yes",
  "RestrictAddressFamilies=AF_INET AF_INET6 AF_NETLINK AF_UNIX",
  "RestrictNamespaces=yes",
  "RestrictRealtime=yes",
  "RestrictSUIDSGID=yes",
  "LockPersonality=yes",
  "KeyringMode=private",
  "SystemCallArchitectures=native",
  "SystemCallFilter=@system-service",
  "SystemCallFilter=~@privileged",
  "SystemCallErrorNumber=EPERM",
];

/**
 * What needs mounts or capabilities of its own. A user manager has neither
 * outside of a user namespace: without PrivateUsers it lets the first half of
 * these pass without effect, and fails to start a unit for the second.
 */
function namespaceHardening(home: Home): string[] {
  return [
    "PrivateUsers=yes",
    "ProtectSystem=strict",
    "ProtectHome=read-only",
    `ReadWritePaths=${quoted(home.folder)}`,
    "PrivateTmp=yes",
    "ProtectControlGroups=yes",
    "ProtectKernelTunables=yes",
    "ProtectProc=invisible",
    "CapabilityBoundingSet=",
    "PrivateDevices=yes",
    "ProtectClock=yes",
    "ProtectHostname=yes",
    "ProtectKernelLogs=yes",
    "ProtectKernelModules=yes",
  ];
}

/** A systemd unit, for `~/.config/systemd/user/reterm.service`. */
export function systemdUnit(
  { binary, home, isDefaultHome, canNotify = true, namespaces = true }:
    UnitParts,
): string {
  const environment = isDefaultHome
    ? []
    : [`Environment=${quoted(`RETE_SECRETS_FILE=${home.secretsFile}`)}`];
  return [
    "[Unit]",
    "Description=reterm, an IRC client that AI agents can read",
    "",
    "[Service]",
    `Type=${canNotify ? "notify" : "simple"}`,
    `ExecStart=${quoted(binary).replaceAll("$", "$$$$")} serve`,
    `WorkingDirectory=${unitText(startFolder(home))}`,
    ...environment,
    "Restart=on-failure",
    "RestartSec=5",
    "TimeoutStopSec=20",
    "UMask=0077",
    "LimitCORE=0",
    `MemoryMax=${MEMORY_MAX}`,
    "TasksMax=64",
    ...HARDENING,
    ...(namespaces ? namespaceHardening(home) : []),
    "",
    "[Install]",
    "WantedBy=default.target",
  ].join("\n");
}

/** A launchd agent, for `~/Library/LaunchAgents/chat.rete.reterm.plist`. */
export function launchdAgent(
  { binary, home, isDefaultHome }: UnitParts,
): string {
  const environment = isDefaultHome ? [] : [
    "  <key>EnvironmentVariables</key>",
    "  <dict>",
    "    <key>RETE_SECRETS_FILE</key>",
    `    <string>${xml(home.secretsFile)}</string>`,
    "  </dict>",
  ];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" ' +
    '"http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    "<dict>",
    "  <key>Label</key>",
    "  <string>chat.rete.reterm</string>",
    "  <key>ProgramArguments</key>",
    "  <array>",
    `    <string>${xml(binary)}</string>`,
    "    <string>serve</string>",
    "  </array>",
    "  <key>WorkingDirectory</key>",
    `  <string>${xml(startFolder(home))}</string>`,
    ...environment,
    "  <key>RunAtLoad</key>",
    "  <true/>",
    "  <key>KeepAlive</key>",
    "  <dict>",
    "    <key>SuccessfulExit</key>",
    "    <false/>",
    "  </dict>",
    "  <key>ThrottleInterval</key>",
    "  <integer>5</integer>",
    "  <key>ExitTimeOut</key>",
    "  <integer>20</integer>",
    "  <key>ProcessType</key>",
    "  <string>Background</string>",
    "  <key>Umask</key>",
    "  <integer>63</integer>",
    "  <key>HardResourceLimits</key>",
    "  <dict>",
    "    <key>Core</key>",
    "    <integer>0</integer>",
    "    <key>NumberOfFiles</key>",
    "    <integer>1024</integer>",
    "  </dict>",
    "</dict>",
    "</plist>",
  ].join("\n");
}

/**
 * The program to name in a unit: the compiled one itself, or the launcher that
 * stands where `make launcher` or `make install` put it for this source tree.
 */
export function ownBinary(
  parts: { standalone: boolean; execPath: string; mainModule: string },
): string {
  if (parts.standalone) return parts.execPath;
  const folder = decodeURIComponent(new URL(".", parts.mainModule).pathname)
    .replace(/\/$/, "");
  return folder.endsWith("/lib/reterm")
    ? `${folder.slice(0, -"/lib/reterm".length)}/bin/reterm`
    : `${folder}/dist/reterm`;
}

/** A build that knows only the name `.rete` finds it from its parent. */
function startFolder(home: Home): string {
  const parent = home.folder.slice(0, home.folder.lastIndexOf("/"));
  return parent === "" ? "/" : parent;
}

/** systemd reads `%` as the start of a specifier, anywhere. */
function unitText(text: string): string {
  return text.replaceAll("%", "%%");
}

function quoted(text: string): string {
  const escaped = text.replaceAll("\\", "\\\\").replaceAll('"', '\\"');
  return `"${unitText(escaped)}"`;
}

function xml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
