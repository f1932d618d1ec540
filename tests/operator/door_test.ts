import assert from "node:assert/strict";
import { LogWriter } from "../../lib/log.ts";
import { askDoor } from "../../lib/operator/door_client.ts";
import {
  COMMAND_WAIT_MS,
  type DoorRequest,
  openDoor,
} from "../../lib/operator/door.ts";
import {
  readDoorFile,
  removeDoorFile,
  writeDoorFile,
} from "../../lib/operator/door_file.ts";
import { type Answer, done } from "../../lib/operator/operator.ts";
import type { PeerVerdict } from "../../lib/peer/owner.ts";
import type { Home } from "../../lib/home.ts";
import { FakeClock } from "../fake_clock.ts";
import { modeOf, withHome } from "../temp_home.ts";

const peer = (verdict: PeerVerdict) => ({ judge: () => verdict });
const SAME = peer("same-user");

async function withDoor(
  run: (request: DoorRequest) => Promise<Answer>,
  test: (home: Home, lines: string[]) => Promise<void>,
): Promise<void> {
  await withHome(async (home) => {
    const lines: string[] = [];
    const log = new LogWriter(() => 0, [({ text }) => lines.push(text)]);
    const door = await openDoor({ home, peer: SAME, log, run });
    try {
      await test(home, lines);
    } finally {
      await door.close();
    }
  });
}

async function addressOf(home: Home) {
  const address = await readDoorFile(home);
  assert.ok(address !== undefined);
  return address;
}

Deno.test("openDoor() writes operator.json, 0600, and close() removes it", async () => {
  // Guards that the key is its owner's alone, and gone with the service.
  let path = "";
  await withDoor(() => Promise.resolve(done()), async (home) => {
    path = home.operatorFile;
    assert.equal(await modeOf(path), 0o600);
    const { port, key } = JSON.parse(await Deno.readTextFile(path));
    assert.ok(port >= 1024);
    assert.match(key, /^[A-Za-z0-9_-]{43}$/);
  });
  await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
});

Deno.test("a command goes through the door with its input and comes back", async () => {
  // Guards that what the person typed is what runs, word by word.
  const seen: DoorRequest[] = [];
  const run = (request: DoorRequest) => {
    seen.push(request);
    return Promise.resolve({ exit: 1, out: "é\nout", err: "err" });
  };
  await withDoor(run, async (home) => {
    const reply = await askDoor(await addressOf(home), {
      command: ["do", "a b", ""],
      input: "sécret",
    }, { peer: SAME });
    assert.deepEqual(reply, {
      kind: "answered",
      answer: { exit: 1, out: "é\nout", err: "err" },
    });
  });
  assert.deepEqual(seen, [{ command: ["do", "a b", ""], input: "sécret" }]);
});

Deno.test("the door answers a command that broke, and logs why", async () => {
  // Guards that one broken command neither hangs its caller nor the service.
  await withDoor(
    () => Promise.reject(new Error("boom")),
    async (home, lines) => {
      const reply = await askDoor(await addressOf(home), { command: ["set"] }, {
        peer: SAME,
      });
      assert.deepEqual(reply, {
        kind: "answered",
        answer: {
          exit: 1,
          out: "",
          err: "The service could not do that: its log says why.",
        },
      });
      assert.deepEqual(lines, ["A command failed: Error: boom"]);
    },
  );
});

Deno.test("the door answers for a command that takes too long, and lets it go on", async () => {
  // Guards a person from doing twice what is being done: a long text is sent
  // line by line as the server takes it.
  const clock = new FakeClock();
  const log = { write() {} };
  const started = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<Answer>();
  const run = (_: DoorRequest, signal: AbortSignal) => {
    started.resolve();
    signal.addEventListener("abort", () => ended.resolve(done("aborted")));
    return ended.promise;
  };
  await withHome(async (home) => {
    const door = await openDoor({ home, peer: SAME, log, clock, run });
    const address = await addressOf(home);
    const asked = askDoor(address, { command: ["do", "a"] }, { peer: SAME });
    await started.promise;
    await clock.advance(COMMAND_WAIT_MS);
    assert.deepEqual(await asked, {
      kind: "answered",
      answer: {
        exit: 1,
        out: "",
        err: "Not done within 20 s, and not given up: it goes on in the " +
          "service. Look before doing it again.",
      },
    });
    ended.resolve(done("in its own time"));
    assert.deepEqual(await ended.promise, done("in its own time"));
    assert.equal(clock.pending, 0);
    await door.close();
  });
});

