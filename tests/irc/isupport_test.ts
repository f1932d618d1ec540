import assert from "node:assert/strict";
import { Isupport, isupportTokens } from "../../lib/irc/isupport.ts";

/** An Isupport that took these lines, as parameters after the nick. */
function taking(...lines: string[]): Isupport {
  const isupport = new Isupport();
  for (const line of lines) {
    isupport.add(isupportTokens(["me", ...line.split(" "), "are supported"]));
  }
  return isupport;
}

Deno.test("Isupport assumes RFC 1459 for a server that sends no 005", () => {
  // Guards that members and channels are right on old servers.
  const isupport = new Isupport();
  assert.deepEqual(isupport.prefixes, [
    { mode: "o", glyph: "@" },
    { mode: "v", glyph: "+" },
  ]);
  assert.equal(isupport.channelTypes, "#&");
  assert.equal(isupport.casemapping, "rfc1459");
  assert.equal(isupport.network, "");
  assert.equal(isupport.isChannel("#a"), true);
  assert.equal(isupport.isChannel("a"), false);
});

Deno.test("Isupport takes odd tokens as far as they make sense", () => {
  // Guards against throwing on, or inventing from, a broken 005.
  const isupport = taking(
    "MONITOR=100 MODES=4 EXCEPTS",
    "MODES CHANLIMIT= =FOO - -MONITOR -EXCEPTS=x PREFIX= NETWORK=My\\x20Net CASEMAPPING STATUSMSG",
  );
  assert.equal(isupport.get("MONITOR"), undefined);
  assert.equal(isupport.get("EXCEPTS"), undefined);
  assert.equal(isupport.get("MODES"), "");
  assert.equal(isupport.get("CHANLIMIT"), "");
  assert.equal(isupport.tokens.has(""), false);
  assert.equal(isupport.network, "My Net");
  assert.deepEqual(isupport.prefixes, []);
  assert.equal(isupport.casemapping, "rfc1459");
});

Deno.test("Isupport lets the later value win", () => {
  // Guards that a re-sent PREFIX re-labels members from then on.
  const isupport = taking("PREFIX=", "PREFIX=(qaohv)~&@%+ draft/X=1");
  assert.deepEqual(
    isupport.prefixes.map(({ mode, glyph }) => mode + glyph),
    ["q~", "a&", "o@", "h%", "v+"],
  );
  assert.equal(isupport.get("draft/X"), "1");
  isupport.reset();
  assert.equal(isupport.tokens.size, 0);
  assert.equal(isupport.prefixes.length, 2);
});

Deno.test("Isupport bounds how many tokens a server may leave", () => {
  // Guards that a server cannot grow the process with made-up tokens.
  const isupport = new Isupport();
  for (let i = 0; i < 10_000; i++) isupport.add([`X${i}=y`]);
  assert.ok(isupport.tokens.size <= 512);
});

Deno.test("isupportTokens() leaves the nick and the text out", () => {
  // Guards that the text for people does not become a token, and that a
  // server which sends no text loses none.
  const rows: [string[], string[]][] = [
    [["me", "A=1", "B", "are supported by this server"], ["A=1", "B"]],
    [["me", "A=1", "are supported"], ["A=1"]],
    [["me", "A=1", "supported"], ["A=1"]],
    [["me", "A=1", "CHANTYPES=#"], ["A=1", "CHANTYPES=#"]],
    [["me", "A=1", "-B"], ["A=1", "-B"]],
    [["me"], []],
    [[], []],
  ];
  for (const [params, tokens] of rows) {
    assert.deepEqual(isupportTokens(params), tokens);
  }
});
