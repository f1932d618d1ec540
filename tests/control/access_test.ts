import assert from "node:assert/strict";
import { SecretsError } from "../../lib/config/secrets_file.ts";
import {
  ACCESS_OFF,
  type AccessOptions,
  ControlAccess,
  ROOT_REFUSED,
} from "../../lib/control/access.ts";
import { LogWriter } from "../../lib/log.ts";

const OLD = "o".repeat(43);

/** Ports and tokens that a test holds, and what happened to them, in order. */
class FakeWorld {
  readonly events: string[] = [];
  readonly notices: string[] = [];
  openError: Error | undefined;
  tokenError: Error | undefined;
  switches = { debug: false, send: false };
  root = false;
  #renewals = 0;

  access(options: Partial<AccessOptions> = {}): ControlAccess {
    return new ControlAccess({
      open: (port, token) => {
        if (this.openError !== undefined) throw this.openError;
        this.events.push(`open ${port} ${token}`);
        return {
          port,
          close: async () => {
            this.events.push(`closing ${port}`);
            await Promise.resolve();
            this.events.push(`closed ${port}`);
          },
        };
      },
      tokens: {
        load: () => this.#token(OLD),
        renew: () => this.#token(`new${++this.#renewals}`),
      },
      port: 7422,
      isRoot: () => this.root,
      switches: () => this.switches,
      onClosed: () => {
        this.events.push("cleared");
      },
      notice: (text) => this.notices.push(text),
      log: new LogWriter(() => 0),
      ...options,
    });
  }

  #token(token: string): Promise<string> {
    if (this.tokenError !== undefined) return Promise.reject(this.tokenError);
    this.events.push(`token ${token}`);
    return Promise.resolve(token);
  }
}

function command(port: number, token: string): string {
  return `claude mcp add --transport http rete http://127.0.0.1:${port}/mcp ` +
    `--header "Authorization: Bearer ${token}"`;
}

Deno.test("ControlAccess answers that it is off until it is enabled [SET-036, SET-042]", async () => {
  // Guards that nothing is served, and no token made, before it is asked for.
  const world = new FakeWorld();
  const access = world.access();
  assert.deepEqual(access.tokenCommand(), { ok: false, text: ACCESS_OFF });
  assert.deepEqual(access.status(), { ok: true, text: ACCESS_OFF });
  assert.deepEqual(await access.regenerate(), { ok: false, text: ACCESS_OFF });
  assert.equal(ACCESS_OFF, "AI access is off — /set control.enabled on");
  assert.deepEqual(world.events, []);
});

Deno.test("ControlAccess prints the connect command while it serves [SET-032, SET-044]", async () => {
  // Guards the command's shape, which people paste.
  const access = new FakeWorld().access();
  await access.enable();
  assert.deepEqual(access.tokenCommand(), {
    ok: true,
    text: command(7422, OLD),
  });
});

Deno.test("ControlAccess status names the port and the switches [SET-039, SET-040, SET-041]", async () => {
  // Guards the words that tell a person what an agent may do.
  const world = new FakeWorld();
  const access = world.access({ port: 7421 });
  await access.enable();
  const texts = [];
  for (const debug of [false, true]) {
    for (const send of [false, true]) {
      world.switches = { debug, send };
      texts.push(access.status().text);
    }
  }
  assert.deepEqual(texts, [
    "AI access on, port 7421",
    "AI access on, port 7421 · send",
    "AI access on, port 7421 · debug",
    "AI access on, port 7421 · debug · send",
  ]);
});

Deno.test("regenerate() stores the new token, closes, clears, then opens [SET-033, SET-034, SET-056, SET-059]", async () => {
  // Guards that nothing made under the old token is seen under the new one.
  const world = new FakeWorld();
  const access = world.access();
  await access.enable();
  assert.deepEqual(await access.regenerate(), {
    ok: true,
    text: command(7422, "new1"),
  });
  assert.deepEqual(world.events, [
    `token ${OLD}`,
    `open 7422 ${OLD}`,
    "token new1",
    "closing 7422",
    "closed 7422",
    "cleared",
    "open 7422 new1",
  ]);
});

Deno.test("regenerate() reports a port that was taken meanwhile [SET-058]", async () => {
  // Guards that a squatter on the port is told of, and access is off.
  const world = new FakeWorld();
  const access = world.access();
  await access.enable();
  world.openError = new Deno.errors.AddrInUse("in use");
  const text = "Port 7422 is in use — AI access is off";
  assert.deepEqual(await access.regenerate(), { ok: false, text });
  assert.deepEqual(access.tokenCommand(), { ok: false, text });
  assert.deepEqual(access.status(), { ok: true, text });
  assert.deepEqual(world.notices, [text]);
  assert.equal(access.isServing, false);
});

