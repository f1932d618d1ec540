/**
 * `operator.json`: where the operator's door of the running service is, and
 * the key that opens it. Written at start, removed at stop; one left by a
 * service that died is found out by knocking, and replaced.
 *
 * @module
 */

import { removeIfThere, replaceFile } from "../atomic_file.ts";
import { parseJson } from "../config/json_text.ts";
import { readTextFile } from "../config/text_file.ts";
import type { Home } from "../home.ts";

/** What the file says. */
export interface DoorAddress {
  readonly port: number;
  readonly key: string;
}

/**
 * The address in the file; undefined when there is no file, or none that a
 * running service could have written.
 */
export async function readDoorFile(
  home: Home,
): Promise<DoorAddress | undefined> {
  try {
    const file = await readTextFile(home.operatorFile);
    if (file === undefined) return undefined;
    const node = parseJson(file.text);
    if (node.kind !== "object") return undefined;
    const values = new Map(
      node.members.map(({ name, value }) => [name, value]),
    );
    const port = values.get("port");
    const key = values.get("key");
    if (port?.kind !== "number" || key?.kind !== "string") return undefined;
    if (!Number.isInteger(port.value) || port.value < 1) return undefined;
    if (port.value > 65_535 || !/^[\x21-\x7e]+$/.test(key.value)) {
      return undefined;
    }
    return { port: port.value, key: key.value };
  } catch {
    return undefined;
  }
}

/** Writes the file, mode 0600, in place of one that is there. */
export async function writeDoorFile(
  home: Home,
  address: DoorAddress,
): Promise<void> {
  await replaceFile(home.operatorFile, JSON.stringify(address) + "\n");
}

/** Removes the file if it is still the one with this key. */
export async function removeDoorFile(home: Home, key: string): Promise<void> {
  if ((await readDoorFile(home))?.key === key) {
    await removeIfThere(home.operatorFile);
  }
}
