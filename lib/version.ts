/**
 * The program's name and version, as `deno.json` has it.
 *
 * @module
 */

import manifest from "../deno.json" with { type: "json" };

/** How the program names itself to MCP clients and people. */
export const PROGRAM_NAME = "reterm";

/** The project's version. */
export const VERSION: string = manifest.version;
