/**
 * The blocks of Unicode: their ranges and names. The runtime's regular
 * expressions know no blocks, so they stand here.
 *
 * Generated from Unicode's Blocks.txt and PropertyValueAliases.txt (version
 * 15.0).
 *
 * @module
 */

/** `first-last/short name/name/other name`, separated by spaces. */
const BLOCKS = `
0-7f/ASCII/Basic_Latin 80-ff/Latin_1_Sup/Latin_1_Supplement/Latin_1
100-17f/Latin_Ext_A/Latin_Extended_A
180-24f/Latin_Ext_B/Latin_Extended_B 250-2af/IPA_Ext/IPA_Extensions
2b0-2ff/Modifier_Letters/Spacing_Modifier_Letters
300-36f/Diacriticals/Combining_Diacritical_Marks
370-3ff/Greek/Greek_And_Coptic 400-4ff/Cyrillic
500-52f/Cyrillic_Sup/Cyrillic_Supplement/Cyrillic_Supplementary
530-58f/Armenian 590-5ff/Hebrew 600-6ff/Arabic 700-74f/Syriac
750-77f/Arabic_Sup/Arabic_Supplement 780-7bf/Thaana 7c0-7ff/NKo
800-83f/Samaritan 840-85f/Mandaic 860-86f/Syriac_Sup/Syriac_Supplement
870-89f/Arabic_Ext_B/Arabic_Extended_B
8a0-8ff/Arabic_Ext_A/Arabic_Extended_A 900-97f/Devanagari
980-9ff/Bengali a00-a7f/Gurmukhi a80-aff/Gujarati b00-b7f/Oriya
b80-bff/Tamil c00-c7f/Telugu c80-cff/Kannada d00-d7f/Malayalam
d80-dff/Sinhala e00-e7f/Thai e80-eff/Lao f00-fff/Tibetan
1000-109f/Myanmar 10a0-10ff/Georgian 1100-11ff/Jamo/Hangul_Jamo
1200-137f/Ethiopic 1380-139f/Ethiopic_Sup/Ethiopic_Supplement
13a0-13ff/Cherokee
1400-167f/UCAS/Unified_Canadian_Aboriginal_Syllabics/Canadian_Syllabics
1680-169f/Ogham 16a0-16ff/Runic 1700-171f/Tagalog 1720-173f/Hanunoo
1740-175f/Buhid 1760-177f/Tagbanwa 1780-17ff/Khmer 1800-18af/Mongolian
18b0-18ff/UCAS_Ext/Unified_Canadian_Aboriginal_Syllabics_Extended
1900-194f/Limbu 1950-197f/Tai_Le 1980-19df/New_Tai_Lue
19e0-19ff/Khmer_Symbols 1a00-1a1f/Buginese 1a20-1aaf/Tai_Tham
1ab0-1aff/Diacriticals_Ext/Combining_Diacritical_Marks_Extended
1b00-1b7f/Balinese 1b80-1bbf/Sundanese 1bc0-1bff/Batak 1c00-1c4f/Lepcha
1c50-1c7f/Ol_Chiki 1c80-1c8f/Cyrillic_Ext_C/Cyrillic_Extended_C
1c90-1cbf/Georgian_Ext/Georgian_Extended
1cc0-1ccf/Sundanese_Sup/Sundanese_Supplement
1cd0-1cff/Vedic_Ext/Vedic_Extensions
1d00-1d7f/Phonetic_Ext/Phonetic_Extensions
1d80-1dbf/Phonetic_Ext_Sup/Phonetic_Extensions_Supplement
1dc0-1dff/Diacriticals_Sup/Combining_Diacritical_Marks_Supplement
1e00-1eff/Latin_Ext_Additional/Latin_Extended_Additional
1f00-1fff/Greek_Ext/Greek_Extended
2000-206f/Punctuation/General_Punctuation
2070-209f/Super_And_Sub/Superscripts_And_Subscripts
20a0-20cf/Currency_Symbols
20d0-20ff/Diacriticals_For_Symbols/Combining_Diacritical_Marks_For_Symbols/Combining_Marks_For_Symbols
2100-214f/Letterlike_Symbols 2150-218f/Number_Forms 2190-21ff/Arrows
2200-22ff/Math_Operators/Mathematical_Operators
2300-23ff/Misc_Technical/Miscellaneous_Technical
2400-243f/Control_Pictures 2440-245f/OCR/Optical_Character_Recognition
2460-24ff/Enclosed_Alphanum/Enclosed_Alphanumerics 2500-257f/Box_Drawing
2580-259f/Block_Elements 25a0-25ff/Geometric_Shapes
2600-26ff/Misc_Symbols/Miscellaneous_Symbols 2700-27bf/Dingbats
27c0-27ef/Misc_Math_Symbols_A/Miscellaneous_Mathematical_Symbols_A
27f0-27ff/Sup_Arrows_A/Supplemental_Arrows_A
2800-28ff/Braille/Braille_Patterns
2900-297f/Sup_Arrows_B/Supplemental_Arrows_B
2980-29ff/Misc_Math_Symbols_B/Miscellaneous_Mathematical_Symbols_B
2a00-2aff/Sup_Math_Operators/Supplemental_Mathematical_Operators
2b00-2bff/Misc_Arrows/Miscellaneous_Symbols_And_Arrows
2c00-2c5f/Glagolitic 2c60-2c7f/Latin_Ext_C/Latin_Extended_C
2c80-2cff/Coptic 2d00-2d2f/Georgian_Sup/Georgian_Supplement
2d30-2d7f/Tifinagh 2d80-2ddf/Ethiopic_Ext/Ethiopic_Extended
2de0-2dff/Cyrillic_Ext_A/Cyrillic_Extended_A
2e00-2e7f/Sup_Punctuation/Supplemental_Punctuation
2e80-2eff/CJK_Radicals_Sup/CJK_Radicals_Supplement
2f00-2fdf/Kangxi/Kangxi_Radicals
2ff0-2fff/IDC/Ideographic_Description_Characters
3000-303f/CJK_Symbols/CJK_Symbols_And_Punctuation 3040-309f/Hiragana
30a0-30ff/Katakana 3100-312f/Bopomofo
3130-318f/Compat_Jamo/Hangul_Compatibility_Jamo 3190-319f/Kanbun
31a0-31bf/Bopomofo_Ext/Bopomofo_Extended 31c0-31ef/CJK_Strokes
31f0-31ff/Katakana_Ext/Katakana_Phonetic_Extensions
3200-32ff/Enclosed_CJK/Enclosed_CJK_Letters_And_Months
3300-33ff/CJK_Compat/CJK_Compatibility
3400-4dbf/CJK_Ext_A/CJK_Unified_Ideographs_Extension_A
4dc0-4dff/Yijing/Yijing_Hexagram_Symbols
4e00-9fff/CJK/CJK_Unified_Ideographs a000-a48f/Yi_Syllables
a490-a4cf/Yi_Radicals a4d0-a4ff/Lisu a500-a63f/Vai
a640-a69f/Cyrillic_Ext_B/Cyrillic_Extended_B a6a0-a6ff/Bamum
a700-a71f/Modifier_Tone_Letters a720-a7ff/Latin_Ext_D/Latin_Extended_D
a800-a82f/Syloti_Nagri
a830-a83f/Indic_Number_Forms/Common_Indic_Number_Forms
a840-a87f/Phags_Pa a880-a8df/Saurashtra
a8e0-a8ff/Devanagari_Ext/Devanagari_Extended a900-a92f/Kayah_Li
a930-a95f/Rejang a960-a97f/Jamo_Ext_A/Hangul_Jamo_Extended_A
a980-a9df/Javanese a9e0-a9ff/Myanmar_Ext_B/Myanmar_Extended_B
aa00-aa5f/Cham aa60-aa7f/Myanmar_Ext_A/Myanmar_Extended_A
aa80-aadf/Tai_Viet aae0-aaff/Meetei_Mayek_Ext/Meetei_Mayek_Extensions
ab00-ab2f/Ethiopic_Ext_A/Ethiopic_Extended_A
ab30-ab6f/Latin_Ext_E/Latin_Extended_E
ab70-abbf/Cherokee_Sup/Cherokee_Supplement abc0-abff/Meetei_Mayek
ac00-d7af/Hangul/Hangul_Syllables
d7b0-d7ff/Jamo_Ext_B/Hangul_Jamo_Extended_B d800-db7f/High_Surrogates
db80-dbff/High_PU_Surrogates/High_Private_Use_Surrogates
dc00-dfff/Low_Surrogates e000-f8ff/PUA/Private_Use_Area/Private_Use
f900-faff/CJK_Compat_Ideographs/CJK_Compatibility_Ideographs
fb00-fb4f/Alphabetic_PF/Alphabetic_Presentation_Forms
fb50-fdff/Arabic_PF_A/Arabic_Presentation_Forms_A/Arabic_Presentation_Forms-A
fe00-fe0f/VS/Variation_Selectors fe10-fe1f/Vertical_Forms
fe20-fe2f/Half_Marks/Combining_Half_Marks
fe30-fe4f/CJK_Compat_Forms/CJK_Compatibility_Forms
fe50-fe6f/Small_Forms/Small_Form_Variants
fe70-feff/Arabic_PF_B/Arabic_Presentation_Forms_B
ff00-ffef/Half_And_Full_Forms/Halfwidth_And_Fullwidth_Forms
fff0-ffff/Specials 10000-1007f/Linear_B_Syllabary
10080-100ff/Linear_B_Ideograms 10100-1013f/Aegean_Numbers
10140-1018f/Ancient_Greek_Numbers 10190-101cf/Ancient_Symbols
101d0-101ff/Phaistos/Phaistos_Disc 10280-1029f/Lycian 102a0-102df/Carian
102e0-102ff/Coptic_Epact_Numbers 10300-1032f/Old_Italic
10330-1034f/Gothic 10350-1037f/Old_Permic 10380-1039f/Ugaritic
103a0-103df/Old_Persian 10400-1044f/Deseret 10450-1047f/Shavian
10480-104af/Osmanya 104b0-104ff/Osage 10500-1052f/Elbasan
10530-1056f/Caucasian_Albanian 10570-105bf/Vithkuqi 10600-1077f/Linear_A
10780-107bf/Latin_Ext_F/Latin_Extended_F 10800-1083f/Cypriot_Syllabary
10840-1085f/Imperial_Aramaic 10860-1087f/Palmyrene 10880-108af/Nabataean
108e0-108ff/Hatran 10900-1091f/Phoenician 10920-1093f/Lydian
10980-1099f/Meroitic_Hieroglyphs 109a0-109ff/Meroitic_Cursive
10a00-10a5f/Kharoshthi 10a60-10a7f/Old_South_Arabian
10a80-10a9f/Old_North_Arabian 10ac0-10aff/Manichaean 10b00-10b3f/Avestan
10b40-10b5f/Inscriptional_Parthian 10b60-10b7f/Inscriptional_Pahlavi
10b80-10baf/Psalter_Pahlavi 10c00-10c4f/Old_Turkic
10c80-10cff/Old_Hungarian 10d00-10d3f/Hanifi_Rohingya
10e60-10e7f/Rumi/Rumi_Numeral_Symbols 10e80-10ebf/Yezidi
10ec0-10eff/Arabic_Ext_C/Arabic_Extended_C 10f00-10f2f/Old_Sogdian
10f30-10f6f/Sogdian 10f70-10faf/Old_Uyghur 10fb0-10fdf/Chorasmian
10fe0-10fff/Elymaic 11000-1107f/Brahmi 11080-110cf/Kaithi
110d0-110ff/Sora_Sompeng 11100-1114f/Chakma 11150-1117f/Mahajani
11180-111df/Sharada 111e0-111ff/Sinhala_Archaic_Numbers
11200-1124f/Khojki 11280-112af/Multani 112b0-112ff/Khudawadi
11300-1137f/Grantha 11400-1147f/Newa 11480-114df/Tirhuta
11580-115ff/Siddham 11600-1165f/Modi
11660-1167f/Mongolian_Sup/Mongolian_Supplement 11680-116cf/Takri
11700-1174f/Ahom 11800-1184f/Dogra 118a0-118ff/Warang_Citi
11900-1195f/Dives_Akuru 119a0-119ff/Nandinagari
11a00-11a4f/Zanabazar_Square 11a50-11aaf/Soyombo
11ab0-11abf/UCAS_Ext_A/Unified_Canadian_Aboriginal_Syllabics_Extended_A
11ac0-11aff/Pau_Cin_Hau
11b00-11b5f/Devanagari_Ext_A/Devanagari_Extended_A 11c00-11c6f/Bhaiksuki
11c70-11cbf/Marchen 11d00-11d5f/Masaram_Gondi 11d60-11daf/Gunjala_Gondi
11ee0-11eff/Makasar 11f00-11f5f/Kawi
11fb0-11fbf/Lisu_Sup/Lisu_Supplement
11fc0-11fff/Tamil_Sup/Tamil_Supplement 12000-123ff/Cuneiform
12400-1247f/Cuneiform_Numbers/Cuneiform_Numbers_And_Punctuation
12480-1254f/Early_Dynastic_Cuneiform 12f90-12fff/Cypro_Minoan
13000-1342f/Egyptian_Hieroglyphs
13430-1345f/Egyptian_Hieroglyph_Format_Controls
14400-1467f/Anatolian_Hieroglyphs 16800-16a3f/Bamum_Sup/Bamum_Supplement
16a40-16a6f/Mro 16a70-16acf/Tangsa 16ad0-16aff/Bassa_Vah
16b00-16b8f/Pahawh_Hmong 16e40-16e9f/Medefaidrin 16f00-16f9f/Miao
16fe0-16fff/Ideographic_Symbols/Ideographic_Symbols_And_Punctuation
17000-187ff/Tangut 18800-18aff/Tangut_Components
18b00-18cff/Khitan_Small_Script 18d00-18d7f/Tangut_Sup/Tangut_Supplement
1aff0-1afff/Kana_Ext_B/Kana_Extended_B
1b000-1b0ff/Kana_Sup/Kana_Supplement
1b100-1b12f/Kana_Ext_A/Kana_Extended_A
1b130-1b16f/Small_Kana_Ext/Small_Kana_Extension 1b170-1b2ff/Nushu
1bc00-1bc9f/Duployan 1bca0-1bcaf/Shorthand_Format_Controls
1cf00-1cfcf/Znamenny_Music/Znamenny_Musical_Notation
1d000-1d0ff/Byzantine_Music/Byzantine_Musical_Symbols
1d100-1d1ff/Music/Musical_Symbols
1d200-1d24f/Ancient_Greek_Music/Ancient_Greek_Musical_Notation
1d2c0-1d2df/Kaktovik_Numerals 1d2e0-1d2ff/Mayan_Numerals
1d300-1d35f/Tai_Xuan_Jing/Tai_Xuan_Jing_Symbols
1d360-1d37f/Counting_Rod/Counting_Rod_Numerals
1d400-1d7ff/Math_Alphanum/Mathematical_Alphanumeric_Symbols
1d800-1daaf/Sutton_SignWriting 1df00-1dfff/Latin_Ext_G/Latin_Extended_G
1e000-1e02f/Glagolitic_Sup/Glagolitic_Supplement
1e030-1e08f/Cyrillic_Ext_D/Cyrillic_Extended_D
1e100-1e14f/Nyiakeng_Puachue_Hmong 1e290-1e2bf/Toto 1e2c0-1e2ff/Wancho
1e4d0-1e4ff/Nag_Mundari 1e7e0-1e7ff/Ethiopic_Ext_B/Ethiopic_Extended_B
1e800-1e8df/Mende_Kikakui 1e900-1e95f/Adlam
1ec70-1ecbf/Indic_Siyaq_Numbers 1ed00-1ed4f/Ottoman_Siyaq_Numbers
1ee00-1eeff/Arabic_Math/Arabic_Mathematical_Alphabetic_Symbols
1f000-1f02f/Mahjong/Mahjong_Tiles 1f030-1f09f/Domino/Domino_Tiles
1f0a0-1f0ff/Playing_Cards
1f100-1f1ff/Enclosed_Alphanum_Sup/Enclosed_Alphanumeric_Supplement
1f200-1f2ff/Enclosed_Ideographic_Sup/Enclosed_Ideographic_Supplement
1f300-1f5ff/Misc_Pictographs/Miscellaneous_Symbols_And_Pictographs
1f600-1f64f/Emoticons 1f650-1f67f/Ornamental_Dingbats
1f680-1f6ff/Transport_And_Map/Transport_And_Map_Symbols
1f700-1f77f/Alchemical/Alchemical_Symbols
1f780-1f7ff/Geometric_Shapes_Ext/Geometric_Shapes_Extended
1f800-1f8ff/Sup_Arrows_C/Supplemental_Arrows_C
1f900-1f9ff/Sup_Symbols_And_Pictographs/Supplemental_Symbols_And_Pictographs
1fa00-1fa6f/Chess_Symbols
1fa70-1faff/Symbols_And_Pictographs_Ext_A/Symbols_And_Pictographs_Extended_A
1fb00-1fbff/Symbols_For_Legacy_Computing
20000-2a6df/CJK_Ext_B/CJK_Unified_Ideographs_Extension_B
2a700-2b73f/CJK_Ext_C/CJK_Unified_Ideographs_Extension_C
2b740-2b81f/CJK_Ext_D/CJK_Unified_Ideographs_Extension_D
2b820-2ceaf/CJK_Ext_E/CJK_Unified_Ideographs_Extension_E
2ceb0-2ebef/CJK_Ext_F/CJK_Unified_Ideographs_Extension_F
2f800-2fa1f/CJK_Compat_Ideographs_Sup/CJK_Compatibility_Ideographs_Supplement
30000-3134f/CJK_Ext_G/CJK_Unified_Ideographs_Extension_G
31350-323af/CJK_Ext_H/CJK_Unified_Ideographs_Extension_H
e0000-e007f/Tags e0100-e01ef/VS_Sup/Variation_Selectors_Supplement
f0000-fffff/Sup_PUA_A/Supplementary_Private_Use_Area_A
100000-10ffff/Sup_PUA_B/Supplementary_Private_Use_Area_B
`;

/** A block: its first and last code point, and its names. */
export interface Block {
  readonly first: number;
  readonly last: number;
  readonly names: readonly string[];
}

/** All blocks, in order. */
export function unicodeBlocks(): Block[] {
  return BLOCKS.trim().split(/\s+/).map((entry) => {
    const [range = "", ...names] = entry.split("/");
    const [first = 0, last = 0] = range.split("-").map((hex) =>
      parseInt(hex, 16)
    );
    return { first, last, names };
  });
}
