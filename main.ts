/**
 * The program: hands its words to the command line and ends with its exit
 * code. Everything else is in `lib/`.
 *
 * @module
 */

import { processOutput } from "./lib/cli/output.ts";
import { runProgram } from "./lib/cli/program.ts";

if (import.meta.main) {
  const code = await runProgram(Deno.args, {
    output: processOutput,
    input: Deno.stdin,
    // The service is most of the program: other commands start without it.
    serve: async (options) =>
      await (await import("./lib/serve.ts")).serveUntilStopped(options),
  });
  Deno.exit(code);
}
