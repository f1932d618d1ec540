/**
 * The program: hands its words to the command line and ends with its exit
 * code. Everything else is in `lib/`.
 *
 * @module
 */

import { processOutput } from "./lib/cli/output.ts";
import { runProgram } from "./lib/cli/program.ts";

if (import.meta.main) {
  Deno.exit(
    await runProgram(Deno.args, { output: processOutput, input: Deno.stdin }),
  );
}
