/**
 * Calls of tools as a client makes them, without HTTP: a name and arguments in,
 * the parsed result or the error text out.
 *
 * @module
 */

import assert from "node:assert/strict";
import { LogWriter } from "../../lib/log.ts";
import type { LogLine } from "../../lib/log.ts";
import {
  Dispatcher,
  type DispatcherOptions,
} from "../../lib/tools/dispatcher.ts";
import { RESULT_BUDGET_BYTES } from "../../lib/tools/budget.ts";
import { utf8Length } from "../../lib/tools/result.ts";
import { FakeClock } from "../fake_clock.ts";
import type { FakeEngine } from "./fake_engine.ts";

/** A tool's result, parsed; tests say which fields they expect. */
// deno-lint-ignore no-explicit-any -- a result has the shape its test asserts
export type Result = Record<string, any>;

export type Sent = Readonly<Record<string, unknown>>;

/** Calls tools over one engine. */
export class Caller {
  readonly dispatcher: Dispatcher;
  readonly logged: LogLine[] = [];
  readonly budgetBytes: number;

  constructor(engine: FakeEngine, options: Partial<DispatcherOptions> = {}) {
    const clock = new FakeClock();
    this.budgetBytes = options.budgetBytes ?? RESULT_BUDGET_BYTES;
    this.dispatcher = new Dispatcher({
      reader: engine,
      switches: () => ({ debug: false, send: false }),
      clock,
      log: new LogWriter(() => clock.now(), [(line) => this.logged.push(line)]),
      ...options,
    });
  }

  /** The answer as it is. */
  answer(name: string, args: Sent = {}, signal?: AbortSignal) {
    return this.dispatcher.call({
      name,
      arguments: args,
      signal: signal ?? new AbortController().signal,
    });
  }

  /** The text of a call that must succeed, within its budget. */
  async text(name: string, args: Sent = {}): Promise<string> {
    const { text, isError } = await this.answer(name, args);
    assert.equal(isError, false, text);
    assert.ok(utf8Length(text) <= this.budgetBytes, `${utf8Length(text)}`);
    return text;
  }

  /** The result of a call that must succeed. */
  async call(name: string, args: Sent = {}): Promise<Result> {
    return JSON.parse(await this.text(name, args));
  }

  /** The error text of a call that must fail. */
  async fail(name: string, args: Sent = {}): Promise<string> {
    const { text, isError } = await this.answer(name, args);
    assert.equal(isError, true, text);
    return text;
  }
}

/** The sequence numbers of a page. */
export function seqs(result: Result): number[] {
  return result.messages.map((message: Result) => message.seq);
}

/** Pseudo-random numbers from a seed, so that a failure can be run again. */
export function seededRandom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 2 ** 32 * below);
  };
}
