/**
 * `reterm envelope` as people meet it: a process of its own (`Deno.Command`),
 * its exit codes and its words.
 *
 * @module
 */

import assert from "node:assert/strict";
import { startServer } from "../../fixtures/ircd/server.ts";
import { parseEnvelope } from "../../lib/envelope/parse_envelope.ts";
import { ChannelPeer } from "../agent/channel_peer.ts";
import {
  type Ended,
  ProgramHome,
  type ServedProgram,
} from "../start_program.ts";
import refused from "../../fixtures/envelopes/refused.json" with {
  type: "json",
};
import valid from "../../fixtures/envelopes/valid.json" with { type: "json" };

const TASK =
  '{"v":1,"type":"task.create","id":"01HX9Z0000000000000000000A","from":"boss","to":["@workers","codex-7"],"ts":0}';

type Run = (words: readonly string[], input?: string) => Promise<Ended>;

/** Runs `use` with the program and neither a home nor a service. */
async function withProgram(use: (run: Run) => Promise<void>): Promise<void> {
  const home = await ProgramHome.make();
  const env = { HOME: "", RETE_SECRETS_FILE: "" };
  try {
    await use((words, input = "") =>
      home.run(["envelope", ...words], { env, input })
    );
  } finally {
    await home.remove();
  }
}

Deno.test("reterm envelope new makes what parse reads, addressed and broadcast [ENV-042 ENV-043 ENV-044 ENV-045]", async () => {
  // Guards that a script can speak to agents without a library.
  await withProgram(async (run) => {
    const addressed = await run(
      ["new", "task.create", "--to", "@workers", "codex-7", "--payload", "-"],
      '{"title":"Run \\u202e it"}',
    );
    assert.equal(addressed.code, 0, addressed.err);
    // Nothing that a terminal would act on is printed raw.
    assert.match(addressed.out, /^[\x20-\x7e]+\n$/);
    const { envelope } = parseEnvelope(addressed.out);
    assert.deepEqual(envelope?.to, ["@workers", "codex-7"]);
    assert.deepEqual(envelope?.payload, { title: "Run \u202e it" });
    const parsed = await run(["parse"], addressed.out);
    assert.deepEqual(parsed, { code: 0, out: addressed.out, err: "" });
    const custom = await run([
      "new",
      "myorg.deploy.triggered",
      "--from",
      "bot",
      "--to=a,b",
      "--to=c",
    ]);
    const made = parseEnvelope(custom.out).envelope;
    assert.deepEqual([made?.type, made?.from, made?.to, made?.payload], [
      "myorg.deploy.triggered",
      "bot",
      ["a", "b", "c"],
      undefined,
    ]);
    const broadcast = await run(["new", "x"]);
    assert.equal(parseEnvelope(broadcast.out).envelope?.to, undefined);
  });
});

