import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash, createHmac, pbkdf2Sync } from "node:crypto";
import type { SaslConfig } from "../../lib/config/session_config.ts";
import { parseLine } from "../../lib/irc/parse.ts";
import {
  encodeChunks,
  SaslLogin,
  type SaslOutcome,
} from "../../lib/irc/sasl.ts";
import { FakeClock } from "../fake_clock.ts";

function login(
  mechanism: SaslConfig["mechanism"],
  { password, offered = "" }: { password?: string; offered?: string } = {
    password: "s3cret",
  },
) {
  const clock = new FakeClock();
  const sent: string[] = [];
  const outcomes: SaslOutcome[] = [];
  const sasl = new SaslLogin({
    config: { mechanism, account: "alice", required: true },
    nick: "me",
    password,
    clock,
    deadlineMs: 15_000,
    send: (line) => sent.push(line),
    done: (outcome) => outcomes.push(outcome),
  });
  sasl.start(offered);
  const take = async (...lines: string[]) => {
    for (const line of lines) {
      const message = parseLine(line);
      if (message !== undefined) sasl.handle(message);
      await clock.advance(0);
    }
  };
  return { clock, sent, outcomes, sasl, take };
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

Deno.test("SaslLogin logs in by PLAIN and sends the password once", async () => {
  // Guards the usual login, and that a repeated challenge gets no second copy.
  const { clock, sent, outcomes, take } = login("PLAIN", {
    password: "s3cret",
    offered: "EXTERNAL,plain",
  });
  await take("AUTHENTICATE +", "AUTHENTICATE +", ":srv 903 me :ok");
  assert.deepEqual(sent, [
    "AUTHENTICATE PLAIN",
    `AUTHENTICATE ${base64("alice\0alice\0s3cret")}`,
    "AUTHENTICATE *",
  ]);
  assert.equal(outcomes.length, 1);
  const good = login("PLAIN");
  await good.take(
    "AUTHENTICATE +",
    ":srv 900 me m alice :in",
    ":srv 903 me :x",
  );
  assert.deepEqual(good.outcomes, [{ kind: "success" }]);
  assert.equal(good.sent.length, 2);
  assert.equal(good.clock.pending + clock.pending, 0);
});

Deno.test("SaslLogin logs in by EXTERNAL without a password", async () => {
  // Guards that the certificate's login sends an empty answer.
  const { sent, outcomes, take } = login("EXTERNAL", {});
  await take("AUTHENTICATE +", ":srv 903 me :ok");
  assert.deepEqual(sent, ["AUTHENTICATE EXTERNAL", "AUTHENTICATE +"]);
  assert.deepEqual(outcomes, [{ kind: "success" }]);
});

/** The server's side of SCRAM-SHA-256 for password `s3cret`. */
function scramServer(clientFirst: string) {
  const salt = Buffer.from("0123456789abcdef");
  const bare = clientFirst.slice("n,,".length);
  const nonce = /r=([^,]+)/.exec(bare)?.[1] ?? "";
  const first = `r=${nonce}srv,s=${salt.toString("base64")},i=4096`;
  const final = (clientFinal: string) => {
    const withoutProof = clientFinal.replace(/,p=.*$/, "");
    const salted = pbkdf2Sync("s3cret", salt, 4096, 32, "sha256");
    const auth = `${bare},${first},${withoutProof}`;
    const hmac = (key: Uint8Array, text: string) =>
      createHmac("sha256", key).update(text).digest();
    const clientKey = hmac(salted, "Client Key");
    const stored = createHash("sha256").update(clientKey).digest();
    const signature = hmac(stored, auth);
    const proof = Buffer.from(clientKey.map((b, i) => b ^ (signature[i] ?? 0)));
    assert.equal(clientFinal, `${withoutProof},p=${proof.toString("base64")}`);
    return `v=${hmac(hmac(salted, "Server Key"), auth).toString("base64")}`;
  };
  return { first, final };
}

function lastSent(sent: string[]): string {
  const word = (sent.at(-1) ?? "").slice("AUTHENTICATE ".length);
  return Buffer.from(word, "base64").toString();
}

async function untilSent(sent: string[], count: number): Promise<void> {
  // The key is derived on another thread.
  const until = performance.now() + 5_000;
  while (sent.length < count && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  assert.equal(sent.length, count);
}

Deno.test("SaslLogin logs in by SCRAM-SHA-256", async () => {
  // Guards that the password never leaves, and that the server is verified.
  const { sent, outcomes, take } = login("SCRAM-SHA-256");
  await take("AUTHENTICATE +");
  const server = scramServer(lastSent(sent));
  await take(`AUTHENTICATE ${base64(server.first)}`);
  await untilSent(sent, 3);
  await take(`AUTHENTICATE ${base64(server.final(lastSent(sent)))}`);
  assert.equal(sent.at(-1), "AUTHENTICATE +");
  await take(":srv 903 me :ok");
  assert.deepEqual(outcomes, [{ kind: "success" }]);
  assert.equal(sent.some((line) => line.includes(base64("s3cret"))), false);
});

Deno.test("SaslLogin refuses a SCRAM success without the server's proof", async () => {
  // Guards that an impostor cannot skip the part that it cannot do.
  const { sent, outcomes, take } = login("SCRAM-SHA-256");
  await take("AUTHENTICATE +");
  const server = scramServer(lastSent(sent));
  await take(`AUTHENTICATE ${base64(server.first)}`);
  await untilSent(sent, 3);
  await take(":srv 903 me :ok");
  assert.equal(outcomes[0]?.kind, "refused");
});

Deno.test("SaslLogin has one outcome however often it is refused", async () => {
  // Guards against an abort answered by an abort, and a login told twice.
  for (const numeric of ["902", "904", "905", "906", "907"]) {
    const { clock, sent, outcomes, take } = login("PLAIN");
    await take(
      "AUTHENTICATE +",
      `:srv ${numeric} me :SASL authentication failed`,
      ":srv 906 me :aborted",
      ":srv 904 me :again",
    );
    assert.equal(outcomes.length, 1, numeric);
    assert.equal(outcomes[0]?.kind, "refused", numeric);
    assert.equal(sent.includes("AUTHENTICATE *"), false);
    assert.equal(clock.pending, 0);
  }
});

Deno.test("SaslLogin tells services that are away from a wrong password", async () => {
  // Guards that an outage is waited out, and a wrong password is not retried.
  const { outcomes, take } = login("PLAIN");
  await take("AUTHENTICATE +", ":srv 904 me :Services are down, try again");
  assert.equal(outcomes[0]?.kind, "unavailable");
  const unoffered = login("PLAIN", {
    password: "s3cret",
    offered: "EXTERNAL",
  });
  assert.equal(unoffered.outcomes[0]?.kind, "unavailable");
  assert.deepEqual(unoffered.sent, []);
  const listed = login("PLAIN");
  await listed.take(":srv 908 me EXTERNAL :are available", ":srv 904 me :x");
  assert.equal(listed.outcomes.length, 1);
  assert.equal(listed.outcomes[0]?.kind, "unavailable");
});

Deno.test("SaslLogin gives up when it is not answered", async () => {
  // Guards that services which are away cannot hang a registration.
  const { clock, sent, outcomes, take } = login("PLAIN");
  await clock.advance(15_000);
  assert.deepEqual(sent, ["AUTHENTICATE PLAIN", "AUTHENTICATE *"]);
  assert.equal(outcomes[0]?.kind, "unavailable");
  await take(":srv 906 me :aborted", "AUTHENTICATE +");
  assert.equal(outcomes.length, 1);
  assert.equal(sent.length, 2);
});

Deno.test("SaslLogin sends nothing to a question it was not asked", async () => {
  // Guards that a strange challenge gets no credentials.
  const { sent, outcomes, take } = login("PLAIN");
  await take(`AUTHENTICATE ${base64("who are you")}`, "AUTHENTICATE +");
  assert.deepEqual(sent, ["AUTHENTICATE PLAIN", "AUTHENTICATE *"]);
  assert.equal(outcomes.length, 1);
  const long = login("PLAIN");
  for (let i = 0; i < 50; i++) {
    await long.take(`AUTHENTICATE ${"A".repeat(400)}`);
  }
  assert.deepEqual(long.sent, ["AUTHENTICATE PLAIN", "AUTHENTICATE *"]);
});

Deno.test("SaslLogin does not start without a password", () => {
  // Guards that a forgotten secret is said, not tried as an empty one.
  const { sent, outcomes } = login("PLAIN", {});
  assert.deepEqual(sent, []);
  assert.deepEqual(outcomes, [
    { kind: "refused", reason: "no SASL password is set" },
  ]);
});

Deno.test("encodeChunks() cuts at 400 bytes and says when it ends", () => {
  // Guards long credentials, also of exactly one chunk.
  const sizes = (text: string) => encodeChunks(text).map((c) => c.length);
  assert.deepEqual(encodeChunks(""), ["+"]);
  assert.deepEqual(sizes("x".repeat(299)), [400, 1]);
  assert.deepEqual(sizes("x".repeat(300)), [400, 1]);
  assert.deepEqual(sizes("x".repeat(301)), [400, 4]);
  assert.deepEqual(sizes("x".repeat(700)), [400, 400, 136]);
});
