/**
 * The service: builds the parts, gives each the next one's door, and takes
 * them down again. What is served to agents stands on the engine through a
 * reader; what the person does comes through the operator's door.
 *
 * Spec: "Setup"; README, "Commands".
 *
 * @module
 */

import { type Clock, systemClock } from "./clock.ts";
import { type Config, ConfigFile } from "./config/config_file.ts";
import { SecretsFile } from "./config/secrets_file.ts";
import { ACCESS_OFF, ControlAccess } from "./control/access.ts";
import { AccessLog } from "./control/access_log.ts";
import { tokenStore } from "./control/token.ts";
import { createCapture, feedCapture } from "./debug/live_capture.ts";
import { Engine } from "./engine/engine.ts";
import type { Home } from "./home.ts";
import { listen } from "./http/listener.ts";
import { createLink as createIrcLink } from "./irc/connection.ts";
import type { Link, OutgoingScreen } from "./irc/link.ts";
import type { CreateLink } from "./irc/session.ts";
import { type LogSink, LogWriter } from "./log.ts";
import { createEndpoint, type Endpoint } from "./mcp/endpoint.ts";
import { Scripts } from "./scripts/scripts.ts";
import { AgentSender } from "./sending/agent_sender.ts";
import { lineEvents } from "./tools/line_events.ts";
import { messageEvent } from "./tools/message_events.ts";
import { LiveUpdates } from "./updates/live_updates.ts";
import { type Door, type DoorRequest, openDoor } from "./operator/door.ts";
import { EnvelopeAnswers } from "./operator/envelope_answers.ts";
import { LiveEnvelopes } from "./operator/live_envelopes.ts";
import { LiveOperator } from "./operator/live_operator.ts";
import { LiveSessions } from "./operator/live_sessions.ts";
import { LiveTail } from "./operator/live_tail.ts";
import { readStatus } from "./operator/live_status.ts";
import { LiveSettings } from "./operator/live_settings.ts";
import type { Answer, Operator } from "./operator/operator.ts";
import { onlyEntry, SessionFiles } from "./operator/session_files.ts";
import type { PeerCheck } from "./peer/owner.ts";
import { screenedSink } from "./redact/log_screen.ts";
import { masker } from "./redact/masks.ts";
import { SecretScan } from "./redact/secrets.ts";
import { settingsOf } from "./settings.ts";
import { PROGRAM_NAME, VERSION } from "./version.ts";

/** The path that MCP is served on. */
export const MCP_PATH = "/mcp";

/** The folder of the person's scripts, in home. */
const SCRIPTS_FOLDER = "scripts";

/** Most that the QUITs may take: a server that hangs does not hold the stop. */
export const QUIT_WAIT_MS = 5_000;

/** What the QUIT of a stopping service says. */
const STOP_REASON = "Service stopped";

/** Runs a command of the person on the running service. */
export type RunCommand = (
  operator: Operator,
  request: DoorRequest,
  signal: AbortSignal,
) => Promise<Answer>;

/** What a service is built from. */
export interface ServiceParts {
  readonly home: Home;
  readonly config: Config;
  readonly run: RunCommand;
  readonly sink: LogSink;
  readonly peer: PeerCheck;
  readonly uid: number | null;
  readonly clock?: Clock;
  readonly createLink?: CreateLink;
}

/** A service that runs. */
export interface Service {
  readonly engine: Engine;
  readonly access: ControlAccess;
  readonly operator: Operator;
  readonly log: LogWriter;
  /** QUITs, closes both ports and removes `operator.json`. Bounded. */
  stop(): Promise<void>;
}

