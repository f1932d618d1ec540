import assert from "node:assert/strict";
import {
  type Envelope,
  EnvelopeMaker,
  serialiseEnvelope,
} from "../../lib/envelope/envelope.ts";
import { cutToFit, excessBytes, roomBytes } from "../../lib/envelope/fit.ts";
import { parseEnvelope } from "../../lib/envelope/parse_envelope.ts";

const encoder = new TextEncoder();

function answer(payload: Record<string, unknown>): Envelope {
  return new EnvelopeMaker(() => 0).make({
    type: "task.complete",
    from: "worker",
    payload,
  });
}

Deno.test("excessBytes() counts the whole line as its recipients get it", () => {
  // Guards that a server never cuts an envelope in two.
  const fixed = "PRIVMSG #c :".length;
  const text = "x".repeat(510 - fixed);
  assert.equal(excessBytes({ target: "#c", text }), 0);
  assert.equal(excessBytes({ target: "#c", text: text + "é" }), 2);
  const sourceBytes = ":me!u@host ".length;
  assert.equal(excessBytes({ target: "#c", text, sourceBytes }), sourceBytes);
  assert.equal(roomBytes({ target: "#c", sourceBytes }), 510 - 12 - 11);
});

Deno.test("cutToFit() fills the room with whole characters, to the byte", () => {
  // Guards that a cut answer is still an envelope, and says as much as fits.
  const outputs = [
    "x".repeat(2_000),
    "é".repeat(2_000),
    "€😀".repeat(900),
    '"\\\n\u0001'.repeat(900),
    "\ud800".repeat(900),
  ];
  for (const summary of outputs) {
    const envelope = answer({ task_id: "T", summary });
    for (let maxBytes = 300; maxBytes < 330; maxBytes++) {
      const cut = cutToFit(envelope, { field: "summary", maxBytes });
      assert.ok(cut !== undefined);
      const text = serialiseEnvelope(cut);
      const bytes = encoder.encode(text).length;
      assert.ok(bytes <= maxBytes && bytes > maxBytes - 12, `${bytes}`);
      const kept = String(parseEnvelope(text).envelope?.payload?.["summary"]);
      assert.ok(kept.endsWith("…"));
      assert.ok(summary.startsWith(kept.slice(0, -1)));
      assert.equal(cut.payload?.["task_id"], "T");
    }
  }
});

Deno.test("cutToFit() leaves what fits alone, and gives up where the text is not what is long", () => {
  // Guards that nothing is cut without need, and nothing half is made.
  const short = answer({ summary: "ok" });
  const bytes = encoder.encode(serialiseEnvelope(short)).length;
  assert.equal(cutToFit(short, { field: "summary", maxBytes: bytes }), short);
  const long = answer({ summary: "okay", other: "x".repeat(600) });
  for (const field of ["summary", "nothing"]) {
    assert.equal(cutToFit(long, { field, maxBytes: 400 }), undefined);
  }
});
