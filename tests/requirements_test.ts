/**
 * Requirement coverage: every requirement of a finished piece is cited by a
 * test, and no test cites one that does not exist. The requirements are the
 * tables in fixtures/requirements; a test cites by `[GATE-037]` in its text, or
 * by `[ratd:ERR-001]` where the control table has a requirement of that id too. A
 * case that is a file of its own cites in its line `shows: GATE-026`.
 *
 * @module
 */

import assert from "node:assert/strict";

/** The pieces, by their column in the tables, whose tests are all there. */
const FINISHED_PIECES: readonly string[] = ["1", "2", "3", "4", "5", "6"];

/** Rows of those pieces that this program cannot show, and why. */
const NOT_SHOWN: Readonly<Record<string, string>> = {
  // Tcl's ::rete::msg: scripts here are JavaScript and have no way to send.
  "RED-038": "README, Differences: scripts",
};

const TABLES = new URL("../fixtures/requirements/", import.meta.url);
const TESTS = new URL("./", import.meta.url);
const FIXTURES = new URL("../fixtures/", import.meta.url);

/** A citation: `[GATE-037]`, several ids apart by commas or spaces, or quoted. */
const CITATION =
  /(?<=[["'`])((?:(?:[a-z]+:)?[A-Z]{2,5}-\d{3}[,\s]*)+)(?=[\]"'`])/g;
const CASE_CITATION = /^shows: (.*)$/gm;
const ID = /(?:[a-z]+:)?[A-Z]{2,5}-\d{3}/g;

interface Requirement {
  readonly id: string;
  readonly piece: string;
  readonly text: string;
}

function readRequirements(): Requirement[] {
  const rows: Requirement[] = [];
  const seen = new Set<string>();
  // The control table first: its ids are the ones that go without a prefix.
  for (const table of ["control", "envelope", "ratd"]) {
    const file = new URL(`requirements-${table}.tsv`, TABLES);
    const lines = Deno.readTextFileSync(file)
      .split("\n").slice(1).filter((line) => line !== "");
    for (const line of lines) {
      const [plain = "", piece = "", , text = ""] = line.split("\t");
      const id = seen.has(plain) ? `${table}:${plain}` : plain;
      seen.add(id);
      rows.push({ id, piece, text });
    }
  }
  return rows;
}

function* filesBelow(folder: URL, ending: string): Generator<URL> {
  for (const entry of Deno.readDirSync(folder)) {
    const url = new URL(entry.name + (entry.isDirectory ? "/" : ""), folder);
    if (entry.isDirectory) yield* filesBelow(url, ending);
    else if (entry.name.endsWith(ending)) yield url;
  }
}

/** The files that cite each id. */
function readCitations(): Map<string, string[]> {
  const citations = new Map<string, string[]>();
  const cite = (file: URL, pattern: RegExp) => {
    for (const [, ids = ""] of Deno.readTextFileSync(file).matchAll(pattern)) {
      for (const [id] of ids.matchAll(ID)) {
        citations.set(id, [...citations.get(id) ?? [], file.pathname]);
      }
    }
  };
  for (const file of filesBelow(TESTS, "_test.ts")) {
    // The list of what is not shown, here, shows nothing.
    if (file.href !== import.meta.url) cite(file, CITATION);
  }
  for (const file of filesBelow(FIXTURES, ".txt")) cite(file, CASE_CITATION);
  return citations;
}

Deno.test("requirements of finished pieces are each cited by a test", () => {
  // Guards that no sentence of the contract is left without a test once its
  // piece is called done.
  const citations = readCitations();
  const missing = readRequirements()
    .filter(({ id, piece }) =>
      FINISHED_PIECES.includes(piece) && !citations.has(id) &&
      !Object.hasOwn(NOT_SHOWN, id)
    )
    .map(({ id, text }) => `${id}  ${text}`);
  assert.equal(
    missing.length,
    0,
    `${missing.length} requirements without a test:\n${missing.join("\n")}`,
  );
});

Deno.test("tests cite only requirements that exist", () => {
  // Guards that a mistyped id does not pass for coverage of another one.
  const known = new Set(readRequirements().map(({ id }) => id));
  const unknown = [...readCitations()]
    .filter(([id]) => !known.has(id))
    .map(([id, files]) => `${id} in ${files.join(", ")}`);
  assert.deepEqual(unknown, []);
});

Deno.test("requirement tables hold each id once", () => {
  // Guards that two rows with one id do not hide behind one test.
  const ids = readRequirements().map(({ id }) => id);
  assert.ok(ids.length > 800, `only ${ids.length} requirements were read`);
  assert.deepEqual(ids.filter((id, i) => ids.indexOf(id) !== i), []);
});
