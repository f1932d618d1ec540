/**
 * The certificate that a client shows, checked before it is used: Deno connects
 * without one when its key cannot be read, and a login by certificate would then
 * fail for a reason nobody sees. The words name what is wrong and quote nothing.
 *
 * @module
 */

import { createPrivateKey, X509Certificate } from "node:crypto";
import { LinkFailure } from "./failure.ts";

/** PEM texts as TLS takes them. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

/**
 * The pair to show, undefined when no certificate is configured. Throws a
 * {@link LinkFailure} of kind `tls` when the pair cannot be used.
 */
export function clientCertificate(
  cert: string | undefined,
  key: string | undefined,
): ClientCertificate | undefined {
  if (cert === undefined) return undefined;
  if (key === undefined) throw unusable("has no key");
  const certificate = read(
    () => new X509Certificate(cert),
    "cannot be read as PEM",
  );
  const privateKey = read(
    () => createPrivateKey(key),
    "has a key that cannot be read as PEM",
  );
  if (!certificate.checkPrivateKey(privateKey)) {
    throw unusable("is not the one of its key");
  }
  return { cert, key };
}

function read<T>(parse: () => T, otherwise: string): T {
  try {
    return parse();
  } catch {
    throw unusable(otherwise);
  }
}

function unusable(why: string): LinkFailure {
  return new LinkFailure("tls", `TLS: the client certificate ${why}`);
}
