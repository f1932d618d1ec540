/**
 * IRC case mappings: which names a server takes for the same. `ascii` folds
 * A to Z; `rfc1459` also takes `[]\~` for `{}|^`; `rfc1459-strict` leaves `~`
 * and `^` apart.
 *
 * @module
 */

export type Casemapping = "ascii" | "rfc1459" | "rfc1459-strict";

const RFC1459: Readonly<Record<string, string>> = {
  "[": "{",
  "]": "}",
  "\\": "|",
  "~": "^",
};

/** `name` folded so that names a server takes for the same are equal. */
export function foldName(name: string, casemapping: Casemapping): string {
  // Folding beyond A-Z would merge names that the server keeps apart.
  const ascii = name.replace(/[A-Z]+/g, (run) => run.toLowerCase());
  switch (casemapping) {
    case "ascii":
      return ascii;
    case "rfc1459":
      return ascii.replace(/[[\]\\~]/g, (c) => RFC1459[c] ?? c);
    case "rfc1459-strict":
      return ascii.replace(/[[\]\\]/g, (c) => RFC1459[c] ?? c);
    default:
      return casemapping satisfies never;
  }
}
