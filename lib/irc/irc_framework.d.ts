/**
 * The part of irc-framework 4.14.0 that the connection layer uses. The package
 * has no types of its own; this is written from its source.
 *
 * @module
 */

import type { EventEmitter } from "node:events";

/** A line as the library parsed it. */
export interface FrameworkMessage {
  readonly command: string;
  readonly params: readonly string[];
}

/** What the library asks of a transport. */
export interface FrameworkTransport extends EventEmitter {
  connect(): void;
  writeLine(line: string, written?: () => void): void;
  close(force: boolean): void;
  disposeSocket(): void;
  setEncoding(encoding: string): boolean;
}

export interface ClientOptions {
  host: string;
  port: number;
  nick: string;
  username: string;
  gecos: string;
  password?: string;
  /** An empty object: the server password is then not sent as a SASL one. */
  account: Record<string, never>;
  version: false;
  auto_reconnect: false;
  ping_interval: 0;
  ping_timeout: 0;
  transport: new (options: unknown) => FrameworkTransport;
}

export type RawMiddleware = (
  command: string,
  message: FrameworkMessage,
  rawLine: string,
  client: Client,
  next: (error?: Error) => void,
) => void;

export class Client {
  constructor(options: ClientOptions);
  readonly user: { readonly nick: string };
  use(
    plugin: (
      client: Client,
      raw: { use(middleware: RawMiddleware): void },
    ) => void,
  ): this;
  on(event: string, listener: (...args: never[]) => void): this;
  removeAllListeners(): this;
  connect(): void;
  raw(...parts: string[]): void;
}

declare const framework: { Client: typeof Client };
export default framework;
