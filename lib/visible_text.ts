/**
 * Text made safe to show: whatever cannot be seen, or changes how other
 * characters are drawn, comes out as an escape, so that no text can draw on a
 * terminal, hide a part of itself or look like a second line.
 *
 * Spec: "The AI access log" (what is escaped), "Sending" (the audit row).
 *
 * @module
 */

// Controls, format characters, default-ignorable characters, bidi controls,
// the line and paragraph separators, and halves of surrogate pairs.
const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cs}]/gu;

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

/** `text` with every invisible character as `\n`, `\r`, `\t` or `\u{HEX}`. */
export function escapeInvisible(text: string): string {
  return text.replace(
    INVISIBLE,
    (character) => SHORT_ESCAPES[character] ?? escapeCodePoint(character),
  );
}

/** `text` as a JSON string whose invisible characters are escaped as above. */
export function quoteVisibly(text: string): string {
  const quoted = text.replace(/["\\]/g, (character) => `\\${character}`);
  return `"${escapeInvisible(quoted)}"`;
}

/** Compact JSON text with its invisible characters as JSON escapes. */
export function visibleJson(json: string): string {
  return json.replace(INVISIBLE, (character) => {
    let escapes = "";
    for (let at = 0; at < character.length; at++) {
      const unit = character.charCodeAt(at).toString(16).padStart(4, "0");
      escapes += `\\u${unit}`;
    }
    return escapes;
  });
}

// A colour code takes up to two digits, a comma and up to two more; a hex
// colour six digits, a comma and six more. The other codes stand alone.
const FORMATTING =
  // deno-lint-ignore no-control-regex -- IRC formatting codes are controls
  /\x03(?:\d{1,2}(?:,\d{1,2})?)?|\x04(?:[0-9A-Fa-f]{6}(?:,[0-9A-Fa-f]{6})?)?|[\x02\x0f\x11\x16\x1d\x1e\x1f]/g;

/** `text` without mIRC formatting codes and the digits that belong to them. */
export function stripFormatting(text: string): string {
  return text.replace(FORMATTING, "");
}

function escapeCodePoint(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  return `\\u{${point.toString(16).toUpperCase()}}`;
}
