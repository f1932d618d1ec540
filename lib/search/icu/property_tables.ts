/** @module */
import type { CodePointSet } from "./code_point_set.ts";
export function tabledProperty(
  _name: string,
  _value: string,
): CodePointSet | undefined {
  return undefined;
}
