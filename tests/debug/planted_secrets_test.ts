import assert from "node:assert/strict";
import type { SessionEntry } from "../../lib/config/session_schema.ts";
import type { Home } from "../../lib/home.ts";
import type { LogLine } from "../../lib/log.ts";
import { done } from "../../lib/operator/operator.ts";
import { type Service, startService } from "../../lib/service.ts";
import { sessionConfig } from "../irc/fake_link.ts";
import {
  type ScriptedPeer,
  ScriptedServer,
  within,
} from "../irc/scripted_server.ts";
import { withHome } from "../temp_home.ts";
import { seededRandom } from "../tools/tool_calls.ts";
import {
  credentialLine,
  loginLine,
  pick,
  type Random,
  serverLine,
  textWith,
} from "./planted_secrets.ts";

/** What the session holds: looked for on every way out. */
const HELD = {
  password: "correct-horse",
  saslPassword: "battery-stäple",
  channelKey: "open-sesame😀",
};
/** What it does not hold: masked where it is recognised. */
const TYPED = {
  login: "login-credential",
  agent: "agents-credential",
  oper: "opers-credential",
  smsg: "sensitive-text",
};

const ROUNDS = 3;
const LINES = 120;
const CHANNEL = "#room";

/** A service whose session is on a scripted server, all switches on. */
class Planted {
  readonly server = ScriptedServer.listen();
  readonly answers: string[] = [];
  readonly shown: string[] = [];
  service!: Service;
  peer!: ScriptedPeer;
  #port = 0;

  async start(home: Home): Promise<void> {
    const entry: SessionEntry = {
      ...sessionConfig({
        port: this.server.port,
        channels: [CHANNEL],
        autoconnect: true,
        sasl: { mechanism: "PLAIN", account: "me", required: true },
      }),
    };
    await writeSecrets(home, entry.id);
    await Deno.writeTextFile(home.configFile, "{}", { mode: 0o600 });
    const service = startService({
      home,
      config: {
        enabled: true,
        debug: true,
        port: 0,
        floodThrottle: false,
        bufferLimit: 20_000,
        sessions: [entry],
        warnings: [],
      },
      run: () => Promise.resolve(done("")),
      sink: ({ text }: LogLine) => this.shown.push(text),
      peer: { judge: () => "same-user" },
      uid: null,
    });
    this.peer = await this.server.accept();
    await welcome(this.peer);
    this.service = await service;
    await this.service.operator.changeSetting("control.send", "on");
    const status = this.service.access.status().text;
    this.#port = Number(/port (\d+)/.exec(status)?.[1]);
  }

  get session() {
    const [session] = this.service.engine.sessions();
    assert.ok(session !== undefined);
    return session;
  }

  /** Calls a tool as a client does, and keeps the whole answer. */
  async call(name: string, args: Record<string, unknown> = {}) {
    const answer = await this.#request("tools/call", { name, arguments: args });
    const { result } = JSON.parse(answer);
    this.answers.push(answer, result.content[0].text);
    return result.isError ? {} : JSON.parse(result.content[0].text);
  }

