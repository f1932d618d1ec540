import assert from "node:assert/strict";
import {
  EnvelopeMaker,
  serialiseEnvelope,
} from "../../lib/envelope/envelope.ts";
import {
  multilineLines,
  readMultilineLimits,
} from "../../lib/irc/multiline.ts";
import { Engine } from "../../lib/engine/engine.ts";
import { createLink } from "../../lib/irc/connection.ts";
import { systemClock } from "../../lib/clock.ts";
import { joinedRig, makeRig } from "./fake_link.ts";
import { makeConfig, RecordingLog, withServer } from "./linked.ts";
import { within } from "./scripted_server.ts";

/** `:me!me@my.host ` of the rig, and `PRIVMSG #room :`. */
const SOURCE_BYTES = ":me!me@my.host ".length;
const HEAD_BYTES = "PRIVMSG #room :".length;
const ROOM = 510 - SOURCE_BYTES - HEAD_BYTES;

Deno.test("sendWhole() sends what fits with the source the server adds, and nothing of what does not", async () => {
  // Guards that a server never cuts an envelope in two, at the exact byte.
  const rig = joinedRig();
  const fits = "é".repeat(ROOM / 2) + "x".repeat(ROOM % 2);
  assert.deepEqual(await rig.session.sendWhole("#room", fits), {
    kind: "sent",
  });
  assert.deepEqual(rig.link.takeSent(), [`PRIVMSG #room :${fits}`]);
  for (const excess of [1, 2, 700]) {
    assert.deepEqual(
      await rig.session.sendWhole("#room", fits + "x".repeat(excess)),
      { kind: "too-long", excessBytes: excess },
    );
  }
  assert.deepEqual(rig.link.takeSent(), []);
  assert.equal(rig.rows("#room").length, 2);
});

Deno.test("sendWhole() leaves room for the longest source until the own one is known", async () => {
  // Guards the first message after a connect, when no JOIN has shown our host.
  const rig = makeRig();
  rig.link.welcome();
  const room = 510 - ":me!".length - 74 - " ".length - "PRIVMSG bob :".length;
  assert.deepEqual(await rig.session.sendWhole("bob", "x".repeat(room + 3)), {
    kind: "too-long",
    excessBytes: 3,
  });
  assert.deepEqual(await rig.session.sendWhole("bob", "x".repeat(room)), {
    kind: "sent",
  });
});

Deno.test("sendWhole() says when nothing was sent", async () => {
  // Guards that a lost connection is not taken for a sent task.
  const rig = joinedRig();
  rig.link.takesLines = false;
  assert.deepEqual(await rig.session.sendWhole("#room", "x"), {
    kind: "not-sent",
  });
  assert.deepEqual(await rig.session.sendWhole("#a b", "x"), {
    kind: "not-sent",
  });
});

Deno.test("sendWhole() does not split over a multiline batch without its limits or its capabilities", async () => {
  // Guards that half an envelope is never sent on a guess.
  for (
    const [caps, value] of [
      [["batch"], "max-bytes=4096"],
      [["draft/multiline"], "max-bytes=4096"],
      [["batch", "draft/multiline"], "max-lines=10"],
      [["batch", "draft/multiline"], "max-bytes=x"],
      [["batch", "draft/multiline"], "max-bytes=1000"],
      [["batch", "draft/multiline"], "max-bytes=4096,max-lines=2"],
    ] as [string[], string][]
  ) {
    const rig = joinedRig({ caps });
    rig.link.availableCapabilities.set("draft/multiline", value);
    const { kind } = await rig.session.sendWhole("#room", "x".repeat(1001));
    assert.equal(kind, "too-long", value);
    assert.deepEqual(rig.link.takeSent(), []);
  }
});

Deno.test("readMultilineLimits() reads what servers say", () => {
  // Guards against a batch that a server refuses as a whole.
  assert.deepEqual(readMultilineLimits("max-bytes=4096,max-lines=24"), {
    maxBytes: 4096,
    maxLines: 24,
  });
  assert.deepEqual(readMultilineLimits("x=1,max-bytes=40000"), {
    maxBytes: 40_000,
    maxLines: Infinity,
  });
  for (const value of ["", "max-lines=2", "max-bytes=-1", "max-bytes"]) {
    assert.equal(readMultilineLimits(value), undefined, value);
  }
});

