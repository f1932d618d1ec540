/**
 * The completion scripts in the shells they are for. bash is needed by the
 * project anyway; zsh and fish are asked where they are installed.
 *
 * @module
 */

import assert from "node:assert/strict";
import { COMMANDS } from "../../lib/cli/command_table.ts";
import { completionScript, type Shell } from "../../lib/cli/completion.ts";

async function run(
  command: string,
  args: readonly string[],
): Promise<{ code: number; out: string; err: string }> {
  const { code, stdout, stderr } = await new Deno.Command(command, {
    args: [...args],
  }).output();
  const decoder = new TextDecoder();
  return { code, out: decoder.decode(stdout), err: decoder.decode(stderr) };
}

function isInstalled(shell: string): boolean {
  const folders = (Deno.env.get("PATH") ?? "").split(":");
  return folders.some((folder) => {
    try {
      return Deno.statSync(`${folder}/${shell}`).isFile;
    } catch {
      return false;
    }
  });
}

async function withScript(
  shell: Shell,
  test: (file: string) => Promise<void>,
): Promise<void> {
  const file = await Deno.makeTempFile();
  try {
    await Deno.writeTextFile(file, completionScript(COMMANDS, shell) + "\n");
    await test(file);
  } finally {
    await Deno.remove(file);
  }
}

/** What a shell offers after these words; the last is being typed. */
const OFFERS: readonly (readonly [readonly string[], readonly string[]])[] = [
  [["ses"], ["session"]],
  [["session", "a"], ["add"]],
  [["control", "token", ""], ["regenerate"]],
  [["control", "t"], ["token"]],
  [["status", "--j"], ["--json"]],
  [["set", "control.p"], ["control.port"]],
  [["set", "control.send", "o"], ["on", "off"]],
  [["session", "secret", "libera", "sasl"], ["sasl-password"]],
  [["serve", "--log-level", "not"], ["notice"]],
  [["session", "add", "--host", "h", "--autocon"], ["--autoconnect"]],
  [["session", "add", "x", "--no-a"], ["--no-autoconnect"]],
  [["completion", "f"], ["fish"]],
  [["tail", "--session", "add", "--b"], ["--buffer"]],
  [["nothing", "of", "this"], []],
];

const ASK: Readonly<
  Record<Shell, (file: string, words: readonly string[]) => string>
> = {
  bash: (file, words) =>
    `source ${file}; COMP_WORDS=(reterm ${words.map(word).join(" ")}); ` +
    `COMP_CWORD=${words.length}; _reterm; printf '%s\\n' "\${COMPREPLY[@]}"`,
  // Stands in for the part that draws, and narrows to what was typed.
  zsh: (file, words) =>
    `compdef() { }; _describe() { print -rl -- \${(M)offer:#$typed*}; }; ` +
    `source ${file}; words=(reterm ${words.map(word).join(" ")}); ` +
    `CURRENT=${words.length + 1}; typed=$words[-1]; ` +
    `ask() { _reterm }; ask`,
  fish: (file, words) =>
    `source ${file}; complete -C ${word(["reterm", ...words].join(" "))}`,
};

function word(text: string): string {
  return `'${text}'`;
}

const SHELLS_HERE = (["bash", "zsh", "fish"] as const)
  .filter((shell) => shell === "bash" || isInstalled(shell));

for (const shell of SHELLS_HERE) {
  Deno.test(`completionScript() parses in ${shell} and offers what is taken`, () =>
    // Guards that pressing Tab never prints an error, nor a flag of another
    // command.
    withScript(shell, async (file) => {
      const parsed = await run(shell, ["-n", file]);
      assert.deepEqual(parsed, { code: 0, out: "", err: "" });
      const plain = shell === "zsh" ? ["-f"] : [];
      for (const [words, expected] of OFFERS) {
        const ask = ASK[shell](file, words);
        const { out, err } = await run(shell, [...plain, "-c", ask]);
        assert.equal(err, "", words.join(" "));
        const offered = out.split("\n").filter((line) => line !== "")
          .map((line) => line.split(/[:\t]/)[0] ?? "");
        const typed = words.at(-1) ?? "";
        assert.deepEqual(
          offered.filter((one) => one.startsWith(typed)).sort(),
          [...expected].sort(),
          words.join(" "),
        );
      }
    }));
}

Deno.test("completionScript() names every command and flag in each shell", () => {
  // Guards that a new row of the table needs no second place.
  for (const shell of ["bash", "zsh", "fish"] as const) {
    const script = completionScript(COMMANDS, shell);
    for (const { words, flags } of COMMANDS) {
      for (const word of words) assert.ok(script.includes(word), word);
      for (const { name } of flags) {
        const written = shell === "fish" ? `-l ${name}` : `--${name}`;
        assert.ok(script.includes(written), `${shell} ${written}`);
      }
    }
  }
});