/** Builds and starts everything. Nothing is left open when it throws. */
export async function startService(parts: ServiceParts): Promise<Service> {
  const { home, config, peer, uid } = parts;
  const clock = parts.clock ?? systemClock;
  const log = new LogWriter(() => clock.now());
  const files = new SessionFiles(
    home,
    new ConfigFile(home),
    new SecretsFile(home, () => uid),
  );
  const settings = new LiveSettings(files.config, settingsOf(config));
  const scripts = await Scripts.load({
    folder: `${home.folder}/${SCRIPTS_FOLDER}`,
    clock,
    log,
  });
  const capture = createCapture({
    clock,
    engine: () => engine,
    scripts: () => scripts.counts,
  });
  const engine: Engine = new Engine({
    clock,
    log,
    bufferLimit: config.bufferLimit,
    createLink: parts.createLink ?? ircLink(settings, scripts),
    wire: capture,
  });
  feedCapture(capture, { engine, log });
  const maskLine = (line: string) => masker.line(line, "agent");
  const accessLog = new AccessLog({ now: () => clock.now(), maskLine });
  const switches = () => ({
    debug: settings.values["control.debug"],
    send: settings.values["control.send"],
  });
  const updates = new LiveUpdates({
    reader: engine,
    clock,
    log,
    messageEvent,
    lineEvents,
    debug: capture,
  });
  const sender = new AgentSender({
    session: (id) => engine.session(id),
    clock,
    log,
    maskLine,
  });
  const endpoint = createEndpoint({
    reader: engine,
    switches,
    sender: () => settings.values["control.send"] ? sender : undefined,
    updates,
    debug: capture,
    name: PROGRAM_NAME,
    version: VERSION,
    log,
    clock,
    onToolCall: (call) => accessLog.recordCall(call),
  });
  const switchCapture = () =>
    capture.switchTo(access.isServing && settings.values["control.debug"]);
  settings.onChange(switchCapture);
  const access: ControlAccess = new ControlAccess({
    open: (port, token) =>
      listen({
        port,
        token,
        path: MCP_PATH,
        peer,
        log,
        handler: (request) => endpoint.handle(request),
        onRefused: (refusal) => accessLog.recordRefusal(refusal),
      }),
    tokens: tokenStore(files.secrets),
    port: config.port,
    isRoot: () => uid === 0,
    switches,
    onOpened: switchCapture,
    onClosed: () => {
      updates.clear();
      sender.clearLimits();
      switchCapture();
    },
    notice: (text) => log.write("notice", "app", text),
    log,
  });
  const sessions = new LiveSessions({ files, engine, log, mayReach });
  const envelopes = new LiveEnvelopes({
    clock,
    pick: (named) => engine.session(sessions.pick(named).id) ?? onlyEntry([]),
    observe: (observer) => engine.observe(observer),
    secrets: () => secretScans({ engine, access, door }),
  });
  const messages = new LiveTail({
    clock,
    pick: (named) => sessions.pick(named),
    observe: (observer) => engine.observe(observer),
  });
  const startedAt = clock.now();
  const status = () =>
    readStatus({
      home,
      startedAt,
      settings: () => settings.values,
      access,
      accessLog,
      sessions: () => engine.sessions(),
      waitingCalls: () => updates.waiting.count,
      subscriptions: () => updates.subscriptions.all().length,
      memoryBytes: () => Deno.memoryUsage().rss,
    });
  const operator = new LiveOperator({
    settings,
    access,
    accessLog,
    sessions,
    envelopes: new EnvelopeAnswers(envelopes),
    messages,
    status,
  });
  const door: Door = await openDoor({
    home,
    peer,
    log,
    run: (request, signal) => parts.run(operator, request, signal),
  });
  log.addSink(
    screenedSink(parts.sink, () => secretScans({ engine, access, door })),
  );
  log.write("info", "app", `${PROGRAM_NAME} ${VERSION} on ${home.folder}`);
  for (const warning of config.warnings) log.write("warning", "app", warning);
  await sessions.startAll(config.sessions);
  if (config.enabled) await access.enable();
  else log.write("info", "app", ACCESS_OFF);
  const stop = () =>
    stopService({
      door,
      access,
      engine,
      endpoint,
      messages,
      scripts,
      clock,
      log,
    });
  return { engine, access, operator, log, stop };
}

function ircLink(settings: LiveSettings, scripts: Scripts): CreateLink {
  const floodThrottle = () => settings.values["flood_throttle"];
  return (options) => {
    const { id, name } = options.config;
    const screen: OutgoingScreen = {
      permit: (line, sender) =>
        scripts.isWatching
          ? scripts.permit(line, {
            session: { id, name, nick: link.nick },
            isAgents: sender === "agent",
          })
          : true,
    };
    const limits = { floodThrottle };
    const link: Link = createIrcLink({ ...options, screen, limits });
    return link;
  };
}

function* secretScans(
  { engine, access, door }: {
    engine: Engine;
    access: ControlAccess;
    door: Door;
  },
): Iterable<SecretScan> {
  const own = [access.token, door.key];
  yield new SecretScan(own.filter((value) => value !== undefined));
  for (const session of engine.sessions()) yield session.secrets();
}

function mayReach(host: string, port: number): boolean {
  const address = host.includes(":") ? `[${host}]` : host;
  return Deno.permissions.querySync({ name: "net", host: `${address}:${port}` })
    .state === "granted";
}

async function stopService(
  { door, access, engine, endpoint, messages, scripts, clock, log }: {
    door: Door;
    access: ControlAccess;
    engine: Engine;
    endpoint: Endpoint;
    messages: LiveTail;
    scripts: Scripts;
    clock: Clock;
    log: LogWriter;
  },
): Promise<void> {
  log.write("info", "app", "stopping");
  // First, so that no command starts anything while the rest is taken down.
  await door.close();
  messages.close();
  const quitWait = Promise.withResolvers<void>();
  const cancel = clock.after(QUIT_WAIT_MS, quitWait.resolve);
  await Promise.all([
    access.disable(),
    Promise.race([engine.close(STOP_REASON), quitWait.promise]),
  ]);
  cancel();
  await endpoint.close();
  scripts.close();
  log.write("info", "app", "stopped");
}
