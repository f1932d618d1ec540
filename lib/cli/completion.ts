/**
 * Completion scripts for the shells, made from the command table alone, so
 * that what is offered is what is taken. A script is text that the shell reads
 * once: completing asks no program and shows no name of a session.
 *
 * @module
 */

import type { Command, Flag } from "./command.ts";

/** The shells there are scripts for. */
export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = typeof SHELLS[number];

/** The script for `shell`. */
export function completionScript(
  table: readonly Command[],
  shell: Shell,
): string {
  const places = readPlaces(table);
  switch (shell) {
    case "bash":
      return bashScript(places);
    case "zsh":
      return zshScript(places);
    case "fish":
      return fishScript(places);
    default:
      return shell satisfies never;
  }
}

/** A word that may come next, and what it is. */
interface Candidate {
  readonly word: string;
  readonly about: string;
}

/** What may follow a run of command words. */
interface Place {
  /** The words so far, joined by spaces; `""` at the start. */
  readonly path: string;
  readonly words: readonly Candidate[];
  readonly flags: readonly Candidate[];
  /** Flags that take a value, with what it may be. */
  readonly values: readonly { flag: string; choices: readonly string[] }[];
  /** What each word after the command's own may be. */
  readonly choices: readonly (readonly string[])[];
}

const HELP: Candidate = { word: "--help", about: "tell more" };

function readPlaces(table: readonly Command[]): Place[] {
  const paths = new Set([""]);
  for (const { words } of table) {
    words.forEach((_, at) => paths.add(words.slice(0, at + 1).join(" ")));
  }
  return [...paths].map((path) => readPlace(table, path));
}

function readPlace(table: readonly Command[], path: string): Place {
  const depth = path === "" ? 0 : path.split(" ").length;
  const below = new Map<string, string>();
  for (const { words, about } of table) {
    const word = words[depth];
    if (word === undefined) continue;
    if (words.slice(0, depth).join(" ") !== path) continue;
    const isWhole = words.length === depth + 1;
    if (isWhole || !below.has(word)) {
      below.set(
        word,
        isWhole ? about : `${[...words.slice(0, depth + 1)].join(" ")} …`,
      );
    }
  }
  const command = table.find(({ words }) => words.join(" ") === path);
  const flags = command?.flags ?? [];
  return {
    path,
    words: [...below].map(([word, about]) => ({ word, about })),
    flags: [
      ...flags.flatMap(flagForms),
      HELP,
      ...(path === ""
        ? [{ word: "--version", about: "print the version" }]
        : []),
    ],
    values: flags.filter(({ kind }) => kind === "text" || kind === "list")
      .map(({ name, choices = [] }) => ({ flag: `--${name}`, choices })),
    choices: command?.positionals.map(({ choices = [] }) => choices) ?? [],
  };
}

function flagForms({ name, kind, about }: Flag): Candidate[] {
  const form = { word: `--${name}`, about };
  return kind === "switch"
    ? [form, { word: `--no-${name}`, about: `not: ${about}` }]
    : [form];
}

const HEADER = "# Made by `reterm completion`: make it anew after an upgrade.";

/** The walk along the words, alike in bash and zsh but for their names. */
function walk(words: string, count: string): string[] {
  return [
    // zsh keeps $PATH in $path.
    `  local line= place=0 word skip= at`,
    `  for ((at = ${words === "words" ? 2 : 1}; at < ${count}; at++)); do`,
    `    word=\${${words}[at]}`,
    `    if [[ -n $skip ]]; then skip=; continue; fi`,
    `    if [[ $word == --*=* ]]; then continue; fi`,
    `    if [[ $word == -* ]]; then`,
    `      if _reterm_takes_value "$line" "$word"; then skip=$word; fi`,
    `      continue`,
    `    fi`,
    `    if [[ $place == 0 ]] && _reterm_is_path "\${line:+$line }$word"; then`,
    `      line="\${line:+$line }$word"`,
    `    else`,
    `      place=$((place + 1))`,
    `    fi`,
    `  done`,
  ];
}

function sharedFunctions(places: readonly Place[]): string[] {
  const paths = places.filter(({ path }) => path !== "")
    .map(({ path }) => quoted(path)).join(" | ");
  const takers = places.flatMap(({ path, values }) =>
    values.map(({ flag }) => quoted(`${path} ${flag}`))
  ).join(" | ");
  return [
    "_reterm_is_path() {",
    `  case $1 in ${paths}) return 0 ;; esac`,
    "  return 1",
    "}",
    "_reterm_takes_value() {",
    `  case "$1 $2" in ${takers}) return 0 ;; esac`,
    "  return 1",
    "}",
  ];
}

function bashScript(places: readonly Place[]): string {
  const list = (words: readonly string[]) => quoted(words.join(" "));
  const cases = (rows: readonly (readonly [string, readonly string[]])[]) =>
    rows.filter(([, words]) => words.length > 0)
      .map(([key, words]) => `    ${quoted(key)}) offer=${list(words)} ;;`);
  return [
    `${HEADER} For bash:`,
    "#   reterm completion bash > " +
    "~/.local/share/bash-completion/completions/reterm",
    ...sharedFunctions(places),
    "_reterm() {",
    "  local cur=${COMP_WORDS[COMP_CWORD]} offer=",
    ...walk("COMP_WORDS", "COMP_CWORD"),
    "  COMPREPLY=()",
    '  if [[ -n $skip ]]; then case "$line $skip" in',
    ...cases(valueRows(places)),
    "  esac",
    "  elif [[ $cur == -* ]]; then case $line in",
    ...cases(places.map(({ path, flags }) => [path, wordsOf(flags)] as const)),
    "  esac",
    '  else case "$line/$place" in',
    ...cases(wordRows(places)),
    "  esac; fi",
    '  mapfile -t COMPREPLY < <(compgen -W "$offer" -- "$cur")',
    "}",
    "complete -F _reterm reterm",
  ].join("\n");
}

