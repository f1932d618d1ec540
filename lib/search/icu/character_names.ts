/**
 * Characters by their Unicode name, for `\N{..}`: exact but for case, as ICU
 * has it. Names of ideographs and Hangul syllables follow rules and are worked
 * out; control characters have no name. The others are found in the packed list
 * by searching its text, which is quicker than building a table of it.
 *
 * Follows the Unicode Standard, section 4.8.
 *
 * @module
 */

import { PACKED_NAMES } from "./character_name_data.ts";
import { unpack } from "./unpack.ts";

let names: string | undefined;

/** The code point with this name, undefined when there is none. */
export function characterByName(name: string): number | undefined {
  const upper = name.toUpperCase();
  if (!/^[A-Z0-9][A-Z0-9 -]*$/.test(upper)) return undefined;
  return ideographByName(upper) ?? syllableByName(upper) ?? listedByName(upper);
}

function listedByName(name: string): number | undefined {
  names ??= unpack(PACKED_NAMES);
  const at = names.indexOf(`\n${name}\n`);
  if (at < 0) return undefined;
  const mark = names.lastIndexOf("\n=", at);
  const first = names.indexOf("\n", mark + 1);
  let point = parseInt(names.slice(mark + 2, first), 16);
  for (let line = first; line < at; point++) {
    line = names.indexOf("\n", line + 1);
  }
  return point;
}

/** Names that end in the code point, and where they do so. */
const IDEOGRAPHS: readonly (readonly [string, readonly number[]])[] = [
  ["CJK UNIFIED IDEOGRAPH", [
    ...[0x3400, 0x4dbf, 0x4e00, 0x9fff, 0x20000, 0x2a6df, 0x2a700, 0x2b739],
    ...[0x2b740, 0x2b81d, 0x2b820, 0x2cea1, 0x2ceb0, 0x2ebe0],
    ...[0x30000, 0x3134a, 0x31350, 0x323af],
  ]],
  ["CJK COMPATIBILITY IDEOGRAPH", [
    ...[0xf900, 0xfa6d, 0xfa70, 0xfad9, 0x2f800, 0x2fa1d],
  ]],
  ["TANGUT IDEOGRAPH", [0x17000, 0x187f7, 0x18d00, 0x18d08]],
  ["KHITAN SMALL SCRIPT CHARACTER", [0x18b00, 0x18cd5]],
  ["NUSHU CHARACTER", [0x1b170, 0x1b2fb]],
];

function ideographByName(name: string): number | undefined {
  const [, prefix, digits] = /^(.*)-([1-9A-F][0-9A-F]{3,4})$/.exec(name) ?? [];
  if (prefix === undefined || digits === undefined) return undefined;
  const ranges = IDEOGRAPHS.find(([known]) => known === prefix)?.[1] ?? [];
  const point = parseInt(digits, 16);
  for (let i = 0; i < ranges.length; i += 2) {
    if (point >= (ranges[i] ?? 0) && point <= (ranges[i + 1] ?? 0)) {
      return point;
    }
  }
  return undefined;
}

const LEADS = "G,GG,N,D,DD,R,M,B,BB,S,SS,,J,JJ,C,K,T,P,H".split(",");
const VOWELS = "A,AE,YA,YAE,EO,E,YEO,YE,O,WA,WAE,OE,YO,U,WEO,WE,WI,YU,EU,YI,I"
  .split(",");
const TAILS =
  ",G,GG,GS,N,NJ,NH,D,L,LG,LM,LB,LS,LT,LP,LH,M,B,BS,S,SS,NG,J,C,K,T,P,H"
    .split(",");
const SYLLABLE = /^HANGUL SYLLABLE ([^AEIOUWY]*)([AEIOUWY]+)([^AEIOUWY]*)$/;
const FIRST_SYLLABLE = 0xac00;

function syllableByName(name: string): number | undefined {
  const parts = SYLLABLE.exec(name);
  if (parts === null) return undefined;
  const lead = LEADS.indexOf(parts[1] ?? "");
  const vowel = VOWELS.indexOf(parts[2] ?? "");
  const tail = TAILS.indexOf(parts[3] ?? "");
  if (lead < 0 || vowel < 0 || tail < 0) return undefined;
  return FIRST_SYLLABLE +
    (lead * VOWELS.length + vowel) * TAILS.length + tail;
}
