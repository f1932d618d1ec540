/**
 * Reads the mode string of a MODE or 324 line by the classes of CHANMODES and
 * the letters of PREFIX, which decide what takes a parameter. A letter that the
 * server never announced takes none; a parameter that is missing is left out
 * and not made up.
 *
 * @module
 */

import type { Isupport } from "./isupport.ts";

/** One letter of a mode string. */
export interface ModeChange {
  /** `rank`: a member's. `list`: an entry of a ban-like list. */
  readonly kind: "rank" | "list" | "setting";
  readonly isSet: boolean;
  readonly letter: string;
  readonly param?: string;
}

/** Letters read of one line; a line of 510 bytes holds no more. */
const MAX_CHANGES = 512;

/** The changes of `modes` in order, with the parameters that belong to them. */
export function parseModeChanges(
  modes: string,
  params: readonly string[],
  isupport: Isupport,
): ModeChange[] {
  const changes: ModeChange[] = [];
  let isSet = true;
  let next = 0;
  for (const letter of modes) {
    if (letter === "+" || letter === "-") {
      isSet = letter === "+";
      continue;
    }
    if (changes.length >= MAX_CHANGES) break;
    const { kind, takesParam } = classify(letter, isSet, isupport);
    const param = takesParam ? params[next] : undefined;
    if (param === undefined) {
      // A key or a limit that came without its value says nothing to keep.
      const isVoid = takesParam && kind === "setting" && isSet;
      if (!isVoid) changes.push({ kind, isSet, letter });
      continue;
    }
    next++;
    changes.push({ kind, isSet, letter, param });
  }
  return changes;
}

function classify(
  letter: string,
  isSet: boolean,
  isupport: Isupport,
): { kind: ModeChange["kind"]; takesParam: boolean } {
  if (isupport.prefixes.some((prefix) => prefix.mode === letter)) {
    return { kind: "rank", takesParam: true };
  }
  const { list, always, onSet } = isupport.channelModes;
  if (list.includes(letter)) return { kind: "list", takesParam: true };
  if (always.includes(letter)) return { kind: "setting", takesParam: true };
  return { kind: "setting", takesParam: isSet && onSet.includes(letter) };
}
