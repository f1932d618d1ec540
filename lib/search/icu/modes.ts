/**
 * The match modes of a pattern, `(?imsxwd)`, and what they make of `^`, `$` and
 * the assertions with a backslash.
 *
 * Follows the ICU User Guide, "Flag Options".
 *
 * @module
 */

import type { Assertion } from "./ast.ts";

/** Match modes in force, set by `(?imsxwd)`. */
export interface Modes {
  ignoreCase: boolean;
  comments: boolean;
  dotAll: boolean;
  multiline: boolean;
  uax29Words: boolean;
  unixLines: boolean;
}

/** The modes that a pattern begins with. */
export const NO_MODES: Readonly<Modes> = {
  ignoreCase: false,
  comments: false,
  dotAll: false,
  multiline: false,
  uax29Words: false,
  unixLines: false,
};

/** Sets the mode of a letter; false when no mode has it. */
export function setMode(
  modes: Modes,
  letter: string,
  options: { isOn: boolean },
): boolean {
  const { isOn } = options;
  switch (letter) {
    case "i":
      modes.ignoreCase = isOn;
      return true;
    case "m":
      modes.multiline = isOn;
      return true;
    case "s":
      modes.dotAll = isOn;
      return true;
    case "x":
      modes.comments = isOn;
      return true;
    case "w":
      modes.uax29Words = isOn;
      return true;
    case "d":
      modes.unixLines = isOn;
      return true;
    case "u":
      // Taken, and without effect: Java's flag for Unicode case folding.
      return true;
    default:
      return false;
  }
}

/** What `^` asserts. */
export function startAssertion(modes: Modes): Assertion {
  if (!modes.multiline) return "start";
  return modes.unixLines ? "unix-line-start" : "line-start";
}

/** What `$` asserts. */
export function endAssertion(modes: Modes): Assertion {
  if (modes.multiline) return modes.unixLines ? "unix-line-end" : "line-end";
  return modes.unixLines ? "unix-end" : "end";
}

/** What an assertion written with a backslash and this letter asserts. */
export function boundaryAssertion(
  letter: number,
  modes: Modes,
): Assertion | undefined {
  switch (letter) {
    case 0x41: // A
      return "start";
    case 0x42: // B
      return modes.uax29Words ? "no-uax29-boundary" : "no-word-boundary";
    case 0x47: // G
      return "search-start";
    case 0x5a: // Z
      return "end";
    case 0x62: // b
      return modes.uax29Words ? "uax29-boundary" : "word-boundary";
    case 0x7a: // z
      return "very-end";
    default:
      return undefined;
  }
}
