/**
 * The README's tables against the code: an agent's developer reads the one and
 * is served by the other.
 *
 * @module
 */

import assert from "node:assert/strict";
import { COMMANDS } from "../lib/cli/command_table.ts";
import { SETTINGS } from "../lib/settings.ts";
import { FAILURES } from "../lib/tools/failures.ts";
import { TOOL_TIERS, TOOLS } from "../lib/tools/registry.ts";

const README = Deno.readTextFileSync(new URL("../README.md", import.meta.url));

/** The cells of the rows of the table below a heading. */
function tableBelow(heading: string): string[][] {
  const [, section = ""] = README.split(`\n## ${heading}\n`);
  const lines = section.split("\n");
  const start = lines.findIndex((line) => line.startsWith("| ---"));
  const rows: string[][] = [];
  for (const line of lines.slice(start + 1)) {
    if (!line.startsWith("| ")) break;
    rows.push(line.split("|").slice(1, -1).map((cell) => cell.trim()));
  }
  return rows;
}

Deno.test("README lists the tools of the registry with their tiers", () => {
  // Guards that nobody looks for a tool that is not there, or misses one.
  const built = new Set(TOOLS.map(({ name }) => name));
  const listed = tableBelow("Tools").map(([name = "", tier, text = ""]) => ({
    name: name.replaceAll("`", ""),
    tier,
    isBuilt: !text.includes("(not built yet)"),
  }));
  const expected = Object.entries(TOOL_TIERS).map(([name, tier]) => ({
    name,
    tier,
    isBuilt: built.has(name as keyof typeof TOOL_TIERS),
  }));
  assert.deepEqual(listed, expected);
});

Deno.test("failures name only tools that exist", () => {
  // Guards the sentences that send an agent to another tool.
  const names = Object.keys(TOOL_TIERS);
  for (const text of Object.values(FAILURES)) {
    for (const [word] of text.matchAll(/\b[a-z]+(?:_[a-z]+)+\b/g)) {
      assert.ok(names.includes(word), `${word} in "${text}"`);
    }
  }
});

Deno.test("README lists the settings", () => {
  // Guards that each switch is explained where a person looks first.
  assert.deepEqual(
    tableBelow("Switches").map(([key = ""]) => key.replaceAll("`", "")),
    SETTINGS.map(({ key }) => key),
  );
});

Deno.test("README names the packages as they are pinned", () => {
  // Guards the dependency table: a package is a decision with a reason.
  const { imports } = JSON.parse(
    Deno.readTextFileSync(new URL("../deno.json", import.meta.url)),
  ) as { imports: Record<string, string> };
  const pinned = new Set(
    Object.values(imports).map((specifier) =>
      specifier.replace(/^npm:\/?/, "").replace(/\/$/, "")
    ),
  );
  const listed = tableBelow("Dependencies")
    .map(([name = ""]) => /^`(.+)` (\S+)$/.exec(name))
    .filter((match) => match !== null)
    .map(([, name, version]) => `${name}@${version}`);
  assert.deepEqual(listed.sort(), [...pinned].sort());
});

Deno.test("README explains every target of the Makefile that it names", () => {
  // Guards that what a newcomer types is there.
  const makefile = Deno.readTextFileSync(
    new URL("../Makefile", import.meta.url),
  );
  const targets = [...makefile.matchAll(/^([a-z0-9]+):/gm)].map(([, t]) => t);
  for (const [, target] of README.matchAll(/(?:`|^ {4})make ([a-z0-9]+)/gm)) {
    assert.ok(targets.includes(target), `make ${target}`);
  }
});

Deno.test("README tells of every command", () => {
  // Guards that a command can be found without knowing its name.
  const cells = tableBelow("Commands").map(([cell = ""]) => cell);
  for (const { words: [first = "", ...rest] } of COMMANDS) {
    const row = cells.filter((cell) => cell.includes(`reterm ${first}`)).join();
    for (const word of [first, ...rest]) {
      assert.match(row, new RegExp(`\\b${word}\\b`), `reterm ${first} ${word}`);
    }
  }
});
