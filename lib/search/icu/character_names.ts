/** @module */
export function characterByName(_name: string): number | undefined {
  return undefined;
}
