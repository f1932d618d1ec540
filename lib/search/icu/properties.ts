/**
 * Unicode properties by name: what stands in `\p{..}` and `[:..:]` enters, the set
 * of code points leaves. Names are compared loosely, as ICU does: case, spaces,
 * `-` and `_` do not count. Which characters have a property is asked of the
 * runtime's own `\p{..}`, so little character data is kept beside that of V8;
 * the price is that V8's version of Unicode decides.
 *
 * A name is looked for as ICU does: general category, script, binary property
 * (and POSIX class), then the spellings that ICU takes for Java's sake.
 *
 * @module
 */

import { type Block, unicodeBlocks } from "./blocks.ts";
import { characterByName } from "./character_names.ts";
import { CodePointSet } from "./code_point_set.ts";
import { tabledProperty } from "./property_tables.ts";
import { scriptNames } from "./script_names.ts";

/** What \w takes, and what makes a word for \b. */
export const WORD = property(
  "[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\u200c\\u200d]",
);
export const DIGIT = property("\\p{Nd}");
export const SPACE = property("\\p{White_Space}");
/** `\h`: space separators and the tab. */
export const HORIZONTAL_SPACE = property("[\\p{Zs}\\t]");
/** `\v`, and what ends a line. */
export const LINE_END = CodePointSet.ofRanges(
  ...[0xa, 0xd, 0x85, 0x85, 0x2028, 0x2029],
);
/** Characters that \b looks past. */
export const COMBINING = property("[\\p{Grapheme_Extend}\\p{Cf}]");

/**
 * The set that `name` means, undefined when ICU knows none.
 *
 * @param name what stood between the braces, `property=value` or one name
 */
export function propertySet(name: string): CodePointSet | undefined {
  const known = byAlias(name);
  if (known !== undefined) return known;
  if (name.toLowerCase() === "word") return WORD;
  if (name === "all") return CodePointSet.all;
  if (name.startsWith("In") && name.length >= 3) {
    return blockSet(loosely(name.slice(2)));
  }
  if (name.startsWith("Is") && name.length >= 3) {
    return javaProperty(name.slice(2));
  }
  if (name.startsWith("java")) return javaSet(name);
  return undefined;
}

function byAlias(name: string): CodePointSet | undefined {
  const equals = name.indexOf("=");
  const key = loosely(equals < 0 ? name : name.slice(0, equals));
  const value = equals < 0 ? "" : name.slice(equals + 1);
  return value === "" ? byName(key) : byNameAndValue(key, value);
}

function byName(name: string): CodePointSet | undefined {
  const source = CATEGORIES.get(name) ?? scripts().get(name) ??
    BINARY.get(name);
  if (source !== undefined) return fromSource(source);
  if (name === "any") return CodePointSet.all;
  if (name === "ascii") return CodePointSet.ofRanges(0, 0x7f);
  if (name === "assigned") return property("\\P{Cn}");
  return tabledProperty(name, "yes");
}

function byNameAndValue(
  name: string,
  value: string,
): CodePointSet | undefined {
  const wanted = loosely(value);
  switch (name) {
    case "gc":
    case "generalcategory":
    case "gcm":
    case "generalcategorymask":
      return fromSource(CATEGORIES.get(wanted));
    case "sc":
    case "script":
      return fromSource(scripts().get(wanted));
    case "scx":
    case "scriptextensions":
      return fromSource(
        scripts().get(wanted)?.replace("{sc=", "{scx="),
      );
    case "blk":
    case "block":
      return blockSet(wanted);
    case "na":
    case "name":
      return nameSet(value);
  }
  const binary = fromSource(BINARY.get(name));
  if (binary === undefined) return tabledProperty(name, value);
  if (["y", "yes", "t", "true"].includes(wanted)) return binary;
  if (["n", "no", "f", "false"].includes(wanted)) return binary.complement();
  return undefined;
}

function nameSet(name: string): CodePointSet | undefined {
  const point = characterByName(name.trim().replace(/ +/g, " "));
  return point === undefined ? undefined : CodePointSet.ofRanges(point, point);
}