Deno.test("reterm envelope new tells what is wrong, and by how much it is too long", async () => {
  // Guards that nothing is printed that is no envelope.
  await withProgram(async (run) => {
    const rows: [string[], number, RegExp][] = [
      [["new", ""], 2, /^Not an envelope: type is not a non-empty string\./],
      [
        ["new", "x", "--from", "a b"],
        2,
        /^Not an envelope: from is not a nick/,
      ],
      [["new", "x", "--payload", "[1]"], 2, /^--payload is not a JSON object/],
      [["new", "x", "--payload", "{"], 2, /^--payload is not JSON/],
      [["new", "x", "y"], 2, /^There is a word too many/],
      [["new", "x", "--to", "a", "--bogus"], 2, /^No flag --bogus/],
      [["match", TASK], 2, /^--nick is missing/],
      [
        ["match", "--nick", "a", "--type", "boss", TASK],
        2,
        /^--type is one of/,
      ],
    ];
    for (const [words, code, err] of rows) {
      const ended = await run(words);
      assert.equal(ended.code, code, words.join(" "));
      assert.equal(ended.out, "");
      assert.match(ended.err, err);
    }
    const payload = JSON.stringify({ t: "x".repeat(500) });
    const long = await run([
      "new",
      "x",
      "--channel",
      "#c",
      "--payload",
      payload,
    ]);
    assert.equal(long.code, 1);
    assert.match(long.err, /^It is \d+ bytes too long for one line to #c/);
  });
});

Deno.test("reterm envelope parse prints each envelope as on the wire, or why it is none", async () => {
  // Guards that a person can find out what is wrong with a message.
  await withProgram(async (run) => {
    const [example] = valid;
    assert.deepEqual(await run(["parse"], example?.text), {
      code: 0,
      out: `${example?.wire}\n`,
      err: "",
    });
    const shown = refused.filter(({ text }) =>
      text !== undefined && text !== ""
    );
    for (const { text = "", fault } of shown.slice(0, 3)) {
      const ended = await run(["parse", text]);
      assert.deepEqual([ended.code, ended.out], [1, ""], fault);
      assert.match(ended.err, /^Not an envelope: .*\.\n$/);
    }
  });
});

Deno.test("reterm envelope match tells by its exit code [ENV-029]", async () => {
  // Guards that a shell script can ask whether a message is its own.
  await withProgram(async (run) => {
    const rows: [string, string, number][] = [
      ["codex-7", "observer", 0],
      ["other", "worker", 0],
      ["other", "observer", 1],
    ];
    for (const [nick, type, code] of rows) {
      assert.deepEqual(
        await run(["match", "--nick", nick, "--type", type], TASK),
        { code, out: "", err: "" },
      );
    }
    const none = await run(["match", "--nick", "a", "--type", "worker", "x"]);
    assert.deepEqual(none, {
      code: 1,
      out: "",
      err: "Not an envelope: not JSON.\n",
    });
  });
});

interface Stage {
  readonly home: ProgramHome;
  readonly boss: ChannelPeer;
  /** Starts a tail, which ends with the stage. */
  tail(...words: string[]): Promise<ServedProgram>;
}

async function withStage(use: (stage: Stage) => Promise<void>): Promise<void> {
  const server = startServer();
  const home = await ProgramHome.make();
  const boss = await ChannelPeer.join(server.port, "boss", "#agents");
  await home.write(
    "config.json",
    JSON.stringify({
      flood_throttle: false,
      sessions: [{
        id: "6F1C3B1E-2F0B-4C53-9D0F-2F6B7A1C9E10",
        name: "Net",
        host: "127.0.0.1",
        port: server.port,
        tls: false,
        nick: "codex-7",
        channels: ["#agents"],
      }],
    }),
  );
  const started = [await home.serve()];
  try {
    while ((await home.run(["do", "--buffer", "#agents", "hi"])).code !== 0) {
      // The session is on its way into the channel.
    }
    await use({
      home,
      boss,
      tail: async (...words) => {
        const command = ["envelope", "tail", "--channel", "#agents", ...words];
        const tail = await home.start(command);
        started.push(tail);
        return tail;
      },
    });
  } finally {
    for (const program of started.reverse()) {
      try {
        program.kill("SIGKILL");
      } catch {
        // It has ended.
      }
      await program.ended();
    }
    boss.close();
    await server.close();
    await home.remove();
  }
}

Deno.test("reterm envelope send sends from the session's nick, whole or not at all [ENV-002]", async () => {
  // Guards what a person sends to agents: a PRIVMSG, and never a half one.
  await withStage(async ({ home, boss }) => {
    const where = ["--session", "net", "--channel", "#agents"];
    const sent = await home.run([
      "envelope",
      "send",
      ...where,
      "task.create",
      "--to",
      "@workers",
      "--payload",
      '{"title":"t"}',
    ]);
    assert.equal(sent.code, 0, sent.err);
    const { from, envelope } = await boss.next();
    assert.equal(from, "codex-7");
    assert.equal(envelope.from, "codex-7");
    assert.deepEqual(parseEnvelope(sent.out).envelope, envelope);
    // One that was made before keeps its id.
    const piped = await home.run(["envelope", "send", ...where], {
      input: TASK,
    });
    assert.equal(piped.code, 0, piped.err);
    const relayed = (await boss.next()).envelope;
    assert.equal(relayed.id, "01HX9Z0000000000000000000A");
    assert.equal(relayed.from, "codex-7");
    const payload = JSON.stringify({ t: "x".repeat(500) });
    const long = await home.run([
      "envelope",
      "send",
      ...where,
      "x",
      "--payload",
      payload,
    ]);
    assert.equal(long.code, 1);
    assert.match(long.err, /^Nothing was sent: it is \d+ bytes too long/);
    const elsewhere = await home.run([
      "envelope",
      "send",
      "--channel",
      "#other",
      "x",
    ]);
    assert.deepEqual(elsewhere, {
      code: 1,
      out: "",
      err: "Nothing was sent: not in #other.\n",
    });
    const bad = await home.run(["envelope", "send", ...where], { input: "{}" });
    assert.deepEqual(bad, {
      code: 2,
      out: "",
      err: "Not an envelope: v is not 1.\n",
    });
    await boss.say(boss.make("end"));
    assert.equal(boss.came.length, 2);
  });
});

Deno.test("reterm envelope tail prints what arrives, one a line, what is asked for alone [ENV-003]", async () => {
  // Guards that who follows a channel sees each envelope once, and no NOTICE.
  await withStage(async ({ home, boss, tail }) => {
    const tails = [
      await tail(),
      await tail("--type", "wanted"),
      await tail("--for-me", "--role", "worker"),
    ];
    // A tail begins with what comes after it: this one is known to follow once
    // it has printed the first.
    for (let isFollowed = false; !isFollowed;) {
      const mark = await boss.say(boss.make("wanted", {}, ["codex-7"]));
      isFollowed = (await Promise.all(
        tails.map((program) => program.printed(mark.id, 1_000)),
      )).every((seen) => seen);
    }
    const said = [
      boss.make("wanted", { n: 1 }, ["@workers"]),
      boss.make("other", { n: 2 }, ["codex-7"]),
      boss.make("wanted", { n: 3 }, ["@observers"]),
    ];
    for (const envelope of said) await boss.say(envelope);
    // Said by another nick than it is from: shown, but to nobody as theirs.
    const forged = boss.make("wanted", { n: 0 }, ["codex-7"]);
    await boss.say({ ...forged, from: "mallory" });
    await boss.say(boss.make("wanted", { n: 4 }, ["codex-7"]), "NOTICE");
    await home.run(["envelope", "send", "--channel", "#agents", "wanted"]);
    const end = await boss.say(boss.make("wanted", { n: 5 }, ["codex-7"]));
    for (const program of tails) {
      assert.ok(await program.printed(end.id, 20_000));
    }
    const numbers = tails.map((program) =>
      program.lines().map((line) => parseEnvelope(line).envelope)
        .map((envelope) => envelope?.payload?.["n"])
        .filter((n) => n !== undefined)
    );
    assert.deepEqual(numbers, [[1, 2, 3, 0, 5], [1, 3, 0, 5], [1, 2, 5]]);
    for (const program of tails) {
      const ids = program.lines().map((line) => JSON.parse(line).id);
      assert.equal(new Set(ids).size, ids.length);
    }
  });
});

Deno.test("reterm envelope send and tail need a channel and a service", async () => {
  // Guards that a person is told what is missing.
  const home = await ProgramHome.make();
  try {
    assert.deepEqual(await home.run(["envelope", "tail"]), {
      code: 2,
      out: "",
      err: "--channel is missing: see reterm envelope tail --help.\n",
    });
    for (const words of [["send", "x"], ["tail"]]) {
      const [first = "", ...rest] = words;
      assert.deepEqual(
        await home.run(["envelope", first, "--channel", "#c", ...rest]),
        {
          code: 1,
          out: "",
          err:
            "No service is running on this home: start it with reterm serve.\n",
        },
      );
    }
  } finally {
    await home.remove();
  }
});
