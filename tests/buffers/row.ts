/**
 * Rows for tests of buffers: a text row with what a test cares about.
 *
 * @module
 */

import type { NewMessage } from "../../lib/buffers/message.ts";

/** A privmsg from alice to #room, changed by `fields`. */
export function row(
  fields: Partial<NewMessage> & { text?: string } = {},
): NewMessage {
  const { text = "hello", ...rest } = fields;
  return {
    id: undefined,
    time: 1000,
    from: "alice",
    kind: "privmsg",
    payload: { caseName: "privmsg", text, target: "#room" },
    replayed: false,
    ...rest,
  };
}

/** A small seeded generator, so that a failing run can be run again. */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
