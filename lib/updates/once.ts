/**
 * A value that is worked out when the first of several asks for it, and shared
 * by the rest: a row or line that many subscriptions look at is encoded once.
 *
 * @module
 */

/** `make`, called when first asked and not again unless it throws. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
