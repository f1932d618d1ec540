import assert from "node:assert/strict";
import {
  reportTo,
  type ServiceManager,
  socketAddress,
  STATUS_EVERY_MS,
} from "../lib/service_manager.ts";
import { FakeClock } from "./fake_clock.ts";

Deno.test("socketAddress() lays out paths and names, and nothing else", () => {
  // Guards what the kernel is handed: a wrong length is another address.
  assert.deepEqual(
    socketAddress("/a"),
    new Uint8Array([1, 0, 0x2f, 0x61, 0]),
  );
  assert.deepEqual(socketAddress("@a"), new Uint8Array([1, 0, 0, 0x61]));
  for (
    const wrong of [
      "",
      "a",
      "/",
      "@",
      "/a\0b",
      `/${"a".repeat(107)}`,
      "vsock:1",
    ]
  ) {
    assert.equal(socketAddress(wrong), undefined, wrong);
  }
  assert.equal(socketAddress(`/${"a".repeat(106)}`)?.length, 110);
});

Deno.test("reportTo() says ready once, then what changes, then that it stops", async () => {
  // Guards who waits for the service, and the manager from being told nothing
  // new every few seconds.
  const clock = new FakeClock();
  const sent: string[] = [];
  const manager: ServiceManager = {
    send: (message) => void sent.push(message),
    close() {},
  };
  let status = "off";
  const reports = reportTo(manager, { clock, status: () => status });
  await clock.advance(3 * STATUS_EVERY_MS);
  status = "on\nMAINPID=1";
  await clock.advance(3 * STATUS_EVERY_MS);
  reports.stopping();
  await clock.advance(3 * STATUS_EVERY_MS);
  assert.deepEqual(sent, [
    "READY=1\nSTATUS=off",
    "STATUS=on MAINPID=1",
    "STOPPING=1\nSTATUS=stopping",
  ]);
  assert.equal(clock.pending, 0);
});
