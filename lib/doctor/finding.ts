/**
 * What the doctor found about one thing, and how it is printed: one line, what
 * is wrong and the command that mends it.
 *
 * @module
 */

/** One thing that was looked at. */
export interface Finding {
  /** `note`: nothing is wrong, but a person may want to know. */
  readonly kind: "ok" | "note" | "wrong";
  /** What was looked at, in one word. */
  readonly area: string;
  readonly text: string;
  /** What mends it, a command where there is one. */
  readonly mend?: string;
}

/** Nothing to do. */
export function fine(area: string, text: string): Finding {
  return { kind: "ok", area, text };
}

/** Worth knowing. */
export function note(area: string, text: string, mend?: string): Finding {
  return { kind: "note", area, text, ...(mend !== undefined && { mend }) };
}

/** Broken. */
export function wrong(area: string, text: string, mend: string): Finding {
  return { kind: "wrong", area, text, mend };
}

const AREA_WIDTH = 11;

/** The findings, a line each. */
export function formatFindings(findings: readonly Finding[]): string {
  return findings.map(({ kind, area, text, mend }) => {
    const line = `${kind.padEnd(5)}  ${area.padEnd(AREA_WIDTH)}  ${text}`;
    return oneLine(mend === undefined ? line : `${line} — mend: ${mend}`);
  }).join("\n");
}

function oneLine(text: string): string {
  return text.split(/\s*\n\s*/).join(" ");
}

/** A path as a shell takes it. */
export function shellWord(text: string): string {
  return /^[\w./+@:#-]+$/.test(text)
    ? text
    : `'${text.replaceAll("'", `'\\''`)}'`;
}
