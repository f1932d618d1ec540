/**
 * One parsed IRC line. Command and tag names are as the wire has them, the
 * command in upper case; nothing in it has been interpreted yet.
 *
 * @module
 */

/** See the module doc. `nick`, `user`, `host` are `""` where the source has none. */
export interface IrcMessage {
  /** Unescaped tag values by key; a tag without value is `""`. No prototype. */
  readonly tags: Readonly<Record<string, string>>;
  /** The source as sent, without its colon: a server's name or `nick!user@host`. */
  readonly source: string;
  readonly nick: string;
  readonly user: string;
  readonly host: string;
  readonly command: string;
  readonly params: readonly string[];
}