function fromSource(source: string | undefined): CodePointSet | undefined {
  if (source === undefined) return undefined;
  return source === "" ? EMPTY : property(source);
}

function javaProperty(name: string): CodePointSet | undefined {
  const loose = name.toLowerCase();
  if (name.includes("=")) return undefined;
  if (loose === "assigned") return property("\\P{Cn}");
  if (loose === "titlecase") return property("\\p{Lt}");
  return byName(loosely(name));
}

/** ICU's spellings of java.lang.Character's questions. */
const JAVA: Readonly<Record<string, string>> = {
  javaDefined: "\\P{Cn}",
  javaDigit: "\\p{Nd}",
  javaIdentifierIgnorable: "[\\x00-\\x08\\x0e-\\x1b\\x7f-\\x9f\\p{Cf}]",
  javaISOControl: "[\\x00-\\x1f\\x7f-\\x9f]",
  javaJavaIdentifierPart: "[\\p{L}\\p{Sc}\\p{Pc}\\p{Nd}\\p{Nl}\\p{Mc}\\p{Mn}" +
    "\\x00-\\x08\\x0e-\\x1b\\x7f-\\x9f\\p{Cf}]",
  javaJavaIdentifierStart: "[\\p{L}\\p{Nl}\\p{Sc}\\p{Pc}]",
  javaLetter: "\\p{L}",
  javaLetterOrDigit: "[\\p{L}\\p{Nd}]",
  javaLowerCase: "\\p{Ll}",
  javaMirrored: "\\p{Bidi_Mirrored}",
  javaSpaceChar: "\\p{Z}",
  javaSupplementaryCodePoint: "[\\u{10000}-\\u{10ffff}]",
  javaTitleCase: "\\p{Lt}",
  javaUnicodeIdentifierStart: "\\p{ID_Start}",
  javaUnicodeIdentifierPart: "\\p{ID_Continue}",
  javaUpperCase: "\\p{Lu}",
  javaValidCodePoint: "[\\u{0}-\\u{10ffff}]",
  javaWhitespace: "[[\\p{Z}--[\\xa0\\u2007\\u202f]]\\t-\\r\\x1c-\\x1f]",
};

function javaSet(name: string): CodePointSet | undefined {
  return Object.hasOwn(JAVA, name) ? fromSource(JAVA[name]) : undefined;
}

let blocks: Map<string, Block> | undefined;

function blockSet(name: string): CodePointSet | undefined {
  if (blocks === undefined) {
    blocks = new Map();
    for (const block of unicodeBlocks()) {
      for (const alias of block.names) blocks.set(loosely(alias), block);
    }
  }
  if (name === "nb" || name === "noblock") {
    const ranges = unicodeBlocks().flatMap(({ first, last }) => [first, last]);
    return CodePointSet.ofRanges(...ranges).complement();
  }
  const block = blocks.get(name);
  return block && CodePointSet.ofRanges(block.first, block.last);
}

let scriptSources: Map<string, string> | undefined;

function scripts(): Map<string, string> {
  if (scriptSources !== undefined) return scriptSources;
  scriptSources = new Map();
  for (const names of scriptNames()) {
    const source = scriptSource(names[0] ?? "");
    for (const name of names) scriptSources.set(loosely(name), source);
  }
  return scriptSources;
}

function scriptSource(code: string): string {
  const source = `\\p{sc=${code}}`;
  return isKnown(source) ? source : "";
}

function isKnown(source: string): boolean {
  try {
    return new RegExp(source, "u").source !== "";
  } catch {
    return false;
  }
}

/** A name with what does not count taken off. */
function loosely(name: string): string {
  return name.replace(/[-_\t-\r ]/g, "").toLowerCase();
}

const EMPTY = CodePointSet.empty;

/** The code points that a class of the runtime's regular expressions takes. */
export function property(source: string): CodePointSet {
  const pattern = new RegExp(`^${source}$`, "v");
  return CodePointSet.of((point) => pattern.test(String.fromCodePoint(point)));
}

