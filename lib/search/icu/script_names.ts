/**
 * The scripts of Unicode by their ISO 15924 code and name, so that a pattern may
 * write either in any case and spacing. Which characters are in a script is the
 * runtime's to say; a code it does not know is a script without characters.
 *
 * Generated from Unicode's PropertyValueAliases.txt (version 15.0).
 *
 * @module
 */

/** `code/name/other name`, separated by spaces. */
const SCRIPTS = `
Zyyy/Common Zinh/Inherited/Qaai Arab/Arabic Armn/Armenian Beng/Bengali
Bopo/Bopomofo Cher/Cherokee Copt/Coptic/Qaac Cyrl/Cyrillic Dsrt/Deseret
Deva/Devanagari Ethi/Ethiopic Geor/Georgian Goth/Gothic Grek/Greek
Gujr/Gujarati Guru/Gurmukhi Hani/Han Hang/Hangul Hebr/Hebrew
Hira/Hiragana Knda/Kannada Kana/Katakana Khmr/Khmer Laoo/Lao Latn/Latin
Mlym/Malayalam Mong/Mongolian Mymr/Myanmar Ogam/Ogham Ital/Old_Italic
Orya/Oriya Runr/Runic Sinh/Sinhala Syrc/Syriac Taml/Tamil Telu/Telugu
Thaa/Thaana Thai Tibt/Tibetan Cans/Canadian_Aboriginal Yiii/Yi
Tglg/Tagalog Hano/Hanunoo Buhd/Buhid Tagb/Tagbanwa Brai/Braille
Cprt/Cypriot Limb/Limbu Linb/Linear_B Osma/Osmanya Shaw/Shavian
Tale/Tai_Le Ugar/Ugaritic Hrkt/Katakana_Or_Hiragana Bugi/Buginese
Glag/Glagolitic Khar/Kharoshthi Sylo/Syloti_Nagri Talu/New_Tai_Lue
Tfng/Tifinagh Xpeo/Old_Persian Bali/Balinese Batk/Batak Blis Brah/Brahmi
Cham Cirt Cyrs Egyd Egyh Egyp/Egyptian_Hieroglyphs Geok Hans Hant
Hmng/Pahawh_Hmong Hung/Old_Hungarian Inds Java/Javanese Kali/Kayah_Li
Latf Latg Lepc/Lepcha Lina/Linear_A Mand/Mandaic Maya
Mero/Meroitic_Hieroglyphs Nkoo/Nko Orkh/Old_Turkic Perm/Old_Permic
Phag/Phags_Pa Phnx/Phoenician Plrd/Miao Roro Sara Syre Syrj Syrn Teng
Vaii/Vai Visp Xsux/Cuneiform Zxxx Zzzz/Unknown Cari/Carian Jpan
Lana/Tai_Tham Lyci/Lycian Lydi/Lydian Olck/Ol_Chiki Rjng/Rejang
Saur/Saurashtra Sgnw/SignWriting Sund/Sundanese Moon Mtei/Meetei_Mayek
Armi/Imperial_Aramaic Avst/Avestan Cakm/Chakma Kore Kthi/Kaithi
Mani/Manichaean Phli/Inscriptional_Pahlavi Phlp/Psalter_Pahlavi Phlv
Prti/Inscriptional_Parthian Samr/Samaritan Tavt/Tai_Viet Zmth Zsym
Bamu/Bamum Lisu Nkgb Sarb/Old_South_Arabian Bass/Bassa_Vah Dupl/Duployan
Elba/Elbasan Gran/Grantha Kpel Loma Mend/Mende_Kikakui
Merc/Meroitic_Cursive Narb/Old_North_Arabian Nbat/Nabataean
Palm/Palmyrene Sind/Khudawadi Wara/Warang_Citi Afak Jurc Mroo/Mro
Nshu/Nushu Shrd/Sharada Sora/Sora_Sompeng Takr/Takri Tang/Tangut Wole
Hluw/Anatolian_Hieroglyphs Khoj/Khojki Tirh/Tirhuta
Aghb/Caucasian_Albanian Mahj/Mahajani Ahom Hatr/Hatran Modi Mult/Multani
Pauc/Pau_Cin_Hau Sidd/Siddham Adlm/Adlam Bhks/Bhaiksuki Marc/Marchen
Newa Osge/Osage Hanb Jamo Zsye Gonm/Masaram_Gondi Soyo/Soyombo
Zanb/Zanabazar_Square Dogr/Dogra Gong/Gunjala_Gondi Maka/Makasar
Medf/Medefaidrin Rohg/Hanifi_Rohingya Sogd/Sogdian Sogo/Old_Sogdian
Elym/Elymaic Hmnp/Nyiakeng_Puachue_Hmong Nand/Nandinagari Wcho/Wancho
Chrs/Chorasmian Diak/Dives_Akuru Kits/Khitan_Small_Script Yezi/Yezidi
Cpmn/Cypro_Minoan Ougr/Old_Uyghur Tnsa/Tangsa Toto Vith/Vithkuqi Kawi
Nagm/Nag_Mundari
`;

/** The names of each script, code first. */
export function scriptNames(): string[][] {
  return SCRIPTS.trim().split(/\s+/).map((names) => names.split("/"));
}