Deno.test("regenerate() serves the old token no longer when the new one cannot be stored", async () => {
  // Guards that a token someone may know is not served on.
  const world = new FakeWorld();
  const access = world.access();
  await access.enable();
  world.tokenError = new SecretsError("unwritable", "cannot write /x: full");
  const text = "The access token could not be stored: cannot write /x: full " +
    "— AI access is off";
  assert.deepEqual(await access.regenerate(), { ok: false, text });
  assert.deepEqual(world.events.slice(-3), [
    "closing 7422",
    "closed 7422",
    "cleared",
  ]);
});

const FAILURES:
  readonly (readonly [string, (world: FakeWorld) => void, string])[] = [
    [
      "the port is taken [SET-067]",
      (world) => world.openError = new Deno.errors.AddrInUse("x"),
      "Port 7422 is in use — AI access is off",
    ],
    [
      "the port cannot be opened",
      (world) => world.openError = new Deno.errors.PermissionDenied("x"),
      "Port 7422 could not be opened — AI access is off",
    ],
    [
      "it runs as root [SET-068]",
      (world) => world.root = true,
      ROOT_REFUSED,
    ],
    [
      "the secrets file is refused",
      (world) => {
        world.tokenError = new SecretsError("exposed", "chmod 600 /s");
      },
      "chmod 600 /s — AI access is off",
    ],
    [
      "the token fails for a reason nobody foresaw",
      (world) => world.tokenError = new Error("?"),
      "The access token could not be stored — AI access is off",
    ],
  ];

for (const [name, breakIt, text] of FAILURES) {
  Deno.test(`enable() fails with a reason and a notice when ${name} [SET-037, SET-038, SET-042]`, async () => {
    // Guards that a person learns why agents are not served, and when.
    const world = new FakeWorld();
    breakIt(world);
    const access = world.access();
    await access.enable();
    assert.equal(access.isServing, false);
    assert.deepEqual(world.notices, [text]);
    assert.deepEqual(access.tokenCommand(), { ok: false, text });
    assert.deepEqual(access.status(), { ok: true, text });
    assert.deepEqual(world.events.filter((e) => e.startsWith("open")), []);
  });
}

Deno.test("ROOT_REFUSED is the contract's text [SET-068]", () => {
  // Guards the words.
  assert.equal(
    ROOT_REFUSED,
    "AI access is not available when Rete runs as root — AI access is off",
  );
});

Deno.test("movePort() closes and clears before it opens the other port [SET-059]", async () => {
  // Guards that no subscription or request crosses a move.
  const world = new FakeWorld();
  const access = world.access();
  await access.enable();
  await access.movePort(7500);
  await access.movePort(7500);
  assert.deepEqual(world.events.slice(2), [
    "closing 7422",
    "closed 7422",
    "cleared",
    `token ${OLD}`,
    `open 7500 ${OLD}`,
  ]);
});

Deno.test("movePort() tries a failed start again, and only keeps the port while off", async () => {
  // Guards that a taken port is got around without a restart.
  const world = new FakeWorld();
  const access = world.access();
  await access.movePort(7000);
  assert.deepEqual(world.events, []);
  world.openError = new Deno.errors.AddrInUse("x");
  await access.enable();
  world.openError = undefined;
  await access.movePort(7001);
  assert.equal(access.status().text, "AI access on, port 7001");
});

Deno.test("disable() forgets a failure, and enable() tries again", async () => {
  // Guards that the reason shown is the one that holds now.
  const world = new FakeWorld();
  world.openError = new Deno.errors.AddrInUse("x");
  const access = world.access();
  await access.enable();
  await access.disable();
  assert.equal(access.status().text, ACCESS_OFF);
  world.openError = undefined;
  await access.enable();
  assert.equal(access.isServing, true);
});

Deno.test("ControlAccess makes changes one after another", async () => {
  // Guards that a port is never opened while its closing is awaited.
  const world = new FakeWorld();
  const access = world.access();
  await Promise.all([
    access.enable(),
    access.disable(),
    access.enable(),
    access.movePort(7500),
    access.regenerate(),
    access.disable(),
  ]);
  const ports = world.events.filter((e) => /^(open|closed)/.test(e))
    .map((e) => e.split(" ").slice(0, 2).join(" "));
  assert.deepEqual(ports, [
    "open 7422",
    "closed 7422",
    "open 7422",
    "closed 7422",
    "open 7500",
    "closed 7500",
    "open 7500",
    "closed 7500",
  ]);
});
