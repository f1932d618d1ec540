/**
 * Code points in UTF-16 text, by place.
 *
 * @module
 */

/** Whether `at` is between the halves of a surrogate pair. */
export function isInsidePair(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (unit < 0xdc00 || unit > 0xdfff) return false;
  const before = text.charCodeAt(at - 1);
  return before >= 0xd800 && before <= 0xdbff;
}

/** The place after the character at `at`. */
export function after(text: string, at: number): number {
  return at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
}

/** The character at `at`; a pair that `limit` cuts is read as its first half. */
export function pointAt(text: string, at: number, limit: number): number {
  const point = text.codePointAt(at) ?? -1;
  return point > 0xffff && at + 2 > limit ? text.charCodeAt(at) : point;
}
