/**
 * Fills inboxes from the debug rings. Neither raw lines nor log lines tell of
 * a change, so while a raw or log subscription exists the rings are polled, and
 * only those that some subscription covers. What was collected leaves the
 * inboxes again when debug goes off, however soon it comes back on.
 *
 * Spec: "Raw and log subscriptions".
 *
 * @module
 */

import type { Clock } from "../clock.ts";
import type { DebugView } from "../debug/capture.ts";
import type { KeptLogLine } from "../debug/log_ring.ts";
import { isWithheld, type RawLine } from "../debug/raw_tap.ts";
import type { Reader, SessionView } from "../engine/reader.ts";
import type { Log } from "../log.ts";
import { holdsSecret } from "../redact/cut_line.ts";
import type { SecretScan } from "../redact/secrets.ts";
import type { EncodedEvent } from "./inbox.ts";
import { LINE_POLL_MS } from "./limits.ts";
import { LineFollower } from "./line_follower.ts";
import {
  passRing,
  type RingPassOptions,
  type RingReader,
} from "./ring_pass.ts";
import type { Subscription, Subscriptions } from "./subscriptions.ts";
import { Turn } from "./turn.ts";

const POLL_FAILED = "live updates: the debug rings could not be read";

/** Makes the contract's event objects of lines that passed the screen. */
export interface LineEvents {
  readonly rawEvent: (sessionId: string, line: RawLine) => EncodedEvent;
  readonly logEvent: (line: KeptLogLine) => EncodedEvent;
}

/** What a collector is built from. */
export interface LineCollectorOptions extends LineEvents {
  readonly reader: Reader;
  readonly debug: DebugView;
  readonly subscriptions: Subscriptions;
  readonly clock: Clock;
  readonly log: Log;
}

/** What the passes of one poll have in common. */
type PassOptions = Pick<
  RingPassOptions<never>,
  "clock" | "turn" | "isValid" | "isFollowing" | "stored"
>;

/** See the module doc. */
export class LineCollector {
  readonly #options: LineCollectorOptions;
  #followers = new Map<Subscription, LineFollower>();
  #cancelPoll: (() => void) | undefined;
  #isPolling = false;
  #hasFailed = false;
  #timesOff: number;

  constructor(options: LineCollectorOptions) {
    this.#options = options;
    this.#timesOff = options.debug.timesOff;
    options.subscriptions.listen({
      added: (subscription) => this.#added(subscription),
      removed: (subscription) => this.#removed(subscription),
    });
  }

  /**
   * Drops and counts the raw and log events of before debug went off: to be
   * called before an inbox is looked at.
   */
  forgetPaused(): void {
    const { isOn, timesOff } = this.#options.debug;
    if (isOn && timesOff === this.#timesOff) return;
    this.#timesOff = timesOff;
    for (const { subscription } of this.#followers.values()) {
      subscription.inbox.dropLines();
    }
  }

  #added(subscription: Subscription): void {
    if (!LineFollower.isNeededFor(subscription)) return;
    const follower = new LineFollower(subscription);
    this.#followers.set(subscription, follower);
    this.#takePlaces(follower);
    if (!this.#isPolling) this.#schedule();
  }

  #removed(subscription: Subscription): void {
    this.#followers.delete(subscription);
    if (this.#followers.size > 0) return;
    this.#cancelPoll?.();
    this.#cancelPoll = undefined;
  }

  // What the rings hold already is not for a new subscription. A place that
  // cannot be taken now is taken by a poll.
  #takePlaces(follower: LineFollower): void {
    const { debug, reader } = this.#options;
    if (!debug.isOn) return;
    if (follower.rawFilter !== undefined) {
      for (const { id } of reader.sessions()) this.#placeIn(follower, id);
    }
    if (follower.logFilter !== undefined && debug.logSecrets() !== undefined) {
      follower.logPlace = { through: debug.log.newestSeq };
    }
  }

