/**
 * Whether AI agents are served, on which port, with which token: the one place
 * that opens and closes the port. Every change is made after the one before it
 * has ended, so that a port is never opened twice and never left open. What
 * ends with the port (requests in flight, subscriptions, captures) ends
 * between its closing and its opening again.
 *
 * Spec: "Setup", from "In reTerm, switch it on" to "The port-squat risk".
 *
 * @module
 */

import { SecretsError } from "../config/secrets_file.ts";
import type { Log } from "../log.ts";
import { TokenError, type TokenStore } from "./token.ts";

/** What the contract has the person read. */
export const ACCESS_OFF = "AI access is off — /set control.enabled on";
export const ROOT_REFUSED =
  "AI access is not available when Rete runs as root — AI access is off";

/** An open port, as this module needs it. */
export interface OpenPort {
  readonly port: number;
  /** Stops accepting, cancels what is in flight, waits up to 2 s for it. */
  close(): Promise<void>;
}

/** What {@link ControlAccess} is built from. */
export interface AccessOptions {
  /** Opens the port. Throws `Deno.errors.AddrInUse` when it is taken. */
  readonly open: (port: number, token: string) => OpenPort;
  readonly tokens: TokenStore;
  readonly port: number;
  readonly isRoot: () => boolean;
  readonly switches: () => { readonly debug: boolean; readonly send: boolean };
  /**
   * The port was closed and what was in flight has ended, or had its 2 s:
   * subscriptions and captures are dropped here.
   */
  readonly onClosed: () => void | Promise<void>;
  /** The port was opened. */
  readonly onOpened?: () => void;
  /** A failure to start, in the contract's words, when it happens. */
  readonly notice: (text: string) => void;
  readonly log: Log;
}

type State =
  | { readonly kind: "off" }
  | { readonly kind: "on"; readonly open: OpenPort; readonly token: string }
  | { readonly kind: "failed"; readonly reason: string };

/** What a command answers: whether it was done, and the text. */
export interface AccessAnswer {
  readonly ok: boolean;
  readonly text: string;
}

/** See the module doc. Starts as off: call {@link enable}. */
export class ControlAccess {
  readonly #options: AccessOptions;
  #state: State = { kind: "off" };
  #port: number;
  #changes: Promise<unknown> = Promise.resolve();

  constructor(options: AccessOptions) {
    this.#options = options;
    this.#port = options.port;
  }

  /** Whether the port is open. */
  get isServing(): boolean {
    return this.#state.kind === "on";
  }

  /** Why it is not serving though it should, else undefined. */
  get failure(): string | undefined {
    return this.#state.kind === "failed" ? this.#state.reason : undefined;
  }

  /** The token being served, so that it can be kept out of what is shown. */
  get token(): string | undefined {
    return this.#state.kind === "on" ? this.#state.token : undefined;
  }

  /** Opens the port; nothing happens when it is open. */
  enable(): Promise<void> {
    return this.#change(async () => {
      if (this.#state.kind !== "on") await this.#open();
    });
  }

  /** Closes the port and forgets a failure. */
  disable(): Promise<void> {
    return this.#change(async () => {
      await this.#close();
      this.#state = { kind: "off" };
    });
  }

  /**
   * Moves to another port. A failed start is tried again there; while access
   * is off the port is only kept for later.
   */
  movePort(port: number): Promise<void> {
    return this.#change(async () => {
      const moved = port !== this.#port;
      this.#port = port;
      switch (this.#state.kind) {
        case "off":
          return;
        case "on":
          if (!moved) return;
          await this.#close();
          return await this.#open();
        case "failed":
          return await this.#open();
        default:
          return this.#state satisfies never;
      }
    });
  }

  /**
   * Makes and stores a new token, closes the port, and opens it with that
   * token. When not serving nothing is made.
   *
   * @returns the connect command with the new token, or why there is none.
   */
  regenerate(): Promise<AccessAnswer> {
    return this.#change(async () => {
      if (this.#state.kind !== "on") return this.#notServing();
      let token: string | undefined;
      try {
        token = await this.#options.tokens.renew();
      } catch (error) {
        // The old token may be known to someone: it is not served on.
        await this.#close();
        this.#fail(tokenFailure(error), error);
        return this.#notServing();
      }
      await this.#close();
      await this.#open(token);
      return this.tokenCommand();
    });
  }

  /** What `/control status` answers. */
  status(): AccessAnswer {
    if (this.#state.kind !== "on") {
      return { ok: true, text: this.#notServing().text };
    }
    const { debug, send } = this.#options.switches();
    const text = `AI access on, port ${this.#state.open.port}` +
      (debug ? " · debug" : "") + (send ? " · send" : "");
    return { ok: true, text };
  }

  /** What `/control token` answers. */
  tokenCommand(): AccessAnswer {
    if (this.#state.kind !== "on") return this.#notServing();
    const { open, token } = this.#state;
    return { ok: true, text: connectCommand(open.port, token) };
  }

  #notServing(): AccessAnswer {
    return { ok: false, text: this.failure ?? ACCESS_OFF };
  }

  #change<T>(change: () => Promise<T>): Promise<T> {
    const result = this.#changes.then(change);
    this.#changes = result.catch(() => undefined);
    return result;
  }

  async #open(known?: string): Promise<void> {
    if (this.#options.isRoot()) return this.#fail(ROOT_REFUSED);
    let token = known;
    try {
      token ??= await this.#options.tokens.load();
    } catch (error) {
      return this.#fail(tokenFailure(error), error);
    }
    try {
      const open = this.#options.open(this.#port, token);
      this.#state = { kind: "on", open, token };
    } catch (error) {
      const words = error instanceof Deno.errors.AddrInUse
        ? "is in use"
        : "could not be opened";
      return this.#fail(
        `Port ${this.#port} ${words} — AI access is off`,
        error,
      );
    }
    this.#options.onOpened?.();
    this.#options.log.write("info", "app", this.status().text);
  }

  async #close(): Promise<void> {
    if (this.#state.kind !== "on") return;
    const { open } = this.#state;
    this.#state = { kind: "off" };
    // Whatever fails here, the token is off and what hangs on it is dropped.
    try {
      await open.close();
    } catch (error) {
      this.#logCause(error);
    }
    await this.#options.onClosed();
    this.#options.log.write(
      "info",
      "app",
      `AI access port ${open.port} closed`,
    );
  }

  #fail(reason: string, cause?: unknown): void {
    this.#state = { kind: "failed", reason };
    if (cause instanceof Error && !reason.includes(cause.message)) {
      this.#logCause(cause);
    }
    this.#options.notice(reason);
  }

  #logCause(cause: unknown): void {
    const text = cause instanceof Error
      ? `${cause.name}: ${cause.message}`
      : String(cause);
    this.#options.log.write("error", "app", text);
  }
}

/** The contract's command, which holds the token: shown only when asked for. */
export function connectCommand(port: number, token: string): string {
  return `claude mcp add --transport http rete http://127.0.0.1:${port}/mcp ` +
    `--header "Authorization: Bearer ${token}"`;
}

function tokenFailure(error: unknown): string {
  if (error instanceof SecretsError && error.kind === "unwritable") {
    return `The access token could not be stored: ${error.message} ` +
      `— AI access is off`;
  }
  if (error instanceof SecretsError || error instanceof TokenError) {
    return `${error.message} — AI access is off`;
  }
  return "The access token could not be stored — AI access is off";
}