  async toolNames(): Promise<string[]> {
    const { result } = JSON.parse(await this.#request("tools/list", {}));
    return result.tools.map(({ name }: { name: string }) => name);
  }

  async close(): Promise<void> {
    await this.service.stop();
    await this.server.close();
  }

  async #request(method: string, params: unknown): Promise<string> {
    const response = await fetch(`http://127.0.0.1:${this.#port}/mcp`, {
      method: "POST",
      headers: {
        "authorization": `Bearer ${this.service.access.token}`,
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    return await response.text();
  }
}

async function writeSecrets(home: Home, id: string): Promise<void> {
  const bytes = (text: string) => new TextEncoder().encode(text).toBase64();
  const entry = (kind: string, value: string) =>
    [`Rete Session ${id}/${kind}`, bytes(value)] as const;
  const secrets = Object.fromEntries([
    entry("password", HELD.password),
    entry("sasl-password", HELD.saslPassword),
    entry(`channel-key ${CHANNEL}`, HELD.channelKey),
  ]);
  await Deno.writeTextFile(home.secretsFile, JSON.stringify(secrets), {
    mode: 0o600,
  });
}

async function welcome(peer: ScriptedPeer): Promise<void> {
  await peer.until(`PASS ${HELD.password}`);
  await peer.until(/^USER /);
  await peer.send(
    ":srv CAP * LS :sasl=PLAIN echo-message batch server-time message-tags " +
      "account-tag extended-join",
  );
  await peer.until(/^CAP REQ /);
  await peer.send(
    `:srv CAP * ACK :${peer.received.at(-1)?.slice("CAP REQ :".length)}`,
  );
  await peer.until("AUTHENTICATE PLAIN");
  await peer.send("AUTHENTICATE +");
  await peer.until(/^AUTHENTICATE .{20}/);
  await peer.send(":srv 903 me :done");
  await peer.until("CAP END");
  await peer.send(":srv 001 me :Welcome");
  await peer.until(`JOIN ${CHANNEL} ${HELD.channelKey}`);
  await peer.send(
    `:me!u@h JOIN ${CHANNEL} me :Me`,
    `:srv 353 me = ${CHANNEL} :me @alice bob carol`,
    `:srv 366 me ${CHANNEL} :End`,
  );
  await peer.barrier();
}

/** Lines with secrets, each way they can come to be. */
async function plant(planted: Planted, random: Random): Promise<void> {
  const { peer, session, service } = planted;
  for (let i = 0; i < LINES; i++) {
    const secret = pick(random, Object.values(HELD));
    await peer.send(serverLine(random, { secret, channel: CHANNEL }));
    // Who left or was kicked is back for the next line.
    await peer.send(`:srv 353 me = ${CHANNEL} :me @alice bob carol`);
    if (i % 4 === 0) {
      service.log.write("info", "network", logText(random, secret));
    }
    if (i % 6 === 0) await plantTyped(planted, random);
  }
  await session.quote(`PRIVMSG ${CHANNEL} :${textWith(random, HELD.password)}`);
  await session.quote(`JOIN ${CHANNEL} ${HELD.channelKey}`);
  await peer.barrier();
}

function logText(random: Random, secret: string): string {
  return pick(random, [
    `the server said ${textWith(random, secret)}`,
    JSON.stringify({ a: [{ Password: secret, n: 1 }] }),
    `frame {"token":"${secret}","x":`,
    `frame {"auth_key": {"v": "${secret}`,
    `${"x".repeat(2040 + random(20))}${secret}`,
  ]);
}

/** What a person and an agent type, its echo and its replay. */
async function plantTyped(planted: Planted, random: Random): Promise<void> {
  const { peer, session } = planted;
  const login = loginLine(random, TYPED.login);
  await session.quote(login);
  await peer.until(login);
  await peer.send(
    `@time=2026-09-30T12:00:00.000Z :me!u@h ${login}`,
    ":srv BATCH +h chathistory NickServ",
    `@batch=h;time=2026-09-29T12:00:00.000Z :me!u@h ${login}`,
    ":srv BATCH -h",
  );
  await session.sendMasked(`OPER me ${TYPED.oper}`, "OPER me ********");
  await session.quote(`OPER me ${TYPED.oper}`);
  await session.sendMasked(
    `PRIVMSG alice :${TYPED.smsg}`,
    "PRIVMSG alice :********",
  );
  await peer.until(`PRIVMSG alice :${TYPED.smsg}`);
  await peer.send(`:me!u@h PRIVMSG alice :${TYPED.smsg}`);
  await peer.barrier();
}

/** The server ends the connection, with a secret in its last words. */
async function loseConnection({ peer, service }: Planted): Promise<void> {
  const lost = Promise.withResolvers<void>();
  service.log.addSink(({ text }) => {
    if (text.includes("reconnecting")) lost.resolve();
  });
  await peer.send(`ERROR :Closing Link: ${HELD.password} is a bad password`);
  await peer.close();
  await within("the end of the connection", lost.promise);
}

/** Everything an agent can ask, with pages small and large. */
async function readEverything(planted: Planted): Promise<void> {
  const { session } = planted;
  const id = session.id;
  const served = new Set(await planted.toolNames());
  const ask = async (name: string, args: Record<string, unknown> = {}) =>
    served.has(name) ? await planted.call(name, args) : {};
  await ask("list_sessions");
  await ask("list_buffers", { session: id });
  for (const { id: buffer } of session.buffers()) {
    await ask("list_members", { buffer });
    await ask("read_messages", { buffer, limit: 500 });
    await ask("read_since", { buffer, limit: 500 });
  }
  for (const query of ["", "e", "horse"]) {
    await ask("search_messages", { query, context: 2, limit: 500 });
    await ask("search_messages", { query, count_only: true });
  }
  await ask("search_messages", { query: ".", match: "regex" });
  await ask("find_user", { mask: "*" });
  for (const limit of [7, 2000]) {
    await walk(ask, "raw_since", { session: id, limit });
    await walk(ask, "search_raw", { session: id, limit, contains: "" });
    await walk(ask, "read_log", { limit });
  }
  await ask("engine_state", { session: id });
  for (const section of ENGINE_SECTIONS) {
    await ask("engine_state", { session: id, sections: [section] });
  }
  await ask("list_subscriptions");
  for (const detail of ["digest", "full"]) {
    await ask("read_updates", { detail, peek: true });
  }
}

const ENGINE_SECTIONS = [
  "connection",
  "registration",
  "sasl",
  "capabilities",
  "isupport",
  "channels",
  "queries",
  "buffers",
  "silentQueries",
  "whox",
  "chathistory",
  "batches",
  "reconnect",
  "flood",
  "config",
  "markread",
  "silence",
  "whois",
  "scripts",
];

async function walk(
  ask: (
    name: string,
    args: Record<string, unknown>,
  ) => Promise<Record<string, unknown>>,
  name: string,
  args: Record<string, unknown>,
): Promise<void> {
  let cursor: unknown;
  do {
    const page = await ask(name, { ...args, cursor });
    cursor = page.truncated === true
      ? page.next_cursor ?? page.cursor
      : undefined;
  } while (cursor !== undefined);
}

function assertAbsent(where: string, text: string): void {
  const secrets = [...Object.values(HELD), ...Object.values(TYPED)];
  const payload = btoa(`me\0me\0${HELD.saslPassword}`);
  for (const secret of [...secrets, payload, btoa(TYPED.agent)]) {
    const at = text.indexOf(secret);
    const around = text.slice(Math.max(0, at - 80), at + 80);
    assert.equal(at, -1, `${where} shows ${secret}: ${around}`);
    // A cut may leave three bytes of a secret and no more.
    const start = secret.slice(0, 4);
    assert.ok(!text.includes(`${start}…[+`), `${where} shows ${start}`);
  }
}

async function assertAbsentFromFiles(home: Home): Promise<void> {
  let files = 0;
  for await (const { name, isFile } of Deno.readDir(home.folder)) {
    if (!isFile || `${home.folder}/${name}` === home.secretsFile) continue;
    files++;
    const text = await Deno.readTextFile(`${home.folder}/${name}`);
    assertAbsent(name, text);
    for (const secret of Object.values({ ...HELD, ...TYPED })) {
      const bytes = new TextEncoder().encode(secret);
      assert.ok(!text.includes(bytes.toBase64()), `${name} holds ${secret}`);
    }
  }
  assert.ok(files > 0);
}

for (let seed = 1; seed <= ROUNDS; seed++) {
  Deno.test(`no planted secret is found in any answer, log line or file, seed ${seed} [RED-018 RED-037 RED-041 RED-042 RED-049 RED-062]`, () =>
    withHome(async (home) => {
      // Guards all layers together: whatever a stranger, a server, the person
      // or an agent says, no secret leaves where it is not meant to.
      const random = seededRandom(seed);
      const planted = new Planted();
      try {
        await planted.start(home);
        await planted.call("subscribe", {
          kinds: ["privmsg", "notice", "topic"],
        });
        await plant(planted, random);
        for (let i = 0; i < 5; i++) {
          const line = pick(random, [loginLine, credentialLine])(
            random,
            TYPED.agent,
          );
          const { sent } = await planted.call("send_raw", {
            session: planted.session.id,
            line,
          });
          if (sent) await planted.peer.until(line);
        }
        await planted.peer.barrier();
        await readEverything(planted);
        await loseConnection(planted);
        await readEverything(planted);
        const answers = planted.answers.join("\n");
        assertAbsent("an answer", answers);
        assertAbsent("standard error", planted.shown.join("\n"));
        const held = JSON.stringify(
          planted.session.buffers().map((b) => b.messages.since(0, 20_000)),
        );
        for (const typed of Object.values(TYPED)) {
          assert.ok(!held.includes(typed), `a row holds ${typed}`);
        }
        // It would be no test if nothing had been withheld or masked.
        assert.match(answers, /"withheld":\d/);
        assert.match(answers, /withheld: secret detected/);
        assert.match(planted.shown.join("\n"), /held a secret/);
        assert.match(answers, /IDENTIFY \*{8}/i);
        const kept = JSON.stringify(
          planted.session.buffers().flatMap((b) => b.messages.since(0, 20_000)),
        );
        assert.ok(kept.includes(HELD.password));
      } finally {
        await planted.close();
      }
      await assertAbsentFromFiles(home);
    }));
}