  #placeIn(follower: LineFollower, sessionId: string) {
    const { debug, reader } = this.#options;
    if (!follower.rawFilter?.coversSession(sessionId)) return undefined;
    const tap = debug.tap(sessionId);
    if (tap === undefined) return undefined;
    const isRunning = (id: string) => reader.session(id) !== undefined;
    return { tap, place: follower.placeIn(tap, sessionId, isRunning) };
  }

  #schedule(): void {
    this.#cancelPoll ??= this.#options.clock.after(LINE_POLL_MS, () => {
      this.#cancelPoll = undefined;
      void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isPolling = true;
    try {
      await this.#poll();
      this.#hasFailed = false;
    } catch {
      // Once until it works again: the line may itself be collected.
      if (!this.#hasFailed) {
        this.#options.log.write("fault", "app", POLL_FAILED);
      }
      this.#hasFailed = true;
    }
    this.#isPolling = false;
    if (this.#followers.size > 0) this.#schedule();
  }

  async #poll(): Promise<void> {
    this.forgetPaused();
    const { debug, reader } = this.#options;
    const timesOff = debug.timesOff;
    const isValid = () => debug.isOn && debug.timesOff === timesOff;
    const pass = this.#passOptions(isValid);
    for (const { id } of reader.sessions()) {
      if (!isValid()) return;
      // Asked again after each wait: its secrets must be those of its tap.
      const session = reader.session(id);
      if (session !== undefined) await this.#pollTap(session, pass);
    }
    if (isValid()) await this.#pollLog(pass);
  }

  async #pollTap(session: SessionView, pass: PassOptions): Promise<void> {
    const { rawEvent } = this.#options;
    const { id } = session;
    const readers: RingReader<RawLine>[] = [];
    let tap;
    for (const follower of this.#followers.values()) {
      const filter = follower.rawFilter;
      const found = this.#placeIn(follower, id);
      if (filter === undefined || found === undefined) continue;
      tap = found.tap;
      readers.push({
        follower,
        place: found.place,
        covers: (line) => filter.covers(line),
        takes: (line) => filter.takes(line),
      });
    }
    if (tap === undefined) return;
    await passRing(tap, {
      ...pass,
      type: "raw",
      readers,
      screen() {
        const secrets = secretsOf(session);
        return secrets && ((line) => isWithheld(line, secrets));
      },
      encode: (line) => rawEvent(id, line),
    });
  }

  async #pollLog(pass: PassOptions): Promise<void> {
    const { debug, logEvent } = this.#options;
    const followers = [...this.#followers.values()]
      .filter(({ logFilter }) => logFilter !== undefined);
    if (followers.length === 0) return;
    let canScan = debug.logSecrets() !== undefined;
    if (canScan) {
      canScan = await passRing(debug.log, {
        ...pass,
        type: "log",
        readers: followers.map((follower) => this.#logReader(follower)),
        screen() {
          const secrets = debug.logSecrets();
          return secrets && ((line) => holdsSecret(line, secrets));
        },
        encode: logEvent,
      });
    }
    for (const { subscription } of followers) subscription.stalled = !canScan;
  }

  #logReader(follower: LineFollower): RingReader<KeptLogLine> {
    const { debug } = this.#options;
    const { logFilter } = follower;
    return {
      follower,
      place: follower.logPlace ??= { through: debug.log.newestSeq },
      covers: (line) => logFilter !== undefined && logFilter.covers(line),
      takes: () => true,
    };
  }

  #passOptions(isValid: () => boolean): PassOptions {
    const { clock, subscriptions } = this.#options;
    return {
      clock,
      turn: new Turn(clock),
      isValid,
      isFollowing: ({ subscription }) => this.#followers.has(subscription),
      stored: ({ subscription }) => subscriptions.noteEvent(subscription),
    };
  }
}

// A session whose secrets cannot be read now is read by a later poll.
function secretsOf(session: SessionView): SecretScan | undefined {
  try {
    return session.secrets();
  } catch {
    return undefined;
  }
}
