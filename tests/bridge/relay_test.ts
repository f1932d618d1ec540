/**
 * The relay against a whole service, and against programs that take its port.
 * Whose a port is comes from the kernel; to see another user there, who is no
 * one else's, the test compares with another uid than its own. Run by root,
 * `stdio_test.ts` has a real other user.
 *
 * @module
 */

import assert from "node:assert/strict";
import { Relay } from "../../lib/bridge/relay.ts";
import { ServiceAddress } from "../../lib/bridge/service_address.ts";
import { systemClock } from "../../lib/clock.ts";
import { ConfigFile } from "../../lib/config/config_file.ts";
import { SecretsFile, TOKEN_ENTRY } from "../../lib/config/secrets_file.ts";
import type { Home } from "../../lib/home.ts";
import { openLibc } from "../../lib/peer/libc.ts";
import { openNetlinkTable } from "../../lib/peer/netlink.ts";
import { createPeerCheck, type PeerCheck } from "../../lib/peer/owner.ts";
import { openProcTable } from "../../lib/peer/proc_net_tcp.ts";
import { freePort } from "../free_port.ts";
import { addressIn } from "../mcp_post.ts";
import { connectCommand, ON, withService } from "../running_service.ts";
import { withHome } from "../temp_home.ts";

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const PONG = '{"jsonrpc":"2.0","id":1,"result":{}}';

/** The kernel's word on owners, read as by the user `uid` of the moment. */
class KernelCheck implements PeerCheck {
  readonly #library = openLibc();
  readonly #table;
  readonly ownUid = Deno.uid() ?? 0;
  uid = this.ownUid;

  constructor() {
    assert.ok(this.#library !== undefined, "no C library to ask the kernel by");
    const { symbols } = this.#library;
    this.#table = openNetlinkTable(symbols) ?? openProcTable(symbols);
  }

  judge(connection: Parameters<PeerCheck["judge"]>[0]) {
    return createPeerCheck(this.#table, this.uid).judge(connection);
  }

  [Symbol.dispose](): void {
    this.#table.close();
    this.#library?.close();
  }
}

function relayOn(home: Home, peer: PeerCheck) {
  const config = new ConfigFile(home);
  const secrets = new SecretsFile(home);
  const address = new ServiceAddress({ home, config, secrets, peer });
  const relay = new Relay({ address, peer, clock: systemClock });
  return {
    secrets,
    ask: (text = PING, signal = new AbortController().signal) =>
      relay.send(new TextEncoder().encode(text), signal),
  };
}

/** Holds a port and keeps every byte that is sent to it. */
class Squatter {
  readonly #listener: Deno.TcpListener;
  readonly #serving: Promise<void>;
  readonly #open = new Set<Deno.TcpConn>();
  received = "";
  accepted = 0;

  constructor(port: number) {
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port });
    this.#serving = this.#serve();
  }

  get port(): number {
    return this.#listener.addr.port;
  }

  async #serve(): Promise<void> {
    const reading: Promise<void>[] = [];
    for await (const conn of this.#listener) {
      this.accepted++;
      this.#open.add(conn);
      reading.push(this.#read(conn));
    }
    await Promise.all(reading);
  }

