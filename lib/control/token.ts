/**
 * The bearer token of the control surface: made once from 256 random bits,
 * kept in the secrets file, made anew when the person asks. It is read from
 * the file each time serving starts, so no second copy can disagree with it.
 *
 * Spec: "Where the token is kept".
 *
 * @module
 */

import { type SecretsFile, TOKEN_ENTRY } from "../config/secrets_file.ts";

/** 32 bytes are 43 characters of base64url, the length the contract names. */
const TOKEN_BYTES = 32;

// What a header value can carry and a client's configuration will not mangle.
// A token that someone put there by hand may have another length.
const USABLE_TOKEN = /^[\x21-\x7e]{16,256}$/;

/** Whether `token` can be served and sent as it is. */
export function isUsableToken(token: string): boolean {
  return USABLE_TOKEN.test(token);
}

/** The stored token cannot be had or kept; `message` says why. */
export class TokenError extends Error {
  override readonly name = "TokenError";
}

/** A new token: 43 characters of base64url. */
export function generateToken(): string {
  return crypto.getRandomValues(new Uint8Array(TOKEN_BYTES))
    .toBase64({ alphabet: "base64url", omitPadding: true });
}

/** Where the token is kept. */
export interface TokenStore {
  /** The stored token; a new one, stored, when there is none. */
  load(): Promise<string>;
  /** Replaces the stored token by a new one, which is returned. */
  renew(): Promise<string>;
}

/** The token's entry in the secrets file. Errors are those of the file. */
export function tokenStore(secrets: SecretsFile): TokenStore {
  const renew = async () => {
    const token = generateToken();
    await secrets.change(new Map([[TOKEN_ENTRY, token]]));
    return token;
  };
  return {
    renew,
    async load() {
      const stored = (await secrets.read()).get(TOKEN_ENTRY);
      if (stored === undefined) return await renew();
      if (!isUsableToken(stored)) {
        throw new TokenError(
          `the token in ${secrets.path} is not one that reterm can use: ` +
            `remove its entry and a new one is made`,
        );
      }
      return stored;
    },
  };
}
