/**
 * A row of a buffer: what one line of IRC came to mean, as the engine stores
 * it and as tools return it. Types only. Text is the text on the wire, never
 * rendered, and is data from strangers wherever it goes.
 *
 * Spec: "Message objects"; the kinds and their fields are settled in the
 * README's table of message kinds.
 *
 * @module
 */

/** Fields that privmsg, notice and action rows share. */
export interface TextFields {
  readonly text: string;
  /** The nick or channel the line was sent to, status prefix taken off. */
  readonly target: string;
  /** `@` for a STATUSMSG to `@#channel`. */
  readonly statusPrefix?: string;
  readonly account?: string;
  readonly isEcho?: true;
}

/** A row's structured payload; `caseName` names the shape. */
export type Payload =
  | ({ readonly caseName: "privmsg"; readonly envelope?: unknown } & TextFields)
  | ({ readonly caseName: "notice" } & TextFields)
  | ({ readonly caseName: "action" } & TextFields)
  | {
    readonly caseName: "userJoined";
    readonly nick: string;
    readonly user?: string;
    readonly host?: string;
    readonly account?: string;
    readonly realname?: string;
  }
  | {
    readonly caseName: "userParted";
    readonly nick: string;
    readonly reason?: string;
  }
  | {
    readonly caseName: "userQuit";
    readonly nick: string;
    readonly reason?: string;
  }
  | {
    readonly caseName: "userKicked";
    readonly victim: string;
    readonly reason?: string;
  }
  | { readonly caseName: "nickChanged"; readonly newNick: string }
  | { readonly caseName: "topicChanged"; readonly topic: string }
  | {
    readonly caseName: "modeChanged";
    readonly modes: string;
    readonly params: readonly string[];
  }
  | {
    readonly caseName: "invited";
    readonly nick: string;
    readonly channel: string;
  }
  | {
    readonly caseName: "awayChanged";
    readonly away: boolean;
    readonly message?: string;
  }
  | {
    readonly caseName: "hostChanged";
    readonly user: string;
    readonly host: string;
  }
  | { readonly caseName: "accountChanged"; readonly account: string }
  | { readonly caseName: "realnameChanged"; readonly realname: string }
  | {
    readonly caseName: "ctcp";
    readonly command: string;
    readonly text: string;
  }
  | {
    readonly caseName: "serverText";
    readonly code: string;
    readonly text: string;
  }
  | { readonly caseName: "audit"; readonly text: string }
  | { readonly caseName: "rawLine"; readonly line: string };

/** The contract's `kind` values. */
export type MessageKind =
  | "privmsg"
  | "notice"
  | "action"
  | "join"
  | "part"
  | "quit"
  | "kick"
  | "nick"
  | "topic"
  | "mode"
  | "invite"
  | "away"
  | "chghost"
  | "account"
  | "setname"
  | "ctcp"
  | "server"
  | "audit"
  | "raw";

/** What ingest knows of a row before the buffer gives it a place. */
export interface NewMessage {
  /** The IRCv3 msgid, when the line had one. */
  readonly id: string | undefined;
  /** Server time when the line carried one, else when it was received. Unix ms. */
  readonly time: number;
  /** The nick it is from, `""` when there is none. */
  readonly from: string;
  readonly kind: MessageKind;
  readonly payload: Payload;
  /** The line came as replay: a chathistory or playback batch. */
  readonly replayed: boolean;
}

/** A row as a buffer holds it. */
export interface Message {
  /** Ingest sequence: strictly increasing within a buffer, never reused. */
  readonly seq: number;
  readonly id: string | undefined;
  readonly time: number;
  readonly from: string;
  readonly kind: MessageKind;
  readonly payload: Payload;
  /** Replayed, or inserted mid-buffer by its time: never live traffic. */
  readonly history: boolean;
}