Deno.test("multilineLines() keeps to every limit, to the byte", () => {
  // Guards the boundaries: one byte or line too many costs the whole message.
  const options = (maxBytes: number, maxLines: number) => ({
    target: "#c",
    reference: "r",
    roomBytes: 10,
    limits: { maxBytes, maxLines },
  });
  assert.deepEqual(multilineLines("x".repeat(25), options(25, 3)), {
    lines: [
      "BATCH +r draft/multiline #c",
      "@batch=r PRIVMSG #c :xxxxxxxxxx",
      "@batch=r;draft/multiline-concat PRIVMSG #c :xxxxxxxxxx",
      "@batch=r;draft/multiline-concat PRIVMSG #c :xxxxx",
      "BATCH -r",
    ],
  });
  assert.deepEqual(multilineLines("x".repeat(26), options(25, 9)), {
    excessBytes: 1,
  });
  assert.deepEqual(multilineLines("x".repeat(25), options(99, 2)), {
    excessBytes: 5,
  });
  // Characters of three bytes fill nine of ten bytes a line.
  assert.deepEqual(
    multilineLines("€".repeat(6), options(99, 2)).lines?.length,
    4,
  );
  assert.deepEqual(multilineLines("€".repeat(7), options(99, 2)), {
    excessBytes: 1,
  });
});

Deno.test("a long envelope goes over draft/multiline and comes back as one row", async () => {
  // Guards both ends over a real socket: the server relays the batch as it
  // came, and the row holds the envelope to the letter.
  await withServer(async (server) => {
    const engine = new Engine({
      clock: systemClock,
      log: new RecordingLog(),
      bufferLimit: 1000,
      createLink: (options) =>
        createLink({
          ...options,
          limits: { quitMs: 50, floodThrottle: () => false },
        }),
    });
    const session = engine.startSession(makeConfig(server.port), {
      channelKeys: new Map(),
    });
    session.connect();
    const peer = await server.accept();
    await peer.register({
      caps:
        "batch message-tags echo-message draft/multiline=max-bytes=4096,max-lines=10",
    });
    await peer.send(":me!u@h JOIN #c", ":srv 366 me #c :End");
    await peer.barrier();
    const envelope = new EnvelopeMaker().make({
      type: "task.create",
      from: "me",
      payload: { title: "“long” ".repeat(150), tail: "end" },
    });
    const text = serialiseEnvelope(envelope);
    const sending = session.sendWhole("#c", text);
    await peer.until(/^BATCH \+/);
    const lines = [peer.received.at(-1) ?? ""];
    while (!/^BATCH -/.test(lines.at(-1) ?? "")) {
      lines.push(await peer.readLine() ?? "");
    }
    assert.deepEqual(await within("the sending", sending), { kind: "sent" });
    assert.ok(lines.length > 4);
    for (const line of lines) {
      const untagged = `:me!u@h ${line.replace(/^@\S+ /, "")}`;
      assert.ok(new TextEncoder().encode(untagged).length <= 510, line);
    }
    await peer.send(
      ...lines.map((line) =>
        line.startsWith("@")
          ? line.replace(" ", " :me!u@h ")
          : `:me!u@h ${line}`
      ),
    );
    await peer.barrier();
    const rows = session.buffers().find(({ name }) => name === "#c")
      ?.messages.since(0, 100).filter(({ kind }) => kind === "privmsg");
    assert.deepEqual(rows?.map(({ payload }) => payload), [{
      caseName: "privmsg",
      text,
      target: "#c",
      isEcho: true,
      envelope,
    }]);
    await engine.close("");
  });
});

Deno.test("a multiline message without echo-message makes one row of its own", async () => {
  // Guards that the parts are not taken for messages.
  const rig = joinedRig({ caps: ["batch", "draft/multiline"] });
  rig.link.availableCapabilities.set("draft/multiline", "max-bytes=4096");
  const text = "x".repeat(1_200);
  assert.equal((await rig.session.sendWhole("#room", text)).kind, "sent");
  assert.equal(rig.link.takeSent().length, 5);
  assert.deepEqual(rig.rows("#room").slice(1), [
    `privmsg me text="${text}" target="#room"`,
  ]);
});
