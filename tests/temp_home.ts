/**
 * A home folder for one test, 0700 and removed afterwards.
 *
 * @module
 */

import type { Home } from "../lib/home.ts";

/** The paths of a home in `folder`. */
export function homeIn(folder: string): Home {
  return {
    folder,
    secretsFile: `${folder}/secrets.json`,
    configFile: `${folder}/config.json`,
    operatorFile: `${folder}/operator.json`,
  };
}

/** Runs `test` with a home that is there and empty. */
export async function withHome(
  test: (home: Home) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.mkdir(`${folder}/.rete`, { mode: 0o700 });
    await test(homeIn(`${folder}/.rete`));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The permission bits of a file. */
export async function modeOf(path: string): Promise<number> {
  return ((await Deno.stat(path)).mode ?? 0) & 0o777;
}
