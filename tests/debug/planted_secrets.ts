/**
 * Random lines with a secret planted at a random place, from a seed: every
 * command a server sends, tags and sources, characters of one to four bytes,
 * and lines that are cut when they are stored. What the contract leaves in
 * clear is not planted: session, network and buffer names.
 *
 * @module
 */

/** A whole number from 0 to `below` - 1. */
export type Random = (below: number) => number;

const CHATTER = [
  "hello",
  "naïve",
  "数字",
  "😀",
  "PASS",
  "\x02bold\x0f",
  '{"a":1}',
  "a,b",
  "***",
  "\\x",
  "%s",
];

/** One of `list`. */
export function pick<T>(random: Random, list: readonly T[]): T {
  const item = list[random(list.length)];
  if (item === undefined) throw new RangeError("Nothing to pick from");
  return item;
}

/** A few words, `secret` among or inside them. */
export function textWith(random: Random, secret: string): string {
  const words = Array.from(
    { length: random(6) },
    () => pick(random, CHATTER),
  );
  const at = random(words.length + 1);
  const planted = pick(random, [
    secret,
    `x${secret}`,
    `${secret}!`,
    `"${secret}"`,
    `😀${secret}é`,
  ]);
  words.splice(at, 0, planted);
  return words.join(" ");
}

/** Server lines that hold `secret`; `channel` is one we are in. */
const SERVER_LINES: readonly ((
  text: string,
  word: string,
  channel: string,
) => string)[] = [
  (text, _, channel) => `:alice!a@h PRIVMSG ${channel} :${text}`,
  (text, _, channel) => `:alice!a@h NOTICE ${channel} :${text}`,
  (text) => `:alice!a@h PRIVMSG me :${text}`,
  (text, _, channel) => `:alice!a@h PRIVMSG ${channel} :\x01ACTION ${text}\x01`,
  (text) => `:alice!a@h PRIVMSG me :\x01VERSION ${text}\x01`,
  (text, _, channel) => `:me!u@h PRIVMSG ${channel} :${text}`,
  (text, _, channel) => `:alice!a@h TOPIC ${channel} :${text}`,
  (text, _, channel) => `:srv 332 me ${channel} :${text}`,
  (text, _, channel) => `:bob!b@h PART ${channel} :${text}`,
  (text, _, channel) => `:alice!a@h KICK ${channel} bob :${text}`,
  (text) => `:carol!c@h QUIT :${text}`,
  (text) => `:alice!a@h AWAY :${text}`,
  (text) => `:alice!a@h SETNAME :${text}`,
  (_, word) => `:alice!a@h CHGHOST ${word} host`,
  (_, word) => `:alice!a@h CHGHOST user ${word}`,
  (_, word) => `:alice!a@h ACCOUNT ${word}`,
  (_, word, channel) => `:dave!${word}@h JOIN ${channel} acc :Dave`,
  (_, word, channel) => `:dave!d@${word} JOIN ${channel} * :Dave`,
  (text, _, channel) => `:dave!d@h JOIN ${channel} * :${text}`,
  (_, word, channel) => `:srv 353 me = ${channel} :@alice +${word} bob`,
  (_, word, channel) => `:alice!a@h MODE ${channel} +k ${word}`,
  (_, word, channel) => `:alice!a@h MODE ${channel} +b *!*@${word}`,
  (_, word, channel) => `:srv 324 me ${channel} +ntk ${word}`,
  (_, word, channel) => `:srv 354 me 771 ${channel} u h alice H ${word} :A`,
  (text, _, channel) => `:srv 352 me ${channel} u h srv alice H :0 ${text}`,
  (text) => `:srv 372 me :- ${text}`,
  (text) => `:srv NOTICE * :${text}`,
  (_, word) => `:srv 005 me KEY=${word} :are supported by this server`,
  (text) => `:srv 464 me :${text}`,
  (text) => `:srv 401 me nobody :${text}`,
  (_, word) => `:srv 999 me ${word} more`,
  (text) => `:srv FAIL JOIN CODE :${text}`,
  (text) => `:srv WALLOPS :${text}`,
  (_, word) => `:${word} PRIVMSG #nowhere :from a strange source`,
  (_, word) => `${word} is no command`,
  (_, word) => `CAP me NEW :vendor/${word}=${word}`,
  (_, word) => `CAP me DEL :vendor/${word}`,
  (_, word) => `:srv BATCH +${word} netsplit ${word} b`,
  (_, word) => `:srv PONG srv ${word}`,
  (text) => `AUTHENTICATE ${text}`,
  (text) => `:alice!a@h UNHEARD :${text}`,
  (_, word, channel) => `:alice!a@h INVITE ${word} ${channel}`,
];

/** A line from a server that holds `secret`, or that was cut inside it. */
export function serverLine(
  random: Random,
  { secret, channel }: { secret: string; channel: string },
): string {
  const text = textWith(random, secret);
  const plain = pick(random, SERVER_LINES)(text, secret, channel);
  switch (random(6)) {
    case 0:
      return `@time=2026-09-30T12:00:0${random(9)}.000Z;msgid=${
        random(1e9)
      } ${plain}`;
    case 1:
      return `@+draft/reply=${secret};account=alice ${plain}`;
    case 2:
      return `@account=${secret} :alice!a@h PRIVMSG ${channel} :tagged`;
    case 3: {
      // Cut somewhere in or near the secret when it is stored.
      const head = `:alice!a@h PRIVMSG ${channel} :`;
      const kept = random(secret.length + 4);
      const fill = "x".repeat(Math.max(0, 2048 - head.length - kept));
      return `${head}${fill}${secret}${"y".repeat(20)}`;
    }
    default:
      return plain;
  }
}

/** Service logins with `secret` as their credential, in random spellings. */
export function loginLine(random: Random, secret: string): string {
  const verb = pick(random, [
    `IDENTIFY ${secret}`,
    `identify acct ${secret}`,
    `ID acct ${secret}`,
    `REGISTER ${secret} a@example.net`,
    `GHOST me ${secret}`,
    `RECOVER me ${secret}`,
    `SET PASSWORD ${secret}`,
    `Group main ${secret}`,
    `DROP me ${secret}`,
  ]);
  const target = pick(random, [
    "NickServ",
    "nickserv",
    "NICKSERV,#room",
    "#room,NickServ",
  ]);
  const command = pick(random, ["PRIVMSG", "privmsg", "NOTICE", "SQUERY"]);
  const colon = pick(random, [":", ": ", ""]);
  return pick(random, [
    `${command} ${target} ${colon}${verb}`,
    `NS ${verb}`,
    `ns :${verb}`,
    `NICKSERV ${verb}`,
    `CS ${verb}`,
    `ChanServ ${verb}`,
    `PRIVMSG X@channels.undernet.org :LOGIN me ${secret}`,
    `PRIVMSG q@cserve.quakenet.ORG :auth me ${secret}`,
    `PRIVMSG AuthServ :AUTH me ${secret}`,
  ]);
}

/** The other lines that an agent may send and none may see. */
export function credentialLine(random: Random, secret: string): string {
  return pick(random, [
    `PASS ${secret}`,
    `pass :${secret} more`,
    `OPER me ${secret}`,
    `OPER ${secret}`,
    `AUTHENTICATE ${btoa(secret)}`,
    `authenticate ${secret} ${secret}`,
  ]);
}
