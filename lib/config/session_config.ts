/**
 * What a session is configured to be, and the secrets it holds: the values the
 * engine is handed. Files, schemas and their errors are elsewhere.
 *
 * @module
 */

/** SASL as configured. The password is in {@link SessionSecrets}. */
export interface SaslConfig {
  readonly mechanism: "PLAIN" | "EXTERNAL" | "SCRAM-SHA-256";
  /** Required for PLAIN and SCRAM-SHA-256. */
  readonly account?: string;
  /**
   * Whether a refused or unanswered login ends the connection (the default)
   * instead of going on unauthenticated.
   */
  readonly required: boolean;
}

/** One entry of `sessions` in `config.json`, checked and with defaults. */
export interface SessionConfig {
  /** Upper-case UUID. */
  readonly id: string;
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  /** PEM text of the certificate authority to trust, read from `tls_ca`. */
  readonly tlsCa?: string;
  readonly tlsVerify: boolean;
  /** PEM text of the client certificate, read from `tls_client_cert`. */
  readonly tlsClientCert?: string;
  readonly socks5?: { readonly host: string; readonly port: number };
  readonly nick: string;
  readonly altNicks: readonly string[];
  readonly username: string;
  readonly realname: string;
  readonly sasl?: SaslConfig;
  /** Channels to join, without keys. */
  readonly channels: readonly string[];
  readonly autoconnect: boolean;
}

/** A session's secret values, from `secrets.json`. Never logged, never shown. */
export interface SessionSecrets {
  /** Server password (PASS). */
  readonly password?: string;
  readonly saslPassword?: string;
  /** Channel keys by channel name as configured. */
  readonly channelKeys: ReadonlyMap<string, string>;
  /** PEM text of the TLS client key. */
  readonly tlsClientKey?: string;
}
