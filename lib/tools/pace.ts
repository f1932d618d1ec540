/**
 * Lets the rest of the program run while a call goes through many rows. A call
 * asks between rows whether it has held the event loop long enough; if so it
 * rests for a turn, and ends there when its request was cancelled meanwhile.
 *
 * Spec: "The access gate" (the tools check for cancellation between buffers,
 * channels and messages).
 *
 * @module
 */

import { CallCancelled } from "./failures.ts";
import type { ToolContext } from "./tool.ts";

// A third of what the service allows itself: a call is not alone on the loop.
const HOLD_MS = 5;

/** The turns of one call. */
export class Pace {
  readonly #context: Pick<ToolContext, "clock" | "signal">;
  #since: number;

  constructor(context: Pick<ToolContext, "clock" | "signal">) {
    this.#context = context;
    this.#since = context.clock.monotonic();
  }

  /** Whether the call has run long enough to rest. */
  get isDue(): boolean {
    return this.#context.clock.monotonic() - this.#since >= HOLD_MS;
  }

  /** Waits a turn of the event loop. Throws CallCancelled. */
  async rest(): Promise<void> {
    const { clock, signal } = this.#context;
    await new Promise<void>((resolve) => clock.after(0, resolve));
    if (signal.aborted) throw new CallCancelled();
    this.#since = clock.monotonic();
  }
}
