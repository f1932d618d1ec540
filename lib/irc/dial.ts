/**
 * Opens the socket of one connection: TCP, through a SOCKS5 proxy where one is
 * configured, and TLS on top, verified before anybody writes a byte. TLS is
 * always laid over a socket that is open, so that each step has a deadline of
 * its own and its failure its own words.
 *
 * @module
 */

import type { Socket } from "node:net";
import net from "node:net";
import tls from "node:tls";
import type { Clock } from "../clock.ts";
import type {
  SessionConfig,
  SessionSecrets,
} from "../config/session_config.ts";
import { clientCertificate } from "./client_certificate.ts";
import { LinkFailure } from "./failure.ts";
import type { LinkLimits } from "./limits.ts";
import { negotiateSocks5 } from "./socks5.ts";

/** What is needed to open a socket. */
export interface DialOptions {
  readonly config: SessionConfig;
  readonly secrets: SessionSecrets;
  readonly clock: Clock;
  readonly limits: Pick<LinkLimits, "connectMs" | "tlsMs">;
  /** Gives up at once, and leaves nothing open. */
  readonly signal: AbortSignal;
}

/**
 * Resolves with a socket that is connected, verified and paused. Rejects with a
 * {@link LinkFailure}, and then nothing is left open. Aborted by the signal it
 * rejects with kind `requested`.
 */
export async function dial(options: DialOptions): Promise<Socket> {
  const { config, limits } = options;
  const tcp = await withDeadline(options, {
    ms: limits.connectMs,
    late: "the server does not answer",
    open: (opening) => connectTcp(opening, options),
  });
  if (!config.tls) return tcp;
  return await withDeadline(options, {
    ms: limits.tlsMs,
    late: "the TLS handshake is not answered",
    open: (opening) => startTls(opening, tcp, options),
  });
}

/**
 * A step that is under way: its sockets, to be destroyed if it fails. Their
 * error listeners stay on after it, so that an error between two steps is never
 * without one.
 */
interface Opening {
  readonly fail: (failure: LinkFailure) => void;
  readonly failed: Promise<never>;
  readonly sockets: Socket[];
}

interface Step {
  readonly ms: number;
  readonly late: string;
  open(opening: Opening): Promise<Socket>;
}

async function withDeadline(
  { clock, signal }: DialOptions,
  step: Step,
): Promise<Socket> {
  const { promise: failed, reject: fail } = Promise.withResolvers<never>();
  const opening: Opening = { fail, failed, sockets: [] };
  const cancel = clock.after(step.ms, () => {
    fail(new LinkFailure("timeout", step.late));
  });
  const onAbort = () => fail(new LinkFailure("requested", "given up"));
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([failed, step.open(opening)]);
  } catch (error) {
    for (const socket of opening.sockets) destroyQuietly(socket);
    throw error;
  } finally {
    cancel();
    signal.removeEventListener("abort", onAbort);
  }
}

async function connectTcp(
  opening: Opening,
  { config }: DialOptions,
): Promise<Socket> {
  const { host, port } = config.socks5 ?? config;
  const onFailure = (error: Error) => {
    opening.fail(connectFailure(error, config));
  };
  const socket = await openSocket(opening, { host, port }, onFailure);
  if (config.socks5 !== undefined) {
    await Promise.race([opening.failed, negotiateSocks5(socket, config)]);
  }
  return socket;
}

async function openSocket(
  opening: Opening,
  address: { host: string; port: number },
  onFailure: (error: Error) => void,
): Promise<Socket> {
  const { promise: connected, resolve } = Promise.withResolvers<void>();
  let socket: Socket;
  try {
    socket = net.connect(address);
  } catch (error) {
    onFailure(error instanceof Error ? error : new Error(String(error)));
    return await opening.failed;
  }
  opening.sockets.push(socket);
  socket.on("error", onFailure);
  socket.once("connect", resolve);
  await Promise.race([opening.failed, connected]);
  socket.pause();
  return socket;
}

async function startTls(
  opening: Opening,
  tcp: Socket,
  { config, secrets }: DialOptions,
): Promise<Socket> {
  opening.sockets.push(tcp);
  const shown = clientCertificate(config.tlsClientCert, secrets.tlsClientKey);
  const { promise: secured, resolve } = Promise.withResolvers<void>();
  const onFailure = (error: Error) => opening.fail(tlsFailure(error));
  const onClose = () => {
    opening.fail(
      new LinkFailure("closed", "the server closed during the TLS handshake"),
    );
  };
  let socket: tls.TLSSocket;
  try {
    socket = tls.connect({ ...tlsOptions(tcp, config), ...shown });
  } catch (error) {
    throw tlsFailure(error instanceof Error ? error : new Error(String(error)));
  }
  opening.sockets.push(socket);
  socket.on("error", onFailure);
  socket.once("close", onClose);
  tcp.on("error", onFailure);
  socket.once("secureConnect", resolve);
  await Promise.race([opening.failed, secured]);
  socket.off("close", onClose);
  socket.pause();
  return socket;
}

function tlsOptions(
  socket: Socket,
  config: SessionConfig,
): tls.ConnectionOptions {
  return {
    socket,
    // Without it, the name `localhost` would be verified over a given socket.
    host: config.host,
    ...(net.isIP(config.host) === 0 ? { servername: config.host } : {}),
    rejectUnauthorized: config.tlsVerify,
    ...(config.tlsCa === undefined ? {} : { ca: config.tlsCa }),
  };
}

/** Destroys a socket whose errors interest nobody any more. */
export function destroyQuietly(socket: Socket): void {
  socket.on("error", () => {});
  socket.destroy();
}

function connectFailure(error: Error, config: SessionConfig): LinkFailure {
  const code = codeOf(error);
  const { host, port } = config.socks5 ?? config;
  const where = config.socks5 === undefined
    ? `${host}:${port}`
    : `the SOCKS proxy ${host}:${port}`;
  if (code === "EPERM" || /requires net access/i.test(error.message)) {
    return new LinkFailure(
      "not-permitted",
      `this build may not connect to ${where}: IRC_HOSTS names what it may`,
      { cause: error },
    );
  }
  return new LinkFailure(
    "unreachable",
    `cannot connect to ${where} (${code})`,
    { cause: error },
  );
}

/** A socket that only broke says nothing about certificates: it is retried. */
const BROKEN = new Set(["ECONNRESET", "EPIPE", "ECONNABORTED", "ETIMEDOUT"]);

function tlsFailure(error: Error): LinkFailure {
  const code = codeOf(error);
  const kind = BROKEN.has(code) || /unexpected eof/i.test(error.message)
    ? "closed"
    : "tls";
  return new LinkFailure(kind, `TLS: ${tlsWords(code)} (${code})`, {
    cause: error,
  });
}

function tlsWords(code: string): string {
  switch (code) {
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return "the certificate is for another name";
    case "CERT_HAS_EXPIRED":
      return "the certificate has expired";
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
    case "SELF_SIGNED_CERT_IN_CHAIN":
      return "the certificate is not signed by an authority that is trusted";
    case "ERR_SSL_WRONG_VERSION_NUMBER":
      return "the port does not speak TLS";
    default:
      return "the handshake failed";
  }
}

function codeOf(error: Error): string {
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? code : error.message.slice(0, 200);
}