/** `name name ...`, the first being the one that the runtime knows. */
const CATEGORIES = named(`
  C Other|L Letter|LC Cased_Letter|M Mark Combining_Mark|N Number
  P Punctuation punct|S Symbol|Z Separator|Cc Control cntrl|Cf Format
  Cn Unassigned|Co Private_Use|Cs Surrogate|Ll Lowercase_Letter
  Lm Modifier_Letter|Lo Other_Letter|Lt Titlecase_Letter|Lu Uppercase_Letter
  Mc Spacing_Mark|Me Enclosing_Mark|Mn Nonspacing_Mark
  Nd Decimal_Number digit|Nl Letter_Number|No Other_Number
  Pc Connector_Punctuation|Pd Dash_Punctuation|Pe Close_Punctuation
  Pf Final_Punctuation|Pi Initial_Punctuation|Po Other_Punctuation
  Ps Open_Punctuation|Sc Currency_Symbol|Sk Modifier_Symbol|Sm Math_Symbol
  So Other_Symbol|Zl Line_Separator|Zp Paragraph_Separator|Zs Space_Separator
`);

const BINARY = named(`
  Alphabetic Alpha|ASCII_Hex_Digit AHex|Bidi_Control Bidi_C
  Bidi_Mirrored Bidi_M|Case_Ignorable CI|Cased|Changes_When_Casefolded CWCF
  Changes_When_Casemapped CWCM|Changes_When_Lowercased CWL
  Changes_When_NFKC_Casefolded CWKCF|Changes_When_Titlecased CWT
  Changes_When_Uppercased CWU|Dash|Default_Ignorable_Code_Point DI
  Deprecated Dep|Diacritic Dia|Emoji|Emoji_Component EComp
  Emoji_Modifier EMod|Emoji_Modifier_Base EBase|Emoji_Presentation EPres
  Extended_Pictographic ExtPict|Extender Ext|Grapheme_Base Gr_Base
  Grapheme_Extend Gr_Ext|Hex_Digit Hex|ID_Continue IDC|ID_Start IDS
  Ideographic Ideo|IDS_Binary_Operator IDSB|IDS_Trinary_Operator IDST
  Join_Control Join_C|Logical_Order_Exception LOE|Lowercase Lower|Math
  Noncharacter_Code_Point NChar|Pattern_Syntax Pat_Syn
  Pattern_White_Space Pat_WS|Quotation_Mark QMark|Radical
  Regional_Indicator RI|Sentence_Terminal STerm|Soft_Dotted SD
  Terminal_Punctuation Term|Unified_Ideograph UIdeo|Uppercase Upper
  Variation_Selector VS|White_Space WSpace space|XID_Continue XIDC
  XID_Start XIDS
`);

/** POSIX classes that are no property of their own (UTS 18, annex C). */
const POSIX: readonly (readonly [string, string])[] = [
  ["alnum", "[\\p{Alphabetic}\\p{Nd}]"],
  ["blank", "[\\p{Zs}\\t]"],
  ["graph", "[\\p{Any}--[\\p{White_Space}\\p{Cc}\\p{Cs}\\p{Cn}]]"],
  ["print", "[[\\p{Any}--[\\p{White_Space}\\p{Cc}\\p{Cs}\\p{Cn}]]\\p{Zs}]"],
  ["xdigit", "[\\p{Nd}\\p{Hex_Digit}]"],
];
for (const [name, source] of POSIX) BINARY.set(name, source);

/** Properties of sequences only: no single character has them. */
const OF_SEQUENCES = [
  "Emoji_Keycap_Sequence",
  "RGI_Emoji_Modifier_Sequence",
  "RGI_Emoji_Flag_Sequence",
  "RGI_Emoji_Tag_Sequence",
  "RGI_Emoji_ZWJ_Sequence",
];
for (const name of OF_SEQUENCES) BINARY.set(loosely(name), "");

function named(table: string): Map<string, string> {
  const sources = new Map<string, string>();
  for (const entry of table.trim().split(/\s*[|\n]\s*/)) {
    const names = entry.split(" ");
    for (const name of names) sources.set(loosely(name), `\\p{${names[0]}}`);
  }
  return sources;
}
