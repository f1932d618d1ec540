/**
 * From a name and arguments as a client sent them to the answer it reads. The
 * order is fixed: is it one of the tools, is its switch on, are its arguments
 * right, then the tool. Whatever a tool throws ends here: a failure in the
 * contract's words leaves as that text, anything else as `internal error`.
 *
 * Spec: "Tool results and tool errors".
 *
 * @module
 */

import type { Clock } from "../clock.ts";
import type { DebugView } from "../debug/capture.ts";
import type { Reader } from "../engine/reader.ts";
import type { Sender } from "../engine/sender.ts";
import type { Log } from "../log.ts";
import { LiveUpdates } from "../updates/live_updates.ts";
import { checkArguments, type SentArguments } from "./arguments.ts";
import { RESULT_BUDGET_BYTES } from "./budget.ts";
import { CallCancelled, failure, FAILURES, ToolFailure } from "./failures.ts";
import { type ObjectSchema, schemaOf } from "./parameters.ts";
import {
  isToolName,
  TOOL_TIERS,
  type ToolName,
  TOOLS as BUILT_TOOLS,
} from "./registry.ts";
import { lineEvents } from "./line_events.ts";
import { messageEvent } from "./message_events.ts";
import { encodeJson, utf8Length } from "./result.ts";
import type {
  Annotations,
  Switches,
  Tier,
  Tool,
  ToolContext,
  ToolResult,
} from "./tool.ts";

/** How a call ended or goes on, for whoever keeps track of what clients do. */
export type CallOutcome =
  | { readonly kind: "ok"; readonly bytes: number }
  | { readonly kind: "stopped"; readonly bytes: number }
  | { readonly kind: "waiting" }
  | { readonly kind: "error"; readonly text: string };

/** A call that ended or waits: never what it answered, only how much. */
export interface ToolCall {
  /** The name as sent, whether or not there is such a tool. */
  readonly tool: string;
  readonly arguments: SentArguments;
  readonly outcome: CallOutcome;
}

/** What a dispatcher is built from. */
export interface DispatcherOptions {
  readonly reader: Reader;
  /** Read at each call and listing: a change takes effect on the next. */
  readonly switches: () => Switches;
  /** Hands out the sender while sending is on. */
  readonly sender?: (() => Sender | undefined) | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Live updates; the dispatcher has its own when absent. */
  readonly updates?: LiveUpdates | undefined;
  /** What the debug tools read. */
  readonly debug?: DebugView | undefined;
  readonly onToolCall?: ((call: ToolCall) => void) | undefined;
  /** The tools that are built; the registry's when absent. */
  readonly tools?: readonly Tool[];
  readonly budgetBytes?: number;
}

/** A tool as `tools/list` shows it. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly annotations: Annotations;
}

/** One call. */
export interface CallRequest {
  readonly name: string;
  readonly arguments: SentArguments;
  readonly signal: AbortSignal;
}

/** The one text item of the answer. */
export interface CallAnswer {
  readonly text: string;
  readonly isError: boolean;
}

