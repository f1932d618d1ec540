/**
 * The direction of imports, read from the import lines: each folder of lib may
 * know only what lies below it, the IRC library and the MCP SDK have the few
 * users that are listed, and standard error has one door.
 *
 * @module
 */

import assert from "node:assert/strict";

const ROOT = new URL("../", import.meta.url);

/**
 * What each folder of lib may import from, itself aside. Whoever adds a row
 * here changes the architecture: README's layout section says the same.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  "redact": [],
  "config": [],
  "peer": [],
  "envelope": [],
  "scripts": [],
  "http": ["peer"],
  "buffers": ["redact"],
  // The engine's doors (reader, sender) are types that IRC implements.
  "irc": ["buffers", "redact", "engine", "config", "envelope"],
  "engine": ["buffers", "redact", "irc", "config"],
  "search": ["buffers", "engine"],
  "sending": ["engine", "redact", "irc", "scripts"],
  "debug": ["buffers", "engine", "irc", "redact"],
  "updates": ["buffers", "engine", "search", "redact", "debug"],
  "tools": [
    "buffers",
    "debug",
    "engine",
    "redact",
    "search",
    "sending",
    "updates",
  ],
  "mcp": ["tools", "engine"],
  "control": ["config", "http"],
  "operator": [
    "buffers",
    "config",
    "control",
    "engine",
    "envelope",
    "http",
    "irc",
    "peer",
    "redact",
    "scripts",
    "settings.ts",
  ],
  "agent": ["envelope", "operator", "peer"],
  "bridge": ["config", "control", "http", "operator", "peer"],
  "doctor": ["config", "control", "http", "operator", "peer"],
  "cli": [
    "agent",
    "bridge",
    "config",
    "doctor",
    "envelope",
    "http",
    "operator",
    "peer",
    "settings.ts",
  ],
};

/** Whose imports of a package are known and reviewed. */
const PACKAGE_USERS: readonly {
  readonly name: string;
  readonly pattern: RegExp;
  readonly users: RegExp;
}[] = [
  {
    name: "irc-framework",
    pattern: /^irc-framework(\/|$)/,
    users:
      /^lib\/irc\/(framework_client|irc_framework|transport|parse)(\.d)?\.ts$/,
  },
  {
    name: "@modelcontextprotocol/sdk",
    pattern: /^@modelcontextprotocol\/sdk\//,
    users: /^lib\/mcp\/\w+\.ts$/,
  },
  {
    name: "ulid",
    pattern: /^ulid$/,
    users: /^lib\/envelope\/envelope\.ts$/,
  },
];

interface Import {
  readonly file: string;
  readonly specifier: string;
  /** The path below the checkout of a relative import. */
  readonly target?: string;
}

function* sourceFiles(folder: string): Generator<string> {
  for (const entry of Deno.readDirSync(new URL(folder, ROOT))) {
    const path = folder + entry.name;
    if (entry.isDirectory) yield* sourceFiles(path + "/");
    else if (path.endsWith(".ts")) yield path;
  }
}