  async #read(conn: Deno.TcpConn): Promise<void> {
    const decoder = new TextDecoder();
    const chunk = new Uint8Array(1_024);
    while (true) {
      const count = await conn.read(chunk).catch(() => null);
      if (count === null) break;
      this.received += decoder.decode(chunk.subarray(0, count));
    }
    this.#open.delete(conn);
    conn.close();
  }

  /** Settles once all that was sent has been read: connections have ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    await this.#serving;
  }
}

async function writeToken(home: Home): Promise<string> {
  const token = "t".repeat(43);
  await new SecretsFile(home).change(new Map([[TOKEN_ENTRY, token]]));
  return token;
}

Deno.test("relay passes a message on and its answer back as they are", async () => {
  // Guards that a client is served as over HTTP, whatever it asks.
  using peer = new KernelCheck();
  await withService(ON(), async ({ home }) => {
    const { ask } = relayOn(home, peer);
    assert.equal(await ask(), PONG);
    const note = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
    assert.equal(await ask(note), undefined);
    const tools = JSON.parse(
      await ask('{"jsonrpc":"2.0","id":"x","method":"tools/list"}') ?? "",
    );
    assert.equal(tools.id, "x");
    assert.equal(tools.result.tools.length, 12);
  });
});

Deno.test("relay sends another user's program not one byte", async () => {
  // Guards the token: a squatter on the port must never see any of it.
  using peer = new KernelCheck();
  await withHome(async (home) => {
    await writeToken(home);
    const squatter = new Squatter(0);
    await Deno.writeTextFile(
      home.configFile,
      JSON.stringify({ control: { enabled: true, port: squatter.port } }),
    );
    peer.uid = peer.ownUid + 1;
    const { ask } = relayOn(home, peer);
    for (let round = 0; round < 20; round++) {
      await assert.rejects(ask(), {
        name: "RelayError",
        message:
          `Port ${squatter.port} is held by a program of another user, which ` +
          `was sent nothing: neither the token nor the message. Move to ` +
          `another port with reterm set control.port.`,
      });
    }
    await squatter[Symbol.asyncDispose]();
    assert.equal(squatter.accepted, 20);
    assert.equal(squatter.received, "");
  });
});

Deno.test("relay sends nothing to a squatter that came between two requests", async () => {
  // Guards that being the right one once is not being it for good.
  using peer = new KernelCheck();
  const config = ON();
  await withService(config, async ({ home, command }) => {
    const { ask } = relayOn(home, peer);
    assert.equal(await ask(), PONG);
    await command("set", "control.enabled", "off");
    const squatter = new Squatter(config.control.port);
    peer.uid = peer.ownUid + 1;
    await assert.rejects(ask(), /held by a program of another user/);
    peer.uid = peer.ownUid;
    await squatter[Symbol.asyncDispose]();
    assert.equal(squatter.accepted, 1);
    assert.equal(squatter.received, "");
    await command("set", "control.enabled", "on");
    assert.equal(await ask(), PONG);
  });
});

Deno.test("relay sends nothing where the owner cannot be told", async () => {
  // Guards that a kernel that does not answer is no leave to trust.
  await withHome(async (home) => {
    await writeToken(home);
    const squatter = new Squatter(0);
    await Deno.writeTextFile(
      home.configFile,
      JSON.stringify({ control: { enabled: true, port: squatter.port } }),
    );
    const { ask } = relayOn(home, { judge: () => "unknown" });
    await assert.rejects(ask(), {
      message:
        `Who holds port ${squatter.port} cannot be checked, so nothing ` +
        `was sent there. See reterm doctor.`,
    });
    await squatter[Symbol.asyncDispose]();
    assert.equal(squatter.received, "");
  });
});

Deno.test("relay goes on through a new token, a moved port and a switch", async () => {
  // Guards that nobody has to connect a client again.
  using peer = new KernelCheck();
  await withService(ON(), async (running) => {
    const { home, command } = running;
    const { ask } = relayOn(home, peer);
    const before = addressIn(await connectCommand(running));
    assert.equal(await ask(), PONG);
    await command("control", "token", "regenerate");
    assert.notEqual(
      addressIn(await connectCommand(running)).token,
      before.token,
    );
    assert.equal(await ask(), PONG);
    const moved = freePort();
    await command("set", "control.port", String(moved));
    assert.equal(await ask(), PONG);
    await command("set", "control.enabled", "off");
    await assert.rejects(ask(), {
      message: "AI access is off, nothing was relayed: " +
        "reterm set control.enabled on",
    });
    // While it is renewed, moved and switched all the time.
    const changing = (async () => {
      for (let round = 0; round < 5; round++) {
        await command("set", "control.enabled", "on");
        await command("control", "token", "regenerate");
        await command("set", "control.port", String(freePort()));
      }
    })();
    await command("set", "control.enabled", "on");
    let answered = 0;
    while (answered < 5) {
      const answer = await ask().catch(({ message }) => String(message));
      if (answer === PONG) answered++;
      else assert.match(String(answer), /before its answer was whole/);
    }
    await changing;
    assert.equal(await ask(), PONG);
  });
});

Deno.test("relay asks where the service really is when the file says otherwise", async () => {
  // Guards who edited config.json by hand, or damaged it, while it runs.
  using peer = new KernelCheck();
  await withService(ON(), async ({ home }) => {
    const { ask } = relayOn(home, peer);
    for (
      const text of [
        JSON.stringify({ control: { enabled: true, port: freePort() } }),
        "{",
      ]
    ) {
      await Deno.writeTextFile(home.configFile, text);
      assert.equal(await ask(), PONG);
    }
  });
});

Deno.test("relay tells a service that is down from one that never was", async () => {
  // Guards that each fault has its own words, and that the next try is fresh.
  using peer = new KernelCheck();
  await withHome(async (home) => {
    const { ask } = relayOn(home, peer);
    const down = {
      message: `No reterm service runs on ${home.folder}, nothing was ` +
        `relayed: start it with reterm serve.`,
    };
    await assert.rejects(ask(), down);
    const door = { port: freePort(), key: "left behind" };
    await Deno.writeTextFile(home.operatorFile, JSON.stringify(door));
    await assert.rejects(ask(), down);
  });
});

Deno.test("relay says why there is no token to send", async () => {
  // Guards that a person is sent to the file that is wrong.
  using peer = new KernelCheck();
  await withService(ON(), async ({ home }) => {
    const { ask } = relayOn(home, peer);
    const path = home.secretsFile;
    const kept = await Deno.readTextFile(path);
    await Deno.chmod(path, 0o644);
    await assert.rejects(
      ask(),
      /^RelayError: Nothing was relayed: .*chmod 600/,
    );
    await Deno.chmod(path, 0o600);
    await Deno.writeTextFile(path, "{");
    await assert.rejects(ask(), /^RelayError: Nothing was relayed: .*line 1/);
    await Deno.writeTextFile(path, "{}");
    await assert.rejects(ask(), {
      message: `There is no access token in ${path}, nothing was relayed: ` +
        `make one with reterm control token regenerate.`,
    });
    const short = new Map([[TOKEN_ENTRY, "a b"]]);
    await new SecretsFile(home).change(short);
    await assert.rejects(ask(), /is not one that reterm can use/);
    const wrong = new Map([[TOKEN_ENTRY, "w".repeat(43)]]);
    await new SecretsFile(home).change(wrong);
    await assert.rejects(ask(), /The service refused the access token/);
    await Deno.writeTextFile(path, kept);
    assert.equal(await ask(), PONG);
  });
});

Deno.test("relay passes on why AI access could not start", async () => {
  // Guards that the service's own reason reaches who looks at the client.
  using peer = new KernelCheck();
  const taken = new Squatter(0);
  const { port } = taken;
  const config = { control: { enabled: true, port } };
  await withService(config, async ({ home }) => {
    await taken[Symbol.asyncDispose]();
    const { ask } = relayOn(home, peer);
    await assert.rejects(ask(), {
      message: `Nothing was relayed: Port ${port} is in use — ` +
        `AI access is off`,
    });
  });
});

Deno.test("relay gives up its connection when a request is taken back", async () => {
  // Guards the two places for waiting: both can be had again at once.
  using peer = new KernelCheck();
  await withService(ON(), async ({ home, command }) => {
    const { ask } = relayOn(home, peer);
    const call = (name: string, args: unknown) =>
      JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name, arguments: args },
      });
    await ask(call("subscribe", { queries: true }));
    const wait = call("wait_for_updates", { timeout: 20 });
    const stop = new AbortController();
    const waits = [ask(wait, stop.signal), ask(wait, stop.signal)];
    for (let waiting = 0; waiting < 2;) {
      const { out } = await command("control", "log");
      waiting = out.split("\n").filter((row) => row.endsWith(" waiting"))
        .length;
      await new Promise((resume) => setTimeout(resume));
    }
    stop.abort();
    for (const one of waits) await assert.rejects(one, /abort/i);
    // The service notices within about a tenth of a second.
    let answers: (string | undefined)[] = ["too many"];
    const until = performance.now() + 3_000;
    while (answers.join().includes("too many")) {
      assert.ok(performance.now() < until, "the places were not given back");
      const short = call("wait_for_updates", { timeout: 1 });
      answers = await Promise.all([ask(short), ask(short)]);
    }
    for (const answer of answers) assert.match(answer ?? "", /timed_out/);
  });
});
