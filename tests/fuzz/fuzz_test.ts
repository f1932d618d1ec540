import { fuzz, FUZZERS } from "./fuzzers.ts";

const SEED = 0x5eed;
const CASES = 4_000;

for (const fuzzer of FUZZERS) {
  Deno.test(`fuzzer ${fuzzer.name} finds nothing in ${CASES} cases`, async () => {
    // Guards that text of strangers makes nothing throw, hang or disagree with
    // itself; `make fuzz` looks at a million cases each.
    await fuzz(fuzzer, { seed: SEED, cases: CASES });
  });
}
