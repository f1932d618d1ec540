/**
 * Policy only: a parsed head enters, the class of its refusal or nothing
 * leaves. It reads no socket and writes none. The token is judged first, so
 * that whoever lacks it learns nothing of the other rules, the path or the
 * methods, from an answer or from a log.
 *
 * Spec: "The access gate".
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { hash, timingSafeEqual } from "node:crypto";
import type { RefusalClass } from "./refusals.ts";
import type { RequestHead } from "./request.ts";

/** What a gate admits. */
export interface GateRules {
  /** The stored token; never empty. */
  readonly token: string;
  /** The port that the server listens on. */
  readonly port: number;
  /** The only path served, such as `/mcp`. */
  readonly path: string;
}

/** Refusal classes that a well-formed head can fall into. */
export type GateRefusal = Extract<
  RefusalClass,
  | "bad or missing token"
  | "Host"
  | "Origin"
  | "OPTIONS"
  | "unknown path"
  | "method"
>;

/** Judges heads by one token, port and path. */
export class Gate {
  readonly #credential: Uint8Array;
  readonly #hosts: readonly string[];
  readonly #origins: readonly string[];
  readonly #path: string;

  /** Throws a RangeError for an empty token, which would admit anyone. */
  constructor({ token, port, path }: GateRules) {
    if (token === "") throw new RangeError("Cannot build a gate: empty token");
    this.#credential = digest(`Bearer ${token}`);
    this.#hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
    this.#origins = this.#hosts.map((host) => `http://${host}`);
    this.#path = path;
  }

  /** The class of the head's refusal; undefined admits it. */
  judge(head: RequestHead): GateRefusal | undefined {
    if (!this.#hasToken(head)) return "bad or missing token";
    if (!isOneOf(this.#hosts, valuesOf(head, "host"))) return "Host";
    const origins = valuesOf(head, "origin");
    if (origins.length > 0 && !isOneOf(this.#origins, origins)) return "Origin";
    if (head.method === "OPTIONS") return "OPTIONS";
    if (pathOf(head.target) !== this.#path) return "unknown path";
    if (head.method !== "POST") return "method";
    return undefined;
  }

  /**
   * Compares digests of the whole credential: they have one length whatever
   * was offered, so the time taken tells neither the token's length nor how
   * much of it was right.
   */
  #hasToken(head: RequestHead): boolean {
    const offered = valuesOf(head, "authorization");
    const [credential = ""] = offered;
    const isEqual = timingSafeEqual(digest(credential), this.#credential);
    return isEqual && offered.length === 1;
  }
}

function digest(text: string): Uint8Array {
  return Buffer.from(hash("sha256", text, "hex"));
}

function valuesOf(head: RequestHead, name: string): string[] {
  const values: string[] = [];
  for (const field of head.fields) if (field[0] === name) values.push(field[1]);
  return values;
}

/** Whether there is exactly one value, and it is among those allowed. */
function isOneOf(allowed: readonly string[], values: string[]): boolean {
  const [value] = values;
  return values.length === 1 && value !== undefined && allowed.includes(value);
}

/** The target without its query. */
function pathOf(target: string): string {
  const query = target.indexOf("?");
  return query < 0 ? target : target.slice(0, query);
}