/** Sends a request as it is. Gives the status, 0 when closed unanswered. */
async function rawStatus(port: number, request: string): Promise<number> {
  const conn = await Deno.connect({ hostname: "127.0.0.1", port });
  try {
    await conn.write(new TextEncoder().encode(request));
    const chunk = new Uint8Array(4096);
    const count = await conn.read(chunk).catch(() => null);
    const text = new TextDecoder().decode(chunk.subarray(0, count ?? 0));
    return Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0);
  } finally {
    conn.close();
  }
}

Deno.test("the door opens to its key alone, on its path, for a command", async () => {
  // Guards that no agent's token and no other program gets a command run.
  const runs: DoorRequest[] = [];
  const run = (request: DoorRequest) => {
    runs.push(request);
    return Promise.resolve(done());
  };
  await withDoor(run, async (home) => {
    const { port, key } = await addressOf(home);
    const post = (path: string, token: string, body: string) =>
      `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n` +
      `Authorization: Bearer ${token}\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${body}`;
    const wrong = "x".repeat(43);
    const command = '{"command":["set"]}';
    assert.deepEqual(
      await Promise.all([
        rawStatus(port, post("/operator", wrong, command)),
        rawStatus(port, post("/mcp", key, command)),
        rawStatus(port, post("/operator", key, "{")),
        rawStatus(port, post("/operator", key, '{"command":"set"}')),
        rawStatus(port, post("/operator", key, '{"command":[1]}')),
        rawStatus(port, post("/operator", key, '{"command":[],"input":1}')),
      ]),
      [403, 404, 400, 400, 400, 400],
    );
    assert.deepEqual(runs, []);
  });
});

Deno.test("askDoor() takes a port where nothing listens as nobody", async () => {
  // Guards that the file of a dead service does not stand in the way.
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  assert.deepEqual(
    await askDoor({ port, key: "k" }, { command: ["set"] }, { peer: SAME }),
    { kind: "nobody" },
  );
});

Deno.test("askDoor() sends nothing to another user's program", async () => {
  // Guards that whoever took a dead door's port gets no key and no password.
  for (const verdict of ["other-user", "unknown"] as const) {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const received = (async () => {
      const conn = await listener.accept();
      const bytes = new Uint8Array(64);
      const count = await conn.read(bytes).catch(() => null);
      conn.close();
      return count ?? 0;
    })();
    const reply = await askDoor(
      { port: listener.addr.port, key: "k" },
      { command: ["session", "secret"], input: "hunter2" },
      { peer: peer(verdict) },
    );
    assert.equal(await received, 0);
    listener.close();
    assert.deepEqual(
      reply,
      verdict === "other-user" ? { kind: "nobody" } : {
        kind: "silent",
        reason: "who listens on its port could not be checked",
      },
    );
  }
});

Deno.test("askDoor() gives up on a service that does not answer", async () => {
  // Guards that a hung service is told from none: its files are not touched.
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepted = listener.accept();
  const reply = await askDoor(
    { port: listener.addr.port, key: "k" },
    { command: ["set"] },
    { peer: SAME, waitMs: 50 },
  );
  (await accepted).close();
  listener.close();
  assert.deepEqual(reply, { kind: "silent", reason: "no answer in time" });
});

Deno.test("removeDoorFile() leaves the file of a later service", async () => {
  // Guards that a slow stop does not lock people out of the next start.
  await withHome(async (home) => {
    await writeDoorFile(home, { port: 5000, key: "later" });
    await removeDoorFile(home, "earlier");
    assert.deepEqual(await readDoorFile(home), { port: 5000, key: "later" });
    await removeDoorFile(home, "later");
    assert.equal(await readDoorFile(home), undefined);
  });
});

for (
  const text of [
    "",
    "[]",
    "{}",
    '{"port": "1", "key": "k"}',
    '{"port": 0, "key": "k"}',
    '{"port": 70000, "key": "k"}',
    '{"port": 1.5, "key": "k"}',
    '{"port": 5000, "key": "a\\r\\nb"}',
  ]
) {
  Deno.test(`readDoorFile() takes ${JSON.stringify(text)} as no service`, async () => {
    // Guards that a damaged file is replaced at the next start.
    await withHome(async (home) => {
      await Deno.writeTextFile(home.operatorFile, text);
      assert.equal(await readDoorFile(home), undefined);
    });
  });
}
