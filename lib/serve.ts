/**
 * `reterm serve`: the process around the service, from the first look at its
 * home to the signal that ends it. It opens what needs the C library, gives
 * that permission back, and only then lets anything in.
 *
 * @module
 */

import { systemClock } from "./clock.ts";
import { type Config, ConfigError, ConfigFile } from "./config/config_file.ts";
import { ROOT_REFUSED } from "./control/access.ts";
import { createHome, type Home, lockHome } from "./home.ts";
import { LOG_LEVELS, type LogLevel, standardErrorSink } from "./log.ts";
import { DoorError } from "./operator/door.ts";
import { type Answer, done, failed, misused } from "./operator/operator.ts";
import { openPeerCheck } from "./peer/owner.ts";
import { type RunCommand, type Service, startService } from "./service.ts";
import {
  notifyAddress,
  openServiceManager,
  reportTo,
} from "./service_manager.ts";
import { logUncaught } from "./uncaught.ts";

/** What `reterm serve` is given. */
export interface ServeOptions {
  readonly home: Home;
  readonly logLevel: string | undefined;
  /** Whether a service runs on this home already. */
  readonly isServed: () => Promise<boolean>;
  readonly run: RunCommand;
}

/**
 * Runs the service until SIGTERM, SIGINT or SIGHUP. A second one ends the process
 * at once. Settles once everything is down, or at once with why it did not
 * start.
 */
export async function serveUntilStopped(
  options: ServeOptions,
): Promise<Answer> {
  const { home } = options;
  const level = LOG_LEVELS.find((known) =>
    known === (options.logLevel ?? "info")
  );
  if (level === undefined) {
    return misused(`--log-level takes one of ${LOG_LEVELS.join(", ")}.`);
  }
  const uid = Deno.uid();
  if (uid === 0) return failed(ROOT_REFUSED);
  await createHome(home);
  if (await options.isServed()) return alreadyServed(home);
  const lock = await lockHome(home);
  if (lock === undefined) return alreadyServed(home);
  try {
    const config = await new ConfigFile(home).read();
    return await runUntilSignal({ ...options, config, level, uid });
  } catch (error) {
    if (error instanceof ConfigError || error instanceof DoorError) {
      return failed(error.message);
    }
    throw error;
  } finally {
    lock.release();
  }
}

async function runUntilSignal(
  { home, config, run, level, uid }: ServeOptions & {
    config: Config;
    level: LogLevel;
    uid: number | null;
  },
): Promise<Answer> {
  const peer = openPeerCheck();
  const manager = openServiceManager(notifyAddress());
  // Both keep what they opened; nothing that comes in can open more.
  await Deno.permissions.revoke({ name: "ffi" });
  const stopped = stopSignal();
  const service = await startService({
    home,
    config,
    run,
    peer,
    uid,
    sink: standardErrorSink(level),
  });
  const unlisten = logUncaught(service.log);
  const reports = reportTo(manager, {
    clock: systemClock,
    status: () => statusLine(service),
  });
  await stopped;
  reports.stopping();
  await service.stop();
  manager.close();
  unlisten();
  return done();
}

function alreadyServed(home: Home): Answer {
  return failed(
    `A service runs on ${home.folder} already, or is starting or stopping: ` +
      `it was left alone.`,
  );
}

/** Settles at the first signal; the second ends the process. */
function stopSignal(): Promise<void> {
  const first = Promise.withResolvers<void>();
  let signals = 0;
  const onSignal = () => {
    signals++;
    if (signals > 1) Deno.exit(1);
    first.resolve();
  };
  // A terminal that goes away must not cost the QUITs.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    Deno.addSignalListener(signal, onSignal);
  }
  return first.promise;
}

/** What the service manager shows of a service that runs. */
function statusLine({ access, engine }: Service): string {
  const sessions = engine.sessions();
  const connected = sessions.filter(({ state }) => state === "connected");
  return `${access.status().text}; ${connected.length} of ` +
    `${sessions.length} sessions connected`;
}
