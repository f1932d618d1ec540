import assert from "node:assert/strict";
import { dialOwnServer } from "../../lib/peer/own_server.ts";
import type { PeerVerdict } from "../../lib/peer/owner.ts";

function check(...verdicts: PeerVerdict[]) {
  return { judge: () => verdicts.shift() ?? "unknown" };
}

Deno.test("dialOwnServer() hands on a connection that writes and reads", async () => {
  // Guards the happy path, and an owner that is named a little late.
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const echoed = (async () => {
    const conn = await listener.accept();
    const bytes = new Uint8Array(5);
    await conn.read(bytes);
    await conn.write(bytes);
    conn.close();
  })();
  const dialled = await dialOwnServer(
    listener.addr.port,
    check("unknown", "unknown", "same-user"),
  );
  assert.ok(dialled.kind === "own");
  await dialled.server.write(new TextEncoder().encode("hello"));
  const bytes = await dialled.server.read();
  assert.equal(new TextDecoder().decode(bytes ?? new Uint8Array()), "hello");
  assert.equal(await dialled.server.read(), null);
  dialled.server.close();
  dialled.server.close();
  await echoed;
  listener.close();
});

Deno.test("dialOwnServer() tells a server that hung up from one of nobody", async () => {
  // Guards that a full service is dialled again, and not taken for a stranger.
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepted = (async () => (await listener.accept()).close())();
  const { port } = listener.addr;
  assert.deepEqual(await dialOwnServer(port, check()), { kind: "closed" });
  await accepted;
  listener.close();
  assert.deepEqual(await dialOwnServer(port, check()), { kind: "nobody" });
});

Deno.test("dialOwnServer() stops waiting for an owner when told to", async () => {
  // Guards that a cancelled request leaves at once.
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepted = listener.accept();
  const stop = AbortSignal.timeout(20);
  assert.deepEqual(
    await dialOwnServer(listener.addr.port, check(), stop),
    { kind: "unknown" },
  );
  (await accepted).close();
  listener.close();
});
