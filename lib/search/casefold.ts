/**
 * Unicode case folding: text enters, text in which letters that differ only in
 * case are equal leaves. Simple folding maps one character to one and is what
 * "ignoring case" means wherever the contract says no more; full folding (`ß`
 * is `ss`) is for regular expressions alone.
 *
 * `toLowerCase()` is not folding: it leaves `ς` and `σ` apart and makes two
 * characters of `İ`. The mappings come from the runtime's own case data, page by
 * page as text needs them, so that no table is kept here; the few letters
 * where upper case then lower case is not the folding are named below.
 *
 * Follows the Unicode Standard, section 5.18, and CaseFolding.txt.
 *
 * @module
 */

/** Code points a page holds; pages are made when text first needs them. */
const PAGE_SIZE = 256;
const PAGE_COUNT = 0x110000 / PAGE_SIZE;
const SIMPLE_PAGES: (Uint32Array | undefined)[] = new Array(PAGE_COUNT);

const DOTLESS_I = 0x131;
const SHARP_S = 0xdf;
const CAPITAL_SHARP_S = 0x1e9e;

/**
 * The full case folding of a code point: one to three characters, the code
 * point itself when it has none.
 */
export function fullFold(point: number): string {
  const character = String.fromCodePoint(point);
  if (point < 0x80) return character.toLowerCase();
  // Folding would otherwise merge dotless i with i, which only Turkish does.
  if (point === DOTLESS_I) return character;
  if (point === CAPITAL_SHARP_S) return "ss";
  // Cherokee folds to its capitals, which were encoded first.
  if (isCherokee(point)) return character.toUpperCase();
  const upper = character.toUpperCase();
  let folded = "";
  // Letter by letter: in a run a capital sigma would become a final one.
  for (const letter of upper) folded += letter.toLowerCase();
  return folded;
}

/** The simple case folding of a code point. */
export function simpleFold(point: number): number {
  const at = point >>> 8;
  const page = SIMPLE_PAGES[at] ?? (SIMPLE_PAGES[at] = makePage(at));
  return page[point & (PAGE_SIZE - 1)] ?? point;
}

// The runtime's longest ASCII prefix test; the class is deliberate.
// deno-lint-ignore no-control-regex -- U+0000 to U+007F is what ASCII means
const ASCII = /^[\x00-\x7f]*$/;

/** Whether every character is ASCII. */
export function isAscii(text: string): boolean {
  return ASCII.test(text);
}

/** `text` folded by simple case folding: as many characters as before. */
export function foldCase(text: string): string {
  // ASCII folds by lower-casing, and no other character folds into it here
  // except the Kelvin sign and the long s, which are not ASCII.
  if (isAscii(text)) return text.toLowerCase();
  let folded = "";
  for (let i = 0; i < text.length; i++) {
    const point = text.codePointAt(i) ?? 0;
    if (point > 0xffff) i++;
    folded += String.fromCodePoint(simpleFold(point));
  }
  return folded;
}

function makePage(at: number): Uint32Array {
  const page = new Uint32Array(PAGE_SIZE);
  for (let i = 0; i < PAGE_SIZE; i++) {
    page[i] = computeSimpleFold(at * PAGE_SIZE + i);
  }
  return page;
}

function computeSimpleFold(point: number): number {
  if (point === CAPITAL_SHARP_S) return SHARP_S;
  const full = fullFold(point);
  const first = full.codePointAt(0) ?? point;
  if (full.length === String.fromCodePoint(first).length) return first;
  // A letter whose full folding is longer: its lower case, if that is one.
  const lower = String.fromCodePoint(point).toLowerCase();
  const single = lower.codePointAt(0) ?? point;
  return lower.length === String.fromCodePoint(single).length ? single : point;
}

function isCherokee(point: number): boolean {
  return (point >= 0x13a0 && point <= 0x13ff) ||
    (point >= 0xab70 && point <= 0xabbf);
}
