import assert from "node:assert/strict";
import { systemClock } from "../../lib/clock.ts";
import { type LogLine, LogWriter } from "../../lib/log.ts";
import { Scripts } from "../../lib/scripts/scripts.ts";

const SESSION = { id: "ID", name: "Net", nick: "me" };

/** Runs `body` with the scripts given as file name and source. */
async function withScripts(
  sources: Readonly<Record<string, string>>,
  body: (scripts: Scripts, lines: LogLine[]) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  const lines: LogLine[] = [];
  const log = new LogWriter(() => 0, [(line) => lines.push(line)]);
  for (const [name, source] of Object.entries(sources)) {
    await Deno.writeTextFile(`${folder}/${name}`, source);
  }
  const scripts = await Scripts.load({ folder, clock: systemClock, log });
  try {
    await body(scripts, lines);
  } finally {
    scripts.close();
    await Deno.remove(folder, { recursive: true });
  }
}

function permit(scripts: Scripts, line: string, isAgents = true) {
  return scripts.permit(line, { session: SESSION, isAgents });
}

Deno.test("Scripts shows each line as it goes on the wire, and takes a veto [SEND-014 SEND-044]", async () => {
  // Guards the person's last word over what an agent sends.
  await withScripts({
    "guard.js": `bind("RAW_OUT", (line, session) =>
      !(session.nick === "me" && line === "PASS hunter22"));`,
  }, async (scripts) => {
    assert.equal(await permit(scripts, "PASS hunter22"), false);
    assert.equal(await permit(scripts, "PING a"), true);
    assert.deepEqual(scripts.counts, {
      inputCallbackCount: 1,
      menuItemCount: 0,
      buttonCount: 0,
    });
  });
});

Deno.test("Scripts vetoes when any one of several does", async () => {
  // Guards that a later script cannot overrule an earlier one.
  await withScripts({
    "a.js": `bind("RAW_OUT", (line) => line !== "A");`,
    "b.js": `bind("RAW_OUT", async (line) => line !== "B");`,
    "note.txt": `not a script`,
  }, async (scripts, lines) => {
    assert.equal(await permit(scripts, "A"), false);
    assert.equal(await permit(scripts, "B"), false);
    assert.equal(await permit(scripts, "C"), true);
    assert.deepEqual(lines, []);
  });
});

Deno.test("Scripts ends a script that throws over a line", async () => {
  // Guards that a broken guard has not said yes to an agent, once, and that
  // the connection goes on without it.
  await withScripts({
    "bad.js": `bind("RAW_OUT", () => { throw new Error("oops"); });`,
  }, async (scripts, lines) => {
    assert.equal(await permit(scripts, "A"), false);
    assert.equal(await permit(scripts, "B"), true);
    assert.equal(scripts.isWatching, false);
    assert.deepEqual(
      lines.map((line) => [line.level, line.category, line.text]),
      [["error", "scripts", "script bad.js was stopped: threw: oops"]],
    );
  });
});

Deno.test("Scripts ends a script that hangs, and a person's line goes out", async () => {
  // Guards that no script holds the connection longer than its deadline.
  await withScripts({
    "hang.js": `bind("RAW_OUT", () => { while (true); });`,
  }, async (scripts, lines) => {
    assert.equal(await permit(scripts, "PONG a", false), true);
    assert.equal(
      lines[0]?.text,
      "script hang.js was stopped: took over 250 ms for a line",
    );
  });
});

Deno.test("Scripts ends a script whose promise never settles", async () => {
  // Guards the deadline against a script that waits rather than spins.
  await withScripts({
    "wait.js": `bind("RAW_OUT", () => new Promise(() => {}));`,
  }, async (scripts) => {
    assert.equal(await permit(scripts, "A"), false);
    assert.equal(await permit(scripts, "A"), true);
  });
});

Deno.test("Scripts ends a script that floods the log", async () => {
  // Guards the log and memory against a loop.
  await withScripts({
    "flood.js": `bind("RAW_OUT", () => {
      for (let i = 0; i < 1000; i++) console.log("x".repeat(10_000));
    });`,
  }, async (scripts, lines) => {
    assert.equal(await permit(scripts, "A"), false);
    assert.equal(lines.length, 101);
    assert.ok(lines.every((line) => line.text.length < 600));
    assert.equal(
      lines.at(-1)?.text,
      "script flood.js was stopped: logged over 100 lines in 10 s",
    );
  });
});

Deno.test("Scripts gives a script no permission and no way to speak for another", async () => {
  // Guards files, network and environment against what a person pasted.
  await withScripts({
    "probe.js": `
      const tries = [
        () => Deno.readTextFileSync("/etc/hostname"),
        () => Deno.env.get("HOME"),
        () => Deno.listen({ hostname: "127.0.0.1", port: 0 }),
        () => new Deno.Command("true").outputSync(),
        () => postMessage({ kind: "verdict", id: 1, isVetoed: false }),
        () => new Worker("data:text/javascript,"),
      ];
      let refused = 0;
      for (const attempt of tries) {
        try { attempt(); } catch { refused++; }
      }
      await fetch("http://127.0.0.1:9999/").catch((e) => {
        if (e.name === "NotCapable") refused++;
      });
      console.log(refused, "refused");
      bind("RAW_OUT", (line) => line !== "A");
    `,
  }, async (scripts, lines) => {
    assert.equal(lines[0]?.text, "probe.js: 7 refused");
    assert.equal(await permit(scripts, "A"), false);
  });
});

Deno.test("Scripts loads the rest when one does not load", async () => {
  // Guards that a syntax error in one file takes no other with it.
  await withScripts({
    "a.js": `bind("RAW_OUT", (`,
    "b.js": `bind("JOIN", () => {});`,
    "c.js": `bind("RAW_OUT", (line) => line !== "C");`,
  }, async (scripts, lines) => {
    assert.equal(await permit(scripts, "C"), false);
    assert.equal(lines.length, 2);
    assert.match(lines[0]?.text ?? "", /^script a\.js was stopped: threw: /);
    assert.equal(
      lines[1]?.text,
      "script b.js was stopped: threw: No event JOIN",
    );
  });
});

Deno.test("Scripts.load() takes a folder that is not there", async () => {
  // Guards the usual start: a home without scripts.
  const log = new LogWriter(() => 0, [() => assert.fail("logged")]);
  const folder = "/nonexistent/scripts";
  const scripts = await Scripts.load({ folder, clock: systemClock, log });
  assert.equal(scripts.isWatching, false);
  assert.equal(await permit(scripts, "A"), true);
});
