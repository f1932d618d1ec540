import assert from "node:assert/strict";
import { MASK_RULES, Masker, type MaskRules } from "../../lib/redact/masks.ts";
import { MASKED } from "./mask_vectors.ts";

Deno.test("Masker without any one of its rules fails a vector", () => {
  // Guards that every rule of the table is held by a test: one removed by
  // mistake must not go unnoticed.
  const unnoticed: string[] = [];
  for (const [name, rules] of mutants()) {
    const mutant = new Masker(rules);
    const isNoticed = MASKED.some(({ line, origin, shown }) =>
      mutant.line(line, origin) !== shown
    );
    if (!isNoticed) unnoticed.push(name);
  }
  assert.deepEqual(unnoticed, []);
});

Deno.test("Masker with another credential for a rule fails a vector", () => {
  // Guards which words of a login are masked, not only that some are.
  const kinds = [
    "every argument",
    "first argument",
    "second argument",
    "new password",
  ] as const;
  const unnoticed: string[] = [];
  MASK_RULES.logins.forEach((rule, i) => {
    for (const credential of kinds) {
      if (credential === rule.credential) continue;
      const logins = MASK_RULES.logins.with(i, { ...rule, credential });
      const mutant = new Masker({ ...MASK_RULES, logins });
      const isNoticed = MASKED.some(({ line, origin, shown }) =>
        mutant.line(line, origin) !== shown
      );
      if (!isNoticed) unnoticed.push(`${rule.verb} as ${credential}`);
    }
  });
  assert.deepEqual(unnoticed, []);
});

function* mutants(): Generator<[string, MaskRules]> {
  for (const [i, rule] of MASK_RULES.commands.entries()) {
    const name = `${rule.command} of ${rule.origins}`;
    yield [name, {
      ...MASK_RULES,
      commands: MASK_RULES.commands.toSpliced(i, 1),
    }];
    for (const origin of rule.origins) {
      const rest = rule.origins.filter((other) => other !== origin);
      const commands = MASK_RULES.commands.with(i, { ...rule, origins: rest });
      yield [`${rule.command} by ${origin}`, { ...MASK_RULES, commands }];
    }
  }
  for (const [i, rule] of MASK_RULES.logins.entries()) {
    const name = `${rule.target} ${rule.verb}`;
    yield [name, { ...MASK_RULES, logins: MASK_RULES.logins.toSpliced(i, 1) }];
  }
  for (const [i, command] of MASK_RULES.loginCommands.entries()) {
    const loginCommands = MASK_RULES.loginCommands.toSpliced(i, 1);
    yield [command, { ...MASK_RULES, loginCommands }];
  }
  for (const alias of MASK_RULES.aliases.keys()) {
    const aliases = new Map(MASK_RULES.aliases);
    aliases.delete(alias);
    yield [`alias ${alias}`, { ...MASK_RULES, aliases }];
  }
}
