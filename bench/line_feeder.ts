/**
 * An IRC server that does one thing: after `PRIVMSG feeder :go N` it sends N
 * tagged channel lines as fast as they are taken, then one that says END.
 * In a process of its own, so that its work is nobody's figure. Prints its port.
 *
 * @module
 */

const NICKS = 200;
const CAPABILITIES = "account-tag batch message-tags server-time";
const WORDS =
  "the quick reader keeps what it has seen and asks for the rest when there is time to answer"
    .split(" ");
/** Lines made before one write. */
const CHUNK_LINES = 500;

function lineOf(i: number): string {
  const nick = `nick${i % NICKS}`;
  const time = new Date(Date.UTC(2026, 8, 30) + i * 100).toISOString();
  const text = Array.from(
    { length: 6 + i % 9 },
    (_, word) => WORDS[(i * 7 + word * 3) % WORDS.length],
  ).join(" ");
  return `@account=${nick};msgid=m-${i.toString(36)}-${nick};time=${time} ` +
    `:${nick}!~${nick}@host-${
      i % NICKS
    }.example PRIVMSG #bench :${text} ${i}\r\n`;
}

async function writeAll(conn: Deno.Conn, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) {
    at += await conn.write(bytes.subarray(at));
  }
}

async function feed(conn: Deno.Conn, count: number): Promise<void> {
  for (let i = 0; i < count; i += CHUNK_LINES) {
    let chunk = "";
    for (let k = i; k < Math.min(count, i + CHUNK_LINES); k++) {
      chunk += lineOf(k);
    }
    await writeAll(conn, chunk);
  }
  await writeAll(conn, ":nick0!n@example PRIVMSG #bench :END\r\n");
}

/** What a client's line is answered with. */
function answer(line: string): string {
  const [command = "", ...params] = line.split(" ");
  switch (command.toUpperCase()) {
    case "CAP":
      if (params[0] === "LS") return `:s CAP * LS :${CAPABILITIES}\r\n`;
      if (params[0] === "REQ") {
        return `:s CAP * ACK ${params.slice(1).join(" ")}\r\n`;
      }
      return params[0] === "END" ? welcome() : "";
    case "PING":
      return `:s PONG s ${params.join(" ")}\r\n`;
    case "JOIN":
      return ":bench!b@h JOIN #bench\r\n:s 353 bench = #bench :bench\r\n" +
        ":s 366 bench #bench :End\r\n";
    case "WHO":
      return `:s 315 bench ${params[0]} :End\r\n`;
    case "MODE":
      return `:s 324 bench ${params[0]} +nt\r\n`;
    default:
      return "";
  }
}

function welcome(): string {
  return ":s 001 bench :Welcome\r\n:s 005 bench CHANTYPES=# PREFIX=(ov)@+ " +
    "CASEMAPPING=rfc1459 NETWORK=Bench :are supported\r\n:s 422 bench :none\r\n";
}

async function serve(conn: Deno.Conn): Promise<void> {
  let held = "";
  const chunk = new Uint8Array(4_096);
  try {
    for (let count; (count = await conn.read(chunk)) !== null;) {
      held += new TextDecoder().decode(chunk.subarray(0, count));
      const lines = held.split("\r\n");
      held = lines.pop() ?? "";
      for (const line of lines) {
        const go = /^PRIVMSG feeder :?go (\d+)/.exec(line);
        if (go !== null) await feed(conn, Number(go[1]));
        else await writeAll(conn, answer(line));
      }
    }
  } catch {
    // The client is gone.
  } finally {
    conn.close();
  }
}

const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
Deno.stdout.writeSync(new TextEncoder().encode(`${listener.addr.port}\n`));
for await (const conn of listener) void serve(conn);