function zshScript(places: readonly Place[]): string {
  const cases = (rows: readonly (readonly [string, readonly Candidate[]])[]) =>
    rows.filter(([, offered]) => offered.length > 0).map(([key, offered]) =>
      `    ${quoted(key)}) offer=(${offered.map(described).join(" ")}) ;;`
    );
  const plain = ([key, words]: readonly [string, readonly string[]]) =>
    [key, words.map((word) => ({ word, about: "" }))] as const;
  return [
    "#compdef reterm",
    `${HEADER} For zsh, in a folder of $fpath:`,
    "#   reterm completion zsh > ~/.zfunc/_reterm",
    ...sharedFunctions(places),
    "_reterm() {",
    "  local -a offer",
    ...walk("words", "CURRENT"),
    '  if [[ -n $skip ]]; then case "$line $skip" in',
    ...cases(valueRows(places).map(plain)),
    "  esac",
    "  elif [[ ${words[CURRENT]} == -* ]]; then case $line in",
    ...cases(places.map(({ path, flags }) => [path, flags] as const)),
    "  esac",
    '  else case "$line/$place" in',
    ...cases(
      places.flatMap(({ path, words, choices }) => [
        [`${path}/0`, [
          ...words,
          ...(choices[0] ?? []).map((word) => ({ word, about: "" })),
        ]] as const,
        ...choices.slice(1).map((words, at) =>
          plain([`${path}/${at + 1}`, words])
        ),
      ]),
    ),
    "  esac; fi",
    "  _describe reterm offer",
    "}",
    'if [[ $funcstack[1] == _reterm ]]; then _reterm "$@"; ' +
    "else compdef _reterm reterm; fi",
  ].join("\n");
}

function fishScript(places: readonly Place[]): string {
  const at = (path: string, place?: number) =>
    `-n ${quoted(`__reterm_at ${fishWord(path)} ${place ?? ""}`.trim())}`;
  const lines = [
    `${HEADER} For fish:`,
    "#   reterm completion fish > ~/.config/fish/completions/reterm.fish",
    "function __reterm_at --argument-names wanted count",
    "  set -l path ''",
    "  set -l place 0",
    "  set -l skip 0",
    "  for word in (commandline -opc)[2..]",
    "    if test $skip = 1",
    "      set skip 0",
    "      continue",
    "    end",
    "    switch $word",
    "      case '--*=*'",
    "        continue",
    "      case '-*'",
    '        contains -- "$path $word" $__reterm_takers; and set skip 1',
    "        continue",
    "    end",
    '    set -l next (string trim -- "$path $word")',
    '    if test $place = 0; and contains -- "$next" $__reterm_paths',
    "      set path $next",
    "    else",
    "      set place (math $place + 1)",
    "    end",
    "  end",
    '  test "$path" = "$wanted"; or return 1',
    '  test -z "$count"; or test "$count" = "$place"',
    "end",
    `set -g __reterm_paths ${
      places.filter(({ path }) => path !== "").map(({ path }) => fishWord(path))
        .join(" ")
    }`,
    `set -g __reterm_takers ${
      places.flatMap(({ path, values }) =>
        values.map(({ flag }) => fishWord(`${path} ${flag}`))
      ).join(" ")
    }`,
    "complete -c reterm -f",
  ];
  for (const { path, words, flags, values, choices } of places) {
    for (const { word, about } of words) {
      lines.push(
        `complete -c reterm ${at(path, 0)} -a ${word} -d ${fishWord(about)}`,
      );
    }
    choices.forEach((offered, place) => {
      if (offered.length === 0) return;
      const list = fishWord(offered.join(" "));
      lines.push(`complete -c reterm ${at(path, place)} -a ${list}`);
    });
    for (const { word, about } of flags) {
      const value = values.find(({ flag }) => flag === word);
      const takes = value === undefined
        ? ""
        : ` -r -a ${fishWord(value.choices.join(" "))}`;
      lines.push(
        `complete -c reterm ${at(path)} -l ${word.slice(2)}` +
          `${takes} -d ${fishWord(about)}`,
      );
    }
  }
  return lines.join("\n");
}

function valueRows(places: readonly Place[]) {
  return places.flatMap(({ path, values }) =>
    values.map(({ flag, choices }) => [`${path} ${flag}`, choices] as const)
  );
}

function wordRows(places: readonly Place[]) {
  return places.flatMap(({ path, words, choices }) => [
    [`${path}/0`, [...wordsOf(words), ...(choices[0] ?? [])]] as const,
    ...choices.slice(1).map((offered, at) =>
      [`${path}/${at + 1}`, offered] as const
    ),
  ]);
}

function wordsOf(candidates: readonly Candidate[]): string[] {
  return candidates.map(({ word }) => word);
}

/** `word:about`, as zsh's `_describe` reads it. */
function described({ word, about }: Candidate): string {
  const name = word.replaceAll(":", "\\:");
  return quoted(about === "" ? name : `${name}:${about}`);
}

/** A word of a POSIX shell, nothing in it read by the shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The same for fish, whose quotes know two escapes. */
function fishWord(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
