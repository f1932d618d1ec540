/**
 * What a tool is: a name, words for the model, a table of arguments, a tier
 * that says which switch serves it, and a function from checked arguments to a
 * result. A tool is one file; it reaches the engine through its context only,
 * and only a tool of the send tier is given the sender.
 *
 * Spec: "Invariants", "Tool results and tool errors".
 *
 * @module
 */

import type { Clock } from "../clock.ts";
import type { DebugView } from "../debug/capture.ts";
import type { Reader } from "../engine/reader.ts";
import type { Sender } from "../engine/sender.ts";
import type { Log } from "../log.ts";
import type { LiveUpdates } from "../updates/live_updates.ts";
import type { ArgumentsOf, Parameters } from "./parameters.ts";
import type { Fields } from "./result.ts";

/** Which switch serves a tool: none, `control.debug` or `control.send`. */
export type Tier = "release" | "debug" | "send";

/** The switches that serve tools beside the release tools. */
export interface Switches {
  readonly debug: boolean;
  readonly send: boolean;
}

/** What a call may use. */
export interface ToolContext {
  readonly reader: Reader;
  /** Aborted when the request is: its client went away, or its time is up. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
  /** What the debug tools read; a service without it has no debug tier. */
  readonly debug?: DebugView | undefined;
  /** Subscriptions and their inboxes: all that a tool may change. */
  readonly updates: LiveUpdates;
  /** The switches as they are for this call. */
  readonly switches: Switches;
  /** Says that the call now waits, for whoever keeps track of calls. */
  readonly noteWaiting: () => void;
  /** The most UTF-8 bytes of JSON the result may take. */
  readonly budgetBytes: number;
}

/** What a call of the send tier may use. */
export interface SendContext extends ToolContext {
  readonly sender: Sender;
}

/** How a call ended, short of failing. */
export interface ToolResult {
  readonly fields: Fields;
  /**
   * The call ran out of its time budget: what it found is the text of an
   * answer marked as error.
   */
  readonly isStopped?: boolean;
}

/** MCP's hints to a client about what a tool does. */
export interface Annotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** For a tool that changes nothing. */
export const READ_ONLY: Annotations = { readOnlyHint: true };

interface ToolBase<P extends Parameters> {
  readonly name: string;
  readonly description: string;
  readonly annotations: Annotations;
  readonly parameters: P;
}

export interface ReadTool<P extends Parameters = Parameters>
  extends ToolBase<P> {
  readonly tier: "release" | "debug";
  run(
    args: ArgumentsOf<P>,
    context: ToolContext,
  ): ToolResult | Promise<ToolResult>;
}

export interface SendTool<P extends Parameters = Parameters>
  extends ToolBase<P> {
  readonly tier: "send";
  run(
    args: ArgumentsOf<P>,
    context: SendContext,
  ): ToolResult | Promise<ToolResult>;
}

export type Tool = ReadTool | SendTool;

/** Types `run` by the table of arguments, which is then forgotten. */
export function defineTool<const P extends Parameters>(
  tool: ReadTool<P> | SendTool<P>,
): Tool {
  return tool as unknown as Tool;
}
