/**
 * The other side of our own gate: one POST over a connection of its own, and
 * its answer read to the end. It speaks the little HTTP that the gate does,
 * because `fetch` does not show whose connection it uses.
 *
 * @module
 */

import type { OwnServer } from "../peer/own_server.ts";

/** Far above any answer: a page is 60,000 bytes, a listing a few hundred KB. */
const MAX_ANSWER_BYTES = 16_777_216;

/** What is posted. */
export interface Post {
  readonly port: number;
  readonly path: string;
  readonly token: string;
  readonly body: Uint8Array;
  /** Further header lines, such as `Origin: …`. */
  readonly headers?: readonly string[];
}

/** A whole answer. */
export interface PostAnswer {
  readonly status: number;
  readonly body: Uint8Array;
}

/**
 * Sends `post` and reads the answer. Undefined when the connection ended
 * before the answer was whole: what was asked may have been done all the same.
 */
export async function sendPost(
  server: OwnServer,
  post: Post,
): Promise<PostAnswer | undefined> {
  try {
    await server.write(encode(post));
  } catch {
    // Refused by its head alone, it is answered before the body is taken.
  }
  return parse(await readAll(server));
}

function encode({ port, path, token, body, headers = [] }: Post): Uint8Array {
  const head = new TextEncoder().encode(
    [
      `POST ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      `Authorization: Bearer ${token}`,
      "Content-Type: application/json",
      "Accept: application/json",
      ...headers,
      `Content-Length: ${body.length}`,
      "",
      "",
    ].join("\r\n"),
  );
  const bytes = new Uint8Array(head.length + body.length);
  bytes.set(head);
  bytes.set(body, head.length);
  return bytes;
}

// The gate closes after its answer, so the answer ends where the stream does.
async function readAll(server: OwnServer): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  while (size <= MAX_ANSWER_BYTES) {
    const chunk = await server.read();
    if (chunk === null) break;
    chunks.push(chunk);
    size += chunk.length;
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

function parse(bytes: Uint8Array): PostAnswer | undefined {
  const end = headEnd(bytes);
  if (end === undefined) return undefined;
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, end));
  const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(head) ?? [];
  if (status === undefined) return undefined;
  const body = bytes.subarray(end);
  const [, length] = /\r\ncontent-length: *(\d+)\r\n/i.exec(head) ?? [];
  if (length !== undefined && Number(length) !== body.length) return undefined;
  return { status: Number(status), body };
}

/** Where the body starts; undefined when the head is not whole. */
function headEnd(bytes: Uint8Array): number | undefined {
  for (let at = 0; at + 3 < bytes.length; at++) {
    if (
      bytes[at] === 13 && bytes[at + 1] === 10 && bytes[at + 2] === 13 &&
      bytes[at + 3] === 10
    ) return at + 4;
  }
  return undefined;
}
