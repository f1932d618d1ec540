import assert from "node:assert/strict";
import { measureBytesPerMessage } from "../../bench/memory.ts";

Deno.test("A message costs at most 600 bytes of heap at 100,000 held", async () => {
  // Guards against rows that keep their whole line alive, which nothing but the
  // heap shows. It measures in a child process (Deno.Command).
  const bytes = await measureBytesPerMessage();
  assert.ok(bytes > 100 && bytes <= 600, `${bytes} bytes`);
});