const IMPORT = /^\s*(?:import|export)\b[^;'"]*?from\s*["']([^"']+)["']/gm;
const BARE_IMPORT = /(?:^|[^\w.])import\s*\(?\s*["']([^"']+)["']/gm;

function readImports(file: string): Import[] {
  const text = code(Deno.readTextFileSync(new URL(file, ROOT)));
  const specifiers = [...text.matchAll(IMPORT), ...text.matchAll(BARE_IMPORT)]
    .map(([, specifier = ""]) => specifier);
  return specifiers.map((specifier) => {
    if (!specifier.startsWith(".")) return { file, specifier };
    const target = new URL(specifier, new URL(file, ROOT)).pathname
      .slice(ROOT.pathname.length);
    return { file, specifier, target };
  });
}

const files = [...sourceFiles("lib/")];
const imports = files.flatMap(readImports);

/** The folder of lib that a path is in, "" for lib itself or outside. */
function folderOf(path: string): string {
  return /^lib\/([^/]+)\//.exec(path)?.[1] ?? "";
}

/**
 * Whether a file of lib itself is a subject of its own, such as the clock,
 * that knows no folder, and not one that puts the folders together.
 */
function isSubject(file: string): boolean {
  return imports.every((known) =>
    known.file !== file || known.target === undefined ||
    !known.target.startsWith("lib/") || folderOf(known.target) === ""
  );
}

Deno.test("lib imports point down the flow only", () => {
  // Guards the layers: HTTP that knows MCP, or IRC that knows a tool, could
  // not be changed or tested alone any more.
  const wrong = imports.filter(({ file, target }) => {
    const from = folderOf(file);
    if (from === "" || target === undefined) return false;
    const to = folderOf(target);
    if (to === from) return false;
    const allowed = MAY_IMPORT[from] ?? [];
    if (to !== "") return !allowed.includes(to);
    return !isSubject(target) && !allowed.includes(target.slice("lib/".length));
  });
  assert.deepEqual(
    wrong.map(({ file, specifier }) => `${file} imports ${specifier}`),
    [],
  );
});

Deno.test("lib has no folder outside the import table", () => {
  // Guards that a new folder gets its place in the flow on purpose.
  const folders = new Set(files.map(folderOf).filter((name) => name !== ""));
  assert.deepEqual(
    [...folders].filter((name) => !(name in MAY_IMPORT)),
    [],
  );
});

Deno.test("lib has no file imported in a circle", () => {
  // Guards that modules can be read, and started, in one order.
  const graph = new Map<string, string[]>();
  for (const { file, target } of imports) {
    if (target === undefined || isTypeOnly(file, target)) continue;
    graph.set(file, [...graph.get(file) ?? [], target]);
  }
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: string[]) => {
    if (path.includes(file)) {
      circles.push([...path.slice(path.indexOf(file)), file].join(" > "));
      return;
    }
    if (done.has(file)) return;
    done.add(file);
    for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
  };
  for (const file of graph.keys()) visit(file, []);
  assert.deepEqual(circles, []);
});

/** Whether all that `file` takes from `target` are types, gone at run time. */
function isTypeOnly(file: string, target: string): boolean {
  const text = Deno.readTextFileSync(new URL(file, ROOT));
  const name = target.slice(target.lastIndexOf("/") + 1);
  const lines = [...text.matchAll(IMPORT)]
    .filter(([, specifier = ""]) => specifier.endsWith("/" + name));
  return lines.length > 0 &&
    lines.every(([line]) => /^\s*(import|export) type\b/.test(line));
}

Deno.test("packages are imported by their listed users only", () => {
  // Guards that what the libraries lack is made up for in one place each.
  const wrong = imports.filter(({ file, specifier }) =>
    PACKAGE_USERS.some(({ pattern, users }) =>
      pattern.test(specifier) && !users.test(file)
    )
  );
  assert.deepEqual(
    wrong.map(({ file, specifier }) => `${file} imports ${specifier}`),
    [],
  );
});

Deno.test("lib imports nothing but node:, the listed packages and itself", () => {
  // Guards the dependency table of the README: a new package is a decision.
  const strange = imports.filter(({ specifier }) =>
    !specifier.startsWith(".") && !specifier.startsWith("node:") &&
    !PACKAGE_USERS.some(({ pattern }) => pattern.test(specifier))
  );
  assert.deepEqual(
    strange.map(({ file, specifier }) => `${file} imports ${specifier}`),
    [],
  );
});

Deno.test("lib writes to standard error through log.ts alone", () => {
  // Guards that redaction has one exit: a stray print could hold a secret.
  const writers = files.filter((file) =>
    file !== "lib/log.ts" && !file.startsWith("lib/cli/") &&
    /\bconsole\.|Deno\.(stderr|stdout)\b|process\.(stderr|stdout)/
      .test(code(Deno.readTextFileSync(new URL(file, ROOT))))
  );
  assert.deepEqual(writers, []);
});

/** `text` without its comments, near enough for a search. */
function code(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
}
