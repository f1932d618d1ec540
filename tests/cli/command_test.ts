import assert from "node:assert/strict";
import {
  type Call,
  type Command,
  parseCommand,
  UsageError,
  usageLine,
} from "../../lib/cli/command.ts";
import { COMMANDS } from "../../lib/cli/command_table.ts";
import { commandHelp, familyHelp, programHelp } from "../../lib/cli/help.ts";
import { sessionFields } from "../../lib/cli/session_flags.ts";

function call(...words: string[]): Call {
  const parsed = parseCommand(COMMANDS, words);
  assert.equal(parsed.kind, "call");
  return (parsed as { call: Call }).call;
}

const summary = ({ command, args, flags }: Call) => [
  command.words.join(" "),
  args,
  Object.fromEntries(flags),
];

const PARSED: readonly (readonly [string[], unknown[]])[] = [
  [["serve"], ["serve", [], {}]],
  [["set", "control.port", "-5"], ["set", ["control.port", "-5"], {}]],
  [["control", "token"], ["control token", [], {}]],
  [["control", "token", "regenerate"], ["control token regenerate", [], {}]],
  [
    ["session", "add", "n", "--host", "h", "--no-tls", "--port=1"],
    ["session add", ["n"], { host: ["h"], tls: ["off"], port: ["1"] }],
  ],
  [
    ["session", "add", "--tls", "off", "n", "--tls-verify", "on"],
    ["session add", ["n"], { tls: ["off"], "tls-verify": ["on"] }],
  ],
  [
    ["session", "add", "n", "--channel", "#a", "--channel=#b", "--nick", "a"],
    ["session add", ["n"], { channel: ["#a", "#b"], nick: ["a"] }],
  ],
  [
    ["do", "--buffer", "#a", "hello", "--you", "-all"],
    ["do", ["hello", "--you", "-all"], { buffer: ["#a"] }],
  ],
  [
    ["do", "/join #a", "--session", "Net"],
    ["do", ["/join #a"], { session: ["Net"] }],
  ],
  [["do", "/mode", "#a", "-o", "bob"], [
    "do",
    ["/mode", "#a", "-o", "bob"],
    {},
  ]],
  [["do", "--", "--session"], ["do", ["--session"], {}]],
  [
    ["session", "disconnect", "n", "see", "you"],
    ["session disconnect", ["n", "see", "you"], {}],
  ],
];

for (const [words, expected] of PARSED) {
  Deno.test(`parseCommand() reads ${words.join(" ")}`, () => {
    // Guards that words mean what the help says.
    assert.deepEqual(summary(call(...words)), expected);
  });
}

const MISUSED: readonly (readonly [string[], string])[] = [
  [["serv"], 'No command "serv": see reterm --help.'],
  [
    ["control"],
    "reterm control takes one of: status, token, token regenerate, log.",
  ],
  [
    ["session", "drop"],
    "reterm session takes one of: list, add, remove, connect, disconnect, secret.",
  ],
  [
    ["set", "a", "b", "c"],
    "There is a word too many. Usage: reterm set [KEY] [VALUE]",
  ],
  [
    ["session", "connect"],
    "NAME is missing. Usage: reterm session connect NAME",
  ],
  [["do"], "LINE is missing. Usage: reterm do [flags] LINE…"],
  [["do", "--session"], "--session needs NAME."],
  [["set", "-x"], "No flag -x: see reterm set --help."],
  [
    ["session", "add", "n", "--tls=maybe"],
    '--tls takes on or off, not "maybe".',
  ],
  [
    ["session", "secret", "n", "password", "--remove=1"],
    "--remove takes no value.",
  ],
];

for (const [words, message] of MISUSED) {
  Deno.test(`parseCommand() refuses ${words.join(" ")}`, () => {
    // Guards that wrong usage is told with what to write instead.
    assert.throws(() => parseCommand(COMMANDS, words), new UsageError(message));
  });
}

Deno.test("sessionFields() writes every flag under its field", () => {
  // Guards that each field of a session can be given on the command line.
  assert.deepEqual(
    sessionFields(call(
      "session",
      "add",
      "n",
      "--id=6F1C3B1E-2F0B-4C53-9D0F-2F6B7A1C9E10",
      "--host=h",
      "--nick=a",
      "--port=6697",
      "--tls",
      "--tls-ca=ca.pem",
      "--no-tls-verify",
      "--tls-client-cert=me.pem",
      "--socks5=127.0.0.1:1080",
      "--alt-nick=b",
      "--alt-nick=c",
      "--username=u",
      "--realname=R N",
      "--sasl=PLAIN",
      "--sasl-account=acc",
      "--no-sasl-required",
      "--channel=#x",
      "--no-autoconnect",
    )),
    {
      host: "h",
      nick: "a",
      port: 6697,
      tls: true,
      tls_ca: "ca.pem",
      tls_verify: false,
      tls_client_cert: "me.pem",
      socks5: "127.0.0.1:1080",
      alt_nicks: ["b", "c"],
      username: "u",
      realname: "R N",
      sasl: { mechanism: "PLAIN", account: "acc", required: false },
      channels: ["#x"],
      autoconnect: false,
      id: "6F1C3B1E-2F0B-4C53-9D0F-2F6B7A1C9E10",
    },
  );
});

Deno.test("--help after the first word of several commands lists them", () => {
  // Guards whoever knows the group and not yet its commands.
  for (const name of ["control", "session", "service"]) {
    for (const flag of ["--help", "-h"]) {
      const parsed = parseCommand(COMMANDS, [name, flag]);
      assert.equal(parsed.kind, "family-help");
      if (parsed.kind !== "family-help") return;
      const help = familyHelp(parsed.family);
      for (const { words, about } of COMMANDS as readonly Command[]) {
        const isListed = help.includes(`  ${words.join(" ")} `) &&
          help.includes(about);
        assert.equal(isListed, words[0] === name, words.join(" "));
      }
    }
  }
  assert.throws(() => parseCommand(COMMANDS, ["nope", "--help"]), UsageError);
});

Deno.test("help names every command, positional and flag", () => {
  // Guards that what is taken is told of.
  const program = programHelp(COMMANDS);
  for (const command of COMMANDS as readonly Command[]) {
    assert.ok(program.includes(`  ${command.words.join(" ")}`));
    assert.ok(program.includes(command.about));
    const help = commandHelp(command);
    assert.ok(help.startsWith(`Usage: ${usageLine(command)}\n`));
    for (const { name, about } of command.positionals) {
      assert.ok(help.includes(`  ${name}`) && help.includes(about), help);
    }
    for (const { name, about } of command.flags) {
      assert.ok(help.includes(`  --${name}`) && help.includes(about), help);
    }
    for (const line of help.split("\n")) {
      assert.ok([...line].length <= 100, line);
    }
  }
});
