/**
 * Turns an answer into the bytes of an HTTP/1.1 message. Every answer has a
 * Content-Length and ends its connection, and none names the program, its
 * version or the time. A handler's answer is collected whole before its first
 * byte leaves, so that a failure halfway is a clean 500 and never a cut body.
 *
 * Spec: "The access gate"; RFC 9112 section 4.
 *
 * @module
 */

import { Buffer } from "node:buffer";

/** The statuses that the gate and the service behind it use, in words. */
const REASONS: Readonly<Record<number, string>> = {
  200: "OK",
  202: "Accepted",
  400: "Bad Request",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  406: "Not Acceptable",
  411: "Length Required",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  504: "Gateway Timeout",
};

// What frames the message or names its sender is this file's to say.
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "date",
  "keep-alive",
  "server",
  "transfer-encoding",
]);

/** A handler answered with a stream, which the contract makes a 500. */
export class StreamedAnswerError extends Error {
  override readonly name = "StreamedAnswerError";
}

/** What tells a waiting client to send its body. */
export const CONTINUE: Uint8Array = Buffer.from(
  "HTTP/1.1 100 Continue\r\n\r\n",
);

/** The bytes of an answer. Header values must hold no line break. */
export function renderAnswer(
  status: number,
  headers: Iterable<readonly [string, string]>,
  body: Uint8Array | string = "",
): Uint8Array {
  let head = `HTTP/1.1 ${status} ${REASONS[status] ?? ""}\r\n`;
  for (const [name, value] of headers) {
    if (!OWN_HEADERS.has(name)) head += `${name}: ${value}\r\n`;
  }
  head += `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  head += "Connection: close\r\n\r\n";
  // One encoding of head and body together costs half of two.
  if (typeof body === "string") return Buffer.from(head + body);
  return Buffer.concat([Buffer.from(head), body]);
}

/**
 * The bytes of a handler's answer, its body collected.
 *
 * @throws {StreamedAnswerError} for a `text/event-stream`; it is cancelled.
 */
export async function renderResponse(response: Response): Promise<Uint8Array> {
  const { status, headers } = response;
  const type = headers.get("content-type")?.toLowerCase() ?? "";
  if (type.startsWith("text/event-stream")) {
    await response.body?.cancel();
    throw new StreamedAnswerError("Cannot send an answer that is a stream");
  }
  // JSON is text already, and turning it into bytes twice is most of the cost.
  const isText = type.startsWith("application/json");
  const body = isText ? await response.text() : await response.bytes();
  return renderAnswer(status, headers, body);
}
