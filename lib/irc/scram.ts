/**
 * The client's side of SCRAM-SHA-256: three messages out, two in, and the proof
 * that the server knows the password too. Text in, text out; base64 and
 * AUTHENTICATE are the caller's.
 *
 * Follows RFC 5802 and RFC 7677, without channel binding. Names and passwords
 * are normalised by NFKC, which is what SASLprep comes to for what people type.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import {
  createHash,
  createHmac,
  pbkdf2,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";

/** `n,,` in base64: no channel binding, no authorisation name. */
const CHANNEL_BINDING = "biws";
const HEADER = "n,,";
/** A server may ask for this much work: about a second on a slow machine. */
const MAX_ITERATIONS = 1_000_000;
/** RFC 7677 section 4: servers should announce no fewer. */
const MIN_ITERATIONS = 4_096;

/** The server's message was malformed, or it could not prove itself. */
export class ScramError extends Error {
  override readonly name = "ScramError";
}

/** One login. Call its methods in order, each once. */
export class ScramClient {
  readonly #password: string;
  readonly #nonce: string;
  readonly #firstBare: string;
  #serverSignature: Buffer | undefined;

  /** `nonce` is given only by tests that replay a published exchange. */
  constructor(
    { account, password, nonce = randomBytes(18).toString("base64") }: {
      account: string;
      password: string;
      nonce?: string;
    },
  ) {
    this.#password = password.normalize("NFKC");
    this.#nonce = nonce;
    const name = account.normalize("NFKC").replaceAll("=", "=3D")
      .replaceAll(",", "=2C");
    this.#firstBare = `n=${name},r=${nonce}`;
  }

  /** The first message. */
  first(): string {
    return HEADER + this.#firstBare;
  }

  /** The answer to the server's first message; rejects with ScramError. */
  async final(serverFirst: string): Promise<string> {
    const { nonce, salt, iterations } = this.#readChallenge(serverFirst);
    const salted = await derive(this.#password, salt, iterations);
    const clientKey = hmac(salted, "Client Key");
    const withoutProof = `c=${CHANNEL_BINDING},r=${nonce}`;
    const authMessage = `${this.#firstBare},${serverFirst},${withoutProof}`;
    const signature = hmac(sha256(clientKey), authMessage);
    const proof = clientKey.map((byte, i) => byte ^ (signature[i] ?? 0));
    this.#serverSignature = hmac(hmac(salted, "Server Key"), authMessage);
    return `${withoutProof},p=${Buffer.from(proof).toString("base64")}`;
  }

  /** Throws ScramError unless the server proved that it knows the password. */
  verify(serverFinal: string): void {
    const { v, e } = readAttributes(serverFinal);
    if (e !== undefined) throw new ScramError(`server says ${e.slice(0, 100)}`);
    const given = Buffer.from(v ?? "", "base64");
    const wanted = this.#serverSignature;
    if (
      wanted === undefined || given.length !== wanted.length ||
      !timingSafeEqual(given, wanted)
    ) throw new ScramError("server did not prove that it knows the password");
  }

  #readChallenge(text: string) {
    const { r: nonce = "", s: salt = "", i = "", m } = readAttributes(text);
    if (m !== undefined) throw new ScramError("server asks for an extension");
    if (!nonce.startsWith(this.#nonce) || nonce.length <= this.#nonce.length) {
      throw new ScramError("server did not continue our nonce");
    }
    const iterations = /^\d{1,7}$/.test(i) ? Number(i) : 0;
    if (iterations < MIN_ITERATIONS || iterations > MAX_ITERATIONS) {
      throw new ScramError("server asks for too little or too much work");
    }
    if (salt === "") throw new ScramError("server sent no salt");
    return { nonce, salt: Buffer.from(salt, "base64"), iterations };
  }
}

function readAttributes(text: string): Record<string, string | undefined> {
  const attributes: Record<string, string> = Object.create(null);
  for (const part of text.split(",")) {
    if (part.charAt(1) === "=") attributes[part.charAt(0)] = part.slice(2);
  }
  return attributes;
}

function derive(
  password: string,
  salt: Buffer,
  iterations: number,
): Promise<Buffer> {
  // Off this thread: the work would hold the event loop.
  return new Promise((resolve, reject) => {
    pbkdf2(password, salt, iterations, 32, "sha256", (error, key) => {
      if (error) reject(error);
      else resolve(Buffer.from(key));
    });
  });
}

function hmac(key: Uint8Array, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}
