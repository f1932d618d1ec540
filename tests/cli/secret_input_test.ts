import assert from "node:assert/strict";
import { readSecret, type SecretSource } from "../../lib/cli/secret_input.ts";

/** Standard input that gives `chunks`, and notes the modes it is put into. */
function source(
  isTerminal: boolean,
  ...chunks: (string | Uint8Array)[]
): SecretSource & { readonly modes: boolean[] } {
  const modes: boolean[] = [];
  const waiting = chunks.map((chunk) =>
    typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk
  );
  return {
    modes,
    isTerminal: () => isTerminal,
    setRaw: (mode) => modes.push(mode),
    read: (into) => {
      const chunk = waiting.shift();
      if (chunk === undefined) return Promise.resolve(null);
      const count = Math.min(chunk.length, into.length);
      into.set(chunk.subarray(0, count));
      if (count < chunk.length) waiting.unshift(chunk.subarray(count));
      return Promise.resolve(count);
    },
  };
}

const read = (kind: "line" | "text", from: SecretSource) =>
  readSecret(kind, from, () => {});

Deno.test("readSecret() takes a pipe whole, and one line break off a line", async () => {
  // Guards that a password keeps its own spaces and loses only the shell's end.
  assert.equal(await read("line", source(false, " pä", " ss \n")), " pä ss ");
  assert.equal(await read("line", source(false, "a\r\n")), "a");
  assert.equal(await read("line", source(false, "a\n\n")), "a\n");
  assert.equal(await read("text", source(false, "a\nb\n")), "a\nb\n");
  assert.equal(await read("line", source(false)), "");
});

Deno.test("readSecret() refuses what is too long or not text", async () => {
  // Guards that a wrong file on standard input is not stored.
  await assert.rejects(read("text", source(false, "x".repeat(32_769))), {
    message: "Standard input is over 32768 bytes, nothing was changed.",
  });
  await assert.rejects(read("line", source(false, new Uint8Array([0xff]))), {
    message: "Standard input is not UTF-8 text, nothing was changed.",
  });
});

Deno.test("readSecret() reads a line of a terminal without showing it", async () => {
  // Guards that a typed secret is on no screen, and the terminal is given back.
  const terminal = source(
    true,
    "wrong\x15pa\x7f",
    "áx\x7f\x7f\x08ss",
    "\rrest",
  );
  const prompts: string[] = [];
  const secret = await readSecret("line", terminal, (text) => {
    prompts.push(text);
  });
  assert.equal(secret, "ss");
  assert.deepEqual(terminal.modes, [true, false]);
  assert.deepEqual(prompts, [
    "Type the secret, which is not shown, then Enter:",
  ]);
});

Deno.test("readSecret() ends at Ctrl-C, and gives the terminal back", async () => {
  // Guards that an interrupted prompt stores nothing and leaves a usable shell.
  const terminal = source(true, "abc\x03");
  await assert.rejects(read("line", terminal), {
    message: "Interrupted, nothing was changed.",
  });
  assert.deepEqual(terminal.modes, [true, false]);
});

Deno.test("readSecret() asks for a file where a key is typed", async () => {
  // Guards that nobody types a TLS key by hand into a prompt.
  await assert.rejects(read("text", source(true)), {
    message: "Nothing was read: give the file on standard input, with < FILE.",
  });
});
