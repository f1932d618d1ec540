/**
 * `make fuzz`: runs each fuzzer and prints a line for it. Exits 1 when a case
 * failed, with what repeats it.
 *
 *     tests/fuzz/main.ts [CASES [SEED [NAME [FIRST-CASE]]]]
 *
 * @module
 */

import { fuzz, FUZZERS } from "./fuzzers.ts";

const [cases = "1000000", given, name, first = "0"] = Deno.args;
// Another seed each day searches further; the line printed repeats it.
const seed = given === undefined || given === ""
  ? Math.floor(Date.now() / 86_400_000)
  : Number(given);

function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}

let failed = 0;
for (const fuzzer of FUZZERS) {
  if (name !== undefined && fuzzer.name !== name) continue;
  const start = performance.now();
  try {
    await fuzz(fuzzer, { seed, cases: Number(cases), first: Number(first) });
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    print(`fuzz ${fuzzer.name} ${cases} cases seed ${seed} ok (${seconds} s)`);
  } catch (error) {
    failed++;
    print(`fuzz ${fuzzer.name} FAILED\n${(error as Error).message}`);
  }
}
Deno.exit(failed === 0 ? 0 : 1);