/** See the module doc. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #updates: LiveUpdates;
  readonly #listings = new Map<string, readonly ListedTool[]>();

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#updates = options.updates ??
      new LiveUpdates({ ...options, messageEvent, lineEvents });
    const tools = options.tools ?? BUILT_TOOLS;
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
  }

  /** The tools served now, in the contract's order. */
  list(): readonly ListedTool[] {
    const switches = this.#options.switches();
    const key = `${switches.debug} ${switches.send}`;
    let listing = this.#listings.get(key);
    if (listing === undefined) {
      listing = this.#listFor(switches);
      this.#listings.set(key, listing);
    }
    return listing;
  }

  /** Answers a call; never rejects. */
  async call(request: CallRequest): Promise<CallAnswer> {
    const { answer, outcome } = await this.#attempt(request);
    this.#tell({ tool: request.name, arguments: request.arguments, outcome });
    return answer;
  }

  #tell(call: ToolCall): void {
    try {
      this.#options.onToolCall?.(call);
    } catch (cause) {
      const place = describeFault(cause);
      this.#options.log.write("error", "app", `call not noted: ${place}`);
    }
  }

  async #attempt(
    request: CallRequest,
  ): Promise<{ answer: CallAnswer; outcome: CallOutcome }> {
    try {
      const { fields, isStopped } = await this.#run(request);
      const text = encodeJson(fields);
      const bytes = utf8Length(text);
      if (bytes > this.#budgetBytes) {
        throw new RangeError("The result is over its budget");
      }
      return {
        answer: { text, isError: isStopped === true },
        outcome: { kind: isStopped ? "stopped" : "ok", bytes },
      };
    } catch (cause) {
      const text = this.#explain(request.name, cause);
      return {
        answer: { text, isError: true },
        outcome: { kind: "error", text },
      };
    }
  }

  #run(request: CallRequest): ToolResult | Promise<ToolResult> {
    const { reader, clock, log, debug } = this.#options;
    const switches = this.#options.switches();
    const tool = this.#toolFor(request.name, switches);
    const args = checkArguments(tool.parameters, request.arguments, switches);
    if (request.signal.aborted) throw new CallCancelled();
    const context: ToolContext = {
      reader,
      signal: request.signal,
      clock,
      log,
      debug,
      updates: this.#updates,
      switches,
      noteWaiting: () =>
        this.#tell({
          tool: request.name,
          arguments: request.arguments,
          outcome: { kind: "waiting" },
        }),
      budgetBytes: this.#budgetBytes,
    };
    if (tool.tier !== "send") return tool.run(args, context);
    const sender = this.#options.sender?.();
    if (sender === undefined) throw failure("sendingDisabled");
    return tool.run(args, { ...context, sender });
  }

  #toolFor(name: string, switches: Switches): Tool {
    if (!isToolName(name)) throw failure("unknownTool");
    const tier: Tier = TOOL_TIERS[name];
    if (!isServed(tier, switches)) {
      throw failure(tier === "send" ? "sendingDisabled" : "debugDisabled");
    }
    const tool = this.#tools.get(name);
    if (tool === undefined) throw failure("unknownTool");
    return tool;
  }

  #listFor(switches: Switches): readonly ListedTool[] {
    const listing: ListedTool[] = [];
    for (const name of Object.keys(TOOL_TIERS) as ToolName[]) {
      const tool = this.#tools.get(name);
      if (tool === undefined || !isServed(TOOL_TIERS[name], switches)) continue;
      listing.push({
        name,
        description: tool.description,
        inputSchema: schemaOf(tool.parameters, switches),
        annotations: tool.annotations,
      });
    }
    return listing;
  }

  get #budgetBytes(): number {
    return this.#options.budgetBytes ?? RESULT_BUDGET_BYTES;
  }

  #explain(name: string, cause: unknown): string {
    if (cause instanceof ToolFailure) return cause.text;
    // Nobody reads this answer: the request it belongs to is gone.
    if (cause instanceof CallCancelled) return FAILURES.internal;
    // The log is read by agents too, and an error's message may quote anything.
    const place = describeFault(cause);
    this.#options.log.write("error", "app", `tool ${name} failed: ${place}`);
    return FAILURES.internal;
  }
}

function isServed(tier: Tier, switches: Switches): boolean {
  switch (tier) {
    case "release":
      return true;
    case "debug":
      return switches.debug;
    case "send":
      return switches.send;
    default:
      return tier satisfies never;
  }
}

/** The class of an error and where in our code it rose, without its message. */
function describeFault(cause: unknown): string {
  if (!(cause instanceof Error)) return typeof cause;
  const frame = /\/lib\/[\w/]+\.ts:\d+:\d+/.exec(
    (cause.stack ?? "").replace(cause.message, ""),
  );
  return `${cause.constructor.name}${frame ? ` at ${frame[0]}` : ""}`;
}
