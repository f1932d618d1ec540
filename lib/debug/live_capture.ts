/**
 * The capture over a live engine: told of sessions as they start and stop, fed
 * by the program's log, and asked for a session's state.
 *
 * @module
 */

import type { Clock } from "../clock.ts";
import type { Engine } from "../engine/engine.ts";
import type { LogWriter } from "../log.ts";
import { DebugCapture } from "./capture.ts";
import { takeSnapshot } from "./engine_state.ts";
import type { ScriptCounts } from "./sections/section.ts";

/** For a service without scripts. */
export const NO_SCRIPTS: ScriptCounts = {
  inputCallbackCount: 0,
  menuItemCount: 0,
  buttonCount: 0,
};

/**
 * Makes the capture, off. The engine is made with it, as the sink of its raw
 * lines, and so comes after it: `engine` is asked for when it is needed.
 */
export function createCapture(options: {
  readonly clock: Clock;
  readonly engine: () => Engine;
  readonly scripts?: () => ScriptCounts;
}): DebugCapture {
  const { clock, engine, scripts = () => NO_SCRIPTS } = options;
  return new DebugCapture({
    clock,
    sessions: () => engine().sessions(),
    snapshot: (sessionId) => {
      const session = engine().session(sessionId);
      return session && takeSnapshot({
        session,
        link: session.link.inspect?.(),
        scripts: scripts(),
      }, clock.now());
    },
  });
}

/** Lets the capture see sessions and log lines, for as long as they last. */
export function feedCapture(
  capture: DebugCapture,
  sources: { readonly engine: Engine; readonly log: LogWriter },
): void {
  sources.engine.observe({
    sessionStarted: (session) => capture.sessionStarted(session),
    sessionStopped: (session) => capture.sessionStopped(session),
  });
  sources.log.addSink((line) => capture.addLog(line));
}
