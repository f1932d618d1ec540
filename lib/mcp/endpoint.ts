/**
 * The HTTP side of MCP, for requests that passed the gate: a POST to the one
 * path enters, a JSON answer leaves. It checks what the Streamable HTTP
 * transport requires of a request and keeps no session: every request stands
 * alone. Answers are JSON only, never a stream.
 *
 * Spec: "The access gate" (the table behind the gate).
 *
 * @module
 */

import type { Server } from "@modelcontextprotocol/sdk/server/index";
// @ts-types="@modelcontextprotocol/sdk/types"
import {
  type JSONRPCRequest,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/sdk/types.js";
import { Dispatcher, type DispatcherOptions } from "../tools/dispatcher.ts";
import {
  decodeMessage,
  encodeError,
  encodeResult,
  PARSE_ERROR,
  type RpcError,
  rpcError,
} from "./json_rpc.ts";
import { connectServer } from "./server.ts";
import { ExchangeTransport, type Reply } from "./transport.ts";

/** What an endpoint is built from. */
export interface EndpointOptions extends DispatcherOptions {
  /** How the server names itself to clients. */
  readonly name: string;
  readonly version: string;
}

/** Answers MCP requests. */
export interface Endpoint {
  /**
   * Answers one request, and never rejects. Aborting `request.signal` cancels
   * the tool call; the answer, then an empty 504, comes once it has stopped.
   */
  handle(request: Request): Promise<Response>;
  /**
   * Ends what is still being answered with an empty 500. Abort the requests
   * first: a tool call that was not told goes on unseen.
   */
  close(): Promise<void>;
}

/** See {@link Endpoint}. */
export function createEndpoint(options: EndpointOptions): Endpoint {
  const transport = new ExchangeTransport();
  const server = connectServer({
    name: options.name,
    version: options.version,
    dispatcher: new Dispatcher(options),
    transport,
  });
  return {
    handle: (request) => handle(request, server, transport),
    close: async () => await (await server).close(),
  };
}

// The code the SDK's own HTTP transport uses for what is wrong with a request
// before there is a message in it.
const TRANSPORT_ERROR_CODE = -32000;

const NOT_ACCEPTABLE: RpcError = {
  code: TRANSPORT_ERROR_CODE,
  message: "Not acceptable: the client must accept application/json",
};
const UNSUPPORTED_MEDIA_TYPE: RpcError = {
  code: TRANSPORT_ERROR_CODE,
  message: "Unsupported media type: Content-Type must be application/json",
};
const UNSUPPORTED_VERSION: RpcError = {
  code: TRANSPORT_ERROR_CODE,
  message: `Unsupported protocol version (supported versions: ${
    SUPPORTED_PROTOCOL_VERSIONS.join(", ")
  })`,
};

async function handle(
  request: Request,
  server: Promise<Server>,
  transport: ExchangeTransport,
): Promise<Response> {
  if (!acceptsJson(request.headers.get("accept"))) {
    return refuse(406, NOT_ACCEPTABLE);
  }
  if (!isJson(request.headers.get("content-type"))) {
    return refuse(415, UNSUPPORTED_MEDIA_TYPE);
  }
  const decoded = await readMessage(request);
  if (decoded.kind === "refused") return refuse(400, decoded.error);
  const version = request.headers.get("mcp-protocol-version");
  if (version !== null && !SUPPORTED_PROTOCOL_VERSIONS.includes(version)) {
    return refuse(400, UNSUPPORTED_VERSION);
  }
  // Nothing waits for a notification or an answer, and neither may touch what
  // another client's request is doing: they go no further.
  if (decoded.kind === "unanswered") return new Response(null, { status: 202 });
  await server;
  const reply = await transport.exchange(
    withoutNullArguments(decoded.request),
    request.signal,
  );
  if (request.signal.aborted) return new Response(null, { status: 504 });
  return respond(reply, decoded.request);
}

/** Whether an entry of Accept starts with `application/json`. */
function acceptsJson(header: string | null): boolean {
  if (header === null) return false;
  return header.split(",").some((entry) =>
    entry.trim().toLowerCase().startsWith("application/json")
  );
}

/** Whether Content-Type is `application/json`, parameters or not. */
function isJson(header: string | null): boolean {
  if (header === "application/json") return true;
  // A comma stands where two headers were joined: which one holds is unknown.
  if (header === null || header.includes(",")) return false;
  const [type = ""] = header.split(";", 1);
  return type.trim().toLowerCase() === "application/json";
}

async function readMessage(
  request: Request,
): Promise<ReturnType<typeof decodeMessage>> {
  try {
    return decodeMessage(await request.bytes());
  } catch {
    return { kind: "refused", error: PARSE_ERROR };
  }
}

/** `arguments: null` is no arguments; the SDK would refuse it. */
function withoutNullArguments(request: JSONRPCRequest): JSONRPCRequest {
  if (request.params?.arguments !== null) return request;
  const { arguments: _none, ...params } = request.params;
  return { ...request, params };
}

function respond(reply: Reply, request: JSONRPCRequest): Response {
  switch (reply.kind) {
    case "result":
      return json(200, encodeResult(reply.result, request.id));
    case "error":
      return json(200, encodeError(rpcError(reply.code), request.id));
    case "closed":
      return new Response(null, { status: 500 });
    default:
      return reply satisfies never;
  }
}

function refuse(status: number, error: RpcError): Response {
  return json(status, encodeError(error, null));
}

const JSON_HEADERS = { "content-type": "application/json" };

function json(status: number, body: string): Response {
  return new Response(body, { status, headers: JSON_HEADERS });
}
